/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "stages/arrange.h"
#include "base/failure.h"
#include "stream/order.h"
#include "stages/arrange_window.h"

#define TAKEN_AT_ONCE 256u
#define NR_ONE_THREAD 2u /* beside the reserved one: there is nothing to order */

struct arrange {
	struct ct_source source; /* first member */
	struct ct_source *inner;
	struct window window;
	enum ct_status status; /* of the inner source; not CT_OK: nothing more comes */
	struct ct_error error;
	struct ct_event next; /* what `next` handed out */
};

/* More events of the inner source, as many as lie in a row. */
static void fill(struct arrange *arrange)
{
	struct window *window = &arrange->window;
	uint32_t at = WINDOW_AT(window->arrived);
	uint32_t room = WINDOW_EVENTS - (window->arrived - window->handed);
	struct ct_events events = {&window->events[at], &window->are_carried[at], TAKEN_AT_ONCE, 0};
	size_t i;

	if (events.capacity > room)
		events.capacity = room;
	if (events.capacity > WINDOW_EVENTS - at)
		events.capacity = WINDOW_EVENTS - at;
	arrange->status = source_take(arrange->inner, &events, &arrange->error);
	for (i = 0; i < events.count; i++)
		arrange_window_arrive(window);
	window->is_all = arrange->status != CT_OK;
}

static enum ct_status hand_out(struct arrange *arrange, struct ct_events *events)
{
	struct window *window = &arrange->window;

	while (events->count < events->capacity && arrange_window_may_leave(window)) {
		uint32_t at = arrange_window_leave(window);

		events->at[events->count] = window->events[at];
		events->are_carried[events->count++] = window->are_carried[at];
	}
	return window->is_all && window->handed == window->arrived ? arrange->status : CT_OK;
}

static enum ct_status arrange_take(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct arrange *arrange = (struct arrange *)source;
	enum ct_status status = CT_OK;

	events->count = 0;
	while (status == CT_OK && events->count < events->capacity) {
		status = hand_out(arrange, events);
		if (status || events->count == events->capacity)
			break;
		if (arrange->status == CT_OK)
			fill(arrange);
		arrange_window_play(&arrange->window);
	}
	if (status < 0 && reterr)
		*reterr = arrange->error;
	return status;
}

static enum ct_status arrange_next(
	struct ct_source *source, const struct ct_event **ret_event, struct ct_error *reterr)
{
	struct arrange *arrange = (struct arrange *)source;
	struct ct_events events = {&arrange->next, &source->is_carried, 1, 0};
	enum ct_status status = arrange_take(source, &events, reterr);

	*ret_event = &arrange->next;
	return events.count ? CT_OK : status;
}

static enum ct_status arrange_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct arrange *arrange = (struct arrange *)source;

	arrange_window_reset(&arrange->window);
	arrange->status = CT_OK;
	return source_reset(arrange->inner, reterr);
}

static void free_arrange(struct arrange *arrange)
{
	arrange_window_fini(&arrange->window);
	free(arrange);
}

static void arrange_close(struct ct_source *source)
{
	struct arrange *arrange = (struct arrange *)source;

	source_close(arrange->inner);
	free_arrange(arrange);
}

static const struct ct_source_ops arrange_ops = {
	.next = arrange_next,
	.take = arrange_take,
	.reset = arrange_reset,
	.close = arrange_close,
};

enum ct_status arrange_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct arrange *arrange;

	if (inner->tables->nr_threads <= NR_ONE_THREAD) {
		*ret_source = inner;
		return CT_OK;
	}
	arrange = calloc(1, sizeof(*arrange));
	if (!arrange)
		return ct_fail_memory(reterr);
	if (!arrange_window_init(
		    &arrange->window, order_reach(inner->tables), order_limit(inner->tables))) {
		free_arrange(arrange);
		return ct_fail_memory(reterr);
	}
	arrange->source = (struct ct_source){
		.ops = &arrange_ops, .tables = inner->tables, .order = &arrange->window.order};
	arrange->inner = inner;
	*ret_source = &arrange->source;
	return CT_OK;
}
