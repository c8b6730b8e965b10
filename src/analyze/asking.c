/* SPDX-License-Identifier: MIT */
/*
 * Asking (asking.h): for each place, how many waits there have ended, and when; for each coroutine, how often it came
 * to its first places, and at which one it began to wait before it had done anything.
 */
#include <inttypes.h>

#include "analyze/asking.h"
#include "analyze/parts.h"
#include "analyze/stillness.h"
#include "analyze/wait.h"
#include "analyze/watched_places.h"

#define PLACES 3u /* of one coroutine; it is not known to ask at others */
#define TIMES_LONGER_ASKING 20
#define LEAST_ENDED 20u
#define LEAST_OWN 3u
#define LEAST_STANDING 3u /* one alone may have nothing to ask for */
#define LEAST_OWN_IN_SILENCE 5u
#define LEAST_GAP_NS 1000000 /* a shorter time between two ends is no measure */
#define SHARE_BY_COROS 10u   /* one wait in so many may have been ended otherwise */

struct place {
	uint64_t nr_ended;
	uint64_t nr_by_coros; /* of nr_ended: by another coroutine */
	int64_t longest_gap_ns;
	int64_t longest_ns;
	ct_time last;       /* when the last of them ended */
	ct_time last_began; /* when that one had begun */
	/* that asked there, and have waited long enough: made when the first query comes */
	uint32_t nr_standing;
};

struct of_coro {
	struct {
		uint32_t site;
		uint32_t nr_waits;
	} at[PLACES];
	/* where it waited first of all, if it had done nothing before; 0: not known yet */
	uint32_t idle_site;
	/* waits that had ended where it waits, modulo 2^32, when its wait began */
	uint32_t nr_before;
	bool has_acted;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static void act(struct model_watch *watch, uint32_t coro)
{
	struct of_coro *of = model_watch_rare(watch, coro);

	if (coro && !of->has_acted)
		of->has_acted = true;
}

static void end_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);
	ct_time now = sight->event->time;

	if (!place || !coro->wait_site || !model_is_awaiting(coro))
		return;
	if (place->nr_ended && now - place->last > place->longest_gap_ns)
		place->longest_gap_ns = now - place->last;
	if (now - coro->suspended > place->longest_ns)
		place->longest_ns = now - coro->suspended;
	place->nr_ended++;
	place->nr_by_coros += sight->by && sight->by != sight->coro;
	place->last = now;
	place->last_began = coro->suspended;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	if (sight->by != sight->coro)
		act(watch, sight->by);
	end_wait(watch, sight);
	return true;
}

static bool look_at_vain_wake(struct model_watch *watch, const struct model_sight *sight)
{
	if (sight->by != sight->coro)
		act(watch, sight->by);
	return true;
}

static bool look_at_unwoken(struct model_watch *watch, const struct model_sight *sight)
{
	end_wait(watch, sight);
	return true;
}

static bool look_at_gift(struct model_watch *watch, const struct model_sight *sight)
{
	act(watch, sight->coro);
	return true;
}

static bool look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	act(watch, sight->by);
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	uint32_t site = watch->model->coros.at[sight->coro].wait_site;
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	const struct place *place = model_watch_place(watch, site);
	unsigned i;

	if (!place || !site)
		return true;
	for (i = 0; i < PLACES && of->at[i].site && of->at[i].site != site; i++)
		;
	if (i < PLACES) {
		of->at[i].site = site;
		of->at[i].nr_waits++;
	}
	if (!of->has_acted)
		of->idle_site = site;
	of->has_acted = true;
	of->nr_before = (uint32_t)place->nr_ended;
	return true;
}

/* By process; NULL: not yet; in the scratch arena. */
struct memory {
	bool *counts;
	ct_time *sleeps_from; /* since when the one sleeps, or runs, that has done so for longest */
};

const struct model_watcher analyze_asking_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake,
		[MODEL_WAKE_AGAIN] = look_at_vain_wake,
		[MODEL_WAKE_RUNNING] = look_at_vain_wake,
		[MODEL_RUN_UNWOKEN] = look_at_unwoken,
		[MODEL_GIVE] = look_at_gift,
		[MODEL_BEGIN] = look_at_begin,
		[MODEL_ADOPT] = look_at_begin,
		[MODEL_WAIT] = look_at_wait},
};

/* ---------------------------------------------------------------- queries */

static struct memory *memory_of(const struct analysis *analysis)
{
	return analyze_watch_by(analysis, &analyze_asking_watcher)->memory;
}

bool analyze_asking_counts(const struct analysis *analysis, uint32_t process)
{
	const bool *counts = memory_of(analysis)->counts;

	return counts && counts[process];
}

static const struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_asking_watcher, coro);
}

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_asking_watcher, coro);
}

/* How often it came to wait where it waits; 0: not known, or it began its life there. */
static uint32_t nr_asked(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	unsigned i;

	if (!coro->wait_site || of->idle_site == coro->wait_site)
		return 0;
	for (i = 0; i < PLACES; i++)
		if (of->at[i].site == coro->wait_site)
			return of->at[i].nr_waits;
	return 0;
}

/* Which processes are without a candidate? Returns how many. */
static uint32_t find_untold(const struct analysis *analysis, bool *counts)
{
	uint32_t i, count = analysis->model->nr_processes;
	size_t at;

	for (i = 0; i < analysis->model->nr_processes; i++)
		counts[i] = true;
	for (at = 0; at < analysis->candidates.count; at++) {
		const struct candidate *candidate = &analysis->candidates.at[at];

		if (candidate->rule == CT_RULE_CRASH || !counts[candidate->process])
			continue;
		counts[candidate->process] = false;
		count--;
	}
	return count;
}

