/* SPDX-License-Identifier: MIT */
/*
 * Ties between coroutines: one waits for a child to end, for a lock that another one holds, or for what was given to
 * a destroyed one. If the trace does not say so, there is no tie. All ties are computed once, so that each query is
 * one array access.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/runtime_words.h"

#define LEAST_DRIVEN 20u /* runs on a thread; fewer do not show that one drives the others */

bool analyze_ties_comes_from(const struct model *model, uint32_t coro, uint32_t from)
{
	uint32_t steps;

	for (steps = 0; coro && coro != from && steps < TIES_GENERATIONS; steps++)
		coro = model->coros.at[coro].parent;
	return coro == from;
}

/* The only child that the coroutine awaits, if the suspend itself names nothing. */
static uint32_t awaited_child(struct model *model, const struct model_coro *coro)
{
	bool is_only = coro->rare->nr_awaits == 1 && !coro->wait_object;

	/* If events are missing, the list of awaited children may be wrong. */
	return is_only ? model_find(model, coro->process, coro->rare->awaited) : 0;
}

uint32_t analyze_ties_child(const struct analysis *analysis, const struct model_coro *coro)
{
	struct model *model = analysis->model;
	uint64_t identity = CTP_HANDLE_IDENTITY(coro->wait_object);
	uint32_t child = awaited_child(model, coro);

	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_COROUTINE)
		child = model_find(model, coro->process, identity);
	else if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_FRAME)
		child = model_find_frame(model, coro->process, identity);
	/* The frame has a newer coroutine by now. */
	if (child && model->coros.at[child].created != CT_NO_TIME &&
		model->coros.at[child].created > coro->suspended)
		return 0;
	return child;
}

const struct model_object *analyze_ties_object_at(
	const struct analysis *analysis, uint32_t process, uint64_t handle)
{
	return &analysis->model->objects.at[model_find_object(analysis->model, process, handle)];
}

const struct model_object *analyze_ties_object(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_ties_object_at(analysis, coro->process, coro->wait_object);
}

bool analyze_ties_wait(const struct analysis *analysis, uint32_t index, struct ties_wait *ret_wait)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_thread *thread = &analysis->model->threads[coro->thread];

	if (coro->state == CT_STATE_WAITING) {
		*ret_wait = (struct ties_wait){.object = coro->wait_object,
			.since = coro->suspended,
			.event = coro->wait_event,
			.site = coro->wait_site};
		return true;
	}
	/* A thread that waits holds up all coroutines that are nested on it. */
	if (coro->state != CT_STATE_RUNNING || !(coro->flags & MODEL_CORO_ON_STACK) ||
		!thread->wanted)
		return false;
	*ret_wait = (struct ties_wait){.object = thread->wanted,
		.since = thread->blocked_from,
		.event = thread->wanted_event,
		.site = thread->wanted_at,
		.thread = coro->thread};
	return true;
}

uint32_t analyze_ties_thread_ahead(const struct analysis *analysis, uint32_t process, uint64_t lock)
{
	const struct model_object *object = analyze_ties_object_at(analysis, process, lock);

	return object->is_of_thread && analysis->model->threads[object->owner_thread].wanted
		       ? object->owner_thread
		       : 0;
}

/*
 * The coroutine during whose run its thread took the lock without naming an owner, if it is still on that thread; 0:
 * none.
 */
static uint32_t owner_within(const struct analysis *analysis, uint32_t process, uint64_t lock)
{
	const struct model_object *object = analyze_ties_object_at(analysis, process, lock);
	uint32_t index = model_find(analysis->model, process, object->taken_within);
	const struct model_coro *coro = &analysis->model->coros.at[index];
	bool is_there = index && object->taken_within && (coro->flags & MODEL_CORO_ON_STACK) &&
			coro->thread == object->owner_thread;

	return is_there ? index : 0;
}

