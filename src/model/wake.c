/* SPDX-License-Identifier: MIT */
/*
 * Wakes, and the coroutines that they are for. A wake may name a coroutine's id, or only the address of its frame,
 * which is all that a type-erased handle has. Addresses are reused, and the address of the frame is not known for a
 * coroutine that has never waited. Then the distance between frame and tracing state, learnt from coroutines that
 * have waited, leads from one to the other.
 */
#include "model/parts.h"

/* A program has a few promise types, and hardly more layouts than this. */
#define OFFSETS_MAX 64u

/* ---------------------------------------------------------------- addresses */

/* If a new coroutine has this memory, the coroutine that had it is gone, although its end was not seen. */
static void replace(struct model *model, uint32_t old, uint32_t fresh)
{
	struct model_coro *coro = coro_at(model, old);

	if (!old || old == fresh || coro->state == CT_STATE_DESTROYED)
		return;
	model_coro_leave_stack(model, old);
	model_coro_set_state(model, coro, CT_STATE_DESTROYED, coro_at(model, fresh)->changed);
	coro->flags |= MODEL_CORO_WAS_REPLACED;
	model_rare_of(model, coro)->destroyed = coro->changed;
	model_rare_of(model, coro)->destroy_event = UINT64_MAX;
	model->nr_broken++;
}

bool model_wake_learn_address(struct model *model, uint32_t index, uint64_t address)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_process *process = process_at(model, coro->process);
	uint32_t old = 0;

	model_rare_of(model, coro)->address = address;
	if (map_get(&process->addresses, address, &old))
		replace(model, old, index);
	return map_put(&process->addresses, address, index);
}

/*
 * Wakes that came before this distance was known now find their coroutines, but change no state any more.
 */
static void match_belatedly(struct model *model, struct model_process *process, uint64_t offset)
{
	size_t i, kept = 0;

	for (i = 0; i < process->unmatched.count; i++) {
		struct model_unmatched wake = process->unmatched.at[i];
		uint32_t coro = 0;

		map_get(&process->addresses, wake.frame + offset, &coro);
		if (coro && coro_at(model, coro)->created != CT_NO_TIME &&
			coro_at(model, coro)->created <= wake.time) {
			model_turns_of(model, coro_at(model, coro))->nr_wakes++;
			model->nr_unmatched_wakes--;
		} else {
			process->unmatched.at[kept++] = wake;
		}
	}
	process->unmatched.count = kept;
}

static bool learn_offset(struct model *model, struct model_process *process, uint64_t offset)
{
	size_t i;

	if (process->offsets.count >= OFFSETS_MAX)
		return true;
	for (i = 0; i < process->offsets.count; i++) {
		if (process->offsets.at[i] == offset)
			return true;
	}
	match_belatedly(model, process, offset);
	return vec_push(&process->offsets, offset);
}

/* Counts an address once, however often it is reused. */
static void note_reuse(struct model *model, uint32_t old, uint32_t fresh)
{
	bool is_gone = old == MODEL_GONE || old == MODEL_GONE_REUSED;

	if (!old || old == fresh)
		return;
	if (is_gone ? old == MODEL_GONE
		    : !(coro_at(model, old)->flags & MODEL_CORO_IS_FRAME_REUSED))
		model->nr_frames_reused++;
	coro_at(model, fresh)->flags |= MODEL_CORO_IS_FRAME_REUSED;
	if (!is_gone)
		replace(model, old, fresh);
}

bool model_wake_learn_frame(struct model *model, uint32_t index, uint64_t frame)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_process *process = process_at(model, coro->process);
	uint32_t old = 0;

	model_rare_of(model, coro)->frame = frame;
	if (map_get(&process->frames, frame, &old))
		note_reuse(model, old, index);
	if (coro->rare->address && !learn_offset(model, process, coro->rare->address - frame))
		return false;
	return map_put(&process->frames, frame, index);
}

/* ---------------------------------------------------------------- the coroutine at an address */

struct match {
	uint32_t coro;
	bool is_doubtful;
	bool is_gone; /* it was known, and its record was given back */
};

static bool is_alive(struct model *model, uint32_t coro)
{
	return coro && coro_at(model, coro)->state != CT_STATE_DESTROYED;
}

/* Finds a coroutine whose frame address is not known, but whose tracing state is at the right distance. */
static struct match match_by_offset(
	struct model *model, struct model_process *process, uint64_t frame)
{
	struct match match = {0};
	uint32_t coro = 0;
	size_t i;

	for (i = 0; i < process->offsets.count; i++) {
		if (!map_get(&process->addresses, frame + process->offsets.at[i], &coro) ||
			!is_alive(model, coro) || coro_at(model, coro)->rare->frame)
			continue;
		match.is_doubtful = match.coro != 0;
		match.coro = coro;
	}
	return match;
}

