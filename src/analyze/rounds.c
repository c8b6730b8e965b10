/* SPDX-License-Identifier: MIT */
/*
 * Rounds (rounds.h): queries, and the lulls that follow from rounds.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/rounds.h"
#include "analyze/rounds_kept.h"
#include "analyze/runtime_words.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"

#define SHARE_AGAIN 10u /* one in so many of those that went on had waited there before */
#define SHARE_OTHER 10u /* at most one in so many of the waits for ends ended otherwise */
#define LEAST_JOINS 2u
#define LEAST_CHILDREN 2u
#define LEAST_TURNS 10u /* turns in which it was passed over, or rounds in which it was on time */

/* ---------------------------------------------------------------- queries */

static const struct model_watch *watch_of(const struct analysis *analysis)
{
	return analyze_watch_by(analysis, &analyze_rounds_watcher);
}

static const struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_rounds_watcher, coro);
}

bool analyze_rounds_come_back(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct memory *memory = watch_of(analysis)->memory;
	const struct place *place = place_of(analysis, coro);
	uint32_t site = coro->wait_site;

	return place && place->nr_again + memory->nr_back[site] > place->nr_over / SHARE_AGAIN;
}

/* Did waits there end when a certain number of children was left, after at least two had ended? */
static bool goes_on_at_least(const struct place *place)
{
	return place->nr_joins >= LEAST_JOINS && place->nr_most >= LEAST_CHILDREN &&
	       place->nr_over - place->nr_joins <= place->nr_joins / SHARE_OTHER;
}

/*
 * Or did waits there end after at least two children had ended each time, and sometimes after more that ended at the
 * same moment?
 */
static bool goes_on_after_some(const struct place *place)
{
	return place->nr_after_ends >= LEAST_JOINS && place->nr_fewest >= LEAST_CHILDREN &&
	       place->nr_over - place->nr_after_ends <= place->nr_after_ends / SHARE_OTHER;
}

/* The longest time from the last end of a child until the wait was over. */
static int64_t longest_of(const struct place *place)
{
	return goes_on_at_least(place) ? place->longest : place->longest_after_end;
}

bool analyze_rounds_outlasts_ends(
	const struct analysis *analysis, uint32_t index, ct_time *ret_since)
{
	const struct memory *memory = watch_of(analysis)->memory;
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_coro *of = record_of(watch_of(analysis), index);
	const struct place *place = place_of(analysis, coro);
	ct_time end = analysis->parties[coro->process].end;

	if (!place || !of->has_ended || of->nr_living > place->nr_least ||
		!(goes_on_at_least(place) || goes_on_after_some(place)))
		return false;
	*ret_since = of->last_end > coro->suspended ? of->last_end : coro->suspended;
	return (end - *ret_since) / TIMES_LONGER > longest_of(place) &&
	       memory->nr_children[index] <= place->nr_least;
}

bool analyze_rounds_are_ended_by_children(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place &&
	       place->nr_after_ends - place->nr_by_child <= place->nr_after_ends / SHARE_OTHER;
}

void analyze_rounds_tell_ends(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_coro *of = record_of(watch_of(analysis), index);
	const struct place *place = place_of(analysis, coro);

	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " was the last to end of the coroutines that it had "
		"started, %s before the observation ended; %" PRIu64
		" waits here ended within %s of such "
		"an end",
		of->last_id,
		analyze_words_duration(
			analysis, analysis->parties[coro->process].end - of->last_end),
		goes_on_at_least(place) ? place->nr_joins : place->nr_after_ends,
		analyze_words_duration(analysis, longest_of(place)));
}

/* Of `nr_then` children, have at least two ended, and is none left that counts? */
static bool have_parted(
	const struct analysis *analysis, uint32_t parent, uint32_t nr_then, const uint32_t *nr_left)
{
	const struct of_coro *of = record_of(watch_of(analysis), parent);

	return parent && nr_then >= of->nr_living + LEAST_CHILDREN && !nr_left[parent];
}

uint32_t analyze_rounds_nr_children(const struct analysis *analysis, uint32_t index)
{
	const struct memory *memory = watch_of(analysis)->memory;

	return memory->nr_children[index];
}

bool analyze_rounds_has_nobody_left(const struct analysis *analysis, uint32_t index)
{
	const struct memory *memory = watch_of(analysis)->memory;
	const struct of_coro *of = record_of(watch_of(analysis), index);

	return of->has_ended && have_parted(analysis, index, of->nr_at_wait,
					analyze_wait_is_for_ends(&analysis->model->coros.at[index])
						? memory->nr_joinable
						: memory->nr_children);
}

