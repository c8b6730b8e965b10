/* SPDX-License-Identifier: MIT */
/* Transfers on descriptors: what a read, a write or an accept says of both ends. */
#include <errno.h>

#include "model/parts.h"

/* A loop that writes for the coroutine that waits to write does so outside any coroutine. */
static void note_writer(
	struct model *model, struct model_descriptor *file, uint32_t doer, uint64_t waiter)
{
	uint64_t id = doer ? model->coros.at[doer].id : waiter;

	file->has_writers |= !id || (file->writer && file->writer != id);
	file->writer = id;
}

static void note_write(
	struct model *model, struct model_descriptor *descriptor, const struct ct_event *event)
{
	struct model_descriptor *file = descriptor_at(model, descriptor->file);

	if ((int64_t)event->coro <= 0)
		return;
	file->nr_written += event->coro;
	note_writer(model, file, model_thread_doer(model, event->thread), descriptor->waiter);
	file->written = event->time;
	if (file->written_by == event->thread)
		return;
	if (!file->written_by)
		file->written_by = event->thread;
	else
		file->written_too = event->thread;
}

/*
 * A read of nothing means the end, if the descriptor is certainly a stream: a socket may have received an empty
 * datagram.
 */
static void note_end(
	struct model *model, struct model_descriptor *descriptor, const struct ct_event *event)
{
	if (event->coro || (descriptor->type != CTP_DESCRIPTOR_TYPE_CONNECTION &&
				   descriptor->type != CTP_DESCRIPTOR_TYPE_PIPE))
		return;
	descriptor->ended = (struct model_waking){
		.time = event->time,
		.sequence = event->sequence,
		.coro = thread_at(model, event->thread)->top,
		.thread = event->thread,
		.site = event->site,
	};
}

static void note_read(struct model *model, struct model_descriptor *descriptor, int64_t result)
{
	if (result > 0)
		descriptor_at(model, descriptor->file)->nr_read += (uint64_t)result;
	descriptor->flags &= (uint16_t)~MODEL_DESCRIPTOR_WAS_EMPTY;
	if (result == -EAGAIN)
		descriptor->flags |= MODEL_DESCRIPTOR_WAS_EMPTY;
}

static bool has_found_nothing(const struct ct_event *event)
{
	int64_t result = (int64_t)event->coro;

	return result == -EAGAIN || result == -EINPROGRESS;
}

static void note_room(struct model_descriptor *descriptor, const struct ct_event *event)
{
	descriptor->flags &= (uint16_t)~MODEL_DESCRIPTOR_WAS_FULL;
	if (event->argument == 2 && (int64_t)event->coro == -EAGAIN)
		descriptor->flags |= MODEL_DESCRIPTOR_WAS_FULL;
}

/* The connection was opened by this thread just before. */
static void note_accept(
	struct model *model, struct model_descriptor *listener, const struct ct_event *event)
{
	uint32_t accepted = thread_at(model, event->thread)->last_opened;

	listener->flags |= MODEL_DESCRIPTOR_IS_LISTENER;
	if ((int64_t)event->coro < 0)
		return;
	listener->flags |= descriptor_at(model, accepted)->mate
				   ? MODEL_DESCRIPTOR_HAS_OWN_CLIENTS
				   : MODEL_DESCRIPTOR_HAS_OTHER_CLIENTS;
}

bool model_descriptor_sender(struct model *model, const struct ct_event *event)
{
	uint32_t read = thread_at(model, event->thread)->last_read;

	if (read)
		descriptor_at(model, read)->flags |= event->object
							     ? MODEL_DESCRIPTOR_HAS_OWN_CLIENTS
							     : MODEL_DESCRIPTOR_HAS_OTHER_CLIENTS;
	return true;
}

bool model_descriptor_transfer(struct model *model, const struct ct_event *event)
{
	uint32_t index = model_descriptor_named(model, event->process, event->object, event->time);

	if (!index)
		return false;
	if (thread_at(model, event->thread)->top)
		model_tell(model, MODEL_TRANSFER,
			(struct model_sight){.coro = thread_at(model, event->thread)->top,
				.descriptor = index,
				.event = event});
	if (event->argument == 4)
		note_accept(model, descriptor_at(model, index), event);
	note_room(descriptor_at(model, index), event);
	process_at(model, event->process)->has_reads |= event->argument == 1;
	if (event->argument == 1) {
		thread_at(model, event->thread)->last_read = event->thread ? index : 0;
		note_read(model, descriptor_at(model, index), (int64_t)event->coro);
		note_end(model, descriptor_at(model, index), event);
	} else if (event->argument == 2) {
		note_write(model, descriptor_at(model, index), event);
	}
	thread_at(model, event->thread)->last_tried =
		event->thread && has_found_nothing(event) ? index : 0;
	thread_at(model, event->thread)->has_armed_tried = false;
	/* A transfer has used up the readiness. */
	descriptor_at(model, index)->ready = CT_NO_TIME;
	return true;
}
