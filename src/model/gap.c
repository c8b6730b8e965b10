/* SPDX-License-Identifier: MIT */
/*
 * Missing events. The trace's tables list the losses that the engine found; `lost` events record those that the probe
 * found. Both are gaps in time and no more: the model invents nothing for them.
 */
#include <stdlib.h>

#include "base/count.h"
#include "model/parts.h"

/*
 * A gap counts for at most this many events where gaps are summed up and subtracted, so that sums over damaged traces
 * do not overflow.
 */
#define MOST_LOST (UINT64_C(1) << 40)

/* A full ring drops what its thread writes: the thread was awake, by the end of the gap at the latest. */
static void note_dropped(struct model *model, const struct model_gap *gap)
{
	struct model_thread *thread;

	if (gap->reason != CTP_LOSS_FULL || !gap->thread || gap->thread >= model->nr_threads)
		return;
	thread = thread_at(model, gap->thread);
	if (thread->dropped < gap->last)
		thread->dropped = gap->last;
}

static bool add(struct model *model, struct model_gap gap)
{
	struct model_gap *last = model->gaps.count ? &model->gaps.at[model->gaps.count - 1] : NULL;

	gap.told = gap.count;
	if (gap.count > MOST_LOST)
		gap.count = MOST_LOST;
	/* The number of events before the recording, or after its last written part, is not known. */
	if (gap.reason != CTP_LOSS_BEFORE && gap.reason != CTP_LOSS_OPEN_END)
		count_add(ct_loss_was_asked(gap.reason) ? &model->nr_left_out : &model->nr_lost,
			gap.told);
	if (gap.first > gap.last)
		gap.first = gap.last;
	if (gap.thread < model->nr_threads && !model_thread_may_be_worker(model, gap.thread))
		return false;
	/* A ring that stays full reports one gap after the other. */
	if (last && last->process == gap.process && last->thread == gap.thread &&
		last->coro == gap.coro && last->reason == gap.reason &&
		last->is_told == gap.is_told && gap.first >= last->first &&
		gap.first <= time_plus(last->last, model->uncertainty_ns)) {
		last->count += gap.count;
		count_add(&last->told, gap.told);
		if (gap.last > last->last)
			last->last = gap.last;
		return true;
	}
	return vec_push(&model->gaps, gap);
}

bool model_gap_tables(struct model *model)
{
	const struct ct_tables *tables = model->tables;

	for (; model->nr_losses_taken < tables->nr_losses; model->nr_losses_taken++) {
		const struct ct_loss *loss = &tables->losses[model->nr_losses_taken];
		struct model_gap gap = {
			.process = loss->process,
			.thread = loss->thread,
			.coro = loss->coro,
			.reason = loss->reason,
			.count = loss->count,
			.first = loss->first,
			.last = loss->last == CT_NO_TIME ? INT64_MAX : loss->last,
		};

		if (!loss->count)
			continue;
		note_dropped(model, &gap);
		if (!add(model, gap))
			return false;
	}
	return true;
}

bool model_gap_lost(struct model *model, const struct ct_event *event)
{
	ct_time first = (ct_time)event->coro;
	struct model_gap gap = {
		.process = event->process,
		.thread = event->thread,
		.reason = event->argument,
		.count = event->object,
		.is_told = true,
		.first = first,
		.last = event->time,
	};

	/* An impossible time: the gap began after the last event of the thread. */
	if (first < model->lowest || first > event->time || (first == 0 && model->from != 0))
		gap.first = thread_at(model, event->thread)->last_event;
	if (!gap.count)
		return true;
	note_dropped(model, &gap);
	return add(model, gap);
}

/* ---------------------------------------------------------------- queries */

static int compare_edges(const void *left, const void *right)
{
	const struct model_edge *a = left, *b = right;

	if (a->owner != b->owner)
		return a->owner > b->owner ? 1 : -1;
	return (a->time > b->time) - (a->time < b->time);
}

static void add_up(struct model_edge *edges, size_t count)
{
	uint64_t total = 0;
	size_t i;

	qsort(edges, count, sizeof(*edges), compare_edges);
	for (i = 0; i < count; i++)
		edges[i].total = total += edges[i].total;
}

/*
 * The end of the gap. If the thread did not record the gap itself and wrote nothing after it, the thread may have
 * done anything since.
 */
static ct_time end_of(const struct model *model, const struct model_gap *gap)
{
	bool is_known = gap->is_told || !gap->thread || gap->thread >= model->nr_threads ||
			gap->reason == CTP_LOSS_BEFORE || ct_loss_was_asked(gap->reason);

	return is_known || model->threads[gap->thread].last_event >= gap->last ? gap->last
									       : INT64_MAX;
}

/* The key of a thread; processes have smaller keys. */
static uint64_t owner_thread(uint32_t thread)
{
	return ((uint64_t)1 << 32) + thread;
}

typedef bool index_function(const struct model_gap *gap, uint64_t *ret_owner);

