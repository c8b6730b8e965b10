/* SPDX-License-Identifier: MIT */
/*
 * Merged wakes: where each coroutine stands between its wakes and its end, and a count for each place at which
 * coroutines are started.
 */
#include <inttypes.h>

#include "analyze/merged.h"
#include "analyze/parts.h"

#define SHARE_RARE 20u /* at most one in so many: more are how the program works */

struct of_coro {
	bool is_merged; /* woken while it was ready, and has not come to wait since */
	bool has_woken; /* somebody else, since it ran last */
};

/* What became of the coroutines that were started at one place. */
struct place {
	uint32_t process; /* of the last one */
	uint64_t nr_ended;
	uint64_t
		nr_merged; /* of these: in the run of two wakes, with nobody woken; the last one: */
	uint64_t id;
	ct_time ended;
};

struct memory {
	uint32_t *last; /* by process, in the report's arena; NULL: not asked for yet */
};

static struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

/* ---------------------------------------------------------------- what it looks at */

static bool look_at_merged(struct model_watch *watch, const struct model_sight *sight)
{
	record_of(watch, sight->coro)->is_merged = true;
	return true;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	if (sight->by != sight->coro)
		record_of(watch, sight->by)->has_woken = true;
	return true;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	record_of(watch, sight->coro)->has_woken = false;
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	record_of(watch, sight->coro)->is_merged = false;
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct of_coro *of = record_of(watch, sight->coro);
	struct place *place = model_watch_place(watch, coro->spawn_site);

	if (!place)
		return true;
	place->nr_ended++;
	if (!of->is_merged || of->has_woken || coro->state != CT_STATE_RUNNING)
		return true;
	place->process = coro->process;
	place->nr_merged++;
	place->id = coro->id;
	place->ended = sight->until;
	return true;
}

const struct model_watcher analyze_merged_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_coro_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE_MERGED] = look_at_merged,
		[MODEL_WAKE] = look_at_wake,
		[MODEL_RUN] = look_at_run,
		[MODEL_WAIT] = look_at_wait,
		[MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- telling it */

static bool is_rare(const struct place *place)
{
	return place->nr_merged && place->nr_merged <= place->nr_ended / SHARE_RARE;
}

/* By process: the place of the last such end; 0: there was none, or such ends are usual. NULL: out of memory. */
static const uint32_t *last_places(struct analysis *analysis, const struct model_watch *watch)
{
	struct memory *memory = watch->memory;
	uint32_t site;

	if (memory->last)
		return memory->last;
	memory->last =
		arena_array(analysis->arena, analysis->model->nr_processes, sizeof(*memory->last));
	analysis->is_broken |= !memory->last;
	for (site = 1; memory->last && site < watch->nr_places; site++) {
		const struct place *place = model_watch_place(watch, site);
		uint32_t *last = &memory->last[place->process];
		const struct place *best = model_watch_place(watch, *last);

		if (is_rare(place) && (!*last || place->ended > best->ended))
			*last = site;
	}
	return memory->last;
}

void analyze_merged_tell(struct analysis *analysis, struct story *story, uint32_t process)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_merged_watcher);
	const uint32_t *last = last_places(analysis, watch);
	const struct place *place = model_watch_place(watch, last ? last[process] : 0);

	if (!last || !last[process])
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " of %" PRIu64
		" that were started at %s and have ended %s woken a second "
		"time before the last run, which woke nobody: what one of the two wakes brought "
		"may "
		"be gone with it; the last was coroutine %" PRIu64 ", %s before the end",
		place->nr_merged, place->nr_ended, analyze_words_place(analysis, last[process]),
		place->nr_merged == 1 ? "was" : "were", place->id,
		analyze_words_duration(analysis, analysis->parties[process].end - place->ended));
}
