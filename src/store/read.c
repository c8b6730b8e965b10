/* SPDX-License-Identifier: MIT */
/*
 * The source that reads a trace file: one cursor for each stream, and a tree of losers that merges the streams.
 *
 * A cursor holds some decoded events; its front is the next event. The tree is a tournament of the fronts: each node
 * contains the front that lost there, and tree[0] the front that won everything. After the winner's event is handed
 * out, that stream's next event plays from its leaf to the top. If several threads write at the same time, the next
 * winner is hard to predict, so a match is played without a branch.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/order.h"
#include "store/store.h"
#include "store/cursor.h"

#define PLAYED_EACH 4u /* streams: up to that many, each event is played for */

struct front {
	const struct ct_event *at;  /* the next event; NULL: the stream has ended */
	const struct ct_event *end; /* end of the decoded events */
	ct_time place;              /* place of *at, see order.h; INT64_MAX after the end */
	bool is_carried;
};

struct node {
	ct_time place;
	uint64_t front; /* index of the front */
};

struct store_source {
	struct ct_source source;
	struct store_reader reader;
	struct store_cursor *cursors; /* one for each stream */
	struct front *fronts;         /* one for each stream that is defined */
	uint32_t *cursor_of;          /* maps a front to its cursor */
	size_t nr_fronts;
	struct node *tree;
	ct_time limit; /* see order.h */
	uint64_t sequence;
	bool is_started;
	enum ct_status status; /* not CT_OK: no events follow */
	struct ct_error error;
};

/* ---------------------------------------------------------------------- fronts */

/* Loads the stream's next run. A failure is reported after the events before it have been handed out. */
static __attribute__((noinline)) void load_front(struct store_source *store, size_t index)
{
	struct store_cursor *cursor = &store->cursors[store->cursor_of[index]];
	struct front *front = &store->fronts[index];
	enum ct_status status;

	do {
		status = store_cursor_load(&store->reader, cursor, &store->error);
	} while (status == CT_OK && cursor->count == 0);
	if (status) {
		*front = (struct front){.place = INT64_MAX};
		if (status < 0)
			store->status = input_fail(store->reader.input, status, &store->error);
		return;
	}
	front->at = cursor->run->events;
	front->end = front->at + cursor->count;
	front->place = order_place(front->place, front->at->time, store->limit);
	front->is_carried = cursor->is_carried;
}

/* ------------------------------------------------------------------------ the tree */

static bool is_before_at_once(const struct store_source *store, uint64_t one, uint64_t other)
{
	const struct store_cursor *a = &store->cursors[store->cursor_of[one]];
	const struct store_cursor *b = &store->cursors[store->cursor_of[other]];

	if (!store->fronts[one].at || !store->fronts[other].at)
		return store->fronts[one].at;
	if (a->segment->process != b->segment->process)
		return a->segment->process < b->segment->process;
	if (a->thread != b->thread)
		return a->thread < b->thread;
	return a->stream->number < b->stream->number;
}

static inline void swap_where(bool is_wanted, struct node *a, struct node *b)
{
	uint64_t all = 0 - (uint64_t)is_wanted;
	uint64_t place = ((uint64_t)a->place ^ (uint64_t)b->place) & all;
	uint64_t front = (a->front ^ b->front) & all;

	a->place = (ct_time)((uint64_t)a->place ^ place);
	b->place = (ct_time)((uint64_t)b->place ^ place);
	a->front ^= front;
	b->front ^= front;
}

/* Plays from the player's leaf to the top, against the fronts that lost there. */
static inline void play(struct store_source *store, struct node player)
{
	size_t at;

	for (at = (store->nr_fronts + player.front) / 2; at; at /= 2) {
		struct node *other = &store->tree[at];
		bool is_lost = other->place < player.place;

		if (__builtin_expect(other->place == player.place, 0))
			is_lost = is_before_at_once(store, other->front, player.front);
		swap_where(is_lost, other, &player);
	}
	store->tree[0] = player;
}

