/* SPDX-License-Identifier: MIT */
/*
 * Wakers: each coroutine is marked with the places at which it, or a descendant, woke a coroutine. Whether all wakers
 * of a place are gone is computed once for each place, and may lead from place to place.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/parts.h"
#include "analyze/rounds.h"
#include "analyze/runtime_words.h"
#include "analyze/stillness.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"

#define LEAST_OWN 2u
#define LEAST_OF_ALL 3u
#define TIMES_LONGER 10 /* longer than any ended wait there */
#define SHARE_AGAIN 10u /* one woken coroutine in so many comes back to wait there */
#define ANCESTORS 16u   /* generations of ancestors that are marked */
/* places in a chain; a coroutine that waits further away counts as able to wake */
#define DEPTH 4u
/* Scans of all coroutines for one place; what is not known after these counts as able to wake. */
#define SCANS 16u
#define SILENT 4u       /* ends that are kept by name */
#define TIMES_OFTENER 3 /* that many more woke somebody than did not */

enum verdict {
	VERDICT_OPEN = 0,
	VERDICT_GONE,
	VERDICT_LEFT,
};

/* The places at which a coroutine, or a descendant of it, woke a coroutine; 0: none. */
struct woken_at {
	uint32_t at[WAKERS_PLACES];
	bool is_own[WAKERS_PLACES]; /* the coroutine itself did */
	bool is_more;               /* further places */
	bool has_woken;    /* the coroutine itself has woken another one, wherever that waited */
	uint32_t woken_at; /* the place at which it was itself woken by another coroutine last */
};

/*
 * Coroutines that were started at one place, and ended without having woken any that waited at another one. The
 * first record serves for all places until one of those coroutines wakes another one.
 */
struct ends {
	uint32_t at; /* where woken coroutines had waited; 0: none was woken yet */
	uint32_t nr_silent;
	uint64_t silent[SILENT]; /* ids of the first ones; 0: not known */
	ct_time times[SILENT];
};

/* How waits at one place ended. */
struct place {
	/* id of the ancestor, started by no coroutine, that all wakers of this place have in common; 0: none yet */
	uint64_t root;
	uint64_t nr_woken;
	uint64_t nr_again; /* of these: the woken coroutine had been woken there before */
	int64_t longest_ns;
	/* a thread woke a coroutine there, or the wakers have no common ancestor */
	bool has_others;
	bool has_threads; /* the first of the two */
	/* answers, once computed: for the wakers of the place, and for all living coroutines */
	uint8_t verdicts[2];
	uint32_t spawn_site; /* where the wakers were started; 0: at several places */
	/* The next three are for a place at which coroutines are started: the last such coroutine that ended. */
	uint64_t ended;
	ct_time ended_time;
	struct woken_at ended_at;
	uint64_t nr_ended;
	struct ends ends[WAKERS_PLACES];
	bool has_busy; /* one of them woke coroutines at more places than are kept */
};

#define RESOURCE(name) (UINT64_C(1) << CTP_RESOURCE_##name)

/* Does the program itself end such a wait? */
static bool is_inside(const struct model_coro *coro)
{
	static const uint64_t outside = RESOURCE(DESCRIPTOR) | RESOURCE(TIMER) | RESOURCE(PROCESS) |
					RESOURCE(REMOTE) | RESOURCE(NETWORK);
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	return coro->point == CTP_POINT_AWAIT && (kind >= 64 || !(outside >> kind & 1));
}

static bool has_mark(const struct woken_at *of, uint32_t place)
{
	unsigned i;

	for (i = 0; i < WAKERS_PLACES; i++)
		if (of->at[i] == place)
			return true;
	return false;
}

/* Marks the place, as woken at by the coroutine itself if `is_own`. False: it had a mark, perhaps of a descendant. */
static bool put_mark(struct woken_at *of, uint32_t place, bool is_own)
{
	bool had = has_mark(of, place);
	unsigned i;

	for (i = 0; i < WAKERS_PLACES && of->at[i] && of->at[i] != place; i++)
		;
	if (i == WAKERS_PLACES) {
		of->is_more = true;
		return true;
	}
	if (!had)
		of->at[i] = place;
	if (is_own && !of->is_own[i])
		of->is_own[i] = true;
	return !had;
}

