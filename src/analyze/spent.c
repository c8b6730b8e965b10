/* SPDX-License-Identifier: MIT */
/*
 * Spent permits (spent.h): for each place, who ended waits there; for coroutines that come to a place at which nothing
 * has been given for long, when they came.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/spent.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"

#define LEAST_GIVEN 100u
#define LEAST_VAIN 20u
#define STARTS 3u
#define TIMES_SILENT 5
#define SHARE_OUT_OF_ORDER 50u /* one in so many may be served before one that came earlier */
#define SHARE_IN_TURN \
	10u /* one vain wait in so many ends while one that came later waits: this is no stack */
#define LATEST \
	10 /* who was started in the last part of the time, one in so many, has not come yet */

enum verdict {
	VERDICT_OPEN,
	VERDICT_SPENT,
	VERDICT_LEFT, /* one of them has not come back */
};

struct place {
	uint32_t started_at[STARTS]; /* where those were started that wait here */
	uint8_t is_mixed;            /* at more places, or others ended waits here, too */
	uint8_t verdict;             /* made when it is asked for first */
	uint32_t newest;             /* the coroutine that began to wait here last */
	uint32_t giver_site;         /* of the last wait that one of these ended */
	uint32_t taker;              /* whose wait that was */
	uint32_t nr_vain;         /* waits that began since, and that no coroutine of these ended */
	uint32_t nr_vain_in_turn; /* of these: one that had come later still waited */
	uint64_t nr_given;        /* waits that one of these ended */
	uint64_t nr_out_of_order; /* of these: begun before the one that had ended before */
	ct_time given;            /* the last time */
	ct_time began;            /* when that wait began */
	int64_t longest_gap_ns;   /* between two of these */
};

/* Kept for those that come to a place at which nothing has been given for long. */
struct of_coro {
	uint32_t site;
	ct_time came;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool is_started_there(const struct place *place, uint32_t spawn_site)
{
	unsigned i;

	for (i = 0; i < STARTS; i++)
		if (spawn_site && place->started_at[i] == spawn_site)
			return true;
	return false;
}

static void put_start(struct place *place, uint32_t spawn_site)
{
	unsigned i;

	for (i = 0; i < STARTS && place->started_at[i]; i++)
		;
	if (!spawn_site || i == STARTS)
		place->is_mixed = true;
	else
		place->started_at[i] = spawn_site;
}

/* Does the trace not say for which object the coroutine waits? */
static bool is_for_unnamed(const struct model_coro *coro)
{
	return !coro->wait_object || model_is_unnamed(coro->wait_object);
}

static void note_given(
	struct place *place, const struct model_coro *coro, const struct model_sight *sight)
{
	ct_time now = sight->event->time;

	if (place->nr_given && ct_time_between(place->given, now) > place->longest_gap_ns)
		place->longest_gap_ns = ct_time_between(place->given, now);
	place->nr_out_of_order += place->nr_given && coro->suspended < place->began;
	place->nr_given++;
	place->given = now;
	place->began = coro->suspended;
	place->giver_site = sight->event->site;
	place->taker = sight->coro;
	place->nr_vain = place->nr_vain_in_turn = 0;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at, *coro = &at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);
	const struct model_coro *newest;

	if (!place || !coro->wait_site || place->is_mixed || coro->state != CT_STATE_WAITING ||
		!is_for_unnamed(coro))
		return true;
	if (sight->by && at[sight->by].spawn_site) {
		if (is_started_there(place, at[sight->by].spawn_site))
			note_given(place, coro, sight);
		else
			place->is_mixed = true;
	} else if (place->nr_given && coro->suspended > place->given) {
		newest = &at[place->newest];
		place->nr_vain++;
		place->nr_vain_in_turn += newest != coro && newest->state == CT_STATE_WAITING &&
					  newest->wait_site == coro->wait_site;
	}
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);
	struct of_coro *of;

	if (!place || !coro->wait_site || place->is_mixed || !is_for_unnamed(coro))
		return true;
	if (!is_started_there(place, coro->spawn_site))
		put_start(place, coro->spawn_site);
	place->newest = sight->coro;
	if (place->nr_given < LEAST_GIVEN ||
		ct_time_between(place->given, coro->suspended) <= place->longest_gap_ns)
		return true;
	of = model_watch_rare(watch, sight->coro);
	*of = (struct of_coro){.site = coro->wait_site, .came = coro->suspended};
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct place *place = model_watch_place(watch, site);

		visit_coro(release, &place->newest, MODEL_MARK_NONE);
		visit_coro(release, &place->taker, MODEL_MARK_NONE);
	}
}

