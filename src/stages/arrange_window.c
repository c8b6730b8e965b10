/* SPDX-License-Identifier: MIT */
/*
 * An event is played when all events that may come before it have arrived, and leaves when no event that arrives can be
 * put before it any more. So the window spans a few reaches, or less if there is no room for them.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/order.h"
#include "stages/arrange_window.h"

#define TRIES_MAX 4u /* at one event; after that the event is taken as it is */
/* futile tries to repair the order of one subject; afterwards its steps keep their order */
#define FUTILE_MAX 64u
/* Times beyond these cannot be true; so no sum with the reach overflows. */
#define FIRST_STAMP (INT64_MIN / 4)
#define LAST_STAMP (INT64_MAX / 4)
#define FULL (WINDOW_EVENTS - WINDOW_EVENTS / 8)

bool arrange_window_init(struct window *window, int64_t reach_ns, ct_time limit)
{
	window->held = calloc(WINDOW_EVENTS, sizeof(*window->held));
	window->reach_ns = reach_ns;
	window->effort = WINDOW_MOST_EFFORT;
	window->limit = limit < LAST_STAMP ? limit : LAST_STAMP;
	window->newest = window->left = FIRST_STAMP;
	window->refused = CT_NO_TIME;
	return arrange_subjects_init(&window->subjects) && arrange_visits_init(&window->visits) &&
	       window->held;
}

void arrange_window_reset(struct window *window)
{
	window->handed = window->played = window->arrived = window->first = 0;
	window->newest = window->left = FIRST_STAMP;
	window->refused = CT_NO_TIME;
	window->is_all = window->has_changed = false;
	window->effort = WINDOW_MOST_EFFORT;
	window->order = (struct ct_order){0};
	arrange_subjects_reset(&window->subjects);
}

void arrange_window_fini(struct window *window)
{
	free(window->held);
	arrange_subjects_fini(&window->subjects);
	arrange_visits_fini(&window->visits);
}

void arrange_window_move_to(struct window *window, struct ct_event *room)
{
	uint32_t nr_held = window->arrived - window->handed;

	if (nr_held)
		memmove(room, arrange_window_event(window, window->handed),
			nr_held * sizeof(*room));
	window->room = room;
	window->first = window->handed;
}

/* ---------------------------------------------------------------- arriving */

static bool is_within(const struct window *window, ct_time earlier, ct_time later)
{
	return earlier != CT_NO_TIME && later - window->reach_ns <= earlier;
}

static void mark_unknown(struct window *window, struct ct_event *event)
{
	event->flags |= CT_FLAG_ORDER_UNKNOWN;
	window->has_changed = true;
}

static void bind(
	struct window *window, struct ct_event *event, struct link *link, const struct deed *deed)
{
	uint32_t index = subject_find(&window->subjects, event->process, deed, window->handed);
	struct subject *subject;

	link->subject = index;
	if (index == NO_SUBJECT) {
		mark_unknown(window, event);
		window->refused = window->newest;
		return;
	}
	link->by = deed->by;
	link->act = (uint8_t)deed->act;
	subject = &window->subjects.at[index];
	/* Earlier events of the subject may have been refused. */
	if (subject->newest_time == CT_NO_TIME &&
		is_within(window, window->refused, window->newest))
		mark_unknown(window, event);
	if (subject->newest_thread != event->thread &&
		is_within(window, subject->newest_time, window->newest))
		subject->mixed = window->newest;
	subject->newest = window->arrived;
	subject->newest_thread = event->thread;
	subject->newest_time = window->newest;
}

/* Carried events, which are about earlier times, and events without a thread have no order that could be wrong. */
static bool has_order(const struct window *window, const struct ct_event *event, bool is_carried)
{
	return !is_carried && event->thread && is_within(window, event->time, window->newest) &&
	       event->time <= window->newest;
}