static bool take_process(const struct model_gap *gap, uint64_t *ret_owner)
{
	*ret_owner = gap->process;
	return true;
}

static bool take_thread(const struct model_gap *gap, uint64_t *ret_owner)
{
	*ret_owner = gap->thread ? owner_thread(gap->thread) : gap->process;
	return true;
}

/*
 * Takes losses of no process: invalid words or missing pieces of a file. Invalid words of a ring are a loss of its
 * process.
 */
static bool take_hole(const struct model_gap *gap, uint64_t *ret_owner)
{
	*ret_owner = gap->process;
	return !gap->process && !gap->thread &&
	       (gap->reason == CTP_LOSS_CORRUPT || gap->reason == CTP_LOSS_PART ||
		       gap->reason == CTP_LOSS_OPEN_END);
}

static bool make_index(struct model *model, index_function *take, struct model_gap_index *ret_index)
{
	size_t count = model->gaps.count, i;
	uint64_t owner;

	ret_index->firsts = calloc(count, sizeof(*ret_index->firsts));
	ret_index->lasts = calloc(count, sizeof(*ret_index->lasts));
	if (!ret_index->firsts || !ret_index->lasts)
		return false;
	for (i = 0; i < count; i++) {
		const struct model_gap *gap = &model->gaps.at[i];
		size_t at = ret_index->count;

		if (!take(gap, &owner))
			continue;
		ret_index->firsts[at] = (struct model_edge){owner, gap->first, gap->count};
		ret_index->lasts[at] = (struct model_edge){owner, end_of(model, gap), gap->count};
		ret_index->count++;
	}
	add_up(ret_index->firsts, ret_index->count);
	add_up(ret_index->lasts, ret_index->count);
	return true;
}

bool model_gap_finish(struct model *model)
{
	return !model->gaps.count ||
	       (make_index(model, take_process, &model->gaps_of_processes) &&
		       make_index(model, take_thread, &model->gaps_of_threads) &&
		       make_index(model, take_hole, &model->holes));
}

static void release_index(struct model_gap_index *index)
{
	free(index->firsts);
	free(index->lasts);
}

void model_gap_fini(struct model *model)
{
	vec_fini(&model->gaps);
	release_index(&model->gaps_of_processes);
	release_index(&model->gaps_of_threads);
	release_index(&model->holes);
}

/* The number of missing events in gaps whose edge lies before this one, of all owners up to this owner. */
static uint64_t total_before(
	const struct model_edge *edges, size_t count, uint64_t owner, ct_time time)
{
	struct model_edge key = {.owner = owner, .time = time};
	size_t nr_before = vec_count_while(count, i, compare_edges(&edges[i], &key) < 0);

	return nr_before ? edges[nr_before - 1].total : 0;
}

/* Gaps that began by the end of the interval, minus gaps that ended before it. */
static uint64_t lost_of(
	const struct model_gap_index *index, uint64_t owner, ct_time from, ct_time until)
{
	uint64_t begun = until == INT64_MAX
				 ? total_before(index->firsts, index->count, owner + 1, INT64_MIN)
				 : total_before(index->firsts, index->count, owner, until + 1);

	return begun - total_before(index->lasts, index->count, owner, from);
}

/* Losses of the process, and losses whose process is not known. */
static uint64_t lost_of_process(
	const struct model_gap_index *index, uint32_t process, ct_time from, ct_time until)
{
	ct_time first = from < until ? from : until, last = from < until ? until : from;

	return lost_of(index, process, first, last) +
	       (process ? lost_of(index, 0, first, last) : 0);
}

uint64_t model_lost_between(
	const struct model *model, uint32_t process, ct_time from, ct_time until)
{
	return lost_of_process(&model->gaps_of_processes, process, from, until);
}

uint64_t model_lost_in_holes(
	const struct model *model, uint32_t process, ct_time from, ct_time until)
{
	return lost_of_process(&model->holes, process, from, until);
}

uint64_t model_lost_on(const struct model *model, uint32_t thread, ct_time from, ct_time until)
{
	const struct model_gap_index *index = &model->gaps_of_threads;
	ct_time first = from < until ? from : until, last = from < until ? until : from;
	uint32_t process = thread < model->nr_threads ? model->threads[thread].process : 0;
	uint64_t nr_lost = lost_of_process(index, process, first, last);

	return nr_lost + (thread ? lost_of(index, owner_thread(thread), first, last) : 0);
}

void model_gap_of_coro(struct model *model, const struct ct_event *event)
{
	uint32_t index = model_coro_find(model, event->process, event->coro);
	struct model_coro *coro = index ? coro_at(model, index) : NULL;

	if (!coro || coro->state == CT_STATE_DESTROYED)
		return;
	model_run_queue_leave(model, coro, event->time);
	model_coro_leave_stack(model, index);
	model_coro_set_state(model, coro, CT_STATE_UNSEEN, event->time);
}
