/* SPDX-License-Identifier: MIT */
/*
 * Overlooked waits (overlooked.h): for each place, who ended waits there, and how often coroutines went on from
 * there; for each coroutine, both counts as they were when its wait began.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/overlooked.h"
#include "analyze/parts.h"
#include "analyze/runtime_words.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"

#define LEAST_ENDED 20u /* waits that ended there before this one began; fewer show no habit */
#define LEAST_TURNS 100u
#define LEAST_PASSED 20u
#define LEAST_SERVED 3u /* who has ended so many waits there serves one after the other */
#define TIMES_LONGER_SERVED 1000
#define STARTS 3u
#define LEAST_OVERTAKING 100u
#define LEAST_OWN 3u
#define LEAST_AT_LARGE 20u /* where all waits of a coroutine share one place */
#define LEAST_WITH 3u
#define SHARE_IN_TURN \
	10u      /* one wait in so many ends while one that came later waits: this is no stack */
#define NEAR 100 /* waits that began within one part in so many of the time since */
#define COROS_ASKED 4096u /* all pairs of more coroutines would take too long to look at */
#define LATEST 10         /* the last part of the wait, one in so many */

/* Those that are left of the kind that ended such waits. */
struct unserved {
	uint32_t count;
	uint32_t first;
	bool has_others; /* one of them may still come to it */
};

struct place {
	uint64_t nr_ended; /* waits that were ended here */
	int64_t longest_ns;
	ct_time last_began;          /* begin of the wait that ended last */
	uint32_t newest;             /* the coroutine that began to wait here last */
	uint64_t nr_in_turn;         /* of nr_ended: one that had come later still waited here */
	ct_time first_ended;         /* when the first of them ended */
	uint32_t spawned_at[STARTS]; /* where those were started that ended waits here */
	uint32_t from;               /* where the first of them had waited before */
	uint64_t nr_from;            /* of nr_ended: by a coroutine that had waited at `from` */
	bool is_mixed; /* a thread ended one, or coroutines that were started at further places */
	/* runs that went on from this place, and the time of the last one */
	uint64_t nr_runs;
	ct_time last_run;
	/*
	 * Made when they are asked for first. `at_work`: a wait whose last part begins later may be ended by a
	 * coroutine that is at work. `unserved`: for those that have ended waits at `unserved_at`.
	 */
	bool has_at_work, has_unserved;
	ct_time at_work;
	uint32_t unserved_at;
	struct unserved unserved;
};

/* When the coroutine's last wait began, modulo 2^32. */
struct of_wait {
	uint32_t nr_ended;   /* at its place; 0: fewer than LEAST_ENDED */
	uint32_t nr_turns;   /* runs from `from` of its place */
	uint32_t nr_before;  /* at its place, however few */
	uint32_t nr_in_turn; /* of those before */
};

/* Kept for coroutines that have ended waits of others: where, and how many there, one after the other. */
struct of_coro {
	uint32_t site;
	uint32_t nr_served;
	bool has_child; /* a living child: made by the survey */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static struct place *place_at(const struct model_watch *watch, uint32_t site)
{
	return model_watch_place(watch, site);
}

/* Adds a place at which those were started that end waits here. False: there are too many. */
static bool put_start(struct place *place, uint32_t spawn_site)
{
	unsigned i;

	for (i = 0; i < STARTS && place->spawned_at[i] && place->spawned_at[i] != spawn_site; i++)
		;
	if (!spawn_site || i == STARTS)
		return false;
	place->spawned_at[i] = spawn_site;
	return true;
}

static void note_waker(struct model_watch *watch, struct place *place, uint32_t site, uint32_t by)
{
	const struct model_coro *waker = &watch->model->coros.at[by];
	uint32_t from = waker->wait_site;
	struct of_coro *of = model_watch_rare(watch, by);

	if (!by || !put_start(place, waker->spawn_site))
		place->is_mixed = true;
	if (!place->from)
		place->from = from;
	place->nr_from += from && place->from == from;
	if (!by)
		return;
	if (of->site != site)
		*of = (struct of_coro){.site = site};
	of->nr_served++;
}

static bool waits_at(const struct model_coro *coro, uint32_t site)
{
	return coro->state == CT_STATE_WAITING && coro->wait_site == site;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	uint32_t site = coro->wait_site;
	struct place *place = model_watch_place(watch, site);
	int64_t waited_ns = ct_time_between(coro->suspended, sight->event->time);

	if (!place || !site || coro->state != CT_STATE_WAITING || sight->by == sight->coro)
		return true;
	note_waker(watch, place, site, sight->by);
	if (!place->nr_ended++)
		place->first_ended = sight->event->time;
	place->longest_ns = waited_ns > place->longest_ns ? waited_ns : place->longest_ns;
	place->last_began = coro->suspended;
	place->nr_in_turn += place->newest != sight->coro &&
			     waits_at(&watch->model->coros.at[place->newest], site);
	return true;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	struct place *place = place_at(watch, watch->model->coros.at[sight->coro].wait_site);

	if (!place)
		return true;
	place->nr_runs++;
	place->last_run = sight->event->time;
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	struct place *place = place_at(watch, watch->model->coros.at[sight->coro].wait_site);
	struct of_wait *of = model_watch_coro(watch, sight->coro), fresh = *of;

	if (place)
		place->newest = sight->coro;
	fresh.nr_before = place ? (uint32_t)place->nr_ended : 0;
	fresh.nr_in_turn = place ? (uint32_t)place->nr_in_turn : 0;
	fresh.nr_ended = fresh.nr_turns = 0;
	if (place && place->nr_ended >= LEAST_ENDED && !place->is_mixed && place->from) {
		fresh.nr_ended = fresh.nr_before;
		fresh.nr_turns = (uint32_t)place_at(watch, place->from)->nr_runs;
	}
	if (of->nr_before != fresh.nr_before || of->nr_in_turn != fresh.nr_in_turn ||
		of->nr_ended != fresh.nr_ended || of->nr_turns != fresh.nr_turns)
		*of = fresh;
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++)
		visit_coro(release, &place_at(watch, site)->newest, MODEL_MARK_NONE);
}

