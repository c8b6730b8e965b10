/* SPDX-License-Identifier: MIT */
/*
 * Cut children (cut_children.h): for each coroutine that has such children, the first of them; for each place, whether
 * a wait with such children has ended there.
 */
#include <inttypes.h>

#include "analyze/cut_children.h"
#include "analyze/parts.h"
#include "analyze/rounds.h"
#include "analyze/watched_places.h"

/* Children that were destroyed while they waited, since the coroutine waits. */
struct of_coro {
	uint32_t count;
	uint32_t wait_site;      /* of the first, like all that follows */
	uint64_t id;             /* 0: none */
	uint64_t by;             /* the id of the coroutine that ran on the thread; 0: none */
	struct model_waking end; /* its time, site, thread and event */
	/* The coroutine whose run was over on that thread just before, if none ran; id 0: none. */
	struct {
		uint64_t id;
		uint32_t site; /* where the run began */
		int64_t ns;    /* how long before */
	} last;
};

struct place {
	bool was_harmless;
};

struct whole {
	bool has_any; /* a coroutine has such children, or had some */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

/* Does the coroutine wait, and did it start the child in the run before? */
static bool is_left_by(const struct model_coro *coro, const struct model_coro *child)
{
	return model_is_awaiting(coro) && coro->resumed != CT_NO_TIME &&
	       child->created >= coro->resumed;
}

#define JUST_BEFORE_NS INT64_C(1000000) /* what a thread does within this time belongs together */

static void take_last_run(
	const struct model *model, const struct ct_event *event, struct of_coro *of)
{
	const struct model_past_run *run = &model->threads[event->thread].last_run;

	if (of->by || !run->coro || event->time - run->until > JUST_BEFORE_NS)
		return;
	of->last.id = model->coros.at[run->coro].id;
	of->last.site = run->site;
	of->last.ns = event->time - run->until;
}

static bool look_at_cut(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *child = &model->coros.at[sight->coro];
	const struct ct_event *event = sight->event;
	struct whole *whole = watch->memory;
	struct of_coro *of;

	if (!child->parent || !is_left_by(&model->coros.at[child->parent], child))
		return true;
	whole->has_any = true;
	of = model_watch_rare(watch, child->parent);
	if (of->count++)
		return true;
	of->wait_site = child->wait_site;
	of->id = child->id;
	of->by = model->coros.at[model->threads[event->thread].top].id;
	of->end = (struct model_waking){.time = event->time,
		.site = event->site,
		.thread = event->thread,
		.sequence = event->sequence};
	take_last_run(model, event, of);
	return true;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	const struct whole *whole = watch->memory;
	struct place *place;

	if (!whole->has_any || !of->count)
		return true;
	*of = (struct of_coro){0};
	place = model_watch_place(watch, coro->wait_site);
	if (place)
		place->was_harmless = true;
	return true;
}

const struct model_watcher analyze_cut_children_watcher = {
	.nr_bytes = sizeof(struct whole),
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_CUT] = look_at_cut, [MODEL_RUN] = look_at_run},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_cut_children_watcher, coro);
}

bool analyze_cut_children_are_there(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	const struct place *place =
		analyze_watch_wait(analysis, &analyze_cut_children_watcher, coro);

	return of->count && coro->state == CT_STATE_WAITING && !(place && place->was_harmless) &&
	       !analyze_rounds_nr_children(analysis, model_index(analysis->model, coro)) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, of->end.time);
}

/* ---------------------------------------------------------------- the words */

const char *analyze_cut_children_words(struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	return analyze_say(analysis,
		"; %" PRIu32 " %s it had started %s destroyed meanwhile, while %s at %s", of->count,
		of->count == 1 ? "coroutine that" : "coroutines that",
		of->count == 1 ? "was" : "were",
		of->count == 1 ? "it waited" : "they waited, the first one",
		analyze_words_place(analysis, of->wait_site));
}

void analyze_cut_children_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct of_coro *of = record_of(analysis, coro);
	struct ct_step step = {
		.time = of->end.time,
		.site = of->end.site,
		.thread = of->end.thread,
		.coro = of->by,
		.sequence = of->end.sequence,
	};

	step.text = analyze_say(analysis,
		"destroyed coroutine %" PRIu64 ", which coroutine %" PRIu64
		" had started, and which waited at %s, and so never came to its end",
		of->id, coro->id, analyze_words_place(analysis, of->wait_site));
	analyze_story_step(analysis, story, &step);
	if (!of->last.id)
		return;
	analyze_story_evidence(analysis, story,
		"until %s before that, coroutine %" PRIu64
		" had run on the same thread, from %s on: what it did then may have led to it",
		analyze_words_duration(analysis, of->last.ns), of->last.id,
		analyze_words_place(analysis, of->last.site));
}

const char *const analyze_cut_children_next_step =
	"look first at what destroys the coroutines that it had started: who has dropped the "
	"handler or the handle by which "
	"they were to go on?";
