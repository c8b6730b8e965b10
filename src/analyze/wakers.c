/* SPDX-License-Identifier: MIT */
/*
 * Wakers: each coroutine is marked with the places at which it, or a descendant, woke a coroutine. Whether all wakers
 * of a place are gone is computed once for each place, and may lead from place to place.
 */
#include <string.h>

#include "analyze/parts.h"
#include "analyze/rounds.h"
#include "analyze/runtime_words.h"
#include "analyze/stillness.h"
#include "analyze/wakers_kept.h"
#include "analyze/watched_places.h"
#include "say/say.h"

#define LEAST_OWN 2u
#define LEAST_OF_ALL 3u
/* Longer than ever before between the ends of two waits there. A busy machine makes gaps, too. */
#define TIMES_SILENT 5
#define SHARE_AGAIN 10u /* one woken coroutine in so many comes back to wait there */
#define ANCESTORS 16u   /* generations of ancestors that are marked */
/* places in a chain; a coroutine that waits further away counts as able to wake */
#define DEPTH 4u
/* Scans of all coroutines for one place; what is not known after these counts as able to wake. */
#define SCANS 16u

enum verdict {
	VERDICT_OPEN = 0,
	VERDICT_GONE,
	VERDICT_LEFT,
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

bool analyze_wakers_has_mark(const struct wakers_woken_at *of, uint32_t place)
{
	unsigned i;

	for (i = 0; i < WAKERS_PLACES; i++)
		if (of->at[i] == place)
			return true;
	return false;
}

/* Marks the place, as woken at by the coroutine itself if `is_own`. False: it had a mark, perhaps of a descendant. */
static bool put_mark(struct wakers_woken_at *of, uint32_t place, bool is_own)
{
	bool had = analyze_wakers_has_mark(of, place);
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
static void mark_kin(
	struct model_watch *watch, struct wakers_place *place, uint32_t site, uint32_t coro)
{
	const struct model *model = watch->model;
	const struct model_coro *root = &model->coros.at[coro];
	unsigned steps;

	for (steps = 0; coro && !model_is_of_runtime(&model->coros.at[coro]) && steps < ANCESTORS;
		steps++) {
		struct wakers_woken_at *of = model_watch_coro(watch, coro);

		if (!put_mark(of, site, steps == 0))
			return;
		root = &model->coros.at[coro];
		coro = root->parent;
	}
	place->has_others |= coro || root->is_cut || root->is_remains ||
			     (place->root && place->root != root->id);
	place->root = root->id;
}

struct wakers_ends *analyze_wakers_ends_of(struct wakers_place *of_start, uint32_t at)
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
	struct wakers_place *of_start =
		model_watch_place(watch, watch->model->coros.at[waker].spawn_site);
	struct wakers_ends *ends = analyze_wakers_ends_of(of_start, at);

	if (!waker || !ends || ends->at)
		return;
	ends->at = at;
	if (ends != &of_start->ends[0])
		ends->nr_silent = (uint32_t)of_start->nr_ended;
}

static void count_silent(struct wakers_ends *ends, const struct model_coro *coro, ct_time time)
{
	if (ends->nr_silent < WAKERS_SILENT) {
		ends->silent[ends->nr_silent] = coro->id;
		ends->times[ends->nr_silent] = time;
	}
	ends->nr_silent++;
}

static void count_end(struct wakers_place *of_start, const struct wakers_woken_at *woken_at,
	const struct model_coro *coro, ct_time time)
{
	unsigned i;

	of_start->nr_ended++;
	of_start->has_busy |= woken_at->is_more;
	for (i = 0; i < WAKERS_PLACES; i++) {
		struct wakers_ends *ends = &of_start->ends[i];

		if ((ends->at || !i) && !(ends->at && analyze_wakers_has_mark(woken_at, ends->at)))
			count_silent(ends, coro, time);
	}
}

static void note_by(struct wakers_place *place, uint64_t id)
{
	place->has_more |= place->by && place->by != id;
	place->by = id;
}

static void note_gap(struct wakers_place *place, ct_time time)
{
	if (place->nr_woken && time - place->last > place->longest_gap_ns)
		place->longest_gap_ns = time - place->last;
	place->last = time;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	uint32_t site = coro->wait_site, spawn_site;
	struct wakers_place *place = model_watch_place(watch, site);
	struct wakers_woken_at *woken = model_watch_coro(watch, sight->coro);
	struct wakers_woken_at *by = model_watch_coro(watch, sight->by);
	int64_t waited_ns = ct_time_between(coro->suspended, sight->event->time);

	if (sight->by && sight->by != sight->coro && !by->has_woken)
		by->has_woken = true;
	if (!place || coro->state != CT_STATE_WAITING || !is_inside(coro) ||
		sight->by == sight->coro)
		return true;
	if (woken->woken_at)
		analyze_wakers_note_own(watch, sight);
	place->nr_again += woken->woken_at == site;
	woken->woken_at = site;
	spawn_site = watch->model->coros.at[sight->by].spawn_site;
	if (place->spawn_site != spawn_site)
		place->spawn_site = place->nr_woken ? 0 : spawn_site;
	expect_wakes(watch, sight->by, site);
	note_gap(place, sight->event->time);
	place->nr_woken++;
	if (waited_ns > place->longest_ns)
		place->longest_ns = waited_ns;
	if (!sight->by) {
		place->has_others = place->has_threads = true;
		return true;
	}
	note_by(place, watch->model->coros.at[sight->by].id);
	mark_kin(watch, place, site, sight->by);
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct wakers_place *place = model_watch_place(watch, coro->spawn_site);

	if (!place || !coro->spawn_site)
		return true;
	place->ended = coro->id;
	place->ended_time = sight->until;
	place->ended_at = *(const struct wakers_woken_at *)model_watch_coro(watch, sight->coro);
	count_end(place, &place->ended_at, coro, sight->until);
	return true;
}

const struct model_watcher analyze_wakers_watcher = {
	.nr_coro_bytes = sizeof(struct wakers_woken_at),
	.nr_rare_bytes = WAKERS_OWN * sizeof(struct wakers_own),
	.nr_place_bytes = sizeof(struct wakers_place),
	.looks = {[MODEL_WAKE] = look_at_wake, [MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- queries */

bool analyze_wakers_is_bound(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && is_inside(coro) && !model_is_of_runtime(coro) &&
	       !analyze_wait_is_until_later(coro, analysis->parties[coro->process].end);
}

struct wakers_place *analyze_wakers_place(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_wakers_watcher, coro);
}

bool analyze_wakers_has_woken(const struct analysis *analysis, uint32_t index)
{
	const struct wakers_woken_at *of =
		model_watch_coro(analyze_watch_by(analysis, &analyze_wakers_watcher), index);

	return of->has_woken || of->at[0] || of->is_more;
}

bool analyze_wakers_may_have_woken(
	const struct analysis *analysis, uint32_t index, const struct model_coro *coro)
{
	const struct wakers_woken_at *of =
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
	const struct wakers_place *place = analyze_wakers_place(analysis, coro);

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
			analyze_wakers_has_mark(model_watch_coro(watch, i), site) &&
			wants_lock_of_starter(analysis, i, model_index(model, coro)))
			return true;
	return false;
}

static bool is_root_alive(const struct analysis *analysis, uint64_t id, uint32_t process)
{
	uint32_t root = model_find(analysis->model, process, id);

	return root && analysis->model->coros.at[root].state < CT_STATE_DONE;
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
	const struct wakers_place *place = model_watch_place(watch, site);
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
		const struct wakers_woken_at *of = model_watch_coro(watch, i);

		if (coro->process == process && coro->state < CT_STATE_DONE &&
			(way->is_of_all ? may_bring(analysis, i)
					: of->is_more || analyze_wakers_has_mark(of, site)) &&
			!is_kept(analysis, coro, way))
			return false;
	}
	return true;
}

static bool is_forsaken(const struct analysis *analysis, uint32_t process, uint32_t site,
	struct wakers_place *place, bool is_of_all)
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
	const struct wakers_place *place = analyze_wakers_place(analysis, coro);

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
	struct wakers_place *place = analyze_wakers_place(analysis, coro);
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
	const struct wakers_place *place = analyze_wakers_place(analysis, coro);

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
		const struct wakers_woken_at *of = model_watch_coro(watch, i);