/* The coroutine at the end of a chain of threads, each of which holds a lock and waits for the next lock; 0: none. */
static uint32_t owner_behind_threads(
	const struct analysis *analysis, uint32_t process, uint64_t lock)
{
	uint32_t steps, thread, owner;

	for (steps = 0; steps < analysis->model->nr_threads; steps++) {
		thread = analyze_ties_thread_ahead(analysis, process, lock);
		if (!thread)
			break;
		lock = analysis->model->threads[thread].wanted;
	}
	owner = analyze_ties_object_at(analysis, process, lock)->owner;
	return owner == MODEL_OWNER_UNKNOWN ? owner_within(analysis, process, lock) : owner;
}

static uint32_t owner_of(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_object *object = analyze_ties_object(analysis, coro);

	if (object->is_of_thread)
		return owner_behind_threads(analysis, coro->process, coro->wait_object);
	if (!object->handle || object->owner == MODEL_OWNER_UNKNOWN)
		return 0;
	/* A lock that was handed to the coroutine while it waits does not make it wait for itself. */
	if (object->owner == index && (object->is_handed || object->owned >= coro->suspended))
		return 0;
	return object->owner;
}

/* The destroyed coroutine that has the object for good, if the object is no lock. */
static uint32_t keeper_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	uint32_t owner = object->owner == MODEL_OWNER_UNKNOWN ? 0 : object->owner;
	bool is_gone = analysis->model->coros.at[owner].state == CT_STATE_DESTROYED;

	if (object->handle && object->is_handed && owner && is_gone)
		return owner;
	return object->cut;
}

static uint32_t find_next(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct ties_wait wait;
	uint32_t next = 0;

	if (!analyze_ties_wait(analysis, index, &wait))
		return 0;
	if (wait.thread)
		return owner_behind_threads(analysis, coro->process, wait.object);
	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK)
		next = owner_of(analysis, index);
	else
		next = analyze_ties_child(analysis, coro);
	return next ? next : keeper_of(analysis, coro);
}

static void list_held(struct analysis *analysis, struct ties *ties)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->objects.count; i++) {
		const struct model_object *object = &model->objects.at[i];

		if (!object->owner || object->owner == MODEL_OWNER_UNKNOWN ||
			CTP_HANDLE_RESOURCE(object->handle) != CTP_RESOURCE_LOCK)
			continue;
		ties->held_next[i] = ties->held_first[object->owner];
		ties->held_first[object->owner] = i;
	}
}

static void note_waiter(struct analysis *analysis, const struct model_coro *coro)
{
	struct ties *ties = &analysis->ties;
	uint32_t object = model_find_object(analysis->model, coro->process, coro->wait_object);

	if (ties->nr_waiters[object]++ == 0 || coro->suspended > ties->waits_since[object]) {
		ties->waits_since[object] = coro->suspended;
		ties->waits_at[object] = coro->wait_site;
	}
}

/* Most coroutines wait for no other. Not writing zeros saves memory. */
static void set(uint32_t *at, uint32_t index, uint32_t value)
{
	if (at[index] != value)
		at[index] = value;
}

void analyze_ties_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	struct ties *ties = &analysis->ties;
	uint32_t i;

	ties->next = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	ties->behind = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	ties->victim_first = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	ties->victim_next = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	ties->seen = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	ties->held_first = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	ties->held_next = analyze_scratch(analysis, model->objects.count, sizeof(uint32_t));
	ties->nr_waiters = analyze_scratch(analysis, model->objects.count, sizeof(uint32_t));
	ties->waits_at = analyze_scratch(analysis, model->objects.count, sizeof(uint32_t));
	ties->waits_since =
		analyze_scratch(analysis, model->objects.count, sizeof(*ties->waits_since));
	if (analysis->is_broken)
		return;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		set(ties->next, i, find_next(analysis, i));
		if (coro->state == CT_STATE_WAITING)
			note_waiter(analysis, coro);
	}
	list_held(analysis, ties);
}

uint32_t analyze_ties_next(const struct analysis *analysis, uint32_t index)
{
	return analysis->ties.next[index];
}

/* ---------------------------------------------------------------- victims */

