/* SPDX-License-Identifier: MIT */
/*
 * Descriptors: which file a number meant at which time. A number is reused as soon as it is closed, so each open
 * begins a generation of its own. The ledger numbers the generations. An event without a generation means the one
 * that the number has at that time. Several descriptors may refer to one file: closing one of them does not end the
 * file.
 */
#include "model/parts.h"

#define GENERATION_OF(handle) ((uint32_t)(CTP_HANDLE_IDENTITY(handle) >> 32))
#define NUMBER_OF(handle) ((uint32_t)CTP_HANDLE_IDENTITY(handle))

/* A generation that an event names is searched back to this depth. */
#define GENERATIONS_SEARCHED 64u

static uint32_t newest(const struct model *model, uint32_t process, uint32_t fd)
{
	uint32_t descriptor = 0;

	map_get(&model->processes[process].numbers, fd, &descriptor);
	return descriptor;
}

uint32_t model_find_descriptor(const struct model *model, uint32_t process, uint64_t handle)
{
	uint32_t at = newest(model, process, NUMBER_OF(handle));

	return at && model->descriptors.at[at].generation == GENERATION_OF(handle) ? at : 0;
}

/* ---------------------------------------------------------------- closing and opening */

/* Counts open descriptors over time, but only those whose open was seen: others may have been open for long. */
static void follow(
	struct model *model, const struct model_descriptor *descriptor, ct_time time, int64_t by)
{
	if (descriptor->opened != CT_NO_TIME)
		model_series_move(model, descriptor->process, MODEL_SERIES_DESCRIPTORS, time, by);
}

static void end(struct model *model, uint32_t index, ct_time time)
{
	struct model_descriptor *descriptor = descriptor_at(model, index);
	struct model_descriptor *file = descriptor_at(model, descriptor->file);
	struct model_process *process = process_at(model, descriptor->process);
	uint32_t holder = 0;

	if (!(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN))
		return;
	descriptor->flags &= (uint16_t)~MODEL_DESCRIPTOR_IS_OPEN;
	descriptor->closed = time;
	descriptor->epoch = model->epoch;
	model->nr_ended++;
	process->nr_open--;
	follow(model, descriptor, time, -1);
	if (--file->nr_copies == 0) {
		file->file_closed = time;
		file->last_copy = index;
	}
	if ((descriptor->flags & MODEL_DESCRIPTOR_IS_ARMED) &&
		map_get(&process->user_data, descriptor->user_data, &holder) && holder == index)
		map_remove(&process->user_data, descriptor->user_data);
}

/* A number that is given out was free: the descriptor before was closed, though unseen. */
static void end_unseen(struct model *model, uint32_t index, ct_time time)
{
	struct model_descriptor *descriptor = descriptor_at(model, index);

	if (!index || !(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN))
		return;
	descriptor->flags |= MODEL_DESCRIPTOR_CLOSE_UNSEEN;
	descriptor->close_event = UINT64_MAX;
	end(model, index, time);
}

/* Makes a record, in no chain yet. 0: out of memory. */
static uint32_t make(struct model *model, uint32_t process, uint32_t fd, uint32_t generation)
{
	struct model_descriptor fresh = {
		.process = process,
		.fd = fd,
		.generation = generation,
		.file = (uint32_t)model->descriptors.count,
		.opened = CT_NO_TIME,
		.closed = CT_NO_TIME,
		.file_closed = CT_NO_TIME,
		.armed = CT_NO_TIME,
		.disarmed = CT_NO_TIME,
		.reported = CT_NO_TIME,
		.polled = CT_NO_TIME,
		.ready = CT_NO_TIME,
		.expiry = CT_NO_TIME,
		.ended = {.time = CT_NO_TIME},
	};

	if (model->descriptors.count >= UINT32_MAX || !vec_push(&model->descriptors, fresh))
		return 0;
	return fresh.file;
}

/* Begins a new generation of a number, open, and ends the one before. 0: out of memory. */
static uint32_t begin(
	struct model *model, uint32_t process, uint32_t fd, uint32_t generation, ct_time time)
{
	uint32_t older = newest(model, process, fd);
	uint32_t index = make(model, process, fd, generation);
	struct model_descriptor *descriptor = descriptor_at(model, index);

