/* SPDX-License-Identifier: MIT */
/*
 * The evidence of wakers (wakers.h): what became of those that ended waits at a place, and of others of their kind.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/parts.h"
#include "analyze/wakers_kept.h"
#include "analyze/watched_places.h"

#define OTHERS_TOLD 4u
#define TIMES_OFTENER 3 /* that many more woke somebody than did not */

/* Do all living coroutines that were started at `spawn_site` wait at this place? */
static bool are_others_ended(
	const struct analysis *analysis, uint32_t process, uint32_t spawn_site, uint32_t site)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == process && coro->spawn_site == spawn_site &&
			coro->state < CT_STATE_DONE &&
			(coro->state != CT_STATE_WAITING || coro->wait_site != site))
			return false;
	}
	return true;
}

static const char *words_silent(struct analysis *analysis, const struct wakers_ends *ends)
{
	const char *words = "";
	uint32_t i, count = 0;

	for (i = 0; i < ends->nr_silent && i < WAKERS_SILENT; i++)
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
	const struct model_coro *coro, struct wakers_place *of_start)
{
	const struct wakers_ends *ends = analyze_wakers_ends_of(of_start, coro->wait_site);
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
		analyze_words_place(analysis, analyze_wakers_place(analysis, coro)->spawn_site),
		nr_ended - ends->nr_silent, nr_ended, words_silent(analysis, ends));
	return true;
}

/* Adds the last of the wakers' kind to end, if it woke nobody here, and none is left elsewhere. */
static void tell_last(struct analysis *analysis, struct story *story, const struct model_coro *coro,
	const struct wakers_place *place, const struct wakers_place *of_start)
{
	if (!of_start->ended || of_start->ended_at.is_more ||
		analyze_wakers_has_mark(&of_start->ended_at, coro->wait_site) ||
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

void analyze_wakers_tell_others(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	uint32_t kind = analyze_wakers_place(analysis, coro)->spawn_site, i;
	unsigned count = 0;

	for (i = 1; i < model->coros.count && count < OTHERS_TOLD; i++) {
		const struct model_coro *other = &model->coros.at[i];

		if (other->process != coro->process || other->spawn_site != kind ||
			other->state != CT_STATE_WAITING || other->wait_site == coro->wait_site)
			continue;
		analyze_story_evidence(analysis, story,
			"%s, of the kind that ended waits there, waits since %s, at %s, and may "
			"have what is waited for",
			analyze_words_coro(analysis, other),
			analyze_words_time(analysis, other->suspended),
			analyze_words_place(analysis, other->wait_site));
		analyze_story_party(analysis, story, i, 0);
		count++;
	}
}

void analyze_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_wakers_watcher);
	const struct wakers_place *place = analyze_wakers_place(analysis, coro);
	struct wakers_place *of_start;

	if (!place || place->nr_woken < WAKERS_HABIT || place->has_others || !place->spawn_site)
		return;
	of_start = model_watch_place(watch, place->spawn_site);
	if (!of_start || tell_silent(analysis, story, coro, of_start))
		return;
	tell_last(analysis, story, coro, place, of_start);
}