const struct model_watcher analyze_overlooked_watcher = {
	.nr_coro_bytes = sizeof(struct of_wait),
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake,
		[MODEL_RUN] = look_at_run,
		[MODEL_WAIT] = look_at_wait},
	.visit = visit,
};

/* ---------------------------------------------------------------- queries */

static const struct model_watch *watch_of(const struct analysis *analysis)
{
	return analyze_watch_by(analysis, &analyze_overlooked_watcher);
}

static struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_overlooked_watcher, coro);
}

static const struct of_wait *wait_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return model_watch_coro(watch_of(analysis), model_index(analysis->model, coro));
}

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return model_watch_rare(watch_of(analysis), model_index(analysis->model, coro));
}

/* The beginning of the wait's last tenth. */
static ct_time latest(const struct analysis *analysis, const struct model_coro *coro)
{
	return analysis->parties[coro->process].end - analyze_waited_ns(analysis, coro) / LATEST;
}

static uint32_t turns_since(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	const struct place *from = place_at(watch_of(analysis), place->from);

	return (uint32_t)from->nr_runs - wait_of(analysis, coro)->nr_turns;
}

/* Do such coroutines go on from where they ended such waits before? */
static bool do_they_go_on(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place->nr_from >= place->nr_ended / 2 &&
	       turns_since(analysis, coro) >= LEAST_TURNS &&
	       place_at(watch_of(analysis), place->from)->last_run >= latest(analysis, coro);
}

/* Does this coroutine end waits at `site` one after the other, and is it back where it waits between them? */
static bool is_back(
	const struct analysis *analysis, uint32_t index, const struct place *place, uint32_t site)
{
	const struct model_coro *server = &analysis->model->coros.at[index];
	const struct of_coro *of = model_watch_rare(watch_of(analysis), index);

	return of->site == site && of->nr_served >= LEAST_SERVED &&
	       server->wait_site == place->from &&
	       (server->state != CT_STATE_WAITING || analyze_wakers_is_bound(analysis, server));
}

static bool is_started_there(const struct place *place, uint32_t spawn_site)
{
	unsigned i;

	for (i = 0; i < STARTS; i++)
		if (spawn_site && place->spawned_at[i] == spawn_site)
			return true;
	return false;
}

/*
 * Since when this one may be at work for those that wait at `site`, if it is like those that ended such waits: since it
 * was created, or if it is back, since it came back.
 */
static ct_time at_work_since(
	const struct analysis *analysis, uint32_t index, const struct place *place, uint32_t site)
{
	const struct model *model = analysis->model;
	const struct model_coro *other = &model->coros.at[index];
	ct_time since = other->created;

	if (other->state >= CT_STATE_DONE || !is_started_there(place, other->spawn_site) ||
		(other->state == CT_STATE_WAITING && other->wait_site == site))
		return INT64_MAX;
	if (is_back(analysis, index, place, site) && other->resumed > since)
		since = other->resumed;
	return since;
}