/*
 * Marks the waker and all its ancestors, the last of which is the root. A runtime's own coroutines are not marked:
 * they live as long as the program, wake coroutines that a collection held up, and were started by whichever
 * coroutine ran then.
 */
static void mark_kin(struct model_watch *watch, struct place *place, uint32_t site, uint32_t coro)
{
	const struct model *model = watch->model;
	const struct model_coro *root = &model->coros.at[coro];
	unsigned steps;

	for (steps = 0; coro && !model_is_of_runtime(&model->coros.at[coro]) && steps < ANCESTORS;
		steps++) {
		struct woken_at *of = model_watch_coro(watch, coro);

		if (!put_mark(of, site, steps == 0))
			return;
		root = &model->coros.at[coro];
		coro = root->parent;
	}
	place->has_others |= coro || root->is_cut || root->is_remains ||
			     (place->root && place->root != root->id);
	place->root = root->id;
}

/* The record of ends as to waits at `at`. NULL: there is none, and no room. */
static struct ends *ends_of(struct place *of_start, uint32_t at)
{
	unsigned i;

	for (i = 0; of_start && i < WAKERS_PLACES; i++)
		if (of_start->ends[i].at == at || !of_start->ends[i].at)
			return &of_start->ends[i];
	return NULL;
}

/* From now on it counts whether those that were started where the waker was wake coroutines that wait at `at`. */
static void expect_wakes(struct model_watch *watch, uint32_t waker, uint32_t at)
{
	struct place *of_start = model_watch_place(watch, watch->model->coros.at[waker].spawn_site);
	struct ends *ends = ends_of(of_start, at);

	if (!waker || !ends || ends->at)
		return;
	ends->at = at;
	if (ends != &of_start->ends[0])
		ends->nr_silent = (uint32_t)of_start->nr_ended;
}

static void count_silent(struct ends *ends, const struct model_coro *coro, ct_time time)
{
	if (ends->nr_silent < SILENT) {
		ends->silent[ends->nr_silent] = coro->id;
		ends->times[ends->nr_silent] = time;
	}
	ends->nr_silent++;
}

static void count_end(struct place *of_start, const struct woken_at *woken_at,
	const struct model_coro *coro, ct_time time)
{
	unsigned i;

	of_start->nr_ended++;
	of_start->has_busy |= woken_at->is_more;
	for (i = 0; i < WAKERS_PLACES; i++) {
		struct ends *ends = &of_start->ends[i];

		if ((ends->at || !i) && !(ends->at && has_mark(woken_at, ends->at)))
			count_silent(ends, coro, time);
	}
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	uint32_t site = coro->wait_site, spawn_site;
	struct place *place = model_watch_place(watch, site);
	struct woken_at *woken = model_watch_coro(watch, sight->coro);
	struct woken_at *by = model_watch_coro(watch, sight->by);
	int64_t waited_ns = ct_time_between(coro->suspended, sight->event->time);

	if (sight->by && sight->by != sight->coro && !by->has_woken)
		by->has_woken = true;
	if (!place || coro->state != CT_STATE_WAITING || !is_inside(coro) ||
		sight->by == sight->coro)
		return true;
	place->nr_again += woken->woken_at == site;
	woken->woken_at = site;
	spawn_site = watch->model->coros.at[sight->by].spawn_site;
	if (place->spawn_site != spawn_site)
		place->spawn_site = place->nr_woken ? 0 : spawn_site;
	expect_wakes(watch, sight->by, site);
	place->nr_woken++;
	if (waited_ns > place->longest_ns)
		place->longest_ns = waited_ns;
	if (!sight->by) {
		place->has_others = place->has_threads = true;
		return true;
	}
	mark_kin(watch, place, site, sight->by);
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->spawn_site);

	if (!place || !coro->spawn_site)
		return true;
	place->ended = coro->id;
	place->ended_time = sight->until;
	place->ended_at = *(const struct woken_at *)model_watch_coro(watch, sight->coro);
	count_end(place, &place->ended_at, coro, sight->until);
	return true;
}