	if (!index || !map_put(&process_at(model, process)->numbers, fd, index))
		return 0;
	end_unseen(model, older, time);
	descriptor->flags = MODEL_DESCRIPTOR_IS_OPEN;
	descriptor->nr_copies = 1;
	descriptor->older = older;
	if (older)
		descriptor_at(model, older)->newer = index;
	process_at(model, process)->nr_open++;
	return index;
}

/*
 * Makes the record of an earlier generation that was not known: it was closed, unseen, when the newer one began. 0:
 * out of memory.
 */
static uint32_t recall(struct model *model, uint32_t first, uint32_t generation, ct_time time)
{
	const struct model_descriptor *newer = descriptor_at(model, first);
	uint32_t index = make(model, newer->process, newer->fd, generation);
	struct model_descriptor *descriptor = descriptor_at(model, index);

	if (!index)
		return 0;
	newer = descriptor_at(model, first);
	descriptor->flags = MODEL_DESCRIPTOR_CLOSE_UNSEEN;
	descriptor->close_event = UINT64_MAX;
	descriptor->closed = newer->opened == CT_NO_TIME ? time : newer->opened;
	descriptor->file_closed = descriptor->closed;
	descriptor->last_copy = index;
	descriptor->epoch = model->epoch;
	model->nr_ended++;
	descriptor->newer = first;
	descriptor->older = newer->older;
	if (newer->older)
		descriptor_at(model, newer->older)->newer = index;
	descriptor_at(model, first)->older = index;
	return index;
}

/* dup2 records a close before it tries; if it fails, the same generation is open again. */
static void reopen(struct model *model, uint32_t index, ct_time time)
{
	struct model_descriptor *descriptor = descriptor_at(model, index);
	struct model_descriptor *file = descriptor_at(model, descriptor->file);

	if (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN)
		return;
	descriptor->flags |= MODEL_DESCRIPTOR_IS_OPEN;
	descriptor->closed = CT_NO_TIME;
	model->nr_ended -= model->nr_ended > 0;
	file->nr_copies++;
	file->file_closed = CT_NO_TIME;
	process_at(model, descriptor->process)->nr_open++;
	follow(model, descriptor, time, 1);
}

/* The descriptor that this event opens. 0: out of memory. */
static uint32_t open_new(struct model *model, const struct ct_event *event)
{
	uint32_t fd = NUMBER_OF(event->object), generation = GENERATION_OF(event->object);
	uint32_t known = newest(model, event->process, fd);

	if (known && generation && descriptor_at(model, known)->generation == generation) {
		/* Named before by an event whose clock is slightly ahead, or closed by a dup2 that failed. */
		reopen(model, known, event->time);
	} else {
		known = begin(model, event->process, fd, generation, event->time);
		if (!known)
			return 0;
	}
	if (descriptor_at(model, known)->opened == CT_NO_TIME) {
		descriptor_at(model, known)->opened = event->time;
		descriptor_at(model, known)->open_site = event->site;
		process_at(model, event->process)->nr_opened++;
		follow(model, descriptor_at(model, known), event->time, 1);
	}
	if (CTP_DESCRIPTOR_TYPE(event->flags))
		descriptor_at(model, known)->type = (uint8_t)CTP_DESCRIPTOR_TYPE(event->flags);
	return known;
}

static void connect_ends(struct model *model, uint32_t first, uint32_t second)
{
	struct model_descriptor *one = descriptor_at(model, first);
	struct model_descriptor *other = descriptor_at(model, second);

	if (first == second || one->mate || other->mate || !(one->flags & MODEL_DESCRIPTOR_IS_OPEN))
		return;
	one->mate = second;
	other->mate = first;
}

/*
 * Makes the two descriptors a pair, unless the first end's own record is missing: then what was opened just before is
 * something else.
 */