void arrange_window_arrive(struct window *window, bool is_carried)
{
	struct ct_event *event = arrange_window_event(window, window->arrived);
	struct held *held = arrange_window_held(window, window->arrived);
	struct deed deeds[2];
	unsigned count, i;

	window->newest = order_place(window->newest, event->time, window->limit);
	held->stamp = window->newest;
	held->tries = 0;
	held->is_carried = is_carried;
	held->links[0].subject = held->links[1].subject = NO_SUBJECT;
	if (has_order(window, event, is_carried)) {
		count = arrange_subject_deeds(&window->subjects, event, deeds);
		for (i = 0; i < count; i++)
			bind(window, event, &held->links[i], &deeds[i]);
	}
	window->effort += window->effort < WINDOW_MOST_EFFORT ? WINDOW_EFFORT : 0;
	window->arrived++;
}

/* ---------------------------------------------------------------- playing */

static struct subject *subject_of(struct window *window, const struct link *link)
{
	return &window->subjects.at[link->subject];
}

/* Returns whether there is another order: only if two threads acted on the subject within the reach. */
static bool has_other_order(
	const struct window *window, const struct subject *subject, ct_time stamp, unsigned cost)
{
	return is_within(window, subject->mixed, stamp) &&
	       (cost >= COST_IMPOSSIBLE || subject->nr_futile < FUTILE_MAX);
}

/*
 * Returns whether the subject was reordered near this time: if two orders fitted, the wrong one may have been chosen.
 */
static bool was_moved(const struct window *window, const struct subject *subject, ct_time stamp)
{
	int64_t around_ns = WINDOW_REACHES * window->reach_ns;

	return subject->moved != CT_NO_TIME && stamp - around_ns <= subject->moved &&
	       stamp + around_ns >= subject->moved;
}

/*
 * Handles a step that does not fit. Returns true if another order was found: what was played is no longer played.
 * Otherwise the event is taken as it is, and marked if the order may be what is wrong.
 */
static bool put_right(struct window *window, uint32_t place, uint32_t subject_index, unsigned cost)
{
	struct subject *subject = &window->subjects.at[subject_index];
	struct held *held = arrange_window_held(window, place);
	bool has_other = has_other_order(window, subject, held->stamp, cost);
	bool is_sure = false;

	if (has_other && held->tries < TRIES_MAX) {
		held->tries++;
		if (arrange_settle(window, place, subject_index, &is_sure)) {
			subject->moved = held->stamp;
			return true;
		}
	}
	if (has_other && subject->nr_futile < FUTILE_MAX)
		subject->nr_futile++;
	if (cost < COST_IMPOSSIBLE)
		return false;
	subject->is_lost |= has_other && (!is_sure || was_moved(window, subject, held->stamp));
	if (subject->is_lost) {
		mark_unknown(window, arrange_window_event(window, place));
		subject->moved = held->stamp;
	}
	return false;
}

/*
 * Long after an uncertain order, the subject's next step shows the subject's state, whatever came before. A wake, or an
 * entry into a queue, does not show the state.
 */
static void find_again(struct window *window, const struct link *link, ct_time stamp)
{
	struct subject *subject;

	if (link->subject == NO_SUBJECT)
		return;
	subject = &window->subjects.at[link->subject];
	if (__builtin_expect(subject->is_lost, 0) && !was_moved(window, subject, stamp))
		subject->is_lost = link->act == ACT_WAKE || link->act == ACT_WAKE_AGAIN ||
				   link->act == ACT_QUEUE;
}

static unsigned step_link(struct window *window, uint32_t place, struct link *link)
{
	struct subject *subject;

	if (link->subject == NO_SUBJECT)
		return 0;
	subject = subject_of(window, link);
	link->was = subject->place;
	if (arrange_window_event(window, place)->flags & CT_FLAG_AFTER_GAP)
		subject->place.state = PLACE_UNKNOWN;
	return arrange_step(&subject->place, (enum act)link->act, link->by);
}

static void undo_links(struct window *window, const struct link *links)
{
	if (links[1].subject != NO_SUBJECT)
		subject_of(window, &links[1])->place = links[1].was;
	if (links[0].subject != NO_SUBJECT)
		subject_of(window, &links[0])->place = links[0].was;
}

static void rewind_to(struct window *window, uint32_t place)
{
	while (window->played != place)
		undo_links(window, arrange_window_held(window, --window->played)->links);
}