/*
 * Is it doubtful that the wake is for this coroutine? If the clocks do not show whether the wake or the creation came
 * first, the wake may be for the coroutine that was at this address before. On the thread that created the coroutine,
 * the order is certain. If the creation was not seen, nothing is certain.
 */
static bool is_target_doubtful(
	const struct model *model, const struct model_coro *coro, const struct ct_event *event)
{
	if (!(coro->flags & MODEL_CORO_WAS_CREATED))
		return true;
	return coro->thread != event->thread && model_is_near(model, coro->created, event->time);
}

/* The coroutine whose frame is at this address, or was there last; 0: its record was given back, or there was none. */
static uint32_t frame_at(struct model *model, uint32_t process, uint64_t frame, bool *ret_is_gone)
{
	uint32_t known = 0;

	map_get(&process_at(model, process)->frames, frame, &known);
	*ret_is_gone = known == MODEL_GONE || known == MODEL_GONE_REUSED;
	return *ret_is_gone ? 0 : known;
}

static struct match match_frame(
	struct model *model, struct model_process *process, const struct ct_event *event)
{
	uint64_t frame = CTP_HANDLE_IDENTITY(event->object);
	bool is_gone;
	uint32_t known = frame_at(model, event->process, frame, &is_gone);
	struct match match;

	if (is_alive(model, known))
		return (struct match){.coro = known,
			.is_doubtful = is_target_doubtful(model, coro_at(model, known), event)};
	match = match_by_offset(model, process, frame);
	if (is_gone && !match.coro)
		model_gone_ask(model, event->process, MODEL_KEPT_FRAME, frame);
	if (!match.coro)
		return (struct match){.coro = known, .is_gone = is_gone};
	/* With several kinds of frames the address may be that of a neighbour's frame. */
	if (known && model_is_near(model, coro_at(model, known)->rare->destroyed, event->time))
		match.is_doubtful |= process->offsets.count > 1 ||
				     is_target_doubtful(model, coro_at(model, match.coro), event);
	return match;
}

uint32_t model_find_frame(struct model *model, uint32_t process, uint64_t frame)
{
	bool is_gone;
	uint32_t known;

	if (process >= model->nr_processes)
		return 0;
	known = frame_at(model, process, frame, &is_gone);
	if (is_alive(model, known))
		return known;
	return match_by_offset(model, process_at(model, process), frame).coro;
}

typedef uint32_t finder(struct model *model, uint32_t process, uint64_t id);

static uint32_t find_remote(struct model *model, uint64_t handle, finder *find)
{
	const struct ct_tables *tables = model->tables;
	uint32_t i, coro;

	for (i = model->nr_processes; i-- > 0;) {
		if (i >= tables->nr_processes || tables->processes[i].pid != CTP_REMOTE_PID(handle))
			continue;
		coro = find(model, i, CTP_REMOTE_CORO(handle));
		/* The last process with that number is meant, even if its coroutine's record was given back. */
		if (coro || model_is_gone(model, i, CTP_REMOTE_CORO(handle)))
			return coro;
	}
	return 0;
}

uint32_t model_find_remote(struct model *model, uint64_t handle)
{
	return find_remote(model, handle, model_find);
}

static struct match match_target(struct model *model, const struct ct_event *event)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(event->object);
	struct match none = {0};

	switch (CTP_HANDLE_RESOURCE(event->object)) {
	case CTP_RESOURCE_COROUTINE:
		none.coro = model_coro_find(model, event->process, identity);
		return none;
	case CTP_RESOURCE_REMOTE:
		none.coro = find_remote(model, event->object, model_coro_find);
		return none;
	case CTP_RESOURCE_FRAME:
		return match_frame(model, process_at(model, event->process), event);
	default:
		return none;
	}
}

/* ---------------------------------------------------------------- the wake */

static void tell(
	struct model *model, enum model_moment moment, uint32_t coro, const struct ct_event *event)
{
	model_tell(model, moment, (struct model_sight){.coro = coro, .event = event});
}

/* Does the wake find a coroutine that another wake has already made ready? */
static bool is_merged(const struct model_coro *coro, const struct ct_event *event)
{
	return coro->state == CT_STATE_READY && coro->suspended != CT_NO_TIME &&
	       coro->turns->wake.time != CT_NO_TIME && coro->turns->wake.time >= coro->suspended &&
	       event_makes_ready(event->argument);
}

static void tell_wake(
	struct model *model, uint32_t index, uint32_t waker, const struct ct_event *event)
{
	const struct model_coro *coro = coro_at(model, index);
	struct model_sight sight = {.coro = index, .by = waker, .event = event};

	if (coro->state == CT_STATE_RUNNING)
		tell(model, MODEL_WAKE_RUNNING, index, event);
	if (model_is_woken_again(coro, event))
		tell(model, MODEL_WAKE_AGAIN, index, event);
	if (is_merged(coro, event))
		tell(model, MODEL_WAKE_MERGED, index, event);
	if (event_makes_ready(event->argument))
		model_tell_wake(model, sight);
}