static ct_time at_work(
	const struct analysis *analysis, struct place *place, const struct model_coro *coro)
{
	uint32_t site = coro->wait_site, i;

	if (place->has_at_work)
		return place->at_work;
	place->has_at_work = true;
	place->at_work = INT64_MAX;
	for (i = 1; i < analysis->model->coros.count; i++) {
		ct_time since = at_work_since(analysis, i, place, site);

		place->at_work = since < place->at_work ? since : place->at_work;
	}
	return place->at_work;
}

void analyze_overlooked_survey(const struct analysis *analysis)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		struct of_coro *of = model_watch_rare(watch_of(analysis), at[i].parent);

		if (at[i].parent && at[i].state < CT_STATE_DONE)
			of->has_child = true;
	}
}

bool analyze_overlooked_is(const struct analysis *analysis, const struct model_coro *coro)
{
	struct place *place = place_of(analysis, coro);

	if (!place || !wait_of(analysis, coro)->nr_ended || place->is_mixed ||
		!analyze_wakers_is_bound(analysis, coro) ||
		analyze_waited_ns(analysis, coro) / TIMES_LONGER_SERVED <= place->longest_ns ||
		!do_they_go_on(analysis, coro))
		return false;
	/* A child may be at what its parent waits for. */
	return !record_of(analysis, coro)->has_child &&
	       at_work(analysis, place, coro) >= latest(analysis, coro);
}

static uint32_t ended_since(const struct analysis *analysis, const struct model_coro *coro)
{
	return (uint32_t)place_of(analysis, coro)->nr_ended - wait_of(analysis, coro)->nr_ended;
}

/* Do waits there end in their order, or in none, since this one began? A stack lets its idle workers wait for ever. */
static bool end_in_turn(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	const struct of_wait *wait = wait_of(analysis, coro);

	return (uint32_t)place->nr_in_turn - wait->nr_in_turn >
	       ((uint32_t)place->nr_ended - wait->nr_before) / SHARE_IN_TURN;
}

bool analyze_overlooked_is_passed(const struct analysis *analysis, const struct model_coro *coro)
{
	return ended_since(analysis, coro) >= LEAST_PASSED &&
	       place_of(analysis, coro)->last_began > coro->suspended &&
	       end_in_turn(analysis, coro);
}

/* How many waits there have ended since this one began, whose coroutines cannot all have waited there before it. */
static uint32_t nr_overtaking(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	uint32_t count = (uint32_t)place->nr_ended - wait_of(analysis, coro)->nr_before;
	uint32_t nr_coros = (uint32_t)analysis->model->coros.count;

	return place->last_began > coro->suspended && count > nr_coros ? count - nr_coros : 0;
}

/* Have at least a hundred waits ended there that began later, and before that `nr_own` or more of its own? */
static bool is_overtaken(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t nr_own)
{
	return place_of(analysis, coro) && analyze_wakers_nr_own(analysis, coro) >= nr_own &&
	       nr_overtaking(analysis, coro) >= LEAST_OVERTAKING;
}

/* How many that were started where this one was are overtaken there, and began to wait with it, this one included. */
static uint32_t nr_with(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	int64_t near_ns = analyze_waited_ns(analysis, coro) / NEAR;
	uint32_t count = 0, i;

	for (i = 1; i < model->coros.count && model->coros.count <= COROS_ASKED; i++) {
		const struct model_coro *other = &model->coros.at[i];

		count += other->process == coro->process && waits_at(other, coro->wait_site) &&
			 other->spawn_site == coro->spawn_site &&
			 llabs(other->suspended - coro->suspended) <= near_ns &&
			 is_overtaken(analysis, other, LEAST_AT_LARGE);
	}
	return count;
}

bool analyze_overlooked_is_left(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct histogram *waits = model_waits_at(analysis->model, coro->wait_site);
	bool is_at_large = analyze_ties_is_at_large(coro);

	if (coro->wait_object || coro->rare->descriptor ||
		!analyze_wakers_is_bound(analysis, coro) || waits->count < LEAST_OVERTAKING ||
		(uint64_t)analyze_waited_ns(analysis, coro) / TIMES_LONGER <= waits->max ||
		!is_overtaken(analysis, coro, is_at_large ? LEAST_AT_LARGE : LEAST_OWN) ||
		!end_in_turn(analysis, coro))
		return false;
	return is_at_large ? nr_with(analysis, coro) >= LEAST_WITH
			   : analyze_runtime_words_say_lock(analysis, coro);
}

