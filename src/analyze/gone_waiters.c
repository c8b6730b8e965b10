/* SPDX-License-Identifier: MIT */
/*
 * Gone waiters (gone_waiters.h): the latest coroutines that were destroyed while they waited for an object.
 */
#include <inttypes.h>

#include "analyze/gone_waiters.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/watched_places.h"

#define GONE 64u

struct gone {
	uint64_t id; /* 0: none */
	uint64_t object;
	uint64_t by; /* the id of the coroutine that ran on the thread; 0: none */
	uint32_t process;
	uint32_t place;
	struct model_waking end; /* its time, site, thread and event */
};

struct memory {
	struct gone latest[GONE];
	uint64_t count;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool look_at_cut(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	const struct ct_event *event = sight->event;
	struct memory *memory = watch->memory;

	if (!coro->wait_object || coro->point != CTP_POINT_AWAIT)
		return true;
	memory->latest[memory->count++ % GONE] = (struct gone){
		.id = coro->id,
		.object = coro->wait_object,
		.by = model->coros.at[model->threads[event->thread].top].id,
		.process = coro->process,
		.place = coro->wait_site,
		.end = {.time = event->time,
			.site = event->site,
			.thread = event->thread,
			.sequence = event->sequence},
	};
	return true;
}

const struct model_watcher analyze_gone_waiters_watcher = {
	.nr_bytes = sizeof(struct memory),
	.looks = {[MODEL_CUT] = look_at_cut},
};

/* ---------------------------------------------------------------- queries */

/* The first one that was destroyed while it waited for the same as this one; NULL: none. */
static const struct gone *gone_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct memory *memory =
		analyze_watch_by(analysis, &analyze_gone_waiters_watcher)->memory;
	const struct gone *first = NULL;
	uint32_t i;

	for (i = 0; i < GONE; i++) {
		const struct gone *gone = &memory->latest[i];

		if (gone->id && gone->object == coro->wait_object &&
			gone->process == coro->process && gone->place == coro->wait_site &&
			(!first || gone->end.time < first->end.time))
			first = gone;
	}
	return first;
}

bool analyze_gone_waiters_are_there(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct gone *gone = coro->wait_object ? gone_of(analysis, coro) : NULL;
	const struct model_object *object = analyze_ties_object(analysis, coro);
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);

	return gone && coro->state == CT_STATE_WAITING && object->handle &&
	       object->found.time != CT_NO_TIME && object->found.time > gone->end.time &&
	       object->found.time > coro->suspended &&
	       !(relay && relay->last.time >= object->found.time) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, gone->end.time);
}

/* ---------------------------------------------------------------- the words */

const char *analyze_gone_waiters_words(struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_say(analysis,
		"; coroutine %" PRIu64 ", which waited for the same, was destroyed, and a notify "
		"since then found somebody, and woke nobody",
		gone_of(analysis, coro)->id);
}

void analyze_gone_waiters_tell(struct analysis *analysis, const struct model_coro *coro,
	struct story *story, struct ct_finding *finding)
{
	const struct gone *gone = gone_of(analysis, coro);
	struct ct_step step = {0};

	if (!analyze_gone_waiters_are_there(analysis, coro))
		return;
	step = (struct ct_step){
		.time = gone->end.time,
		.site = gone->end.site,
		.thread = gone->end.thread,
		.coro = gone->by,
		.sequence = gone->end.sequence,
	};
	step.text =
		analyze_say(analysis, "destroyed coroutine %" PRIu64 ", which waited for %s, too",
			gone->id, analyze_words_resource(analysis, coro->wait_object, 0));
	analyze_story_step(analysis, story, &step);
	finding->next_step =
		"look first at what becomes of a coroutine's entry in the list of those that wait, "
		"if the coroutine is destroyed: who notifies may find the one that is gone";
}
