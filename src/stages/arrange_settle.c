/* SPDX-License-Identifier: MIT */
/*
 * The search for an order. A subject's events within the reach of a place form one row for each thread, whose order is
 * certain. All ways to merge the rows are tried, the one by stamps first, as long as no event has to be raised by more
 * than the reach, and as long as the way costs less than the best one so far. Other events of the threads are ignored:
 * if the order that is found makes one of them contradict, that event is settled in its turn.
 */
#include <string.h>

#include "stages/arrange_window.h"

#define DEEDS_MAX 48u /* at most 64: the bits of a word */
#define NODES_MAX 4000u
#define PLACES_A_STEP 16u /* a step of the search costs as much as looking at this many places */

struct candidate {
	uint32_t place;
	uint32_t thread;
	uint32_t by;
	enum act act;
	ct_time stamp; /* as the event came */
	ct_time time;  /* as it is now */
	bool is_after_gap;
};

struct search {
	struct candidate at[DEEDS_MAX];
	size_t count;
	struct visits *visits;
	uint64_t put; /* candidates placed so far, one bit each */
	int64_t reach_ns;
	struct place first; /* state of the subject before all candidates */
	unsigned best_cost;
	size_t path[DEEDS_MAX];
	size_t best[DEEDS_MAX];
	unsigned nr_nodes;
	uint32_t nr_places; /* places that were looked at */
	bool is_cut;        /* not all candidates, or not all orders, were looked at */
	/* from the last stamp on: of orders with equal cost another comes first */
	bool is_backward;
};

/* ---------------------------------------------------------------- candidates */

static void add(
	struct search *search, const struct window *window, uint32_t place, const struct link *link)
{
	const struct ct_event *event = arrange_window_event(window, place);

	search->at[search->count++] = (struct candidate){
		.place = place,
		.thread = event->thread,
		.by = link->by,
		.act = (enum act)link->act,
		.stamp = arrange_window_held(window, place)->stamp,
		.time = event->time,
		.is_after_gap = event->flags & CT_FLAG_AFTER_GAP,
	};
}

/* Returns the change that the event makes to the subject; NULL: none. */
static const struct link *link_to(const struct window *window, uint32_t place, uint32_t subject)
{
	const struct link *links = arrange_window_held(window, place)->links;

	if (links[0].subject == subject)
		return &links[0];
	return links[1].subject == subject ? &links[1] : NULL;
}

/* Returns the first place to look at: so far back that half of the room is left for what follows. */
static uint32_t begin_at(
	const struct window *window, uint32_t place, uint32_t subject, bool *ret_is_cut)
{
	ct_time stamp = arrange_window_held(window, place)->stamp;
	uint32_t first = place;
	size_t count = 0;

	*ret_is_cut = false;
	while (first != window->handed && arrange_window_held(window, first - 1)->stamp >=
						  stamp - WINDOW_REACHES * window->reach_ns) {
		if (link_to(window, first - 1, subject) && ++count > DEEDS_MAX / 2) {
			*ret_is_cut = true;
			break;
		}
		first--;
	}
	return first;
}

static void collect(
	struct search *search, const struct window *window, uint32_t place, uint32_t subject)
{
	ct_time stamp = arrange_window_held(window, place)->stamp;
	uint32_t at = begin_at(window, place, subject, &search->is_cut);

	search->nr_places = place - at;
	search->first = window->subjects.at[subject].place;
	for (; at != window->arrived; at++, search->nr_places++) {
		const struct link *link = link_to(window, at, subject);
		ct_time present = arrange_window_held(window, at)->stamp;

		if (present > stamp + window->reach_ns)
			break;
		if (!link || present < stamp - WINDOW_REACHES * window->reach_ns)
			continue;
		if (search->count == DEEDS_MAX) {
			search->is_cut = true;
			break;
		}
		if (search->count == 0 && (int32_t)(window->played - at) > 0)
			search->first = link->was;
		add(search, window, at, link);
	}
}

/*
 * Returns whether an event within the reach has left already, or has not arrived yet, because there was no more room.
 */
static bool is_beyond(const struct window *window, ct_time stamp)
{
	return window->left >= stamp - window->reach_ns ||
	       (!window->is_all && window->newest <= stamp + window->reach_ns);
}

/* ---------------------------------------------------------------- the search */

static unsigned cost_of(const struct candidate *candidate, struct place *place)
{
	if (candidate->is_after_gap)
		place->state = PLACE_UNKNOWN;
	return arrange_step(place, candidate->act, candidate->by);
}

