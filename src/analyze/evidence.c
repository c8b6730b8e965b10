/* SPDX-License-Identifier: MIT */
/*
 * The second reading: collects the last events of each finding's first members, and counts the coroutines that
 * reached the same wait, and samples. There is no second reading if nothing was found, and no coroutine is asked
 * about.
 */
#include <string.h>

#include "analyze/hot.h"
#include "analyze/long_runs.h"
#include "analyze/parts.h"
#include "analyze/peers.h"
#include "analyze/pictures.h"
#include "base/failure.h"
#include "event/kind_words.h"

/* Peers are counted for this many waits, those of the gravest findings first. */
#define WAITS_COUNTED 32u

struct collector {
	struct analysis *analysis;
	/* by coroutine; NULL: not among the members that are shown */
	struct member_events **of_coro;
	uint32_t *wait_of_site;              /* by site: number of the wait counted, from 1 */
	uint8_t *has_reached[WAITS_COUNTED]; /* by coroutine */
	uint32_t nr_reached[WAITS_COUNTED];
	/* peers must have been started where the first member was */
	uint32_t spawn_site[WAITS_COUNTED];
	uint32_t nr_waits;
	uint32_t *running;  /* by thread: the coroutine that runs on it; 0: none */
	struct peers peers; /* peers whose records the model has given back */
	struct pictures pictures;
	struct hots hots;
};

static void prepare_examples(struct collector *collector, struct group *group)
{
	struct analysis *analysis = collector->analysis;
	const struct candidate *at = &analysis->candidates.at[group->first];
	uint32_t i;

	group->nr_examples = group->count < GROUP_EXAMPLES ? group->count : GROUP_EXAMPLES;
	if (!at->coro)
		group->nr_examples = 0;
	group->examples = analyze_scratch(analysis, group->nr_examples, sizeof(*group->examples));
	for (i = 0; group->examples && i < group->nr_examples; i++) {
		struct member_events **events = &collector->of_coro[at[i].coro];

		/* If two findings have the same member, both show the same events. */
		if (!*events)
			*events = analyze_scratch(analysis, 1, sizeof(**events));
		group->examples[i] = *events;
	}
}

static void prepare_peers(struct collector *collector, const struct group *group)
{
	struct analysis *analysis = collector->analysis;
	const struct candidate *first = &analysis->candidates.at[group->first];
	uint32_t site = first->wait_site, wait = collector->nr_waits;

	if (!site || site >= analysis->tables->nr_sites || collector->wait_of_site[site] ||
		wait == WAITS_COUNTED)
		return;
	collector->has_reached[wait] =
		analyze_scratch(analysis, analysis->model->coros.count, sizeof(uint8_t));
	if (!collector->has_reached[wait])
		return;
	collector->spawn_site[wait] = analysis->model->coros.at[first->coro].spawn_site;
	collector->wait_of_site[site] = wait + 1;
	collector->nr_waits++;
}

static void prepare(struct collector *collector)
{
	struct analysis *analysis = collector->analysis;
	size_t i;

	collector->of_coro = analyze_scratch(
		analysis, analysis->model->coros.count, sizeof(*collector->of_coro));
	collector->wait_of_site = analyze_scratch(
		analysis, analysis->tables->nr_sites + 1u, sizeof(*collector->wait_of_site));
	collector->running =
		analyze_scratch(analysis, analysis->model->nr_threads, sizeof(*collector->running));
	collector->peers.nr_processes = analysis->model->nr_processes;
	collector->peers.by_id = analyze_scratch(
		analysis, analysis->model->nr_processes, sizeof(*collector->peers.by_id));
	if (analysis->is_broken)
		return;
	for (i = 0; i < analysis->groups.count; i++) {
		prepare_examples(collector, &analysis->groups.at[i]);
		prepare_peers(collector, &analysis->groups.at[i]);
		analyze_hot_prepare(&collector->hots, analysis, &analysis->groups.at[i]);
	}
	analyze_long_runs_prepare(analysis, &collector->hots);
	analyze_picture_prepare(&collector->pictures, analysis);
}

static void note(struct collector *collector, uint32_t coro, const struct ct_event *event)
{
	struct member_events *ring = coro ? collector->of_coro[coro] : NULL;

	if (!ring)
		return;
	/* The model's places merge several stacks; the event has its own stack. */
	if (event->kind == CTP_KIND_CREATE)
		ring->spawn_site = event->site;
	if (event->kind == CTP_KIND_SUSPEND)
		ring->wait_site = event->site;
	ring->text[ring->count % MEMBER_EVENTS][0] = '\0';
	ring->at[ring->count++ % MEMBER_EVENTS] = *event;
}