static void pair(struct model *model, uint32_t first, uint32_t second)
{
	if (first && descriptor_at(model, first)->type == descriptor_at(model, second)->type)
		connect_ends(model, first, second);
}

bool model_descriptor_open(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);
	uint32_t index = open_new(model, event);

	if (index && (event->flags & CTP_DESCRIPTOR_IS_SECOND_END))
		pair(model, thread->last_opened, index);
	thread->last_opened = event->thread ? index : 0;
	return index != 0;
}

/* Generations are counted modulo 2^24. */
static bool is_earlier(uint32_t generation, uint32_t than)
{
	return than && ((generation - than) & 0xffffffu) >= 0x800000u;
}

/*
 * The descriptor that an event names, made if it was not known. Without a generation it is the newest one, open or
 * closed. 0: out of memory.
 */
uint32_t model_descriptor_named(
	struct model *model, uint32_t process, uint64_t handle, ct_time time)
{
	uint32_t fd = NUMBER_OF(handle), generation = GENERATION_OF(handle);
	uint32_t first = newest(model, process, fd), at = first;
	bool has_forgotten = false;
	unsigned searched;

	if (first && !generation)
		return first;
	for (searched = 0; at && searched < GENERATIONS_SEARCHED; searched++) {
		if (descriptor_at(model, at)->generation == generation)
			return at;
		has_forgotten |= descriptor_at(model, at)->has_forgotten;
		at = descriptor_at(model, at)->older;
	}
	if (has_forgotten)
		model_gone_ask(model, process, MODEL_KEPT_DESCRIPTOR, CTP_HANDLE_IDENTITY(handle));
	/* The descriptor was used before any event named its generation, which is the one that this handle names. */
	if (first && !descriptor_at(model, first)->generation &&
		(descriptor_at(model, first)->flags & MODEL_DESCRIPTOR_IS_OPEN)) {
		descriptor_at(model, first)->generation = generation;
		return first;
	}
	if (first && is_earlier(generation, descriptor_at(model, first)->generation))
		return recall(model, first, generation, time);
	return begin(model, process, fd, generation, time);
}

bool model_descriptor_connect(struct model *model, const struct ct_event *event)
{
	uint32_t accepted = thread_at(model, event->thread)->last_opened, connector;

	connector = model_descriptor_named(model, event->process, event->object, event->time);
	if (!connector)
		return false;
	if (accepted)
		connect_ends(model, descriptor_at(model, connector)->file, accepted);
	return true;
}

static struct model_descriptor *named_by(
	struct model *model, const struct ct_event *event, uint32_t *ret_index)
{
	*ret_index = model_descriptor_named(model, event->process, event->object, event->time);
	return descriptor_at(model, *ret_index);
}

/* The thread closes the descriptor: its next attempt is on another descriptor. */
static void forget_tried(
	struct model *model, uint32_t thread, const struct model_descriptor *descriptor)
{
	uint32_t *tried = &thread_at(model, thread)->last_tried;

	if (*tried && descriptor_at(model, *tried) == descriptor)
		*tried = 0;
}

bool model_descriptor_close(struct model *model, const struct ct_event *event)
{
	uint32_t index;
	struct model_descriptor *descriptor = named_by(model, event, &index);

	if (!index)
		return false;
	/* Closed twice: the second close is an error of the program, but closes nothing. */
	if (!(descriptor->flags & (MODEL_DESCRIPTOR_IS_OPEN | MODEL_DESCRIPTOR_CLOSE_UNSEEN)))
		return true;
	descriptor->flags &= (uint16_t)~MODEL_DESCRIPTOR_CLOSE_UNSEEN;
	forget_tried(model, event->thread, descriptor);
	descriptor->close_site = event->site;
	descriptor->close_thread = event->thread;
	descriptor->close_coro = thread_at(model, event->thread)->top;
	descriptor->close_event = event->sequence;
	descriptor->nr_hidden = process_at(model, event->process)->nr_hidden;
	model_tell(model, MODEL_CLOSE, (struct model_sight){.descriptor = index, .event = event});
	end(model, index, event->time);
	return true;
}

/* ---------------------------------------------------------------- copies */

