/* SPDX-License-Identifier: MIT */
/*
 * The watcher of rounds (rounds.h): a record for each coroutine, and a record for each place.
 */
#include "analyze/parts.h"
#include "analyze/rounds.h"
#include "analyze/rounds_kept.h"

#define MOST_BESIDE ((1u << 29) - 1)
#define REST_NS INT64_C(20000000) /* a wait this long is more than a turn in the queue */

static void begin_anew(struct of_coro *of, ct_time time)
{
	of->anew_since = time;
	of->shortest_anew = INT64_MAX;
	of->longest_anew = 0;
	of->nr_anew = 0;
}

static void take_place(struct of_coro *of, uint32_t site, ct_time time)
{
	begin_anew(of, time);
	of->beats_since = of->waits_since = time;
	of->shortest = INT64_MAX;
	of->longest = of->before = 0;
	of->site = site;
	of->nr_rounds = of->nr_caught_up = 0;
}

/* A round that is far shorter or longer than those before it is the last of its series. */
static void count_anew(struct of_coro *of, int64_t ns, ct_time time)
{
	int64_t shortest = ns < of->shortest_anew ? ns : of->shortest_anew;
	int64_t longest = ns > of->longest_anew ? ns : of->longest_anew;

	if (longest > shortest * UNEVEN + SLACK_NS) {
		begin_anew(of, time);
		return;
	}
	of->shortest_anew = shortest;
	of->longest_anew = longest;
	of->nr_anew++;
}

static void count_round(struct of_coro *of, int64_t ns)
{
	bool has_caught_up = ns < of->before / UNEVEN;

	of->nr_rounds++;
	of->nr_caught_up += has_caught_up;
	of->before = ns;
	if (!has_caught_up)
		of->shortest = ns < of->shortest ? ns : of->shortest;
	of->longest = ns > of->longest ? ns : of->longest;
}

/* Does the coroutine wait for nothing but the clock? */
static bool is_sleep(const struct model_coro *coro)
{
	return analyze_wait_is_sleep(coro) || (!coro->wait_object && !coro->rare->descriptor &&
						      coro->rare->deadline != CT_NO_TIME);
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = record_of(watch, sight->coro);
	struct of_wait *wait = wait_of(watch, sight->coro);
	uint32_t site = coro->wait_site;

	/* A scheduler that takes the thread away for a moment ends no series of rounds. */
	wait->is_apart = coro->point != CTP_POINT_PREEMPTED && (!of->site || of->site != site);
	if (coro->point == CTP_POINT_PREEMPTED)
		return true;
	if (!wait->is_apart) {
		count_round(of, coro->suspended - of->waits_since);
		count_anew(of, coro->suspended - of->waits_since, coro->suspended);
		of->waits_since = coro->suspended;
	} else if (of->site) {
		of->site = 0;
		of->nr_rounds = 0;
	}
	wait->nr_turns = (uint32_t)watch->model->threads[coro->thread].nr_turns;
	wait->nr_beside =
		coro->parent ? record_of(watch, coro->parent)->nr_living & MOST_BESIDE : 0;
	if (of->nr_at_wait != of->nr_living)
		of->nr_at_wait = of->nr_living;
	if (of->is_by_child || of->is_by_other)
		of->is_by_child = of->is_by_other = false;
	if (is_sleep(coro)) {
		if (wait->has_slept)
			of->nr_further++;
		wait->has_slept = true;
	}
	return true;
}

static void leave_place(const struct model_watch *watch, uint32_t coro)
{
	struct of_coro *of = record_of(watch, coro);

	wait_of(watch, coro)->is_apart = false;
	if (!of->site)
		return;
	of->site = 0;
	of->nr_rounds = 0;
}

/*
 * Written only for coroutines that have started others. A wake by a thread counts as a wake by another coroutine: it
 * may have come from anybody.
 */