/* Appends further text to the last message of the ring. The detail that carries it is not shown as an event. */
static void note_text(struct collector *collector, uint32_t coro, const struct ct_event *event)
{
	struct member_events *ring = coro ? collector->of_coro[coro] : NULL;
	const struct ct_event *message;
	size_t length, whole;
	char *text;

	if (!ring || !ring->count)
		return;
	message = &ring->at[(ring->count - 1) % MEMBER_EVENTS];
	text = ring->text[(ring->count - 1) % MEMBER_EVENTS];
	whole = CTP_LOG_TEXT_BYTES(message->flags);
	if (whole > CTP_LOG_TEXT_MAX)
		whole = CTP_LOG_TEXT_MAX;
	length = strlen(text);
	if (message->kind != CTP_KIND_LOG || length >= whole)
		return;
	whole -= length;
	if (whole > CTP_TEXT_DETAIL_BYTES)
		whole = CTP_TEXT_DETAIL_BYTES;
	memcpy(text + length, &event->object, whole);
	text[length + whole] = '\0';
}

/* Keeps track of the coroutine that runs on each thread: an annotation that names no coroutine belongs to it. */
static uint32_t note_running(
	struct collector *collector, uint32_t coro, const struct ct_event *event)
{
	struct model *model = collector->analysis->model;
	uint32_t *running = &collector->running[event->thread];

	switch (event->kind) {
	case CTP_KIND_RESUME:
		*running = coro;
		break;
	case CTP_KIND_SWITCH:
		*running = model_find(model, event->process, event->object);
		break;
	case CTP_KIND_SUSPEND:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		if (*running == coro)
			*running = 0;
		break;
	default:
		break;
	}
	return *running;
}

static void note_wait(struct collector *collector, uint32_t coro, const struct ct_event *event)
{
	uint32_t wait = event->site < collector->analysis->tables->nr_sites
				? collector->wait_of_site[model_place(
					  collector->analysis->model, event->site)]
				: 0;

	if (!wait || !coro || collector->has_reached[wait - 1][coro] ||
		collector->analysis->model->coros.at[coro].spawn_site !=
			collector->spawn_site[wait - 1])
		return;
	collector->has_reached[wait - 1][coro] = 1;
	collector->nr_reached[wait - 1]++;
}

/* Is a peer of any wait started there? A peer whose creation was not seen has spawn site 0. */
static bool starts_peers(const struct collector *collector, uint32_t spawn_site)
{
	uint32_t i;

	for (i = 0; i < collector->nr_waits; i++)
		if (collector->spawn_site[i] == spawn_site || !collector->spawn_site[i])
			return true;
	return false;
}

static void note_reached(struct collector *collector, const struct ct_event *event, uint32_t site)
{
	uint32_t wait =
		site < collector->analysis->tables->nr_sites ? collector->wait_of_site[site] : 0;

	if (wait && model_is_gone(collector->analysis->model, event->process, event->coro))
		collector->nr_reached[wait - 1] += analyze_peers_reach(
			&collector->peers, event, wait - 1, collector->spawn_site[wait - 1]);
}

/*
 * A coroutine whose record was given back ended long ago, but counts as one that reached the wait. Most events of a
 * long trace are of such coroutines: what costs least is asked first.
 */
static void note_gone(struct collector *collector, const struct ct_event *event)
{
	struct model *model = collector->analysis->model;
	uint32_t site = model_place(model, event->site);

	switch (event->kind) {
	case CTP_KIND_CREATE:
		if (starts_peers(collector, site) &&
			model_is_gone(model, event->process, event->coro))
			analyze_peers_create(&collector->peers, event, site);
		break;
	case CTP_KIND_SUSPEND:
	case CTP_KIND_SWITCH:
		note_reached(collector, event, site);
		break;
	case CTP_KIND_DESTROY:
		analyze_peers_destroy(&collector->peers, event);
		break;
	default:
		break;
	}
}

/* The coroutine that a wake names by its id; if the wake names a frame, the last coroutine that had this frame. */
static uint32_t woken(struct model *model, const struct ct_event *event)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(event->object);
	uint32_t coro = 0;

	if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE)
		return model_find(model, event->process, identity);
	if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_REMOTE)
		return model_find_remote(model, event->object);
	if (CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_FRAME)
		return 0;
	coro = model_find_frame(model, event->process, identity);
	if (coro && model->coros.at[coro].created != CT_NO_TIME &&
		model->coros.at[coro].created > event->time)
		return 0;
	return coro;
}

/* All coroutines that the event is about. */
static struct lane_event parties_of(
	struct collector *collector, const struct ct_event *event, uint32_t coro)
{
	struct model *model = collector->analysis->model;
	uint32_t running = collector->running[event->thread];
	struct lane_event of = {.event = event, .coro = coro};