/* What sleeps, or runs, may be at work for those that wait. */
static void note_sleeper(const struct model_coro *coro, ct_time *sleeps_from)
{
	ct_time *from = &sleeps_from[coro->process];
	bool is_at_work = coro->state == CT_STATE_RUNNING ||
			  (model_is_awaiting(coro) && analyze_wait_is_timed(coro));

	if (is_at_work && coro->changed < *from)
		*from = coro->changed;
}

static bool is_outstanding(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->nr_ended >= LEAST_ENDED && model_is_awaiting(coro) &&
	       nr_asked(analysis, coro) > LEAST_OWN &&
	       (uint64_t)analyze_waited_ns(analysis, coro) / TIMES_LONGER_ASKING >
		       (uint64_t)place->longest_ns;
}

bool analyze_asking_begin(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	struct memory *memory = memory_of(analysis);
	uint32_t i, nr_processes = model->nr_processes;
	bool *counts = analyze_scratch(analysis, nr_processes, sizeof(*counts));

	memory->sleeps_from = analyze_scratch(analysis, nr_processes, sizeof(ct_time));
	if (!counts || !memory->sleeps_from || find_untold(analysis, counts) <= 1)
		return false;
	for (i = 0; i < nr_processes; i++)
		memory->sleeps_from[i] = INT64_MAX;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		note_sleeper(coro, memory->sleeps_from);
		if (is_outstanding(analysis, coro))
			((struct place *)analyze_watch_wait(
				 analysis, &analyze_asking_watcher, coro))
				->nr_standing++;
	}
	memory->counts = counts;
	return true;
}

static uint32_t nr_since(const struct analysis *analysis, const struct model_coro *coro)
{
	return (uint32_t)place_of(analysis, coro)->nr_ended - record_of(analysis, coro)->nr_before;
}

bool analyze_asking_was_passed(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && coro->wait_site && nr_since(analysis, coro) >= LEAST_ENDED &&
	       place->last_began > coro->suspended &&
	       (place->last - coro->suspended) / TIMES_LONGER > place->longest_ns;
}

/* May something outside end the wait, and were those that have ended there not ended by coroutines? */
static bool may_be_for_outside(
	const struct analysis *analysis, const struct model_coro *coro, const struct place *place)
{
	const struct stillness *still = &analysis->stills[coro->process];
	bool is_open = still->is_open_to_others || still->waits_for_network ||
		       still->waits_for_clients || still->hears_datagrams;

	return is_open && place->nr_ended - place->nr_by_coros > place->nr_ended / SHARE_BY_COROS;
}

/* Has another one slept, or run, for at least half of the time? */
static bool may_be_worked_for(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time end = analysis->parties[coro->process].end;

	return memory_of(analysis)->sleeps_from[coro->process] <
	       end - analyze_waited_ns(analysis, coro) / 2;
}

static bool may_count(const struct analysis *analysis, const struct model_coro *coro,
	const struct place *place, uint32_t least_own)
{
	ct_time end = analysis->parties[coro->process].end;

	return analyze_asking_counts(analysis, coro->process) && is_outstanding(analysis, coro) &&
	       nr_asked(analysis, coro) > least_own && place->nr_standing >= LEAST_STANDING &&
	       !coro->rare->descriptor && !analyze_wait_is_timed(coro) &&
	       !analyze_wait_is_for_outside(coro) && !may_be_worked_for(analysis, coro) &&
	       !may_be_for_outside(analysis, coro, place) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       !model_lost_between(analysis->model, coro->process, analysis->model->from, end) &&
	       analyze_party_is_at_work(analysis, coro->process, coro->suspended, end) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, end);
}

bool analyze_asking_is_outlasting(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return may_count(analysis, coro, place, LEAST_OWN) &&
	       nr_since(analysis, coro) >= LEAST_ENDED && place->last_began > coro->suspended;
}

bool analyze_asking_is_in_silence(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	ct_time end = analysis->parties[coro->process].end;
	int64_t gap_ns;

	if (!may_count(analysis, coro, place, LEAST_OWN_IN_SILENCE))
		return false;
	gap_ns = place->longest_gap_ns > LEAST_GAP_NS ? place->longest_gap_ns : LEAST_GAP_NS;
	return (end - place->last) / TIMES_LONGER_ASKING > gap_ns &&
	       analyze_stillness_lasts(analysis, coro->process, place->last);
}

void analyze_asking_tell_passed(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	if (nr_since(analysis, coro) >= LEAST_ENDED && place->last_began > coro->suspended)
		analyze_story_evidence(analysis, story,
			"%s waits have ended there since this one began; the last of them, at %s, "
			"began later",
			analyze_words_number(analysis, nr_since(analysis, coro)),
			analyze_words_time(analysis, place->last));
}

void analyze_asking_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	ct_time end = analysis->parties[coro->process].end;

	analyze_story_evidence(analysis, story,
		"%s waits there took at most %s, and ended at most %s apart; this one has lasted "
		"%s",
		analyze_words_number(analysis, place->nr_ended),
		analyze_words_duration(analysis, place->longest_ns),
		analyze_words_duration(analysis, place->longest_gap_ns),
		analyze_words_duration(analysis, analyze_waited_ns(analysis, coro)));
	analyze_asking_tell_passed(analysis, story, coro);
	if (nr_since(analysis, coro) < LEAST_ENDED)
		analyze_story_evidence(analysis, story,
			"the last one ended at %s, %s ago, while other coroutines went on",
			analyze_words_time(analysis, place->last),
			analyze_words_duration(analysis, end - place->last));
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64
		" had waited there %s times before, and not first of all: an idle "
		"worker begins with its wait for work",
		coro->id, analyze_words_number(analysis, nr_asked(analysis, coro) - 1));
}