static struct model_waking waking_of(
	struct model *model, uint32_t waker, const struct ct_event *event)
{
	return (struct model_waking){
		.time = event->time,
		.sequence = event->sequence,
		.coro = waker,
		.thread = event->thread,
		.site = event->site,
		.outcome = event->argument,
		.is_leaving = !event->coro && !thread_at(model, event->thread)->top,
		.was_taken =
			event->argument == CTP_OUTCOME_NO_WAKER && event->flags & CTP_WAKER_TAKEN,
	};
}

static void note_wake(struct model_turns *turns, struct model_waking wake)
{
	turns->nr_wakes++;
	if (event_makes_ready(turns->wake.outcome))
		turns->wake_before = turns->wake;
	turns->wake = wake;
}

static void note_remark(
	struct model *model, struct model_coro *coro, uint32_t waker, const struct ct_event *event)
{
	model_turns_of(model, coro)->wake = waking_of(model, waker, event);
	coro->last_event = event->sequence & MODEL_SEQUENCES;
}

static bool wake_one(
	struct model *model, struct match match, uint32_t waker, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, match.coro);

	if (coro->is_cut)
		model_gone_ask(model, coro->process, MODEL_KEPT_CORO, coro->id);
	model_note_order(coro, event);
	if (coro->state == CT_STATE_DESTROYED)
		return model_coro_ghost(model, match.coro, event);
	waker = event->coro ? waker : model_thread_doer(model, event->thread);
	if (model_is_remark(event->argument)) {
		note_remark(model, coro, waker, event);
		return true;
	}
	tell_wake(model, match.coro, waker, event);
	if (model_is_woken_again(coro, event))
		coro->flags |= MODEL_CORO_WAS_WOKEN_AGAIN;
	note_wake(model_turns_of(model, coro), waking_of(model, waker, event));
	if (event->argument == CTP_OUTCOME_ALREADY_QUEUED)
		process_at(model, coro->process)->tells_queues = true;
	coro->had_vain_wake |=
		event->argument != CTP_OUTCOME_QUEUED && event->argument != CTP_OUTCOME_RESUMED;
	coro->last_event = event->sequence & MODEL_SEQUENCES;
	if (match.is_doubtful)
		coro->flags |= MODEL_CORO_HAS_DOUBTFUL_WAKE;
	if (!event_makes_ready(event->argument))
		return true;
	/* For a coroutine that was never seen to suspend, it is not certain that a resume follows. */
	if (coro->state == CT_STATE_WAITING ||
		(coro->state == CT_STATE_UNSEEN && (coro->flags & MODEL_CORO_IS_INITIAL)))
		model_coro_set_state(model, coro, CT_STATE_READY, event->time);
	return true;
}

static void note_stranger(struct model *model, const struct model_unmatched *wake)
{
	if (wake->is_stranger && wake->site < model->tables->nr_sites)
		model->wakes_strangers[wake->site] = true;
}

/* Keeps a wake of a frame that may become known only later (match_belatedly). */
static bool keep_unmatched(struct model *model, struct match match, const struct ct_event *event)
{
	struct model_process *process = process_at(model, event->process);
	struct model_unmatched wake = {
		.frame = CTP_HANDLE_IDENTITY(event->object),
		.time = event->time,
		.site = event->site,
		.is_stranger = !match.is_gone,
	};

	model->nr_unmatched_wakes++;
	if (CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_FRAME)
		return true;
	if (process->unmatched.count < MODEL_UNMATCHED)
		return vec_push(&process->unmatched, wake);
	note_stranger(model, &wake);
	return true;
}

void model_wake_finish(struct model *model)
{
	uint32_t process;
	size_t i;

	for (process = 0; process < model->nr_processes; process++)
		for (i = 0; i < process_at(model, process)->unmatched.count; i++)
			note_stranger(model, &process_at(model, process)->unmatched.at[i]);
}

bool model_wake_apply(struct model *model, const struct ct_event *event)
{
	struct match match = match_target(model, event);
	uint32_t waker;

	/* The waker is alive, even if nothing of it was seen before; it may appear again. */
	if (!model_coro_own(model, event, &waker))
		return false;
	/* A coroutine that is leaving its thread is not certain enough a waker to count for a storm, or as progress. */
	if (!event->coro)
		waker = thread_at(model, event->thread)->top;
	thread_at(model, event->thread)->last_tried = 0;
	thread_at(model, event->thread)->due = CT_NO_TIME;
	thread_at(model, event->thread)->expired = CT_NO_TIME;
	if (waker != match.coro)
		model_coro_progress(model, waker);
	else if (waker)
		tell(model, MODEL_WAKE_ITSELF, waker, event);
	if (!match.coro)
		return keep_unmatched(model, match, event);
	return wake_one(model, match, waker, event);
}
