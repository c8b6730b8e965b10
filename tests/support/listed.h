/* SPDX-License-Identifier: MIT */
/*
 * A source over events in memory, which hands them out one by one.
 */
#ifndef TESTS_LISTED_H
#define TESTS_LISTED_H

#include "base/vec.h"
#include "stream/stream.h"

struct list {
	struct ct_source source; /* first member */
	VEC(struct ct_event) events;
	size_t at;
	bool are_sites_carried; /* an event with a site is marked as carried */
};

static inline enum ct_status list_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct list *list = (struct list *)source;
	const struct ct_event *event;

	(void)reterr;
	if (list->at == list->events.count)
		return CT_END;
	event = &list->events.at[list->at++];
	*events = (struct ct_events){
		.at = event, .count = 1, .are_carried = list->are_sites_carried && event->site};
	return CT_OK;
}

static inline enum ct_status list_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct list *)source)->at = 0;
	return CT_OK;
}

static inline void list_close(struct ct_source *source)
{
	(void)source;
}

static const struct ct_source_ops list_ops = {
	.next = list_next, .reset = list_reset, .close = list_close};

/* For qsort: by time-stamp, as in a store. */
static inline int list_by_stamp(const void *left, const void *right)
{
	const struct ct_event *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->sequence < b->sequence ? -1 : 1;
}

#endif