bool model_descriptor_dup(struct model *model, const struct ct_event *event)
{
	uint32_t index = open_new(model, event);

	thread_at(model, event->thread)->last_doubled = index;
	thread_at(model, event->thread)->last_suspended = 0;
	return index != 0;
}

bool model_descriptor_is_copy_of(
	struct model *model, uint32_t copy, uint64_t original, const struct ct_event *event)
{
	uint32_t index = model_descriptor_named(
		model, descriptor_at(model, copy)->process, original, event->time);
	struct model_descriptor *descriptor, *file;

	if (!index)
		return false;
	descriptor = descriptor_at(model, copy);
	/* A new descriptor has no copies of its own, and is open. */
	if ((descriptor->flags & MODEL_DESCRIPTOR_IS_DOUBLED) ||
		!(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) || index == copy)
		return true;
	descriptor->file = descriptor_at(model, index)->file;
	if (!descriptor->type)
		descriptor->type = descriptor_at(model, index)->type;
	file = descriptor_at(model, descriptor->file);
	file->nr_copies++;
	file->file_closed = CT_NO_TIME;
	file->flags |= MODEL_DESCRIPTOR_IS_DOUBLED;
	descriptor->flags |= MODEL_DESCRIPTOR_IS_DOUBLED;
	descriptor_at(model, index)->flags |= MODEL_DESCRIPTOR_IS_DOUBLED;
	return true;
}

/* ---------------------------------------------------------------- use */

bool model_descriptor_bind(
	struct model *model, const struct ct_event *event, uint32_t *ret_descriptor)
{
	*ret_descriptor = model_descriptor_named(model, event->process, event->object, event->time);
	if (!*ret_descriptor)
		return false;
	descriptor_at(model, *ret_descriptor)->nr_waits++;
	descriptor_at(model, *ret_descriptor)->waiter = event->coro;
	return true;
}

/* Epoll will name the descriptor by this word only. */
static bool remember_user_data(struct model *model, uint32_t index, uint64_t user_data)
{
	struct model_descriptor *descriptor = descriptor_at(model, index);
	struct map *map = &process_at(model, descriptor->process)->user_data;
	uint32_t other = 0;

	if (map_get(map, user_data, &other) && other != index) {
		if (other != MODEL_GONE)
			descriptor_at(model, other)->flags |= MODEL_DESCRIPTOR_SHARES_DATA;
		descriptor->flags |= MODEL_DESCRIPTOR_SHARES_DATA;
	}
	descriptor->user_data = user_data;
	return map_put(map, user_data, index);
}

static void note_disarm(
	struct model *model, struct model_descriptor *descriptor, const struct ct_event *event)
{
	if (descriptor->nr_lists)
		descriptor->nr_lists--;
	if (!descriptor->nr_lists)
		descriptor->flags &= (uint16_t)~MODEL_DESCRIPTOR_IS_ARMED;
	descriptor->disarmed = event->time;
	descriptor->disarm_event = event->sequence;
	descriptor->disarm_site = event->site;
	descriptor->disarm_thread = event->thread;
	descriptor->disarm_coro = thread_at(model, event->thread)->top;
	forget_tried(model, event->thread, descriptor);
}

bool model_descriptor_arm(struct model *model, const struct ct_event *event)
{
	uint32_t index;
	struct model_descriptor *descriptor = named_by(model, event, &index);

	if (!index)
		return false;
	if (event->argument == 2) {
		note_disarm(model, descriptor, event);
		return true;
	}
	if ((event->argument == 1 && descriptor->nr_lists < UINT16_MAX) || !descriptor->nr_lists)
		descriptor->nr_lists++;
	descriptor->flags |= MODEL_DESCRIPTOR_IS_ARMED | MODEL_DESCRIPTOR_WAS_ARMED;
	descriptor->armed = event->time;
	descriptor->armed_events = event->flags;
	descriptor->arm_site = event->site;
	if (thread_at(model, event->thread)->last_tried == index)
		thread_at(model, event->thread)->has_armed_tried = true;
	return remember_user_data(model, index, event->coro);
}

