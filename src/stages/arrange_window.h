/* SPDX-License-Identifier: MIT */
/*
 * The events that are held back, in numbered places: events before `played` have been applied to their subjects'
 * states, events before `handed` have left. Events lie in a room that the reader of the source offers, in which events
 * that have left stay. Other facts about a place lie at its number modulo WINDOW_EVENTS.
 */
#ifndef STAGES_ARRANGE_WINDOW_H
#define STAGES_ARRANGE_WINDOW_H

#include "stream/stream.h"
#include "stages/arrange_subject.h"
#include "stages/arrange_visit.h"

#define WINDOW_EVENTS 8192u
#define WINDOW_REACHES \
	3 /* in reaches: how long after an event the order up to it can still change */
/* The effort for searches, in steps of the search: gained per event, and most at a time. */
#define WINDOW_EFFORT 8
#define WINDOW_MOST_EFFORT 200000
#define WINDOW_AT(place) ((place) % WINDOW_EVENTS)

/* The change that an event makes to a subject, and the subject's state before. */
struct link {
	uint32_t subject; /* NO_SUBJECT: none, and the other members are not set */
	uint32_t by;
	struct place was;
	uint8_t act;
};

/* Facts about an event that are not in the event, and move with it. */
struct held {
	ct_time stamp; /* as it came; stamps never go back as events arrive */
	struct link links[2];
	uint8_t tries; /* how often an order was searched for at this event */
	bool is_carried;
};

struct window {
	struct ct_event *room;
	uint32_t first;    /* place of the first event in the room */
	struct held *held; /* WINDOW_EVENTS entries */

	uint32_t handed;
	uint32_t played;
	uint32_t arrived;
	ct_time newest;   /* last stamp that arrived */
	ct_time left;     /* latest stamp of an event that has left */
	ct_time refused;  /* last stamp of an event whose subject found no room */
	bool is_all;      /* no more events arrive */
	bool has_changed; /* an event was moved or marked since the last reset */
	int64_t effort;   /* effort that may still be spent on searches */
	ct_time limit;    /* see order.h */
	int64_t reach_ns;
	struct subjects subjects;
	struct visits visits;
	struct ct_order order; /* counts of events that were put in order */
};

/*
 * arrange_window_init: makes a window. Returns false if out of memory; call arrange_window_fini then, too.
 * arrange_window_reset: empties the window, and forgets all subjects.
 */
bool arrange_window_init(struct window *window, int64_t reach_ns, ct_time limit);
void arrange_window_reset(struct window *window);
void arrange_window_fini(struct window *window);

/* arrange_window_event: returns the event at a place that has not left, or has left last. */
static inline struct ct_event *arrange_window_event(const struct window *window, uint32_t place)
{
	return &window->room[place - window->first];
}

static inline struct held *arrange_window_held(const struct window *window, uint32_t place)
{
	return &window->held[WINDOW_AT(place)];
}

/*
 * arrange_window_move_to: changes to another room, to whose beginning the held events are moved. Both rooms may be the
 * same.
 */
void arrange_window_move_to(struct window *window, struct ct_event *room);

/* arrange_window_arrive: takes the event at `arrived` into the window. */
void arrange_window_arrive(struct window *window, bool is_carried);

/* arrange_window_play: plays events as far as all events that may come before them have arrived. */
void arrange_window_play(struct window *window);

/*
 * arrange_window_may_leave: returns whether no event can come before the next event, the one at `handed`, any more.
 * arrange_window_leave: lets that event leave.
 */
bool arrange_window_may_leave(const struct window *window);
void arrange_window_leave(struct window *window);

/*
 * arrange_window_move: moves the event at `from`, with all that its thread did up to place `behind`, to right after the
 * event there. Events from `from` on have to be played again.
 */
void arrange_window_move(struct window *window, uint32_t from, uint32_t behind);

/*
 * arrange_settle: puts the subject's events around this place into a better order. Returns false if there is none, or
 * none is known.
 */
bool arrange_settle(struct window *window, uint32_t place, uint32_t subject, bool *ret_is_sure);

#endif
