/* SPDX-License-Identifier: MIT */
/*
 * Connections that a poll reported readable, and that are closed with nobody having read since: how many of those that
 * are closed at one place.
 */
#include <poll.h>

#include "model/parts.h"

static bool is_connection(const struct model_descriptor *descriptor)
{
	unsigned unfit = MODEL_DESCRIPTOR_IS_LISTENER | MODEL_DESCRIPTOR_IS_DOUBLED;

	return (descriptor->type == CTP_DESCRIPTOR_TYPE_SOCKET ||
		       descriptor->type == CTP_DESCRIPTOR_TYPE_CONNECTION) &&
	       !(descriptor->flags & unfit) && descriptor->opened != CT_NO_TIME &&
	       descriptor->reported != CT_NO_TIME;
}

/* What the other end, or an error, ended is not there to be read. */
static bool is_unread(const struct model_descriptor *descriptor)
{
	unsigned over = POLLERR | POLLHUP | POLLRDHUP | POLLNVAL;

	return descriptor->ready != CT_NO_TIME && (descriptor->ready_flags & POLLIN) &&
	       !(descriptor->ready_flags & over);
}

static struct model_unread *unread_at(
	struct model *model, const struct ct_event *event, bool *ret_is_out)
{
	uint64_t key = (uint64_t)event->process << 32 | event->site;
	struct model_unread fresh = {.process = event->process, .site = event->site};
	uint32_t index = 0;

	if (map_get(&model->unread_at, key, &index))
		return &model->unreads.at[index];
	if (model->unreads.count >= MODEL_UNREADS) {
		model->nr_tallies_refused++;
		return NULL;
	}
	index = (uint32_t)model->unreads.count;
	*ret_is_out = !vec_push(&model->unreads, fresh) || !map_put(&model->unread_at, key, index);
	return *ret_is_out ? NULL : &model->unreads.at[index];
}

bool model_unread_close(struct model *model, uint32_t index, const struct ct_event *event)
{
	const struct model_descriptor *descriptor = &model->descriptors.at[index];
	struct model_unread *unread;
	bool is_out = false;

	if (!is_connection(descriptor))
		return true;
	unread = unread_at(model, event, &is_out);
	if (!unread)
		return !is_out;
	unread->nr_closed++;
	if (!is_unread(descriptor))
		return true;
	unread->nr_unread++;
	unread->handle = event->object;
	unread->opened = descriptor->opened;
	unread->open_site = descriptor->open_site;
	unread->ready = descriptor->ready;
	unread->ready_thread = descriptor->ready_thread;
	unread->ready_event = descriptor->ready_event;
	unread->closed = event->time;
	unread->close_thread = event->thread;
	unread->close_event = event->sequence;
	return true;
}

void model_unread_fini(struct model *model)
{
	vec_fini(&model->unreads);
	map_fini(&model->unread_at);
}
