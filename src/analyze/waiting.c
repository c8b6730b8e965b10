/* SPDX-License-Identifier: MIT */
/*
 * Where coroutines wait at the end: their number at each place, and the one that has waited longest. Coroutines at a
 * yield do not count, because they wait for nothing. Nothing is judged: many coroutines at a place may be normal.
 */
#include <stdlib.h>

#include "analyze/parts.h"
#include "analyze/wait.h"

#define LEAST_BEFORE 10u

void analyze_waiting_add_ended(const struct analysis *analysis, struct ct_waiting *waiting)
{
	const struct histogram *waits = model_waits_at(analysis->model, waiting->site);

	waiting->nr_ended = waits->count;
	waiting->longest_ns = waits->max;
}

/* The first resume of a coroutine that was seen from its beginning ended no wait. */
static int64_t mean_before(const struct model_coro *coro)
{
	uint64_t nr_waits = coro->nr_resumes - (coro->created != CT_NO_TIME && coro->nr_resumes);

	if (nr_waits < LEAST_BEFORE)
		return CT_NO_TIME;
	return coro->turns->spent[CT_STATE_WAITING] / (int64_t)nr_waits;
}

static bool is_unusual(const struct ct_waiting *waiting, const struct model_coro *coro)
{
	int64_t least = (waiting->until - waiting->since) / CT_TIMES_UNUSUAL;

	if (analyze_wait_is_for_outside(coro) || analyze_wait_may_expire(coro, waiting->until))
		return false;
	/* A look at memory finds waits that have ended, and not how long they took. */
	if (waiting->nr_ended)
		return waiting->longest_ns && least > (int64_t)waiting->longest_ns;
	return waiting->mean_before_ns != CT_NO_TIME && least > waiting->mean_before_ns;
}

static void add_history(const struct analysis *analysis, struct ct_waiting *waiting)
{
	const struct model_coro *coro =
		coro_at(analysis, model_find(analysis->model, waiting->process, waiting->coro));

	analyze_waiting_add_ended(analysis, waiting);
	waiting->mean_before_ns = mean_before(coro);
	waiting->is_unusual = is_unusual(waiting, coro);
}

static void count(
	const struct analysis *analysis, const struct model_coro *coro, struct ct_waiting *waiting)
{
	waiting->frame_bytes += coro->rare->frame_bytes;
	if (waiting->nr_coros++ > 0 && waiting->since <= coro->suspended)
		return;
	waiting->site = coro->wait_site;
	waiting->process = coro->process;
	waiting->coro = coro->id;
	waiting->since = coro->suspended;
	waiting->until = analysis->parties[coro->process].end;
}

static int compare(const void *left, const void *right)
{
	const struct ct_waiting *a = left, *b = right;
	int order = (a->nr_coros < b->nr_coros) - (a->nr_coros > b->nr_coros);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

void analyze_waiting_list(struct analysis *analysis, struct ct_report *report)
{
	const struct model *model = analysis->model;
	size_t nr_sites = analysis->tables->nr_sites, nr_used = 0, i;
	struct ct_waiting *all = analyze_scratch(analysis, nr_sites + 1, sizeof(*all));
	struct ct_waiting *used;

	for (i = 1; all && i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		struct ct_waiting *waiting = &all[coro->wait_site < nr_sites ? coro->wait_site : 0];

		if (coro->state != CT_STATE_WAITING || model_is_yielding(coro) ||
			model_is_of_runtime(coro))
			continue;
		nr_used += waiting->nr_coros == 0;
		count(analysis, coro, waiting);
	}
	used = analyze_array(analysis, nr_used, sizeof(*used));
	if (!all || !used)
		return;
	qsort(all, nr_sites + 1, sizeof(*all), compare);
	for (i = 0; i < nr_used; i++) {
		used[i] = all[i];
		add_history(analysis, &used[i]);
	}
	report->waiting = used;
	report->nr_waiting = (uint32_t)nr_used;
}