bool analyze_rounds_is_left_alone(const struct analysis *analysis, uint32_t index)
{
	const struct memory *memory = watch_of(analysis)->memory;
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_wait *wait = wait_of(watch_of(analysis), index);

	return analyze_wait_is_for_ends(coro) && !memory->nr_joinable[index] &&
	       have_parted(analysis, coro->parent, wait->nr_beside, memory->nr_others);
}

bool analyze_rounds_has_lost_the_last(const struct analysis *analysis, uint32_t index)
{
	const struct memory *memory = watch_of(analysis)->memory;

	return record_of(watch_of(analysis), index)->has_ended && !memory->nr_joinable[index];
}

/* ---------------------------------------------------------------- lulls */

bool analyze_rounds_is_beat(const struct analysis *analysis, uint32_t index)
{
	const struct of_coro *of = record_of(watch_of(analysis), index);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time end = analysis->parties[coro->process].end;

	return is_even(of) && coro->state < CT_STATE_DONE &&
	       end - of->waits_since <= longest_even(of) * UNEVEN + SLACK_NS;
}

/*
 * Running only for a moment, after a long rest: the coroutine ends the observation, as one that waits for a signal
 * does. A runtime's timer starts a new coroutine for that.
 */
bool analyze_rounds_has_just_come(
	const struct analysis *analysis, uint32_t index, ct_time *ret_rest_from)
{
	const struct of_coro *of = record_of(watch_of(analysis), index);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time end = analysis->parties[coro->process].end;

	if (coro->state != CT_STATE_RUNNING)
		return false;
	if (!of->has_rested) {
		*ret_rest_from = analysis->model->from;
		return !coro->parent && !coro->is_cut && coro->created != CT_NO_TIME &&
		       coro->created > analysis->model->from &&
		       end - coro->created < LIMIT(analysis, GRACE) &&
		       analysis->model->processes[coro->process].runtime;
	}
	*ret_rest_from = of->rest_from;
	return end - of->rest_until < LIMIT(analysis, GRACE);
}

static void move_on(struct lull *lull, ct_time time)
{
	if (time > lull->from)
		lull->from = time;
}

static void count_wait(const struct model_coro *coro, struct lull *lull)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);
	bool is_inside = kind == CTP_RESOURCE_LOCK || kind == CTP_RESOURCE_CONDITION ||
			 kind == CTP_RESOURCE_EVENT;

	lull->nr_waiting++;
	lull->nr_hearing += !is_inside || !model_is_unnamed(coro->wait_object);
	lull->nr_joining += kind == CTP_RESOURCE_EVENT;
}

/* Does it wait where a beat waits, for nothing that is known, as in a sleep whose deadline is not recorded? */
static bool may_sleep(const struct analysis *analysis, const struct model_coro *coro)
{
	return model_is_awaiting(coro) && !coro->wait_object && !coro->rare->descriptor &&
	       analyze_rounds_has_beat(analysis, coro);
}

/* Has the coroutine done nothing but sleep so far, as a watchdog, with no child left that could do something for it? */
static bool only_sleeps(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_coro *of = record_of(watch_of(analysis), index);
	uint32_t nr_sleeps = wait_of(watch_of(analysis), index)->has_slept + of->nr_further;

	return coro->created != CT_NO_TIME && nr_sleeps >= coro->nr_resumes && !of->nr_living &&
	       !analyze_wakers_has_woken(analysis, index);
}

/*
 * Is it asleep, and no beat? In programs of Go, which record who sleeps, whatever it has done before; elsewhere only
 * if it has done nothing but sleep.
 */
static bool is_asleep(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->state == CT_STATE_WAITING &&
	       ((analysis->model->processes[coro->process].runtime &&
			analyze_wait_is_sleep(coro)) ||
		       only_sleeps(analysis, index));
}

bool analyze_rounds_ends_beside_sleepers(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	ct_time from = analyze_rounds_lull(analysis, coro->process)->sleeps_from;
	const struct memory *memory = watch_of(analysis)->memory;
	uint32_t i;

	if (!place || place->nr_over < FEW || place->began[place->nr_over % FEW] < from ||
		memory->nr_sleepers > ROUNDS_SLEEPERS)
		return false;
	for (i = 0; i < memory->nr_sleepers; i++)
		if (analysis->model->coros.at[memory->sleepers[i]].process == coro->process &&
			analyze_wakers_may_have_woken(analysis, memory->sleepers[i], coro))
			return false;
	return true;
}

static void survey_sleepers(const struct analysis *analysis, struct memory *memory)
{
	uint32_t i;

	memory->nr_sleepers = 0;
	for (i = 1; i < analysis->model->coros.count; i++) {
		if (!is_asleep(analysis, i) || analyze_rounds_is_beat(analysis, i))
			continue;
		if (memory->nr_sleepers < ROUNDS_SLEEPERS)
			memory->sleepers[memory->nr_sleepers] = i;
		memory->nr_sleepers++;
	}
}

