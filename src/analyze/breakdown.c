/* SPDX-License-Identifier: MIT */
/*
 * The times of coroutines by coroutine, by function, or by where they were started. Each row is the sum over all
 * coroutines that share its key; the greatest rows come first. One more row sums up the rows that are not shown, so
 * that the rows add up to the whole.
 *
 * The model already has the sums. Distributions, and the times by awaited resource, are too large to keep for a
 * million coroutines: the source is read again for the rows that are shown.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/parts.h"
#include "base/failure.h"

#define DEFAULT_ROWS 20u
#define MOST_ROWS 10000u
#define DISTRIBUTION_BYTES (UINT64_C(64) << 20) /* for three distributions of each row */

/* The sums of one row: of all coroutines that share a coroutine, function or place as their key. */
struct sums {
	uint64_t nr_coros;
	uint64_t nr_resumes;
	uint64_t nr_migrations;
	uint64_t nr_events;
	int64_t spent[CT_STATE_DESTROYED];
	uint32_t coro; /* the first coroutine of the row */
};

struct ranked {
	int64_t amount;
	uint32_t key;
};

struct breakdown {
	struct analysis *analysis;
	uint32_t nr_keys;
	struct sums *sums;     /* by key */
	struct ranked *ranked; /* the greatest first */
	uint32_t nr_ranked;
	uint32_t nr_rows;       /* the first of `ranked`, which are shown */
	uint32_t *group_of_key; /* number of the row, from 1; 0: not shown */
	uint32_t *group_of_coro;
	struct model_breakdown_group *groups; /* [0] is for all coroutines that are not shown */
};

/* ---------------------------------------------------------------- the rows that are shown */

static uint32_t key_of(const struct analysis *analysis, uint32_t coro)
{
	const struct model_coro *at = &analysis->model->coros.at[coro];

	switch (analysis->by) {
	case CT_BY_FUNCTION:
		return at->rare->function_site;
	case CT_BY_SITE:
		return at->spawn_site;
	default:
		return coro;
	}
}

static void add(struct sums *sums, const struct sums *more)
{
	unsigned state;

	if (!sums->nr_coros)
		sums->coro = more->coro;
	sums->nr_coros += more->nr_coros;
	sums->nr_resumes += more->nr_resumes;
	sums->nr_migrations += more->nr_migrations;
	sums->nr_events += more->nr_events;
	for (state = 0; state < CT_STATE_DONE; state++)
		sums->spent[state] += more->spent[state];
}

static struct sums sums_of(const struct model *model, uint32_t index)
{
	const struct model_coro *coro = &model->coros.at[index];
	struct sums sums = {.nr_coros = 1,
		.nr_resumes = coro->nr_resumes,
		.nr_migrations = coro->turns->nr_migrations,
		.nr_events = model_nr_events(coro),
		.coro = index};

	model_spent_all(model, coro, sums.spent);
	return sums;
}

static int64_t amount_of(const struct sums *sums, enum ct_sort sort)
{
	switch (sort) {
	case CT_SORT_READY:
		return sums->spent[CT_STATE_READY];
	case CT_SORT_WAITING:
		return sums->spent[CT_STATE_WAITING];
	case CT_SORT_LIFE:
		return sums->spent[CT_STATE_UNSEEN] + sums->spent[CT_STATE_READY] +
		       sums->spent[CT_STATE_RUNNING] + sums->spent[CT_STATE_WAITING] +
		       sums->spent[CT_STATE_SYSCALL];
	case CT_SORT_RESUMES:
		return (int64_t)sums->nr_resumes;
	case CT_SORT_MIGRATIONS:
		return (int64_t)sums->nr_migrations;
	case CT_SORT_EVENTS:
		return (int64_t)sums->nr_events;
	case CT_SORT_COROUTINES:
		return (int64_t)sums->nr_coros;
	case CT_SORT_RUNNING:
	case CT_NR_SORT:
		break;
	}
	return sums->spent[CT_STATE_RUNNING];
}

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->amount != b->amount)
		return a->amount < b->amount ? 1 : -1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static void rank(struct breakdown *breakdown)
{
	const struct analysis *analysis = breakdown->analysis;
	uint32_t max = analysis->max_rows ? analysis->max_rows : DEFAULT_ROWS, key, i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];
		struct sums own = sums_of(analysis->model, i);

		if (!model_is_of_runtime(coro))
			add(&breakdown->sums[key_of(analysis, i)], &own);
	}
	for (key = 0; key < breakdown->nr_keys; key++)
		if (breakdown->sums[key].nr_coros)
			breakdown->ranked[breakdown->nr_ranked++] = (struct ranked){
				amount_of(&breakdown->sums[key], analysis->sort), key};
	qsort(breakdown->ranked, breakdown->nr_ranked, sizeof(*breakdown->ranked), compare_ranked);
	max = max < MOST_ROWS ? max : MOST_ROWS;
	breakdown->nr_rows = breakdown->nr_ranked < max ? breakdown->nr_ranked : max;
	for (i = 0; i < breakdown->nr_rows; i++)
		breakdown->group_of_key[breakdown->ranked[i].key] = i + 1;
	for (i = 1; i < analysis->model->coros.count; i++)
		breakdown->group_of_coro[i] = breakdown->group_of_key[key_of(analysis, i)];
}

