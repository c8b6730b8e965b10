/* SPDX-License-Identifier: MIT */
/*
 * Merged wakes: flags of each coroutine between its wakes and its end, and counts for each place at which coroutines
 * are started.
 */
#include <inttypes.h>

#include "analyze/merged.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"

/* at most one end in so many: more ends of this kind are how the program works */
#define SHARE_RARE 20u

struct of_coro {
	bool is_merged; /* woken while it was ready, and has not waited since */
	bool has_woken; /* has woken another coroutine since it was resumed */
};

/* The ends of the coroutines that were started at one place. */
struct place {
	struct watch_last last; /* the last end in a run of two wakes that woke nobody */
	uint64_t nr_ended;
	uint64_t nr_merged; /* of these: in such a run */
	uint64_t id;        /* id of the last coroutine that ended in such a run */
};

struct memory {
	const uint32_t *last; /* the answers of analyze_watch_last */
};

static struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

/* ---------------------------------------------------------------- callbacks of the watcher */

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
	if (record_of(watch, sight->coro)->has_woken)
		record_of(watch, sight->coro)->has_woken = false;
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	if (record_of(watch, sight->coro)->is_merged)
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
	place->last = (struct watch_last){coro->process, sight->until};
	place->nr_merged++;
	place->id = coro->id;
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

/* ---------------------------------------------------------------- the evidence */

/* Are such ends an exception among the coroutines that are started at this place? */
static bool is_rare(const void *of_place)
{
	const struct place *place = of_place;

	return place->nr_merged && place->nr_merged <= place->nr_ended / SHARE_RARE;
}

void analyze_merged_tell(struct analysis *analysis, struct story *story, uint32_t process)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_merged_watcher);
	struct memory *memory = watch->memory;
	uint32_t site = analyze_watch_last(analysis, watch, is_rare, process, &memory->last);
	const struct place *place = model_watch_place(watch, site);

	if (!site)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " of %" PRIu64
		" that were started at %s and have ended %s woken a second "
		"time before the last run, which woke nobody: what one of the two wakes brought "
		"may be lost; the last was coroutine %" PRIu64 ", %s before the end",
		place->nr_merged, place->nr_ended, analyze_words_place(analysis, site),
		place->nr_merged == 1 ? "was" : "were", place->id,
		analyze_words_duration(
			analysis, analysis->parties[process].end - place->last.time));
}