const struct model_watcher analyze_wakers_watcher = {
	.nr_coro_bytes = sizeof(struct woken_at),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- queries */

static bool is_alive(const struct model_coro *coro)
{
	return coro->state != CT_STATE_DONE && coro->state != CT_STATE_DESTROYED;
}

bool analyze_wakers_is_bound(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && is_inside(coro) && !model_is_of_runtime(coro) &&
	       (coro->rare->deadline == CT_NO_TIME ||
		       coro->rare->deadline <= analysis->parties[coro->process].end);
}

static struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_wakers_watcher, coro);
}

bool analyze_wakers_has_woken(const struct analysis *analysis, uint32_t index)
{
	const struct woken_at *of =
		model_watch_coro(analyze_watch_by(analysis, &analyze_wakers_watcher), index);

	return of->has_woken || of->at[0] || of->is_more;
}

bool analyze_wakers_may_have_woken(
	const struct analysis *analysis, uint32_t index, const struct model_coro *coro)
{
	const struct woken_at *of =
		model_watch_coro(analyze_watch_by(analysis, &analyze_wakers_watcher), index);
	uint32_t site = coro->wait_site;
	unsigned i;

	for (i = 0; i < WAKERS_PLACES; i++)
		if (of->at[i] == site && of->is_own[i])
			return true;
	return of->has_woken && of->is_more;
}

bool analyze_wakers_come_back(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->nr_again > place->nr_woken / SHARE_AGAIN;
}

/* Has the waker long been waiting for a lock whose owner waits itself, and is an ancestor of `coro`? */
static bool wants_lock_of_starter(const struct analysis *analysis, uint32_t waker, uint32_t coro)
{
	const struct model_coro *at = analysis->model->coros.at, *from = &at[waker];
	uint32_t owner;

	if (from->state != CT_STATE_WAITING ||
		CTP_HANDLE_RESOURCE(from->wait_object) != CTP_RESOURCE_LOCK ||
		!analyze_stillness_lasts(analysis, from->process, from->suspended))
		return false;
	owner = analyze_ties_next(analysis, waker);
	return owner && owner != coro && analyze_wakers_is_bound(analysis, &at[owner]) &&
	       analyze_ties_comes_from(analysis->model, coro, owner);
}

bool analyze_wakers_want_lock(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	uint32_t site = coro->wait_site, i;

	for (i = 1; i < model->coros.count; i++)
		if (model->coros.at[i].process == coro->process &&
			has_mark(model_watch_coro(watch, i), site) &&
			wants_lock_of_starter(analysis, i, model_index(model, coro)))
			return true;
	return false;
}

static bool is_root_alive(const struct analysis *analysis, uint64_t id, uint32_t process)
{
	uint32_t root = model_find(analysis->model, process, id);

	return root && is_alive(&analysis->model->coros.at[root]);
}

/* The chain of places that are being looked at, from the first one on. */
struct way {
	uint32_t at[DEPTH];
	unsigned length;
	unsigned nr_scans;
	bool is_of_all; /* any living coroutine counts as able to end waits anywhere */
};

static bool are_gone(const struct analysis *analysis, uint32_t process, struct way *way);

static bool is_on_way(const struct way *way, uint32_t site)
{
	unsigned i;

	for (i = 0; i < way->length; i++)
		if (way->at[i] == site)
			return true;
	return false;
}

/* A message may come from anywhere: from a signal, from a thread, from a coroutine that was just started. */
static bool waits_for_message(const struct analysis *analysis, const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	if (model_is_unnamed(coro->wait_object) && kind == CTP_RESOURCE_CHANNEL)
		return analyze_ties_may_be_idle(analysis, coro);
	return kind == CTP_RESOURCE_CHANNEL || kind == CTP_RESOURCE_CONDITION ||
	       kind == CTP_RESOURCE_QUEUE;
}

/* A coroutine that ran until a moment ago may run again. */
static bool has_just_stopped(const struct analysis *analysis, const struct model_coro *coro)
{
	return analysis->parties[coro->process].end - coro->suspended < LIMIT(analysis, GRACE);
}