/* Follows the chain to a coroutine that has a finding, or whose answer is known; 0: there is none. */
static uint32_t look_ahead(struct analysis *analysis, uint32_t start)
{
	struct ties *ties = &analysis->ties;
	uint32_t index = start, next;

	while (!ties->seen[index]) {
		ties->seen[index] = start;
		next = ties->next[index];
		if (!next || analysis->is_told[next])
			return next;
		index = next;
	}
	return ties->seen[index] == start ? 0 : ties->behind[index];
}

void analyze_ties_find_victims(struct analysis *analysis)
{
	uint32_t count = (uint32_t)analysis->model->coros.count, start, index, found;
	struct ties *ties = &analysis->ties;

	for (index = 0; index < count; index++) {
		set(ties->seen, index, 0);
		set(ties->behind, index, 0);
		set(ties->victim_first, index, 0);
	}
	for (start = 1; start < count; start++) {
		if (ties->seen[start] || !ties->next[start])
			continue;
		found = look_ahead(analysis, start);
		for (index = start; found && index != found && !ties->behind[index];
			index = ties->next[index])
			ties->behind[index] = found;
	}
	for (start = count; start-- > 1;) {
		if (analysis->is_told[start] || !ties->behind[start])
			continue;
		ties->victim_next[start] = ties->victim_first[ties->behind[start]];
		ties->victim_first[ties->behind[start]] = start;
	}
}

uint32_t analyze_ties_behind(const struct analysis *analysis, uint32_t index)
{
	return analysis->ties.behind[index];
}

bool analyze_ties_keeps_no_waker(const struct model_coro *coro)
{
	const struct model_waking *wake = &coro->turns->wake;

	return model_is_awaiting(coro) && wake->outcome == CTP_OUTCOME_NO_WAKER &&
	       wake->time != CT_NO_TIME && wake->time >= coro->suspended;
}

bool analyze_ties_may_be_for_end(const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	return kind == CTP_RESOURCE_NONE || kind == CTP_RESOURCE_COROUTINE ||
	       kind == CTP_RESOURCE_FRAME;
}

bool analyze_ties_is_for_untold_lock(const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK &&
	       model_is_unnamed(coro->wait_object);
}

bool analyze_ties_may_be_idle(const struct analysis *analysis, const struct model_coro *coro)
{
	if (!model_is_unnamed(coro->wait_object))
		return false;
	switch (CTP_HANDLE_RESOURCE(coro->wait_object)) {
	case CTP_RESOURCE_CONDITION:
	case CTP_RESOURCE_EVENT:
		return true;
	case CTP_RESOURCE_CHANNEL:
		return !analyze_runtime_words_is(analysis, coro, GO_WORD_CHAN_SEND);
	default:
		return false;
	}
}

bool analyze_ties_is_shutting_down(const struct analysis *analysis, uint32_t process, ct_time time)
{
	ct_time from = analysis->model->processes[process].shutdown_from;

	return from != CT_NO_TIME && time >= from;
}

uint32_t analyze_ties_nr_waiters(const struct analysis *analysis, uint32_t object)
{
	return analysis->ties.nr_waiters[object];
}

ct_time analyze_ties_waits_since(const struct analysis *analysis, uint32_t object)
{
	const struct ties *ties = &analysis->ties;

	return ties->nr_waiters[object] ? ties->waits_since[object] : CT_NO_TIME;
}

bool analyze_ties_was_found_empty(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_object *object, ct_time time)
{
	uint32_t index = (uint32_t)(object - analysis->model->objects.at);
	unsigned resource = CTP_HANDLE_RESOURCE(object->handle);

	return (resource == CTP_RESOURCE_CHANNEL || resource == CTP_RESOURCE_SEMAPHORE) &&
	       analysis->ties.nr_waiters[index] && analysis->ties.waits_since[index] >= time &&
	       analysis->ties.waits_at[index] == coro->wait_site;
}