/*
 * Returns the best place of the fronts that lost to the winner: the winner wins again as long as its events are before
 * this place.
 */
static ct_time second_place(const struct store_source *store)
{
	ct_time second = INT64_MAX;
	size_t at;

	for (at = (store->nr_fronts + store->tree[0].front) / 2; at; at /= 2)
		second = store->tree[at].place < second ? store->tree[at].place : second;
	return second;
}

/* Returns the winner among the leaves below a node; the losers stay in the nodes where they lost. */
static struct node play_below(struct store_source *store, size_t at)
{
	struct node player, other;

	if (at >= store->nr_fronts) {
		at -= store->nr_fronts;
		return (struct node){store->fronts[at].place, at};
	}
	player = play_below(store, 2 * at);
	other = play_below(store, 2 * at + 1);
	if (other.place < player.place ||
		(other.place == player.place &&
			is_before_at_once(store, other.front, player.front)))
		swap_where(true, &player, &other);
	store->tree[at] = other;
	return player;
}

static void start(struct store_source *store)
{
	size_t i;

	store->nr_fronts = 0;
	store->sequence = 0;
	store->is_started = true;
	for (i = 0; i < store->reader.index.streams.count; i++) {
		struct store_cursor *cursor = &store->cursors[i];
		size_t index = store->nr_fronts;

		cursor->next_block = cursor->stream->first_block;
		store_cursor_leave(cursor);
		if (!cursor->stream->segment)
			continue;
		store->cursor_of[index] = (uint32_t)i;
		store->fronts[index].place = ORDER_FIRST;
		load_front(store, index);
		if (store->status)
			return;
		store->nr_fronts += store->fronts[index].at != NULL;
	}
	if (store->nr_fronts)
		store->tree[0] = play_below(store, 1);
}

/* ---------------------------------------------------------------------- the source */

/*
 * A run in the making. This copy stays in registers, while the compiler must assume that written memory changes
 * anything else.
 */
struct making {
	struct ct_event *to;
	const struct ct_event *end; /* end of the room for events */
	uint64_t sequence;
	bool are_carried;
};

static inline void hand_out(struct making *run, const struct front *front)
{
	__builtin_prefetch(run->to + 16, 1);
	*run->to = *front->at;
	run->to++->sequence = run->sequence++;
}

static inline void move_on(struct store_source *store, struct front *front, size_t index)
{
	if (++front->at == front->end)
		load_front(store, index);
	else
		front->place = order_place(front->place, front->at->time, store->limit);
}

/* Returns whether the winner's event belongs to this run. */
static inline bool may_hand_out(
	const struct store_source *store, const struct front *front, const struct making *run)
{
	return run->to < run->end && front->at && front->is_carried == run->are_carried &&
	       !store->status;
}

/* Hands out events of the winner, at least one, while they are before `bound`. */
static inline void hand_out_winner(struct store_source *store, struct making *run, ct_time bound)
{
	size_t index = store->tree[0].front;
	struct front *front = &store->fronts[index];

	do {
		hand_out(run, front);
		move_on(store, front, index);
	} while (front->place < bound && may_hand_out(store, front, run));
	play(store, (struct node){front->place, index});
}

static inline const struct front *winner(const struct store_source *store)
{
	return &store->fronts[store->tree[0].front];
}

/*
 * With few streams the tournament is played for each event, because it cannot be predicted how long one stream stays
 * ahead.
 */
static inline void merge_few(struct store_source *store, struct making *run)
{
	while (may_hand_out(store, winner(store), run))
		hand_out_winner(store, run, INT64_MIN);
}

static inline void merge_many(struct store_source *store, struct making *run)
{
	ct_time bound = second_place(store);

	while (may_hand_out(store, winner(store), run)) {
		size_t first = store->tree[0].front;

		hand_out_winner(store, run, bound);
		bound = first == store->tree[0].front ? second_place(store) : INT64_MIN;
	}
}