/* This coroutine has woken at the way's last place, or can start one that does: will it wait for ever? */
static bool is_kept(const struct analysis *analysis, const struct model_coro *coro, struct way *way)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	uint32_t site = coro->wait_site;
	const struct place *place = model_watch_place(watch, site);
	bool is_gone;

	if (!analyze_wakers_is_bound(analysis, coro) || !place || has_just_stopped(analysis, coro))
		return false;
	/* A program that blocks like this for ever is idle. */
	if (analyze_runtime_words_is(analysis, coro, GO_WORD_FOREVER))
		return false;
	if (way->is_of_all && analyze_runtime_words_is(analysis, coro, GO_WORD_SELECT))
		return false;
	if (is_on_way(way, site))
		return true;
	if (!place->nr_woken)
		return !waits_for_message(analysis, coro);
	if (place->has_others || way->length == DEPTH)
		return false;
	way->at[way->length++] = site;
	is_gone = are_gone(analysis, coro->process, way);
	way->length--;
	return is_gone;
}

/* May this coroutine bring something? Not if it is a beat, belongs to the runtime, or alone ends the trace. */
static bool may_bring(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	bool is_alone = analyze_rounds_lull(analysis, coro->process)->nr_ending < 2;
	ct_time rest_from;

	return !model_is_of_runtime(coro) && !analyze_rounds_is_beat(analysis, index) &&
	       !(is_alone && analyze_rounds_has_just_come(analysis, index, &rest_from));
}

static bool are_gone(const struct analysis *analysis, uint32_t process, struct way *way)
{
	const struct model *model = analysis->model;
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	uint32_t site = way->at[way->length - 1], i;

	if (way->nr_scans++ == SCANS)
		return false;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		const struct woken_at *of = model_watch_coro(watch, i);

		if (coro->process == process && is_alive(coro) &&
			(way->is_of_all ? may_bring(analysis, i)
					: of->is_more || has_mark(of, site)) &&
			!is_kept(analysis, coro, way))
			return false;
	}
	return true;
}

static bool is_forsaken(const struct analysis *analysis, uint32_t process, uint32_t site,
	struct place *place, bool is_of_all)
{
	struct way way = {.at = {site}, .length = 1, .is_of_all = is_of_all};
	uint8_t *verdict = &place->verdicts[is_of_all];
	bool is_gone;

	if (*verdict == VERDICT_OPEN) {
		is_gone = is_root_alive(analysis, place->root, process) &&
			  are_gone(analysis, process, &way);
		*verdict = is_gone ? VERDICT_GONE : VERDICT_LEFT;
	}
	return *verdict == VERDICT_GONE;
}

bool analyze_wakers_come_anew(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->nr_woken &&
	       (place->has_others || !is_root_alive(analysis, place->root, coro->process));
}

/*
 * Has this coroutine waited far longer than any of at least `least` waits there, which coroutines ended, and is none
 * of their wakers left?
 */
static bool have_gone(const struct analysis *analysis, const struct model_coro *coro,
	uint64_t least, bool is_of_all)
{
	struct place *place = place_of(analysis, coro);
	int64_t waited_ns = analyze_waited_ns(analysis, coro);

	return place && place->nr_woken >= least && !place->has_others &&
	       analyze_wakers_is_bound(analysis, coro) &&
	       waited_ns / TIMES_LONGER > place->longest_ns &&
	       is_forsaken(analysis, coro->process, coro->wait_site, place, is_of_all);
}

bool analyze_wakers_are_gone(
	const struct analysis *analysis, const struct model_coro *coro, unsigned least)
{
	return have_gone(analysis, coro, least, false);
}

bool analyze_wakers_are_all_gone(const struct analysis *analysis, const struct model_coro *coro)
{
	return have_gone(analysis, coro, LEAST_OF_ALL, true);
}

bool analyze_wakers_were_its_own(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->root == coro->id && have_gone(analysis, coro, LEAST_OWN, false);
}

/* Do those coroutines live that woke there, or can start such ones, at least one of them, and do all wait there? */
static bool do_all_wait_at(const struct analysis *analysis, uint32_t process, uint32_t site)
{
	const struct model *model = analysis->model;
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	uint32_t count = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		const struct woken_at *of = model_watch_coro(watch, i);

		if (coro->process != process || !is_alive(coro) ||
			!(of->is_more || has_mark(of, site)))
			continue;
		if (!analyze_wakers_is_bound(analysis, coro) || has_just_stopped(analysis, coro) ||
			coro->wait_site != site)
			return false;
		count++;
	}
	return count > 0;
}