/* Has this one never been woken, while others that came later were? */
static bool is_unserved(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->nr_ended >= LEAST_ENDED && !coro->turns->nr_wakes &&
	       analyze_wakers_is_bound(analysis, coro) && coro->suspended < place->first_ended &&
	       place->last_began > coro->suspended;
}

static struct unserved find_unserved(
	const struct analysis *analysis, const struct place *place, uint32_t process, uint32_t site)
{
	const struct model *model = analysis->model;
	struct unserved found = {0};
	uint32_t i;

	for (i = 1; i < model->coros.count && !found.has_others; i++) {
		const struct model_coro *other = &model->coros.at[i];

		if (other->process != process || other->state >= CT_STATE_DONE ||
			!is_started_there(place, other->spawn_site))
			continue;
		found.has_others = !is_unserved(analysis, other) || other->wait_site != site;
		found.first = found.first ? found.first : i;
		found.count++;
	}
	return found;
}

static struct unserved unserved_of(const struct analysis *analysis, const struct model_coro *coro)
{
	struct place *place = place_of(analysis, coro);
	uint32_t site = record_of(analysis, coro)->site;

	if (!place->has_unserved || place->unserved_at != site)
		place->unserved = find_unserved(analysis, place, coro->process, site);
	place->has_unserved = true;
	place->unserved_at = site;
	return place->unserved;
}

bool analyze_overlooked_is_among_unserved(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	const struct place *place = place_of(analysis, coro);
	struct unserved found;

	if (!place || place->nr_ended < LEAST_ENDED || place->is_mixed ||
		of->nr_served < LEAST_SERVED || !analyze_wakers_is_bound(analysis, coro) ||
		analyze_waited_ns(analysis, coro) / TIMES_LONGER <= place->longest_ns)
		return false;
	found = unserved_of(analysis, coro);
	return found.count && !found.has_others &&
	       !analyze_wakers_are_gone(
		       analysis, &analysis->model->coros.at[found.first], WAKERS_HABIT);
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_ended(struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t count = ended_since(analysis, coro);

	return count ? analyze_say(analysis, "; meanwhile %" PRIu32 " other %s ended here", count,
			       count == 1 ? "wait" : "waits")
		     : "";
}

void analyze_overlooked_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);
	const struct place *from = place_at(watch_of(analysis), place->from);

	analyze_story_evidence(analysis, story,
		"no wait here that has ended took more than %s; since this one began, coroutines "
		"went on %" PRIu32 " times from %s, where those had waited that ended such waits, "
		"the last %s before the observation ended, and did not wake it%s",
		analyze_words_duration(analysis, place->longest_ns), turns_since(analysis, coro),
		analyze_words_place(analysis, place->from),
		analyze_words_duration(
			analysis, analysis->parties[coro->process].end - from->last_run),
		words_ended(analysis, coro));
}

void analyze_overlooked_tell_overtaken(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	analyze_story_evidence(analysis, story,
		"no wait here that has ended took more than %s, and %" PRIu32
		" of them, at least, began later than this one; %" PRIu32
		" waits of its own had ended here before",
		analyze_words_duration(
			analysis, (int64_t)model_waits_at(analysis->model, coro->wait_site)->max),
		nr_overtaking(analysis, coro), analyze_wakers_nr_own(analysis, coro));
}

/* Where those were started that ended such waits. */
static const char *words_starts(struct analysis *analysis, const struct place *place)
{
	const char *words = "";
	unsigned i;

	for (i = 0; i < STARTS && place->spawned_at[i]; i++)
		words = analyze_say(analysis, "%s%s%s", words, i ? " or " : "",
			analyze_words_place(analysis, place->spawned_at[i]));
	return words;
}

void analyze_overlooked_tell_unserved(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct unserved found = unserved_of(analysis, coro);
	const struct model_coro *first = &analysis->model->coros.at[found.first];
	const struct place *place = place_of(analysis, first);
	const struct of_coro *of = record_of(analysis, coro);

	analyze_story_party(analysis, story, found.first, 0);
	analyze_story_evidence(analysis, story,
		"coroutines that were started at %s ended every such wait; %" PRIu32
		" of them %s left, and %s never been woken: %s waits at %s since %s, and %" PRIu64
		" waits there that began later have ended, %" PRIu32
		" of them one after the other by coroutine %" PRIu64,
		words_starts(analysis, place_of(analysis, coro)), found.count,
		found.count == 1 ? "is" : "are", found.count == 1 ? "has" : "have",
		analyze_words_coro(analysis, first),
		analyze_words_place(analysis, first->wait_site),
		analyze_words_time(analysis, first->suspended), place->nr_ended, of->nr_served,
		coro->id);
}