static bool is_put(const struct search *search, size_t index)
{
	return search->put >> index & 1;
}

/* Returns whether the candidate is the next one of its thread. */
static bool is_next(const struct search *search, size_t index)
{
	size_t i;

	if (is_put(search, index))
		return false;
	for (i = 0; i < index; i++)
		if (!is_put(search, i) && search->at[i].thread == search->at[index].thread)
			return false;
	return true;
}

static void try_all(
	struct search *search, size_t depth, struct place place, ct_time time, unsigned cost)
{
	size_t i;

	if (cost >= search->best_cost)
		return;
	if (depth == search->count) {
		search->best_cost = cost;
		memcpy(search->best, search->path, depth * sizeof(*search->best));
		return;
	}
	if (search->nr_nodes == NODES_MAX) {
		search->is_cut = true;
		return;
	}
	if (!arrange_visits_note(search->visits, search->put, &place, cost))
		return;
	search->nr_nodes++;
	for (i = 0; i < search->count; i++) {
		size_t index = search->is_backward ? search->count - 1 - i : i;
		struct candidate *next = &search->at[index];
		ct_time raised = next->time > time ? next->time : time;
		struct place after = place;

		if (!is_next(search, index) || raised - next->stamp > search->reach_ns)
			continue;
		search->put |= UINT64_C(1) << index;
		search->path[depth] = index;
		try_all(search, depth + 1, after, raised, cost + cost_of(next, &after));
		search->put &= ~(UINT64_C(1) << index);
	}
}

static unsigned present_cost(const struct search *search)
{
	struct place place = search->first;
	unsigned cost = 0;
	size_t i;

	for (i = 0; i < search->count; i++)
		cost += cost_of(&search->at[i], &place);
	return cost;
}

/* ---------------------------------------------------------------- applying an order */

/* Returns how many events of this thread lie before a place, from `first` on. */
static uint32_t nr_of_thread(
	const struct window *window, uint32_t thread, uint32_t first, uint32_t place)
{
	uint32_t count = 0;

	for (; first != place; first++)
		count += arrange_window_event(window, first)->thread == thread;
	return count;
}

/*
 * The event at `from` moves after the event at `behind`, together with what its thread did in between. Returns where
 * the event at `place` is then.
 */
static uint32_t place_after(const struct window *window, uint32_t thread, uint32_t from,
	uint32_t behind, uint32_t place)
{
	uint32_t before;

	if ((int32_t)(place - from) < 0 || (int32_t)(place - behind) > 0)
		return place;
	before = nr_of_thread(window, thread, from, place);
	if (arrange_window_event(window, place)->thread != thread)
		return place - before;
	return behind + 1 - nr_of_thread(window, thread, from, behind + 1) + before;
}

static void put_behind(struct window *window, struct search *search, size_t index, uint32_t behind)
{
	uint32_t from = search->at[index].place, thread = search->at[index].thread;
	size_t i;

	for (i = 0; i < search->count; i++)
		search->at[i].place =
			place_after(window, thread, from, behind, search->at[i].place);
	arrange_window_move(window, from, behind);
}

static void do_it(struct window *window, struct search *search)
{
	size_t i;

	for (i = 1; i < search->count; i++) {
		uint32_t before = search->at[search->best[i - 1]].place;

		if ((int32_t)(search->at[search->best[i]].place - before) < 0)
			put_behind(window, search, search->best[i], before);
	}
}

bool arrange_settle(struct window *window, uint32_t place, uint32_t subject, bool *ret_is_sure)
{
	struct search search = {.reach_ns = window->reach_ns, .visits = &window->visits};
	unsigned present;

	*ret_is_sure = false;
	if (window->effort <= 0)
		return false;
	/* The order chosen earlier did not hold because of other events: prefer another. */
	search.is_backward = arrange_window_held(window, place)->tries % 2 == 0;
	collect(&search, window, place, subject);
	search.is_cut |= is_beyond(window, arrange_window_held(window, place)->stamp);
	present = search.best_cost = present_cost(&search);
	arrange_visits_forget(&window->visits);
	try_all(&search, 0, search.first, INT64_MIN, 0);
	window->effort -= search.nr_nodes + search.nr_places / PLACES_A_STEP;
	*ret_is_sure = !search.is_cut;
	if (search.best_cost == present)
		return false;
	do_it(window, &search);
	return true;
}
