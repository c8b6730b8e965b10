/* SPDX-License-Identifier: MIT */
/*
 * Merging the threads of a generation. The turn belongs to the cursor with the earliest event; what waits is parked,
 * and comes back when what it waits for changes.
 *
 * The heap is Go's own, comparison by comparison, so that events of one time come in the same order as there.
 */
#include "gotrace/ordering.h"

#define SHORT_UNITS (UINT64_C(1) << 32)

/* -------------------------------------------------------------------- turns */

static void swap_turns(struct gotrace_order *order, size_t i, size_t j)
{
	struct gotrace_turn turn = order->turns.at[i];

	order->turns.at[i] = order->turns.at[j];
	order->turns.at[j] = turn;
}

static void raise_turn(struct gotrace_order *order, size_t i)
{
	while (i && order->turns.at[(i - 1) / 2].time > order->turns.at[i].time) {
		swap_turns(order, i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static inline void lower_first(struct gotrace_order *order)
{
	struct gotrace_turn *turns = order->turns.at, turn = turns[0];
	size_t i = 0, count = order->turns.count;

	for (;;) {
		size_t child = 2 * i + 1, least = i;
		int64_t time = turn.time;

		if (child < count && turns[child].time < time) {
			least = child;
			time = turns[child].time;
		}
		if (child + 1 < count && turns[child + 1].time < time)
			least = child + 1;
		if (least == i)
			break;
		turns[i] = turns[least];
		i = least;
	}
	turns[i] = turn;
}

/* There is room for each cursor. */
static void add_turn(struct gotrace_order *order, uint32_t cursor)
{
	struct gotrace_turn turn = {order->cursors.at[cursor].time, cursor};

	order->turns.at[order->turns.count] = turn;
	raise_turn(order, order->turns.count++);
}

static void remove_first(struct gotrace_order *order)
{
	order->turns.at[0] = order->turns.at[--order->turns.count];
	if (order->turns.count)
		lower_first(order);
}

/* ------------------------------------------------------------------ cursors */

static void enter_run(struct gotrace_order *order, struct gotrace_cursor *cursor, uint32_t index)
{
	const struct gotrace_run *run = &order->generation->runs.at[index];

	cursor->run = index;
	cursor->bytes = (struct gotrace_bytes){run->at, run->at + run->nr_bytes, false};
	cursor->time = gotrace_ns(run->time, order->generation->ns_per_unit);
}

/* Short times need no floating point, which would give the same. */
static inline int64_t add_time(
	int64_t time, uint64_t units, const struct gotrace_generation *generation)
{
	int64_t sum, ns;

	if (units < SHORT_UNITS && generation->whole_ns_per_unit)
		ns = (int64_t)(units * generation->whole_ns_per_unit);
	else
		ns = gotrace_ns(units, generation->ns_per_unit);
	return __builtin_add_overflow(time, ns, &sum) ? INT64_MAX : sum;
}

/* The cursor's next event. False: it has none any more, or `has_failed`. */
static inline bool decode(struct gotrace_order *order, struct gotrace_cursor *cursor)
{
	unsigned nr_numbers, i;
	const uint8_t *at;
	uint64_t units;

	while (cursor->bytes.at >= cursor->bytes.end) {
		uint32_t next = order->generation->runs.at[cursor->run].next;

		if (!next)
			return false;
		enter_run(order, cursor, next);
	}
	at = cursor->bytes.at;
	cursor->type = *at++;
	nr_numbers = gotrace_type_numbers[cursor->type];
	if (!nr_numbers) {
		gotrace_order_fail(order, cursor, "there is no event of type %u", cursor->type);
		return false;
	}
	at = gotrace_number_at(at, &units, &cursor->bytes.is_broken);
	cursor->time = add_time(cursor->time, units, order->generation);
	for (i = 1; i < nr_numbers; i++)
		at = gotrace_number_at(at, &cursor->arguments[i - 1], &cursor->bytes.is_broken);
	cursor->bytes.at = at;
	if (!gotrace_bytes_were_whole(&cursor->bytes)) {
		gotrace_order_fail(order, cursor, "the event goes beyond its batch");
		return false;
	}
	return true;
}

/* ------------------------------------------------------------------ parking */

static uint64_t parking_of(enum gotrace_cause cause, uint64_t id, uint64_t count)
{
	return (id * UINT64_C(0x9e3779b97f4a7c15) + count) * UINT64_C(0xc2b2ae3d27d4eb4f) + cause;
}

enum gotrace_verdict gotrace_order_wait(
	struct gotrace_order *order, enum gotrace_cause cause, uint64_t id, uint64_t count)
{
	order->waits_under = parking_of(cause, id, count);
	return GOTRACE_WAITS;
}

/* The one whose turn it is, which waits. */
static bool park(struct gotrace_order *order)
{
	uint32_t index = order->turns.at[0].cursor;
	struct gotrace_cursor *cursor = &order->cursors.at[index];
	uint32_t first = 0;

	cursor->parked_under = order->waits_under;
	map_get(&order->parked, cursor->parked_under, &first);
	cursor->next_parked = first;
	cursor->is_parked = true;
	if (!map_put(&order->parked, cursor->parked_under, index))
		return false;
	if (!order->nr_parked++ ||
		(order->least_parked && cursor->time < order->cursors.at[order->least_parked].time))
		order->least_parked = index;
	remove_first(order);
	return true;
}

void gotrace_order_ask_again(
	struct gotrace_order *order, enum gotrace_cause cause, uint64_t id, uint64_t count)
{
	uint64_t parking = parking_of(cause, id, count);
	uint32_t index, next;

	if (!map_get(&order->parked, parking, &index))
		return;
	map_remove(&order->parked, parking);
	for (; index; index = next) {
		next = order->cursors.at[index].next_parked;
		order->cursors.at[index].next_parked = order->woken;
		order->cursors.at[index].is_parked = false;
		order->woken = index;
		order->nr_parked--;
		if (index == order->least_parked)
			order->least_parked = 0;
	}
}

static void add_woken(struct gotrace_order *order)
{
	while (order->woken) {
		uint32_t index = order->woken;

		order->woken = order->cursors.at[index].next_parked;
		add_turn(order, index);
	}
}

/* Nothing else is left: each is asked once more, and one of them has to come. False: none did the last time. */
static bool wake_all(struct gotrace_order *order)
{
	uint32_t i;

	if (!order->has_come)
		return false;
	order->has_come = false;
	for (i = 1; i < order->cursors.count; i++) {
		if (!order->cursors.at[i].is_parked)
			continue;
		order->cursors.at[i].is_parked = false;
		add_turn(order, i);
	}
	order->nr_parked = order->least_parked = 0;
	map_fini(&order->parked);
	return true;
}

static void find_least_parked(struct gotrace_order *order)
{
	const struct gotrace_cursor *cursors = order->cursors.at;
	uint32_t i;

	for (i = 1; i < order->cursors.count; i++) {
		if (cursors[i].is_parked &&
			(!order->least_parked ||
				cursors[i].time < cursors[order->least_parked].time))
			order->least_parked = i;
	}
}

/* ------------------------------------------------------------------ samples */

/* Does a sample come before all events that have not come yet? */
static bool is_samples_turn(struct gotrace_order *order, const struct gotrace_sample *sample)
{
	int64_t time = (int64_t)sample->time;

	if (order->turns.count && time >= order->turns.at[0].time)
		return false;
	if (order->nr_parked && !order->least_parked)
		find_least_parked(order);
	return !order->nr_parked || time < order->cursors.at[order->least_parked].time;
}

static void emit_sample(struct gotrace_order *order, const struct gotrace_sample *sample)
{
	struct gotrace_event *event = &order->out[order->nr_out++];

	*event = (struct gotrace_event){
		.raw_time = (int64_t)sample->time,
		.thread = sample->thread,
		.proc = sample->proc,
		.goroutine = sample->goroutine,
		.kind = GOTRACE_KIND_SAMPLE,
	};
	event->time = gotrace_order_raise(order, event->raw_time);
	if (gotrace_tables_find(&order->generation->tables.stack_ids, sample->stack, &event->stack))
		return;
	order->has_failed = true;
	order->nr_out--;
	ct_fail(&order->failure, CT_ERR_CORRUPT,
		"generation %llu: a sample of the processor names stack %llu, which is not there",
		(unsigned long long)order->generation->number, (unsigned long long)sample->stack);
}

/* --------------------------------------------------------------------- steps */

static void fail_stuck(struct gotrace_order *order)
{
	const struct gotrace_cursor *cursor;

	order->least_parked = 0;
	find_least_parked(order);
	cursor = &order->cursors.at[order->least_parked];
	gotrace_order_fail(
		order, cursor, "no event can come next: this one waits for what never happens");
}

static gotrace_rule *const rules[256] = {
#define X(name, number, since, text, rule, nr_arguments, arguments) [number] = gotrace_order_##rule,
#include "gotrace/wire.def"
#undef X
};

/* What an event says of bindings is of no thread, where its batch is of none. */
static inline void forget_no_thread(struct gotrace_order *order)
{
	struct gotrace_thread *none = &order->states.threads.at[0];

	none->goroutine = GOTRACE_NONE;
	none->proc = 0;
}

/* Most often the thread that had its turn has the next one, too. */
static inline bool remains_first(const struct gotrace_order *order, int64_t time)
{
	const struct gotrace_turn *turns = order->turns.at;

	return order->turns.count > 2 && turns[1].time >= time && turns[2].time >= time;
}

/* The event came: on to the next one of its thread. */
static inline void go_on(struct gotrace_order *order, struct gotrace_cursor *cursor)
{
	order->has_come = true;
	if (!cursor->thread)
		forget_no_thread(order);
	if (decode(order, cursor)) {
		order->turns.at[0].time = cursor->time;
		if (!remains_first(order, cursor->time))
			lower_first(order);
	} else {
		remove_first(order);
	}
	if (order->woken)
		add_woken(order);
}

static void ask_first(struct gotrace_order *order)
{
	struct gotrace_cursor *cursor = &order->cursors.at[order->turns.at[0].cursor];
	size_t nr_before = order->nr_out;
	enum gotrace_verdict verdict;

	gotrace_order_thread(order, cursor)->was_seen = true;
	verdict = rules[cursor->type](order, cursor);
	if (order->has_failed)
		order->nr_out = nr_before;
	else if (verdict == GOTRACE_COMES)
		go_on(order, cursor);
	else if (!park(order))
		gotrace_order_fail_memory(order);
}

/* False: the generation has nothing more. */
static inline bool step(struct gotrace_order *order)
{
	const struct gotrace_tables *tables = &order->generation->tables;

	if (order->next_sample < tables->samples.count &&
		is_samples_turn(order, &tables->samples.at[order->next_sample])) {
		emit_sample(order, &tables->samples.at[order->next_sample++]);
		return true;
	}
	if (!order->turns.count) {
		if (!order->nr_parked)
			return false;
		if (!wake_all(order)) {
			fail_stuck(order);
			return true;
		}
	}
	ask_first(order);
	return true;
}

enum ct_status gotrace_order_next(struct gotrace_order *order, struct gotrace_event *room,
	size_t capacity, size_t *ret_count, struct ct_error *reterr)
{
	order->out = room;
	order->nr_out = 0;
	while (!order->has_failed && order->nr_out + GOTRACE_OUT_MAX <= capacity) {
		if (!step(order))
			break;
	}
	*ret_count = order->nr_out;
	if (order->nr_out)
		return CT_OK;
	if (!order->has_failed)
		return CT_END;
	if (reterr)
		*reterr = order->failure;
	return order->failure.status;
}

/* -------------------------------------------------------------- generations */

static bool add_cursor(struct gotrace_order *order, const struct gotrace_thread_runs *runs)
{
	struct gotrace_cursor cursor = {0};

	if (runs->thread != GOTRACE_NONE) {
		cursor.thread = gotrace_states_thread(&order->states, runs->thread);
		if (!cursor.thread)
			return false;
	}
	enter_run(order, &cursor, runs->first);
	if (!vec_push(&order->cursors, cursor))
		return false;
	if (decode(order, &order->cursors.at[order->cursors.count - 1]))
		add_turn(order, (uint32_t)order->cursors.count - 1);
	return true;
}

enum ct_status gotrace_order_begin(
	struct gotrace_order *order, struct gotrace_generation *generation, struct ct_error *reterr)
{
	size_t i;

	order->generation = generation;
	order->nr_generations++;
	order->cursors.count = order->turns.count = 0;
	order->next_sample = 0;
	order->has_come = true;
	if (!vec_push(&order->cursors, (struct gotrace_cursor){0}) ||
		!vec_reserve(&order->turns, generation->threads.count))
		return ct_fail_memory(reterr);
	for (i = 0; i < generation->threads.count && !order->has_failed; i++) {
		if (!add_cursor(order, &generation->threads.at[i]))
			return ct_fail_memory(reterr);
	}
	return CT_OK;
}

bool gotrace_order_init(struct gotrace_order *order)
{
	*order = (struct gotrace_order){0};
	return gotrace_texts_init(&order->names) && gotrace_states_init(&order->states);
}

void gotrace_order_fini(struct gotrace_order *order)
{
	gotrace_texts_fini(&order->names);
	gotrace_states_fini(&order->states);
	vec_fini(&order->cursors);
	vec_fini(&order->turns);
	map_fini(&order->parked);
}