/* Counts a coroutine that stands still. False: it moves, or is about to. */
static bool look_at_still(const struct analysis *analysis, uint32_t index, struct lull *lull)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time rest_from;

	if (analyze_rounds_has_just_come(analysis, index, &rest_from)) {
		move_on(lull, rest_from);
		lull->nr_ending++;
		return true;
	}
	if (coro->state == CT_STATE_SYSCALL) {
		move_on(lull, coro->suspended);
		return true;
	}
	if (is_asleep(analysis, index)) {
		if (!only_sleeps(analysis, index))
			move_on(lull, coro->suspended);
		if (lull->sleeps_from < coro->suspended)
			lull->sleeps_from = coro->suspended;
		return true;
	}
	if (coro->state == CT_STATE_RUNNING || is_ready(coro) || may_sleep(analysis, coro) ||
		(coro->state == CT_STATE_WAITING &&
			analyze_wait_may_expire(coro, analysis->parties[coro->process].end)))
		return false;
	move_on(lull, coro->changed);
	count_wait(coro, lull);
	return true;
}

static bool look_at_coro(const struct analysis *analysis, uint32_t index, struct lull *lull)
{
	const struct model_watch *watch = watch_of(analysis);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_coro *of = record_of(watch, index);
	const struct of_coro *parent = record_of(watch, coro->parent);

	if (analyze_rounds_is_beat(analysis, index)) {
		lull->beat = index;
		lull->has_joined_beat |=
			coro->parent &&
			analyze_wait_is_for_ends(&analysis->model->coros.at[coro->parent]);
		move_on(lull, even_since(of));
		return true;
	}
	if (coro->parent && analyze_rounds_is_beat(analysis, coro->parent) &&
		coro->created > even_since(parent))
		return true;
	if (of->has_ended)
		move_on(lull, of->last_end);
	return look_at_still(analysis, index, lull);
}

/* How often others went on after its thread had slept, since this coroutine began to wait. */
static uint32_t turns_since(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return (uint32_t)analysis->model->threads[coro->thread].nr_turns -
	       wait_of(watch_of(analysis), index)->nr_turns;
}

bool analyze_rounds_is_passed_over(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return model_is_yielding(coro) && !wait_of(watch_of(analysis), index)->is_nested &&
	       turns_since(analysis, index) >= LEAST_TURNS;
}

bool analyze_rounds_is_overdue(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct of_coro *of = record_of(watch_of(analysis), index);
	ct_time end = analysis->parties[coro->process].end;

	return of->nr_rounds >= LEAST_TURNS && (end - coro->suspended) / TIMES_LONGER > of->longest;
}

bool analyze_rounds_has_beat(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct memory *memory = watch_of(analysis)->memory;
	uint32_t site = coro->wait_site;

	return site < analysis->tables->nr_sites && memory->nr_beating[site];
}

void analyze_rounds_tell_turns(struct analysis *analysis, struct story *story, uint32_t index)
{
	analyze_story_evidence(analysis, story,
		"its thread slept %" PRIu32 " times since, and others went on after each",
		turns_since(analysis, index));
}

static bool has_timed_thread(const struct analysis *analysis, uint32_t process, ct_time from)
{
	uint32_t i;

	for (i = 1; i < analysis->model->nr_threads; i++)
		if (analysis->model->threads[i].process == process &&
			analyze_stillness_waits_for_clock(analysis, i, from) &&
			!analyze_party_is_watchdog(analysis, i))
			return true;
	return false;
}

/*
 * Does a coroutine that forwards signals wait for the first one? Then a coroutine that waits for a message may wait
 * for that signal.
 */
static bool may_bring_signal(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time end = analysis->parties[coro->process].end;

	return model_is_of_runtime(coro) && coro->state < CT_STATE_DONE &&
	       analyze_runtime_words_runs(analysis, coro, GO_WORD_SIGNALS) &&
	       !(coro->nr_resumes > 1 && end - coro->resumed < LIMIT(analysis, GRACE));
}

/* Can the outside, or a thread that has slept since, still make the process go on? */
static bool is_open(const struct analysis *analysis, uint32_t process, const struct lull *lull)
{
	const struct stillness *still = &analysis->stills[process];
	const struct party *party = &analysis->parties[process];

	return still->is_open_to_others || still->outside_thread || still->waits_for_process ||
	       still->waits_for_network || analysis->model->processes[process].has_completions ||
	       (!lull->beat && lull->sleeps_from == CT_NO_TIME && party->has_timer) ||
	       has_timed_thread(analysis, process, lull->from);
}

