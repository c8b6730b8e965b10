/* SPDX-License-Identifier: MIT */
/*
 * Merges the threads of a generation. The cursor with the earliest event has the turn; a waiting cursor is parked, and
 * returns when the thing that it waits for changes.
 */
#include "gotrace/ordering.h"

#define SHORT_UNITS (UINT64_C(1) << 32)

/* -------------------------------------------------------------------- turns */

/* The heap has room for every cursor. */
static void add_turn(struct gotrace_order *order, uint32_t cursor)
{
	struct gotrace_turn turn = {order->cursors.at[cursor].time, cursor};

	order->turns.at[order->turns.count] = turn;
	gotrace_turns_raise(order->turns.at, ++order->turns.count);
}

static void remove_first(struct gotrace_order *order)
{
	order->turns.count = gotrace_turns_remove(order->turns.at, order->turns.count);
}

/* ------------------------------------------------------------------ cursors */

static void enter_run(struct gotrace_order *order, struct gotrace_cursor *cursor, uint32_t index)
{
	const struct gotrace_run *run = &order->generation->runs.at[index];

	cursor->run = index;
	cursor->bytes = (struct gotrace_bytes){run->at, run->at + run->nr_bytes, false};
	cursor->time = gotrace_ns(run->time, order->generation->ns_per_unit);
}

/* Short times need no floating point, which would give the same result. */
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

/* Decodes the cursor's next event. False: there is none, or `has_failed` is set. */
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

static void add_woken(struct gotrace_order *order)
{
	while (order->woken) {
		uint32_t index = order->woken;

		order->woken = order->cursors.at[index].next_parked;
		add_turn(order, index);
	}
}

/* Parks the cursor that has the turn. */
static void park_first(struct gotrace_order *order)
{
	if (!gotrace_order_park(order, order->turns.at[0].cursor))
		gotrace_order_fail_memory(order);
	remove_first(order);
	add_woken(order);
}

/* ------------------------------------------------------------------ samples */

/* Is the sample earlier than all events still to come? */
static bool is_samples_turn(struct gotrace_order *order, const struct gotrace_sample *sample)
{
	int64_t time = (int64_t)sample->time;

	if (order->turns.count && time >= order->turns.at[0].time)
		return false;
	return !order->nr_parked || gotrace_order_is_before_parked(order, time);
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
	const struct gotrace_cursor *cursor = NULL;
	uint32_t i;

	for (i = 1; i < order->cursors.count; i++) {
		if (order->cursors.at[i].is_parked &&
			(!cursor || order->cursors.at[i].time < cursor->time))
			cursor = &order->cursors.at[i];
	}
	gotrace_order_fail(
		order, cursor, "no event can come next: this one waits for what never happens");
}

static gotrace_rule *const rules[256] = {
#define X(name, number, since, text, rule, nr_arguments, arguments) [number] = gotrace_order_##rule,
#include "gotrace/wire.def"
#undef X
};

/* A batch of no thread must not leave a goroutine or processor bound to thread 0. */
static inline void forget_no_thread(struct gotrace_order *order)
{
	struct gotrace_thread *none = &order->states.threads.at[0];

	none->goroutine = GOTRACE_NONE;
	none->proc = 0;
}

/* Most often the thread that had the turn has the next one, too. */
static inline bool remains_first(const struct gotrace_order *order, int64_t time)
{
	const struct gotrace_turn *turns = order->turns.at;

	return order->turns.count > 2 && turns[1].time >= time && turns[2].time >= time;
}

/* The event has come: moves on to the next event of its thread. */
static inline void go_on(struct gotrace_order *order, struct gotrace_cursor *cursor)
{
	order->has_come = true;
	cursor->was_woken = cursor->is_listed = false;
	if (!cursor->thread)
		forget_no_thread(order);
	if (decode(order, cursor)) {
		order->turns.at[0].time = cursor->time;
		if (!remains_first(order, cursor->time))
			gotrace_turns_lower(order->turns.at, order->turns.count);
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
	else
		park_first(order);
}

/* False: the generation has no further event. */
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
		if (!gotrace_order_wake_all(order)) {
			fail_stuck(order);
			return true;
		}
		add_woken(order);
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
	order->cursors.count = order->turns.count = order->parked_times.count = 0;
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
	vec_fini(&order->parked_times);
	map_fini(&order->parked);
}
