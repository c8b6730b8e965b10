/* SPDX-License-Identifier: MIT */
/*
 * Calls, kept by thread and time.
 */
#include <stdlib.h>

#include "event/kind_words.h"
#include "view/lane_calls.h"

#define LEAST_NS INT64_C(1000000) /* a call that is over sooner is a part of the run */

static bool add(struct fold *fold, uint32_t thread, ct_time until, uint32_t site,
	const struct model_call *call)
{
	const struct view_call row = {
		.from = call->since,
		.until = until,
		.thread = thread,
		.site = site,
		.name = text_of(fold, call->name),
	};

	return vec_push(&fold->view->calls, row);
}

bool view_calls_end(struct fold *fold, const struct ct_event *event)
{
	const struct model_thread *thread = &fold->model->threads[event->thread];
	struct model_call call = {thread->blocked_from, ct_call_name(thread->blocked_call)};

	if (!thread->top || call.since == CT_NO_TIME || event->time - call.since < LEAST_NS)
		return true;
	return add(fold, event->thread, event->time, event->site, &call);
}

static int compare(const void *left, const void *right)
{
	const struct view_call *one = left, *other = right;

	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return (one->until > other->until) - (one->until < other->until);
}

bool view_calls_finish(struct fold *fold)
{
	const struct model *model = fold->model;
	uint32_t i;

	for (i = 1; i < model->nr_threads; i++) {
		ct_time end = model_end_of(model, model->threads[i].process);
		struct model_call call;

		if (model_find_call(model, i, &call) && call.since < end &&
			!add(fold, i, end, 0, &call))
			return false;
	}
	if (fold->view->calls.count)
		qsort(fold->view->calls.at, fold->view->calls.count, sizeof(*fold->view->calls.at),
			compare);
	return true;
}

const struct view_call *view_calls_next(const struct ct_view *view, uint32_t thread, ct_time from)
{
	size_t low = 0, high = view->calls.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct view_call *call = &view->calls.at[middle];

		if (call->thread < thread || (call->thread == thread && call->until <= from))
			low = middle + 1;
		else
			high = middle;
	}
	return low < view->calls.count && view->calls.at[low].thread == thread
		       ? &view->calls.at[low]
		       : NULL;
}