	switch (event->kind) {
	case CTP_KIND_WAKE:
		of.woken = woken(model, event);
		of.waker = event->coro ? event->coro : model->coros.at[running].id;
		break;
	case CTP_KIND_ENQUEUE:
		of.waker = model->coros.at[running].id;
		break;
	case CTP_KIND_SWITCH:
		of.entered = model_find(model, event->process, event->object);
		break;
	case CTP_KIND_CRASH:
		of.coro = running;
		break;
	case CTP_KIND_BLOCK_BEGIN:
	case CTP_KIND_BLOCK_END:
		of.running = running;
		break;
	default:
		break;
	}
	return of;
}

/* What the kernel says of a thread while it runs something. */
static bool is_of_a_run(unsigned kind)
{
	return kind == CTP_KIND_SAMPLE || kind == CTP_KIND_THREAD_OFF ||
	       kind == CTP_KIND_PAGE_FAULT || kind == CTP_KIND_FAULTS;
}

static void take(struct collector *collector, const struct ct_event *event)
{
	struct model *model = collector->analysis->model;
	struct lane_event of;
	uint32_t coro, running;

	if (event->time < model->lowest || event->time > model->highest ||
		event->thread >= model->nr_threads)
		return;
	if (is_of_a_run(event->kind))
		analyze_hot_take(&collector->hots, collector->analysis, event);
	/* In events of other kinds the coroutine's word holds something else. */
	if (event->kind > CTP_KIND_DETAIL && !kind_is_annotation(event->kind)) {
		of = parties_of(collector, event, 0);
		analyze_picture_take(&collector->pictures, &of);
		return;
	}
	coro = model_find(model, event->process, event->coro);
	running = note_running(collector, coro, event);
	of = parties_of(collector, event, coro);
	analyze_picture_take(&collector->pictures, &of);
	if (!event->coro && (kind_is_annotation(event->kind) || event->kind == CTP_KIND_DETAIL))
		coro = running;
	if (event->kind == CTP_KIND_DETAIL && event->argument == CTP_DETAIL_TEXT)
		note_text(collector, coro, event);
	else
		note(collector, coro, event);
	if (of.woken != coro)
		note(collector, of.woken, event);
	note(collector, of.entered, event);
	if (event->kind == CTP_KIND_SUSPEND || event->kind == CTP_KIND_SWITCH)
		note_wait(collector, coro, event);
	if (!coro && event->coro && model->ended.count && collector->nr_waits)
		note_gone(collector, event);
}

static uint32_t spawn_site_of(const struct analysis *analysis, size_t candidate)
{
	return analysis->model->coros.at[analysis->candidates.at[candidate].coro].spawn_site;
}

/*
 * Were all members of the group started at this place? Peers of other places are not counted, so that a group with
 * members of other places has no number of peers.
 */
static bool are_started_at(
	const struct analysis *analysis, const struct group *group, uint32_t spawn_site)
{
	uint32_t i;

	for (i = 0; i < group->count; i++)
		if (spawn_site_of(analysis, group->first + i) != spawn_site)
			return false;
	return true;
}

static void hand_over_peers(struct collector *collector)
{
	struct analysis *analysis = collector->analysis;
	size_t i;

	for (i = 0; i < analysis->groups.count; i++) {
		struct group *group = &analysis->groups.at[i];
		uint32_t site = analysis->candidates.at[group->first].wait_site;
		uint32_t wait =
			site < analysis->tables->nr_sites ? collector->wait_of_site[site] : 0;

		if (wait && are_started_at(analysis, group, collector->spawn_site[wait - 1]))
			group->nr_peers = collector->nr_reached[wait - 1];
	}
}

static enum ct_status take_event(
	void *context, const struct ct_event *event, struct ct_error *reterr)
{
	(void)reterr;
	take(context, event);
	return CT_OK;
}

enum ct_status analyze_evidence_collect(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr)
{
	struct collector collector = {.analysis = analysis};
	enum ct_status status;

	if (!analysis->groups.count && !analysis->why_coro)
		return CT_OK;
	prepare(&collector);
	status = analysis->is_broken ? ct_fail_memory(reterr)
				     : source_each(source, take_event, &collector, reterr);
	if (status == CT_OK) {
		hand_over_peers(&collector);
		analyze_picture_finish(&collector.pictures);
	}
	analysis->is_broken |= collector.peers.is_broken;
	analyze_peers_fini(&collector.peers);
	analyze_hot_fini(&collector.hots);
	analyze_picture_fini(&collector.pictures);
	return status;
}