static void play(struct window *window)
{
	uint32_t place = window->played;
	struct link *links = arrange_window_held(window, place)->links;
	unsigned first = step_link(window, place, &links[0]);
	unsigned second = step_link(window, place, &links[1]);

	if (__builtin_expect(first + second > 0, 0)) {
		undo_links(window, links);
		if ((first && put_right(window, place, links[0].subject, first)) ||
			(second && put_right(window, place, links[1].subject, second)))
			return;
		step_link(window, place, &links[0]);
		step_link(window, place, &links[1]);
	}
	find_again(window, &links[0], arrange_window_held(window, place)->stamp);
	find_again(window, &links[1], arrange_window_held(window, place)->stamp);
	window->played = place + 1;
}

static bool is_full(const struct window *window)
{
	return window->arrived - window->handed >= FULL;
}

static bool may_be_played(const struct window *window)
{
	return window->is_all || is_full(window) ||
	       arrange_window_held(window, window->played)->stamp <
		       window->newest - window->reach_ns;
}

void arrange_window_play(struct window *window)
{
	while (window->played != window->arrived && may_be_played(window))
		play(window);
}

bool arrange_window_may_leave(const struct window *window)
{
	ct_time played;

	if (window->handed == window->played)
		return false;
	if (window->played == window->arrived)
		return window->is_all || is_full(window);
	played = arrange_window_held(window, window->played)->stamp;
	return is_full(window) || arrange_window_held(window, window->handed)->stamp <
					  played - WINDOW_REACHES * window->reach_ns;
}

static bool is_chosen(const struct window *window, const struct link *link, ct_time stamp)
{
	return link->subject != NO_SUBJECT &&
	       was_moved(window, &window->subjects.at[link->subject], stamp);
}

void arrange_window_leave(struct window *window)
{
	const struct held *held = arrange_window_held(window, window->handed);
	ct_time stamp = held->stamp;

	if (is_chosen(window, &held->links[0], stamp) || is_chosen(window, &held->links[1], stamp))
		arrange_window_event(window, window->handed)->flags |= CT_FLAG_ORDER_CHOSEN;
	window->handed++;
	if (stamp > window->left)
		window->left = stamp;
}

/* ---------------------------------------------------------------- moving */

static void put_in(struct window *window, uint32_t place, const struct ct_event *event,
	const struct held *held)
{
	struct ct_event *to = arrange_window_event(window, place);
	uint64_t sequence = to->sequence;

	*to = *event;
	to->sequence = sequence; /* the place's own number */
	*arrange_window_held(window, place) = *held;
}

static void raise_to(struct window *window, uint32_t place, ct_time time)
{
	struct ct_event *event = arrange_window_event(window, place);
	ct_time raised;

	if (!is_within(window, event->time, time) || event->time >= time)
		return;
	window->order.nr_moved++;
	event->time = time;
	raised = time - arrange_window_held(window, place)->stamp;
	if (raised > window->order.furthest_ns)
		window->order.furthest_ns = raised;
}

/* The subject's newest event must not lie before an event of the subject. */
static void follow(struct window *window, uint32_t place)
{
	unsigned i;

	for (i = 0; i < 2; i++) {
		const struct link *link = &arrange_window_held(window, place)->links[i];

		if (link->subject != NO_SUBJECT &&
			(int32_t)(place - subject_of(window, link)->newest) > 0)
			subject_of(window, link)->newest = place;
	}
}

/* Moves one event after another one; all events in between move one place forward. */
static void move_one(struct window *window, uint32_t from, uint32_t behind)
{
	struct ct_event event = *arrange_window_event(window, from);
	struct held held = *arrange_window_held(window, from);
	uint32_t place;

	for (place = from; place != behind; place++)
		put_in(window, place, arrange_window_event(window, place + 1),
			arrange_window_held(window, place + 1));
	put_in(window, behind, &event, &held);
	raise_to(window, behind, arrange_window_event(window, behind - 1)->time);
	follow(window, behind);
}

void arrange_window_move(struct window *window, uint32_t from, uint32_t behind)
{
	uint32_t thread = arrange_window_event(window, from)->thread;
	uint32_t place = from, end = behind;

	window->has_changed = true;
	if ((int32_t)(window->played - from) > 0)
		rewind_to(window, from);
	while (place != end) {
		if (arrange_window_event(window, place)->thread != thread) {
			place++;
			continue;
		}
		move_one(window, place, behind);
		end--;
	}
}