static void note_waker(const struct model_watch *watch, const struct model_sight *sight)
{
	struct of_coro *of = record_of(watch, sight->coro);

	if (!of->nr_at_wait || sight->by == sight->coro)
		return;
	of->is_by_child = analyze_ties_comes_from(watch->model, sight->by, sight->coro);
	of->is_by_other = !of->is_by_child;
}

/* A coroutine that wakes another one, except its parent, is no beat: its work matters to others. */
static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	note_waker(watch, sight);
	if (sight->by && sight->by != sight->coro &&
		watch->model->coros.at[sight->coro].parent != sight->by)
		leave_place(watch, sight->by);
	return true;
}

static void count_join(struct place *place, const struct of_coro *of, int64_t ns)
{
	uint32_t nr_ended = of->nr_at_wait - of->nr_living;

	if (!place->nr_joins || of->nr_living < place->nr_least) {
		place->nr_least = of->nr_living;
		place->nr_joins = 0;
		place->longest = 0;
	}
	place->nr_joins++;
	place->nr_most = nr_ended > place->nr_most ? nr_ended : place->nr_most;
	place->longest = ns > place->longest ? ns : place->longest;
}

static void count_after_end(struct place *place, const struct of_coro *of, int64_t ns)
{
	uint32_t nr_ended = of->nr_at_wait - of->nr_living;

	if (!place->nr_after_ends++ || nr_ended < place->nr_fewest)
		place->nr_fewest = nr_ended;
	place->nr_by_child += of->is_by_child;
	place->longest_after_end = ns > place->longest_after_end ? ns : place->longest_after_end;
}

/* Records the end of a long wait, or of a series of beats, of which this may be the last. */
static void note_rest(struct of_coro *of, const struct model_coro *coro, ct_time time)
{
	if (coro->suspended == CT_NO_TIME || time - coro->suspended < REST_NS)
		return;
	of->rest_from = is_even(of) ? even_since(of) : coro->suspended;
	of->rest_until = time;
	of->has_rested = true;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	uint32_t site = coro->wait_site;
	struct of_coro *of = record_of(watch, sight->coro);
	struct of_wait *wait = wait_of(watch, sight->coro);
	struct place *place = model_watch_place(watch, site);
	bool has_ended = of->has_ended;
	ct_time from = of->last_end > coro->suspended ? of->last_end : coro->suspended;

	if (has_ended)
		of->has_ended = false;
	if (wait->is_apart)
		take_place(of, site, coro->suspended);
	wait->is_apart = false;
	wait->is_nested = watch->model->threads[sight->event->thread].top != 0;
	note_rest(of, coro, sight->event->time);
	if (!place || coro->suspended == CT_NO_TIME ||
		(coro->point != CTP_POINT_AWAIT && coro->point != CTP_POINT_YIELD))
		return true;
	place->began[place->nr_over++ % FEW] = coro->suspended;
	place->nr_again += has_been_at(of, site);
	of->been_at |= UINT64_C(1) << site % 64;
	if (!has_ended || of->nr_living > of->nr_at_wait || of->is_by_other)
		return true;
	count_after_end(place, of, sight->event->time - from);
	if (!place->nr_joins || of->nr_living <= place->nr_least)
		count_join(place, of, sight->event->time - from);
	return true;
}

static bool look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	record_of(watch, sight->by)->nr_living++;
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	bool has_parent = watch->model->coros.at[coro->parent].state < CT_STATE_DONE;
	struct of_coro *of = record_of(watch, has_parent ? coro->parent : 0);

	if (!(coro->flags & MODEL_CORO_WAS_CREATED))
		return true;
	of->nr_living -= of->nr_living != 0;
	of->last_end = sight->until;
	of->last_id = coro->id;
	of->has_ended = true;
	return true;
}

const struct model_watcher analyze_rounds_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_coro_bytes = sizeof(struct of_wait),
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAIT] = look_at_wait,
		[MODEL_WAKE] = look_at_wake,
		[MODEL_RUN] = look_at_run,
		[MODEL_BEGIN] = look_at_begin,
		[MODEL_ADOPT] = look_at_begin,
		[MODEL_END] = look_at_end},
};
