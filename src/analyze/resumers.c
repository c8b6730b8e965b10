/* SPDX-License-Identifier: MIT */
/*
 * Resumers (resumers.h): one record for each coroutine that another one has resumed while it ran.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/watched_places.h"
#include "analyze/resumers.h"

#define LEAST_WAITS 10u /* fewer do not show a habit */
#define SHARE_OTHERS 10u

struct whole {
	bool has_any; /* a coroutine has resumed another one */
};

struct of_coro {
	uint64_t by;      /* the id of the coroutine that resumed it; 0: none has */
	uint32_t site;    /* where it waited then; waits elsewhere are not counted */
	uint32_t nr_by;   /* waits that ended within a run of that one */
	uint32_t nr_else; /* waits that ended otherwise */
	int64_t longest_ns;
};

static bool is_wait(const struct model_coro *coro)
{
	return (coro->state == CT_STATE_WAITING || coro->state == CT_STATE_READY) &&
	       coro->suspended != CT_NO_TIME && !(coro->flags & MODEL_CORO_IS_INITIAL) &&
	       (coro->point == CTP_POINT_AWAIT || coro->point == CTP_POINT_YIELD);
}

/* The coroutine within whose run this one is resumed, out of a wait that no wake has ended; 0: none. */
static uint64_t resumer_of(
	struct model *model, const struct model_coro *coro, const struct ct_event *event)
{
	uint32_t by = model_is_unwoken(coro) ? model_resumer(model, event) : 0;

	return by && by != coro->parent ? model->coros.at[by].id : 0;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	uint64_t by = is_wait(coro) ? resumer_of(watch->model, coro, sight->event) : 0;
	struct whole *whole = watch->memory;
	int64_t waited_ns;

	whole->has_any |= by != 0;
	if (!whole->has_any || !is_wait(coro) || (!of->by && !by))
		return true;
	if (!of->by)
		*of = (struct of_coro){.by = by, .site = coro->wait_site};
	if (of->site != coro->wait_site)
		return true;
	waited_ns = ct_time_between(coro->suspended, sight->event->time);
	if (waited_ns > of->longest_ns)
		of->longest_ns = waited_ns;
	of->nr_by += of->by == by;
	of->nr_else += of->by != by;
	return true;
}

const struct model_watcher analyze_resumers_watcher = {
	.nr_bytes = sizeof(struct whole),
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_RUN] = look_at_run},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_resumers_watcher, coro);
}

uint32_t analyze_resumers_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	if (of->nr_by < LEAST_WAITS || of->nr_else > of->nr_by / SHARE_OTHERS ||
		of->site != coro->wait_site || coro->state != CT_STATE_WAITING)
		return 0;
	return model_find(analysis->model, coro->process, of->by);
}

bool analyze_resumers_has_failed(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *by =
		&analysis->model->coros.at[analyze_resumers_of(analysis, coro)];

	return by->rare->failed_site && by->state >= CT_STATE_DONE && model_is_unwoken(coro) &&
	       analyze_waited_ns(analysis, coro) / TIMES_LONGER >
		       record_of(analysis, coro)->longest_ns;
}

void analyze_resumers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	uint32_t by = analyze_resumers_of(analysis, coro);

	if (!by)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu32 " of %" PRIu32 " waits of coroutine %" PRIu64
		" at %s ended within a run of %s, which resumed it there without a wake that is "
		"recorded",
		of->nr_by, of->nr_by + of->nr_else, coro->id,
		analyze_words_place(analysis, coro->wait_site),
		analyze_words_coro(analysis, &analysis->model->coros.at[by]));
}