static void survey_process(const struct analysis *analysis, uint32_t process, struct lull *lull)
{
	const struct model *model = analysis->model;
	ct_time end = analysis->parties[process].end;
	bool is_lull = true;
	uint32_t i;

	*lull = (struct lull){.from = model->from,
		.sleeps_from = CT_NO_TIME,
		.has_acceptor = analysis->stills[process].waits_for_clients};
	for (i = 1; i < model->coros.count && is_lull; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		lull->may_bring_signal |=
			coro->process == process && may_bring_signal(analysis, coro);
		if (coro->process == process && coro->state < CT_STATE_DONE &&
			!model_is_of_runtime(coro))
			is_lull = look_at_coro(analysis, i, lull);
	}
	if (record_of(watch_of(analysis), 0)->has_ended)
		move_on(lull, record_of(watch_of(analysis), 0)->last_end);
	if (!is_lull || !analyze_stillness_lasts(analysis, process, lull->from) ||
		is_open(analysis, process, lull) ||
		model_lost_between(model, process, lull->from, end))
		lull->from = CT_NO_TIME;
}

/* Beats, acceptors, and coroutines that end the trace or wait for ends neither end waits nor bring work. */
static bool ends_nothing(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time rest_from;

	if (analyze_rounds_is_beat(analysis, index) ||
		analyze_rounds_has_just_come(analysis, index, &rest_from))
		return true;
	return coro->state == CT_STATE_WAITING &&
	       (analyze_wait_is_for_ends(coro) ||
		       analyze_runtime_words_is(analysis, coro, GO_WORD_ACCEPT));
}

/*
 * A beat and an acceptor may end. A coroutine that waits for the end of its children may end as long as a child
 * lives.
 */
static bool may_end(const struct analysis *analysis, const struct memory *memory, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time rest_from;

	if (analyze_rounds_has_just_come(analysis, index, &rest_from))
		return false;
	return coro->state != CT_STATE_WAITING || !analyze_wait_is_for_ends(coro) ||
	       memory->nr_children[index];
}

static bool is_counted(const struct model_coro *coro)
{
	return coro->state < CT_STATE_DONE && !model_is_of_runtime(coro);
}

#define MOST_ANCESTORS 8u

/* Is it a beat, or does it run for one, as a function that the beat has called in its latest rounds? */
static bool is_part_of_beat(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coros = analysis->model->coros.at;
	uint32_t below = 0;
	unsigned i;

	for (i = 0; index && i < MOST_ANCESTORS; i++, below = index, index = coros[index].parent)
		if (analyze_rounds_is_beat(analysis, index))
			return !below || coros[below].created >
						 even_since(record_of(watch_of(analysis), index));
	return false;
}

/*
 * Counts living coroutines once, for all queries: nr_living may be wrong, because ends may have been missed or taken
 * back.
 */
static void survey_coros(const struct analysis *analysis, struct memory *memory)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		uint32_t site = coro->wait_site;

		if (!is_counted(coro))
			continue;
		memory->nr_children[coro->parent]++;
		memory->nr_others[coro->parent] += !ends_nothing(analysis, i);
		if (coro->state != CT_STATE_WAITING || site >= analysis->tables->nr_sites)
			continue;
		memory->nr_back[site] += has_been_at(record_of(watch_of(analysis), i), site);
		memory->nr_beating[site] += is_part_of_beat(analysis, i);
	}
	for (i = 1; i < model->coros.count; i++)
		if (is_counted(&model->coros.at[i]))
			memory->nr_joinable[model->coros.at[i].parent] +=
				may_end(analysis, memory, i);
}

void analyze_rounds_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	struct memory *memory = watch_of(analysis)->memory;
	uint32_t i;

	memory->lulls = analyze_scratch(analysis, model->nr_processes, sizeof(*memory->lulls));
	memory->nr_children = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	memory->nr_others = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	memory->nr_joinable = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	memory->nr_back =
		analyze_scratch(analysis, analysis->tables->nr_sites + 1, sizeof(uint32_t));
	memory->nr_beating =
		analyze_scratch(analysis, analysis->tables->nr_sites + 1, sizeof(uint32_t));
	memory->sleepers = analyze_scratch(analysis, ROUNDS_SLEEPERS, sizeof(uint32_t));
	if (analysis->is_broken)
		return;
	survey_coros(analysis, memory);
	survey_sleepers(analysis, memory);
	for (i = 0; i < model->nr_processes; i++)
		survey_process(analysis, i, &memory->lulls[i]);
}

const struct lull *analyze_rounds_lull(const struct analysis *analysis, uint32_t process)
{
	const struct memory *memory = watch_of(analysis)->memory;

	return &memory->lulls[process];
}
