/* SPDX-License-Identifier: MIT */
/*
 * Readiness of descriptors, from the last report of a poll, and from the end of a stream.
 */
#include <poll.h>

#include "analyze/parts.h"
#include "analyze/readiness.h"

static const struct model_descriptor *descriptor_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[coro->rare->descriptor];
	unsigned not_alone = MODEL_DESCRIPTOR_IS_LISTENER | MODEL_DESCRIPTOR_SHARES_DATA;

	return coro->rare->descriptor && (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) &&
			       !(descriptor->flags & not_alone)
		       ? descriptor
		       : NULL;
}

/*
 * The direction is known if the descriptor was armed for only one. If it was armed for both, a reader would be blamed
 * for the writer's readiness.
 */
static unsigned direction_of(const struct model_descriptor *descriptor)
{
	unsigned armed = descriptor->armed_events & (POLLIN | POLLOUT);

	return armed == POLLIN || armed == POLLOUT ? armed : 0;
}

static bool was_reported(const struct model_descriptor *descriptor, const struct model_coro *coro)
{
	unsigned direction = direction_of(descriptor);

	return direction && (descriptor->ready_flags & (direction | POLLERR | POLLHUP)) &&
	       descriptor->ready != CT_NO_TIME && descriptor->ready >= coro->suspended;
}

const struct model_waking *analyze_readiness_end(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_descriptor *descriptor = descriptor_of(analysis, coro);

	return descriptor && direction_of(descriptor) == POLLIN &&
			       descriptor->ended.time != CT_NO_TIME &&
			       descriptor->ended.time >= coro->suspended
		       ? &descriptor->ended
		       : NULL;
}

bool analyze_readiness_is(
	const struct analysis *analysis, const struct model_coro *coro, ct_time *ret_since)
{
	const struct model_descriptor *descriptor = descriptor_of(analysis, coro);
	const struct model_waking *end = analyze_readiness_end(analysis, coro);

	if (!end && !(descriptor && was_reported(descriptor, coro)))
		return false;
	*ret_since = end ? end->time : descriptor->ready;
	return true;
}

void analyze_readiness_tell_end(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct model_waking *end = analyze_readiness_end(analysis, coro);
	struct ct_step step = {
		.time = end->time,
		.site = end->site,
		.thread = end->thread,
		.coro = analysis->model->coros.at[end->coro].id,
		.sequence = end->sequence,
		.text = analyze_say(analysis,
			"read the end of %s, and no wake followed for this coroutine",
			analyze_words_resource(
				analysis, coro->wait_object, coro->rare->descriptor)),
	};

	analyze_story_step(analysis, story, &step);
}
