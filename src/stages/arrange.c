/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "stages/arrange.h"
#include "base/failure.h"
#include "stream/order.h"
#include "stages/arrange_window.h"

#define TAKEN_AT_ONCE 256u
#define RUN_EVENTS 3840u
#define ROOM_EVENTS ARRANGE_ROOM_EVENTS
/* with the reserved entry: a trace with one thread, in which there is nothing to order */
#define NR_ONE_THREAD 2u

struct arrange {
	struct ct_source source; /* must be the first member */
	struct ct_source *inner;
	struct window window;
	struct ct_event *own;  /* own room of ROOM_EVENTS, used if the reader's is too small */
	struct ct_events run;  /* the run that lies there */
	size_t nr_lent;        /* events of the run handed out so far */
	enum ct_status status; /* of the inner source; not CT_OK: no more events come */
	struct ct_error error;
	bool is_in_order; /* a reading to the end changed nothing; another one would not either */
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Takes more events of the inner source, and puts them after those that are in the room already. */
static void fill(struct arrange *arrange, size_t capacity)
{
	struct window *window = &arrange->window;
	size_t used = window->arrived - window->first;
	size_t held = window->arrived - window->handed, i;
	size_t wanted = least(TAKEN_AT_ONCE, least(capacity - used, WINDOW_EVENTS - held));
	struct ct_events events;

	arrange->status =
		source_fill(arrange->inner, window->room + used, wanted, &events, &arrange->error);
	for (i = 0; arrange->status == CT_OK && i < events.count; i++)
		arrange_window_arrive(window, events.are_carried);
	window->is_all = arrange->status != CT_OK;
}

/* Hands out events. Returns false if the next event belongs to another run. */
static bool hand_out(struct arrange *arrange, struct ct_events *events)
{
	struct window *window = &arrange->window;

	while (arrange_window_may_leave(window)) {
		bool is_carried = arrange_window_held(window, window->handed)->is_carried;

		if (events->count == 0)
			events->are_carried = is_carried;
		if (is_carried != events->are_carried)
			return false;
		arrange_window_leave(window);
		events->count++;
	}
	return true;
}

/* Makes a run in a room of at least ROOM_EVENTS. */
static enum ct_status arrange_run(
	struct arrange *arrange, struct ct_events *events, struct ct_error *reterr)
{
	struct window *window = &arrange->window;

	arrange_window_move_to(window, events->room);
	while (hand_out(arrange, events) && arrange->status == CT_OK &&
		events->count < RUN_EVENTS && window->arrived - window->first < events->capacity) {
		fill(arrange, events->capacity);
		arrange_window_play(window);
	}
	if (events->count)
		return CT_OK;
	arrange->is_in_order = arrange->status == CT_END && !window->has_changed;
	if (arrange->status < 0 && reterr)
		*reterr = arrange->error;
	return arrange->status;
}

static enum ct_status arrange_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct arrange *arrange = (struct arrange *)source;
	enum ct_status status;

	if (arrange->is_in_order && arrange->status == CT_OK) {
		events->capacity = least(events->capacity, RUN_EVENTS);
		return arrange->inner->ops->next(arrange->inner, events, reterr);
	}
	if (arrange->nr_lent == arrange->run.count && events->capacity >= ROOM_EVENTS)
		return arrange_run(arrange, events, reterr);
	if (arrange->nr_lent == arrange->run.count) {
		arrange->nr_lent = 0;
		arrange->run = (struct ct_events){
			.room = arrange->own, .capacity = ROOM_EVENTS, .at = arrange->own};
		status = arrange_run(arrange, &arrange->run, reterr);
		if (status)
			return status;
	}
	source_lend(&arrange->run, &arrange->nr_lent, events);
	return CT_OK;
}

static enum ct_status arrange_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct arrange *arrange = (struct arrange *)source;

	arrange_window_reset(&arrange->window);
	arrange->run.count = arrange->nr_lent = 0;
	arrange->status = CT_OK;
	return source_reset(arrange->inner, reterr);
}

static void free_arrange(struct arrange *arrange)
{
	arrange_window_fini(&arrange->window);
	free(arrange->own);
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
	.reset = arrange_reset,
	.close = arrange_close,
};

enum ct_status arrange_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct arrange *arrange;

	if (inner->is_ordered || inner->tables->nr_threads <= NR_ONE_THREAD) {
		*ret_source = inner;
		return CT_OK;
	}
	arrange = calloc(1, sizeof(*arrange));
	if (!arrange)
		return ct_fail_memory(reterr);
	/* The memory is not touched if the reader's room is large enough. */
	arrange->own = malloc(ROOM_EVENTS * sizeof(*arrange->own));
	if (!arrange_window_init(
		    &arrange->window, order_reach(inner->tables), order_limit(inner->tables)) ||
		!arrange->own) {
		free_arrange(arrange);
		return ct_fail_memory(reterr);
	}
	arrange->source = (struct ct_source){
		.ops = &arrange_ops, .tables = inner->tables, .order = &arrange->window.order};
	arrange->inner = inner;
	*ret_source = &arrange->source;
	return CT_OK;
}