bool analyze_ties_holds_lock(const struct analysis *analysis, uint32_t coro)
{
	return analysis->ties.held_first[coro] != 0;
}

/* ---------------------------------------------------------------- steps about ties */

void analyze_story_suspended_as(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, const char *words)
{
	struct ct_step step = {
		.time = coro->suspended,
		.site = coro->wait_site,
		.thread = coro->thread,
		.coro = coro->id,
		.sequence = coro->wait_event,
		.text = words,
	};

	analyze_story_step(analysis, story, &step);
}

void analyze_story_suspended(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	/* A yield that names nothing may wait for anything: many schedulers know no other suspension. */
	const char *what = coro->wait_object ? analyze_words_wait(analysis, coro)
					     : analyze_words_resource(analysis, 0, 0);

	analyze_story_suspended_as(
		analysis, story, coro, analyze_say(analysis, "suspended, to wait for %s", what));
}

/* Did the recorded wake make the coroutine ready? */
static bool is_by_waker(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME && coro->turns->wake.time >= coro->suspended &&
	       !coro->turns->wake.is_leaving &&
	       (!coro->turns->queue_thread ||
		       coro->turns->queue_thread == coro->turns->wake.thread);
}

void analyze_story_made_ready(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	bool is_queued = coro->turns->queue_thread != 0;
	struct ct_step step = {
		.time = is_queued ? coro->turns->queued : coro->changed,
		.thread = is_queued ? coro->turns->queue_thread : coro->turns->wake.thread,
		.sequence = is_queued ? coro->turns->queue_event : coro->turns->wake.sequence,
		.site = coro->turns->wake.time != CT_NO_TIME ? coro->turns->wake.site : 0,
		.coro = is_by_waker(coro) ? analysis->model->coros.at[coro->turns->wake.coro].id
					  : 0,
		.text = analyze_say(analysis, "made coroutine %" PRIu64 " ready%s", coro->id,
			coro->is_queue_private
				? ", in a place from which no other worker may take it"
				: ""),
	};

	analyze_story_step(analysis, story, &step);
}

void analyze_story_wake(struct analysis *analysis, struct story *story,
	const struct model_waking *wake, const char *text)
{
	struct ct_step step = {
		.time = wake->time,
		.site = wake->site,
		.thread = wake->thread,
		.coro = analysis->model->coros.at[wake->coro].id,
		.sequence = wake->sequence,
		.text = text,
	};

	if (wake->time != CT_NO_TIME)
		analyze_story_step(analysis, story, &step);
}

const char *analyze_words_waking(
	struct analysis *analysis, const struct model_waking *wake, const char *text)
{
	if (event_makes_ready(wake->outcome))
		return text;
	return analyze_say(analysis, "%s, recorded as %s", text, ct_outcome_name(wake->outcome));
}

void analyze_story_woken(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, struct model_waking wake)
{
	const char *text = analyze_say(analysis, "woke coroutine %" PRIu64, coro->id);
	/*
	 * The waker is only guessed: the coroutine that suspended last on the thread. That this coroutine woke itself
	 * is not meant: its awaiter may have woken it, or another coroutine.
	 */
	bool is_unknown = wake.is_leaving && wake.coro == model_index(analysis->model, coro);

	if (is_unknown)
		wake.coro = 0;
	analyze_story_wake(analysis, story, &wake, analyze_words_waking(analysis, &wake, text));
	if (is_unknown && story->steps.count)
		story->steps.at[story->steps.count - 1].is_outside = false;
}

void analyze_story_destroyed(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_coro *by = &analysis->model->coros.at[coro->rare->destroy_coro];
	struct ct_step step = {
		.time = coro->rare->destroyed,
		.thread = coro->rare->destroy_thread,
		.site = coro->rare->destroy_site,
		.coro = by->id,
		.sequence = coro->rare->destroy_event,
		.text = analyze_say(analysis, "destroyed coroutine %" PRIu64 "%s", coro->id,
			coro->flags & MODEL_CORO_WAS_DESTROYED_WAITING ? ", which was suspended"
			: coro->flags & MODEL_CORO_WAS_DESTROYED_READY
				? ", which was woken and had not run since"
				: ""),
	};

	if (coro->state == CT_STATE_DESTROYED)
		analyze_story_step(analysis, story, &step);
}

