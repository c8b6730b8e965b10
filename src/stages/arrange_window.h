/* SPDX-License-Identifier: MIT */
/*
 * The events that are held back, in places that are numbered through: those before `played` have been taken up into
 * where their subjects are, those before `handed` have left. Events lie in a room that the reader of the source
 * offers, where those that have left stay; what else is known of a place lies at its number modulo WINDOW_EVENTS.
 */
#ifndef STAGES_ARRANGE_WINDOW_H
#define STAGES_ARRANGE_WINDOW_H

#include "stream/stream.h"
#include "stages/arrange_subject.h"
#include "stages/arrange_visit.h"

#define WINDOW_EVENTS 8192u
#define WINDOW_REACHES \
	3 /* so long after an event, in reaches, the order up to it can still be another one */
/* In steps of the search: so much may be spent for each event on the whole, and so much at once. */
#define WINDOW_EFFORT 8
#define WINDOW_MOST_EFFORT 200000
#define WINDOW_AT(place) ((place) % WINDOW_EVENTS)

/* The change that an event makes to a subject, and where that was before. */
struct link {
	uint32_t subject; /* NO_SUBJECT: none, and nothing else of this holds */
	uint32_t by;
	struct place was;
	uint8_t act;
};

/* Facts about an event beside itself, which move with it. */
struct held {
	ct_time stamp; /* as it came; stamps never go back as events arrive */
	struct link links[2];
	uint8_t tries; /* how often an order was looked for at this event */
	bool is_carried;
};

struct window {
	struct ct_event *room;
	uint32_t first;    /* the place of the first event in the room */
	struct held *held; /* WINDOW_EVENTS */

	uint32_t handed;
	uint32_t played;
	uint32_t arrived;
	ct_time newest;  /* the last stamp that arrived */
	ct_time left;    /* the latest stamp of those that have left */
	ct_time refused; /* the last stamp of an event whose subject found no room */
	bool is_all;     /* nothing more arrives */
	int64_t effort;  /* that may still be spent on searches */
	ct_time limit;   /* see order.h */
	int64_t reach_ns;
	struct subjects subjects;
	struct visits visits;
	struct ct_order order; /* what was put in order */
};

/*
 * arrange_window_init: false: out of memory; arrange_window_fini all the same. arrange_window_reset: empty, and
 * nothing is known.
 */
bool arrange_window_init(struct window *window, int64_t reach_ns, ct_time limit);
void arrange_window_reset(struct window *window);
void arrange_window_fini(struct window *window);

/* arrange_window_event: the event at a place that has not left, or has left last. */
static inline struct ct_event *arrange_window_event(const struct window *window, uint32_t place)
{
	return &window->room[place - window->first];
}

static inline struct held *arrange_window_held(const struct window *window, uint32_t place)
{
	return &window->held[WINDOW_AT(place)];
}

/* arrange_window_move_to: another room, in which what was held back stands first. The rooms may be the same. */
void arrange_window_move_to(struct window *window, struct ct_event *room);

/* arrange_window_arrive: the event that lies at `arrived` now belongs to the window. */
void arrange_window_arrive(struct window *window, bool is_carried);

/* arrange_window_play: takes up events as far as all that may come before them has arrived. */
void arrange_window_play(struct window *window);

/*
 * arrange_window_may_leave: is there an event that nothing can come before any more? The next event is the one at
 * `handed`. arrange_window_leave: lets it go.
 */
bool arrange_window_may_leave(const struct window *window);
void arrange_window_leave(struct window *window);

/*
 * arrange_window_move: the event at `from`, with all that its thread did up to place `behind`, comes right behind that
 * one. Events played from there on are to be played anew.
 */
void arrange_window_move(struct window *window, uint32_t from, uint32_t behind);

/*
 * arrange_settle: puts what the subject does around this place into a better order. False: there is none, or none is
 * known.
 */
bool arrange_settle(struct window *window, uint32_t place, uint32_t subject, bool *ret_is_sure);

#endif