const struct model_watcher analyze_spent_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_WAIT] = look_at_wait},
	.visit = visit,
};

/* ---------------------------------------------------------------- queries */

static struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_spent_watcher, coro);
}

static int64_t silent_ns(
	const struct analysis *analysis, const struct place *place, uint32_t process)
{
	return ct_time_between(place->given, analysis->parties[process].end);
}

/* Has this one come to wait there since something was given, or has it only just been started? */
static bool has_come(const struct analysis *analysis, const struct model_coro *coro,
	const struct place *place, uint32_t site)
{
	const struct of_coro *of = analyze_watch_rare(analysis, &analyze_spent_watcher, coro);
	int64_t ns = silent_ns(analysis, place, coro->process);

	if (coro->state == CT_STATE_WAITING && coro->wait_site == site)
		return true;
	if (of->site == site && of->came > place->given)
		return true;
	return coro->created != CT_NO_TIME &&
	       coro->created > analysis->parties[coro->process].end - ns / LATEST;
}

static bool have_all_come(
	const struct analysis *analysis, const struct place *place, uint32_t process, uint32_t site)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == process && coro->state < CT_STATE_DONE &&
			is_started_there(place, coro->spawn_site) &&
			!has_come(analysis, coro, place, site))
			return false;
	}
	return true;
}

/* Is it the habit there that those that wait serve each other in their order, and has this stopped? */
static bool has_stopped(const struct analysis *analysis, struct place *place, uint32_t process)
{
	return place->nr_given >= LEAST_GIVEN && !place->is_mixed && place->nr_vain >= LEAST_VAIN &&
	       place->nr_vain_in_turn > place->nr_vain / SHARE_IN_TURN &&
	       place->nr_out_of_order <= place->nr_given / SHARE_OUT_OF_ORDER &&
	       analyze_stillness_lasts(analysis, process, place->given) &&
	       silent_ns(analysis, place, process) / TIMES_SILENT > place->longest_gap_ns;
}

bool analyze_spent_is(const struct analysis *analysis, const struct model_coro *coro)
{
	struct place *place = place_of(analysis, coro);
	const struct histogram *waits = model_waits_at(analysis->model, coro->wait_site);

	if (!place || !is_for_unnamed(coro) || coro->rare->descriptor ||
		!analyze_wakers_is_bound(analysis, coro) ||
		!has_stopped(analysis, place, coro->process) ||
		(uint64_t)analyze_waited_ns(analysis, coro) / TIMES_LONGER <= waits->max)
		return false;
	if (place->verdict == VERDICT_OPEN)
		place->verdict = have_all_come(analysis, place, coro->process, coro->wait_site)
					 ? VERDICT_SPENT
					 : VERDICT_LEFT;
	return place->verdict == VERDICT_SPENT;
}

/* ---------------------------------------------------------------- the evidence */

/* What has become of the one to which it was given last. */
static const char *words_taker(
	struct analysis *analysis, const struct place *place, uint32_t process, uint32_t site)
{
	const struct model_coro *taker = &analysis->model->coros.at[place->taker];
	const struct of_coro *of = analyze_watch_rare(analysis, &analyze_spent_watcher, taker);

	if (!place->taker || taker->process != process || taker->state >= CT_STATE_DONE)
		return "one that has ended";
	if (taker->state == CT_STATE_WAITING && taker->wait_site == site)
		return analyze_say(analysis, "%s, which waits here again since %s",
			analyze_words_coro(analysis, taker),
			analyze_words_time(analysis, taker->suspended));
	return of->site == site ? analyze_say(analysis, "%s, which has come back, last at %s",
					  analyze_words_coro(analysis, taker),
					  analyze_words_time(analysis, of->came))
				: analyze_words_coro(analysis, taker);
}

void analyze_spent_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	analyze_story_evidence(analysis, story,
		"those that wait here had ended %" PRIu64
		" such waits, in their order, never more than %s apart, and nobody else did so; "
		"the "
		"last was given at %s, from %s, to %s",
		place->nr_given, analyze_words_duration(analysis, place->longest_gap_ns),
		analyze_words_time(analysis, place->given),
		analyze_words_place(analysis, place->giver_site),
		words_taker(analysis, place, coro->process, coro->wait_site));
	analyze_story_evidence(analysis, story,
		"nobody has given any for %s; meanwhile %" PRIu32
		" waits began here that ended otherwise, as by a timer, and all that were started "
		"where these were have come here again: whoever took what is missing has come back "
		"without it, or has ended",
		analyze_words_duration(analysis, silent_ns(analysis, place, coro->process)),
		place->nr_vain);
}