bool analyze_wakers_wait_there(const struct analysis *analysis, const struct model_coro *coro)
{
	struct place *place = place_of(analysis, coro);

	return place && place->nr_woken >= WAKERS_HABIT && !place->has_threads &&
	       analyze_waited_ns(analysis, coro) / TIMES_LONGER > place->longest_ns &&
	       do_all_wait_at(analysis, coro->process, coro->wait_site);
}

/* ---------------------------------------------------------------- the evidence */

/* Do all living coroutines that were started at `spawn_site` wait at this place? */
static bool are_others_ended(
	const struct analysis *analysis, uint32_t process, uint32_t spawn_site, uint32_t site)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == process && coro->spawn_site == spawn_site && is_alive(coro) &&
			(coro->state != CT_STATE_WAITING || coro->wait_site != site))
			return false;
	}
	return true;
}

static const char *words_silent(struct analysis *analysis, const struct ends *ends)
{
	const char *words = "";
	uint32_t i, count = 0;

	for (i = 0; i < ends->nr_silent && i < SILENT; i++)
		if (ends->silent[i])
			words = analyze_say(analysis, "%s%scoroutine %" PRIu64 " at %s", words,
				count++ ? ", " : "", ends->silent[i],
				analyze_words_duration(analysis, ends->times[i]));
	return ends->nr_silent > count ? analyze_say(analysis, "%s%s%" PRIu32 " more", words,
						 count ? " and " : "", ends->nr_silent - count)
				       : words;
}

/*
 * Adds those of the wakers' kind that ended and had woken nobody here, if most of them had. False: there are none, or
 * too many, or the wakes may be among missing events.
 */
static bool tell_silent(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, struct place *of_start)
{
	const struct ends *ends = ends_of(of_start, coro->wait_site);
	uint64_t nr_ended = of_start->nr_ended;

	if (!ends || !ends->at || !ends->nr_silent || of_start->has_busy ||
		(nr_ended - ends->nr_silent) / TIMES_OFTENER < ends->nr_silent ||
		model_lost_between(analysis->model, coro->process, analysis->model->from,
			analysis->parties[coro->process].end))
		return false;
	analyze_story_evidence(analysis, story,
		"every coroutine that ended a wait there was started at %s; %" PRIu64
		" of the %" PRIu64
		" that have ended had woken one there, the others ended without: %s",
		analyze_words_place(analysis, place_of(analysis, coro)->spawn_site),
		nr_ended - ends->nr_silent, nr_ended, words_silent(analysis, ends));
	return true;
}

/* Adds the last of the wakers' kind to end, if it woke nobody here, and none is left elsewhere. */
static void tell_last(struct analysis *analysis, struct story *story, const struct model_coro *coro,
	const struct place *place, const struct place *of_start)
{
	if (!of_start->ended || of_start->ended_at.is_more ||
		has_mark(&of_start->ended_at, coro->wait_site) ||
		!are_others_ended(analysis, coro->process, place->spawn_site, coro->wait_site))
		return;
	analyze_story_evidence(analysis, story,
		"every coroutine that ended a wait there was started at %s, and all of them "
		"have ended; the last, coroutine %" PRIu64 ", %s %s %s, and woke nobody there",
		analyze_words_place(analysis, place->spawn_site), of_start->ended,
		analyze_words_how_ended(analysis, coro->process, of_start->ended),
		analyze_words_duration(analysis, llabs(of_start->ended_time - coro->suspended)),
		of_start->ended_time < coro->suspended ? "before this wait began"
						       : "after this wait began");
}

void analyze_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	const struct place *place = place_of(analysis, coro);
	struct place *of_start;

	if (!place || place->nr_woken < WAKERS_HABIT || place->has_others || !place->spawn_site)
		return;
	of_start = model_watch_place(watch, place->spawn_site);
	if (!of_start || tell_silent(analysis, story, coro, of_start))
		return;
	tell_last(analysis, story, coro, place, of_start);
}