		if (coro->process != process || coro->state >= CT_STATE_DONE ||
			!(of->is_more || analyze_wakers_has_mark(of, site)))
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
	struct wakers_place *place = analyze_wakers_place(analysis, coro);

	return place && place->nr_woken >= WAKERS_HABIT && !place->has_threads &&
	       analyze_waited_ns(analysis, coro) / TIMES_LONGER > place->longest_ns &&
	       do_all_wait_at(analysis, coro->process, coro->wait_site);
}

/* Does it wait where only those of this kind have ended waits, or, for the first time, for what has the same name? */
static bool waits_so(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *like, const struct wakers_place *kind)
{
	const struct wakers_place *place = analyze_wakers_place(analysis, coro);
	const char *reason = say_peek_site(analysis->tables, coro->wait_site)->reason;

	if (!place || !analyze_wakers_is_bound(analysis, coro))
		return false;
	if (place->nr_woken)
		return place->spawn_site == kind->spawn_site && !place->has_threads;
	return *reason &&
	       strcmp(reason, say_peek_site(analysis->tables, like->wait_site)->reason) == 0;
}

/* Does one of the kind live, do all of these wait so, and will no other one go on by itself, which may have it? */
static bool do_all_wait_so(const struct analysis *analysis, const struct model_coro *like,
	const struct wakers_place *kind)
{
	const struct model *model = analysis->model;
	uint32_t count = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		bool is_of_kind = coro->spawn_site == kind->spawn_site;

		if (coro->process != like->process || coro->state >= CT_STATE_DONE)
			continue;
		if (is_of_kind ? !waits_so(analysis, coro, like, kind)
			       : may_bring(analysis, i) && !analyze_wakers_is_bound(analysis, coro))
			return false;
		count += is_of_kind;
	}
	return count > 0;
}

bool analyze_wakers_fell_silent(const struct analysis *analysis, const struct model_coro *coro)
{
	struct wakers_place *place = analyze_wakers_place(analysis, coro);
	ct_time end = analysis->parties[coro->process].end;

	if (!place || place->nr_woken < WAKERS_HABIT || place->has_threads || !place->spawn_site ||
		!analyze_wakers_is_bound(analysis, coro) ||
		!analyze_stillness_lasts(analysis, coro->process, place->last) ||
		ct_time_between(place->last, end) / TIMES_SILENT <= place->longest_gap_ns)
		return false;
	if (place->silence == VERDICT_OPEN)
		place->silence =
			do_all_wait_so(analysis, coro, place) ? VERDICT_GONE : VERDICT_LEFT;
	return place->silence == VERDICT_GONE;
}