static void merge(struct store_source *store, struct ct_events *events)
{
	struct making run = {
		.to = events->room,
		.end = events->room + events->capacity,
		.sequence = store->sequence,
		.are_carried = winner(store)->is_carried,
	};

	if (store->nr_fronts > 1 && store->nr_fronts <= PLAYED_EACH)
		merge_few(store, &run);
	else
		merge_many(store, &run);
	events->count = (size_t)(run.to - events->room);
	events->are_carried = run.are_carried;
	store->sequence = run.sequence;
}

static enum ct_status end(struct store_source *store)
{
	enum ct_status status = store_reader_tell_senseless(&store->reader, &store->error);

	return status ? status : CT_END;
}

static enum ct_status store_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct store_source *store = (struct store_source *)source;

	if (!store->is_started)
		start(store);
	if (store->nr_fronts)
		merge(store, events);
	if (events->count)
		return CT_OK;
	if (store->status == CT_OK)
		store->status = end(store);
	if (store->status < 0 && reterr)
		*reterr = store->error;
	return store->status;
}

static enum ct_status store_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct store_source *store = (struct store_source *)source;

	(void)reterr;
	store->is_started = false;
	store->status = CT_OK;
	return CT_OK;
}

static void store_close(struct ct_source *source)
{
	struct store_source *store = (struct store_source *)source;
	size_t i;

	for (i = 0; store->cursors && i < store->reader.index.streams.count; i++)
		store_cursor_leave(&store->cursors[i]);
	free(store->cursors);
	free(store->cursor_of);
	free(store->fronts);
	free(store->tree);
	store_reader_close(&store->reader);
	free(store);
}

static const struct ct_source_ops store_source_ops = {
	.next = store_next,
	.reset = store_reset,
	.close = store_close,
};

static enum ct_status make_cursors(struct store_source *store, struct ct_error *reterr)
{
	size_t count = store->reader.index.streams.count, i;

	store->cursors = calloc(count + 1, sizeof(*store->cursors));
	store->cursor_of = calloc(count + 1, sizeof(*store->cursor_of));
	store->fronts = calloc(count + 1, sizeof(*store->fronts));
	store->tree = calloc(count + 1, sizeof(*store->tree));
	if (!store->cursors || !store->cursor_of || !store->fronts || !store->tree)
		return ct_fail_memory(reterr);
	for (i = 0; i < count; i++) {
		store->cursors[i].stream = &store->reader.index.streams.at[i];
		store->cursors[i].segment =
			&store->reader.all.segments.at[store->reader.index.streams.at[i].segment];
	}
	return CT_OK;
}

static enum ct_status open_source(
	struct store_source *store, uint64_t last_bytes, struct ct_error *reterr)
{
	const struct store_scan_wish wish = {.last_bytes = last_bytes};
	enum ct_status status = store_reader_scan(&store->reader, &wish, reterr);

	if (status == CT_OK)
		status = make_cursors(store, reterr);
	store->limit = order_limit(&store->reader.all.tables);
	return status;
}

enum ct_status store_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	return store_source_open_last(input, 0, ret_source, reterr);
}

enum ct_status store_source_open_last(struct input *input, uint64_t last_bytes,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct store_source *store = calloc(1, sizeof(*store));
	enum ct_status status;

	if (!store) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	store->source.ops = &store_source_ops;
	store->source.tables = &store->reader.all.tables;
	store->reader.input = input;
	status = open_source(store, last_bytes, reterr);
	if (status) {
		input_fail(input, status, reterr);
		store_close(&store->source);
		return status;
	}
	*ret_source = &store->source;
	return CT_OK;
}

bool store_is_ours(const void *first_bytes, size_t nr_bytes)
{
	return nr_bytes >= 4 && memcmp(first_bytes, STORE_MAGIC, 4) == 0;
}