static bool reserve(struct breakdown *breakdown)
{
	struct analysis *analysis = breakdown->analysis;
	struct arena *scratch = &analysis->scratch;
	size_t nr_coros = analysis->model->coros.count, nr_keys = analysis->tables->nr_sites + 1;

	if (analysis->by == CT_BY_COROUTINE)
		nr_keys = nr_coros;
	breakdown->nr_keys = (uint32_t)nr_keys;
	breakdown->sums = arena_array(scratch, nr_keys, sizeof(*breakdown->sums));
	breakdown->ranked = arena_array(scratch, nr_keys, sizeof(*breakdown->ranked));
	breakdown->group_of_key = arena_array(scratch, nr_keys, sizeof(*breakdown->group_of_key));
	breakdown->group_of_coro =
		arena_array(scratch, nr_coros, sizeof(*breakdown->group_of_coro));
	return breakdown->sums && breakdown->ranked && breakdown->group_of_key &&
	       breakdown->group_of_coro;
}

/* ---------------------------------------------------------------- the second reading */

static enum ct_status apply(void *context, const struct ct_event *event, struct ct_error *reterr)
{
	return model_apply(context, event, reterr);
}

static enum ct_status read_again(
	struct breakdown *breakdown, struct ct_source *source, struct ct_error *reterr)
{
	struct model_breakdown filled = {
		.group_of = breakdown->group_of_coro,
		.nr_coros = breakdown->analysis->model->coros.count,
		.groups = breakdown->groups,
		.room_bytes = DISTRIBUTION_BYTES,
	};
	struct model *model;
	enum ct_status status = model_new(source->tables, &model, reterr);

	if (status)
		return status;
	model->breakdown = &filled;
	status = source_each(source, apply, model, reterr);
	if (status == CT_OK)
		status = model_finish(model, reterr);
	model_free(model);
	if (filled.nr_refused)
		analyze_quality_remark(breakdown->analysis,
			"there are more rows than distributions are kept of: %" PRIu64
			" times are in none",
			filled.nr_refused);
	return status == CT_OK && filled.is_broken ? ct_fail_memory(reterr) : status;
}

static struct ct_share export_share(struct analysis *analysis, const struct sums *sums,
	const struct model_breakdown_group *group)
{
	struct ct_share share = {
		.nr_coros = sums->nr_coros,
		.nr_resumes = sums->nr_resumes,
		.nr_migrations = sums->nr_migrations,
		.nr_events = sums->nr_events,
		.times = analyze_statistics_times(sums->spent),
		.runs = analyze_statistics_distribution(model_histogram(group->runs)),
		.wait_times = analyze_statistics_distribution(model_histogram(group->waits)),
		.delays = analyze_statistics_distribution(model_histogram(group->delays)),
	};

	share.waits = analyze_annotations_waits(analysis, group->waited, &share.nr_waits);
	return share;
}

static void export_row(struct breakdown *breakdown, uint32_t row, struct ct_share *ret_share)
{
	struct analysis *analysis = breakdown->analysis;
	uint32_t key = breakdown->ranked[row].key;
	const struct sums *sums = &breakdown->sums[key];
	const struct model_coro *coro = &analysis->model->coros.at[sums->coro];

	*ret_share = export_share(analysis, sums, &breakdown->groups[row + 1]);
	ret_share->process = coro->process;
	ret_share->site = key;
	if (analysis->by != CT_BY_COROUTINE)
		return;
	ret_share->coro = coro->id;
	ret_share->site = coro->rare->function_site;
}

static void export_rows(struct breakdown *breakdown, struct ct_report *report)
{
	struct analysis *analysis = breakdown->analysis;
	struct ct_breakdown *exported = analyze_array(analysis, 1, sizeof(*exported));
	struct ct_share *rows = analyze_array(analysis, breakdown->nr_rows + 1, sizeof(*rows));
	struct sums others = {0};
	uint32_t i;

	if (!exported || !rows)
		return;
	for (i = 0; i < breakdown->nr_rows; i++)
		export_row(breakdown, i, &rows[i]);
	for (; i < breakdown->nr_ranked; i++)
		add(&others, &breakdown->sums[breakdown->ranked[i].key]);
	*exported = (struct ct_breakdown){
		.by = analysis->by,
		.sort = analysis->sort,
		.rows = rows,
		.nr_rows = breakdown->nr_rows,
		.nr_others = breakdown->nr_ranked - breakdown->nr_rows,
		.others = export_share(analysis, &others, &breakdown->groups[0]),
	};
	report->breakdown = exported;
}

bool analyze_breakdown_is_wanted(const struct analysis *analysis)
{
	return analysis->by == CT_BY_COROUTINE || analysis->by == CT_BY_FUNCTION ||
	       analysis->by == CT_BY_SITE;
}

enum ct_status analyze_breakdown_export(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr)
{
	struct breakdown breakdown = {.analysis = analysis};
	enum ct_status status;
	uint32_t i;

	if (!analyze_breakdown_is_wanted(analysis))
		return CT_OK;
	if (!reserve(&breakdown))
		return ct_fail_memory(reterr);
	rank(&breakdown);
	breakdown.groups =
		analyze_scratch(analysis, breakdown.nr_rows + 1, sizeof(*breakdown.groups));
	if (!breakdown.groups)
		return ct_fail_memory(reterr);
	status = read_again(&breakdown, source, reterr);
	if (status == CT_OK)
		export_rows(&breakdown, report);
	for (i = 0; i <= breakdown.nr_rows; i++)
		model_breakdown_group_fini(&breakdown.groups[i]);
	return status;
}