void analyze_story_held(struct analysis *analysis, struct story *story, uint32_t index)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = analysis->ties.held_first[index]; i; i = analysis->ties.held_next[i])
		analyze_story_evidence(analysis, story,
			"coroutine %" PRIu64 " never released %s, which it took at %s",
			model->coros.at[index].id,
			analyze_words_resource(analysis, model->objects.at[i].handle, 0),
			analyze_words_place(analysis, model->objects.at[i].owner_site));
}

void analyze_story_failed(struct analysis *analysis, struct story *story, uint32_t process)
{
	const struct model_failed *failed = &analysis->model->processes[process].failed;

	if (failed->count)
		analyze_story_evidence(analysis, story,
			"%" PRIu32 " %s ended by a panic or an exception, the last one coroutine "
			"%" PRIu64 ", spawned at %s%s%s",
			failed->count, failed->count == 1 ? "coroutine was" : "coroutines were",
			failed->id, analyze_words_place(analysis, failed->site),
			failed->failed ? ", raised at " : "",
			failed->failed ? analyze_words_place(analysis, failed->failed) : "");
}

#define VICTIM_PLACES 4u /* places that are named */

/* Victims, by the place where they wait. */
struct victims {
	uint32_t count;
	uint32_t nr_places;
	uint32_t sites[VICTIM_PLACES];
	uint32_t counts[VICTIM_PLACES];
};

static void count_victim(const struct analysis *analysis, uint32_t index, struct victims *victims)
{
	struct ties_wait wait = {0};
	uint32_t i = 0;

	victims->count++;
	if (!analyze_ties_wait(analysis, index, &wait) || !wait.site)
		return;
	while (i < victims->nr_places && victims->sites[i] != wait.site)
		i++;
	if (i == VICTIM_PLACES)
		return;
	victims->nr_places += i == victims->nr_places;
	victims->sites[i] = wait.site;
	victims->counts[i]++;
}

/* ", at join in main, main.c:10"; ": 2 at join in main, main.c:10; 1 elsewhere". */
static const char *words_victims(struct analysis *analysis, const struct victims *victims)
{
	uint32_t left = victims->count, i;
	const char *words = "";

	if (victims->nr_places && victims->counts[0] == left)
		return analyze_say(
			analysis, ", at %s", analyze_words_place(analysis, victims->sites[0]));
	for (i = 0; i < victims->nr_places; i++) {
		words = analyze_say(analysis, "%s%s%u at %s", words, i ? "; " : ": ",
			victims->counts[i], analyze_words_place(analysis, victims->sites[i]));
		left -= victims->counts[i];
	}
	return i && left ? analyze_say(analysis, "%s; %u elsewhere", words, left) : words;
}

void analyze_story_victims(
	struct analysis *analysis, struct story *story, const struct group *group)
{
	const struct ties *ties = &analysis->ties;
	struct victims victims = {0};
	uint32_t i, victim;

	for (i = 0; i < group->count; i++)
		for (victim = ties->victim_first[analysis->candidates.at[group->first + i].coro];
			victim; victim = ties->victim_next[victim])
			count_victim(analysis, victim, &victims);
	if (victims.count)
		analyze_story_evidence(analysis, story,
			"waiting for %s as well, directly or through others: %u more%s",
			group->count == 1 ? "it" : "them", victims.count,
			words_victims(analysis, &victims));
}

bool analyze_ties_may_drive(const struct model *model, uint32_t coro, uint32_t thread)
{
	uint64_t nr_runs = model->threads[thread].nr_resumes;

	return !model->coros.at[coro].turns->nr_wakes && nr_runs >= LEAST_DRIVEN &&
	       model->coros.at[coro].nr_resumes >= nr_runs / 2;
}