/*
 * Both ends of a pair are inside the process, and an eventfd is its own other end: the thread that wrote there has
 * prodded this thread.
 */
static void note_prodder(
	struct model *model, struct model_descriptor *descriptor, const struct ct_event *event)
{
	struct model_descriptor *file = descriptor_at(model, descriptor->file);
	struct model_thread *thread = thread_at(model, event->thread);
	uint32_t other;
	bool is_one;

	if (file->type != CTP_DESCRIPTOR_TYPE_EVENT)
		file = descriptor_at(model, file->mate);
	if (!file->written_by)
		return;
	other = file->written_by == event->thread ? file->written_too : file->written_by;
	is_one = !file->written_too || file->written_by == event->thread ||
		 file->written_too == event->thread;
	file->written_by = file->written_too = 0;
	if (!is_one || (other && thread->prodder && thread->prodder != event->thread))
		thread->prodder = MODEL_SEVERAL;
	else if (other || !thread->prodder)
		thread->prodder = other ? other : event->thread;
	thread->prodded = file->written;
}

bool model_descriptor_ready(struct model *model, const struct ct_event *event)
{
	struct model_descriptor *descriptor;
	uint32_t index = 0;

	if (event->object)
		index = model_descriptor_named(model, event->process, event->object, event->time);
	else if (!map_get(&process_at(model, event->process)->user_data, event->coro, &index) ||
		 index == MODEL_GONE)
		return true;
	if (!index)
		return false;
	descriptor = descriptor_at(model, index);
	if (descriptor->ready == CT_NO_TIME) {
		descriptor->ready_from = event->time;
		descriptor->nr_ready = 0;
	}
	descriptor->nr_ready += descriptor->nr_ready < UINT32_MAX;
	descriptor->reported = descriptor->ready = event->time;
	descriptor->ready_event = event->sequence;
	descriptor->ready_thread = event->thread;
	descriptor->ready_flags = event->flags;
	if (descriptor->type == CTP_DESCRIPTOR_TYPE_TIMER)
		thread_at(model, event->thread)->due = event->time;
	note_prodder(model, descriptor, event);
	return true;
}

bool model_descriptor_shutdown(struct model *model, const struct ct_event *event)
{
	uint32_t index = model_descriptor_named(model, event->process, event->object, event->time);

	if (!index)
		return false;
	descriptor_at(model, index)->shutdowns |= (uint16_t)(1u << (event->argument & 15u));
	return true;
}

bool model_descriptor_timer(struct model *model, const struct ct_event *event)
{
	uint32_t index;
	struct model_descriptor *descriptor = named_by(model, event, &index);

	if (!index)
		return false;
	descriptor->flags |= MODEL_DESCRIPTOR_IS_TIMER;
	descriptor->flags &= (uint16_t)~MODEL_DESCRIPTOR_REPEATS;
	if (event->flags & 1)
		descriptor->flags |= MODEL_DESCRIPTOR_REPEATS;
	descriptor->expiry = CT_NO_TIME;
	if (event->coro)
		descriptor->expiry = time_of_clock(model, event->coro);
	return true;
}

bool model_descriptor_polled(struct model *model, const struct ct_event *event)
{
	uint32_t index = model_descriptor_named(model, event->process, event->object, event->time);

	if (!index)
		return false;
	descriptor_at(model, index)->polled = event->time;
	descriptor_at(model, index)->polled_by = event->thread;
	return true;
}

bool model_is_polled(const struct model *model, const struct model_descriptor *descriptor)
{
	const struct model_thread *thread = &model->threads[descriptor->polled_by];

	return descriptor->polled != CT_NO_TIME && thread->seen_polls &&
	       thread->seen == descriptor->polled &&
	       model_is_look_valid(model, descriptor->polled_by);
}

bool model_is_pending_timer(const struct model_descriptor *descriptor, ct_time time)
{
	if (!(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) || descriptor->expiry == CT_NO_TIME)
		return false;
	return descriptor->expiry > time || (descriptor->flags & MODEL_DESCRIPTOR_REPEATS);
}
