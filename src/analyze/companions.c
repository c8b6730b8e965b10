/* SPDX-License-Identifier: MIT */
/*
 * Companions: those that ran last when the first wait of a coroutine at a place ended, less those that did not run
 * within a later one.
 */
#include <inttypes.h>

#include "analyze/companions.h"
#include "analyze/fruitless.h"
#include "analyze/parts.h"

#define MOST 4u
#define LEAST_WAITS 5u
#define TOLD 4u

/* The coroutines that ran last, the very last one first: ids; 0: none. */
struct memory {
	uint64_t ran[MOST];
};

struct of_coro {
	uint32_t site;      /* where it was last woken */
	uint32_t nr_waits;  /* there, with nothing but sleeps between */
	uint64_t ids[MOST]; /* its companions; 0: none */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	struct memory *memory = watch->memory;
	uint64_t id = watch->model->coros.at[sight->coro].id;
	unsigned i = 0;

	while (i < MOST - 1 && memory->ran[i] != id)
		i++;
	for (; i > 0; i--)
		memory->ran[i] = memory->ran[i - 1];
	memory->ran[0] = id;
	return true;
}

/* Has the coroutine of this id run since `coro` waits? */
static bool has_run_within(struct model *model, uint64_t id, const struct model_coro *coro)
{
	uint32_t other = id && id != coro->id ? model_find(model, coro->process, id) : 0;
	const struct model_coro *at = &model->coros.at[other];

	return other && at->resumed != CT_NO_TIME && at->resumed >= coro->suspended;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct memory *memory = watch->memory;
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	uint32_t site = coro->wait_site;
	unsigned i;

	if (!model_is_awaiting(coro) || !site || analyze_wait_is_timed(coro))
		return true;
	if (of->site != site) {
		*of = (struct of_coro){.site = site};
		for (i = 0; i < MOST; i++)
			of->ids[i] = memory->ran[i];
	}
	of->nr_waits++;
	for (i = 0; i < MOST; i++)
		if (of->ids[i] && !has_run_within(watch->model, of->ids[i], coro))
			of->ids[i] = 0;
	return true;
}

const struct model_watcher analyze_companions_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_RUN] = look_at_run, [MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- the survey */

/* The companion behind which this coroutine waits; 0: none. */
static uint32_t companion_of(const struct analysis *analysis, uint32_t index)
{
	struct model *model = analysis->model;
	const struct model_coro *coro = &model->coros.at[index];
	const struct of_coro *of =
		model_watch_rare(analyze_watch_by(analysis, &analyze_companions_watcher), index);
	unsigned i;

	if (coro->state != CT_STATE_WAITING || of->nr_waits < LEAST_WAITS ||
		of->site != coro->wait_site)
		return 0;
	for (i = 0; i < MOST; i++) {
		uint32_t other = of->ids[i] ? model_find(model, coro->process, of->ids[i]) : 0;

		if (other && other != index &&
			analyze_fruitless_is(analysis, &model->coros.at[other]))
			return other;
	}
	return 0;
}

/* The group of which this coroutine is a member; NULL: none. */
static const struct group *group_of(const struct analysis *analysis, uint32_t coro)
{
	size_t i;
	uint32_t k;

	for (i = 0; coro && i < analysis->groups.count; i++)
		for (k = 0; k < analysis->groups.at[i].count; k++)
			if (analyze_group_first(analysis, &analysis->groups.at[i])[k].coro == coro)
				return &analysis->groups.at[i];
	return NULL;
}

static bool is_second(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *at = analyze_group_first(analysis, group);
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		uint32_t companion = at[i].is_bare ? companion_of(analysis, at[i].coro) : 0;
		const struct group *other = group_of(analysis, companion);

		if (!other || other == group || companion_of(analysis, companion) ||
			analyze_group_first(analysis, other)->grade < at[i].grade)
			return false;
	}
	return true;
}

void analyze_companions_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_second);
}

/* ---------------------------------------------------------------- the evidence */

static void tell(struct analysis *analysis, struct story *story, uint32_t index, uint32_t companion)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_coro *of =
		model_watch_rare(analyze_watch_by(analysis, &analyze_companions_watcher), index);

	analyze_story_evidence(analysis, story,
		"%s, which waits since %s at %s, waits behind it: coroutine %" PRIu64
		" had run within each of the %" PRIu32 " waits before that it had there in a row",
		analyze_words_coro(analysis, coro), analyze_words_time(analysis, coro->suspended),
		analyze_words_place(analysis, coro->wait_site),
		analysis->model->coros.at[companion].id, of->nr_waits);
	analyze_story_party(analysis, story, index, 0);
}

void analyze_companions_tell(
	struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *at = analyze_group_first(analysis, group);
	uint32_t nr_told = 0, i, k;

	if (!analyze_fruitless_is(analysis, &analysis->model->coros.at[at->coro]))
		return;
	for (i = 1; i < analysis->model->coros.count && nr_told < TOLD; i++) {
		uint32_t companion = companion_of(analysis, i);

		for (k = 0; companion && k < group->count && at[k].coro != companion; k++)
			;
		if (!companion || k == group->count || group_of(analysis, i))
			continue;
		nr_told++;
		tell(analysis, story, i, companion);
	}
}
