/* SPDX-License-Identifier: MIT */
/*
 * The order of events: one cursor for each thread of a generation, and rules that decide whether the event at a cursor
 * may come next.
 *
 * A rule answers that the event comes now, that it waits, or that it is impossible. A waiting event is parked, together
 * with its thread, under the thing that it waits for, until that thing changes. So the cost of an event that comes too
 * early does not grow with the number of such events. A rule that lets its event wait has changed nothing.
 */
#ifndef GOTRACE_ORDERING_H
#define GOTRACE_ORDERING_H

#include "gotrace/gotrace.h"
#include "gotrace/texts.h"
#include "gotrace/state.h"
#include "gotrace/turns.h"

enum gotrace_verdict { GOTRACE_COMES, GOTRACE_WAITS, GOTRACE_FAILS };

/* The most events that one event of the file can become: those of a switch between coroutines. */
#define GOTRACE_OUT_MAX 3u

struct gotrace_cursor {
	struct gotrace_bytes bytes;
	int64_t time; /* the time of the event, nanoseconds */
	uint64_t arguments[GOTRACE_ARGUMENTS_MAX];
	uint64_t parked_under;
	uint32_t thread; /* index in the states */
	uint32_t run;    /* index in the generation's runs */
	/* the next cursor that waits for the same thing, or that was woken with this one */
	uint32_t next_parked;
	uint32_t later_parked; /* the first of the cursors below this one in the heap */
	uint8_t type;
	bool is_parked;
	bool was_woken; /* its wait is over, and its rule was not asked again yet */
	bool is_listed; /* its time is in `parked_times` */
};

enum gotrace_gc { GOTRACE_GC_UNKNOWN, GOTRACE_GC_OFF, GOTRACE_GC_ON };

struct gotrace_order {
	struct gotrace_states states;
	struct gotrace_texts names;
	struct gotrace_generation *generation; /* the loader's */
	uint32_t nr_generations;               /* 1 during the first one */
	uint64_t gc_count;
	enum gotrace_gc gc;

	/* Cursors begin at index 1. `turns` is a heap. Parked cursors hang under the thing that they wait for. */
	VEC(struct gotrace_cursor) cursors;
	VEC(struct gotrace_turn) turns;
	struct map parked; /* for each thing waited for, the earliest cursor that waits */
	/* A heap of the times of parked cursors, with outdated entries in it; kept as long as samples are to come. */
	VEC(struct gotrace_turn) parked_times;
	uint32_t nr_parked;
	uint64_t waits_under; /* set by the rule that was asked last */
	/* the first of the cursors that were parked and have their turn again */
	uint32_t woken;
	bool has_come; /* an event has come since all parked cursors were last asked again */
	size_t next_sample;

	struct gotrace_event *out; /* the caller's room */
	size_t nr_out;
	int64_t last_time; /* the time of the last event that was handed out */
	bool has_failed;
	struct ct_error failure;
};

/* gotrace_order_init: false if memory is out. */
bool gotrace_order_init(struct gotrace_order *order);
void gotrace_order_fini(struct gotrace_order *order);

/*
 * gotrace_order_begin: begins the next generation. The caller keeps the generation until its last event was handed out.
 */
enum ct_status gotrace_order_begin(struct gotrace_order *order,
	struct gotrace_generation *generation, struct ct_error *reterr);

/* gotrace_order_next: like gotrace_reader_next, but CT_END means that the generation has no further event. */
enum ct_status gotrace_order_next(struct gotrace_order *order, struct gotrace_event *room,
	size_t capacity, size_t *ret_count, struct ct_error *reterr);

/* gotrace_order_raise: the time at which an event written at `time` is handed out. */
static inline int64_t gotrace_order_raise(struct gotrace_order *order, int64_t time)
{
	if (time <= order->last_time)
		time = order->last_time < INT64_MAX ? order->last_time + 1 : INT64_MAX;
	order->last_time = time;
	return time;
}

/* ------------------------------------------------------------ for rules */

typedef enum gotrace_verdict gotrace_rule(
	struct gotrace_order *order, const struct gotrace_cursor *cursor);

#define X(name, number, since, text, rule, nr_arguments, arguments) \
	gotrace_rule gotrace_order_##rule;
#include "gotrace/wire.def"
#undef X

/* What an event waits for: a goroutine or processor, given by id and count, gets into a state, or a thread changes. */
enum gotrace_cause {
	GOTRACE_FOR_NOTHING,
	GOTRACE_FOR_READY,   /* a goroutine is ready */
	GOTRACE_FOR_WAITING, /* a goroutine is waiting */
	GOTRACE_FOR_IDLE,    /* a processor is idle */
	/* a processor's thread is in a system call, so the processor may be taken away */
	GOTRACE_FOR_TAKEABLE,
	GOTRACE_FOR_THREAD, /* a thread gives up the other processor that it has */
	GOTRACE_FOR_GC,
};

/*
 * gotrace_order_wait: notes that the event waits until the thing with this id reaches this count. Returns
 * GOTRACE_WAITS.
 */
enum gotrace_verdict gotrace_order_wait(
	struct gotrace_order *order, enum gotrace_cause cause, uint64_t id, uint64_t count);

/*
 * gotrace_order_ask_again: the earliest cursor that waits for this is asked again. Once its event has come, no other
 * event can come by this count.
 */
void gotrace_order_ask_again(
	struct gotrace_order *order, enum gotrace_cause cause, uint64_t id, uint64_t count);

/* gotrace_order_park: parks the cursor under the thing that its rule named. False: out of memory. */
bool gotrace_order_park(struct gotrace_order *order, uint32_t cursor);

/* gotrace_order_wake_all: makes all parked cursors `woken`. False: no event has come since the last such call. */
bool gotrace_order_wake_all(struct gotrace_order *order);

/* gotrace_order_is_before_parked: is the time earlier than the events of all parked cursors? For samples only. */
bool gotrace_order_is_before_parked(struct gotrace_order *order, int64_t time);

/*
 * gotrace_order_fail: records that the event is impossible; the reason follows "batch ..., event, time: " in the
 * sentence. Returns GOTRACE_FAILS.
 */
enum gotrace_verdict gotrace_order_fail(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, const char *format, ...)
	__attribute__((format(printf, 3, 4), cold));
enum gotrace_verdict gotrace_order_fail_memory(struct gotrace_order *order) __attribute__((cold));

/* What an event needs in its context, besides a thread. */
enum gotrace_need { GOTRACE_ANY, GOTRACE_SOME, GOTRACE_WITHOUT };

static inline struct gotrace_thread *gotrace_order_thread(
	const struct gotrace_order *order, const struct gotrace_cursor *cursor)
{
	return &order->states.threads.at[cursor->thread];
}

/* gotrace_order_lacks_context: records the failure of gotrace_order_has_context. */
void gotrace_order_lacks_context(struct gotrace_order *order, const struct gotrace_cursor *cursor)
	__attribute__((cold));

static inline bool gotrace_is_as_needed(enum gotrace_need need, bool is_there)
{
	return need == GOTRACE_ANY || (need == GOTRACE_SOME) == is_there;
}

/* gotrace_order_has_context: false if the event's context lacks what the event needs; the failure is recorded then. */
static inline bool gotrace_order_has_context(struct gotrace_order *order,
	const struct gotrace_cursor *cursor, enum gotrace_need proc, enum gotrace_need goroutine)
{
	const struct gotrace_thread *thread = gotrace_order_thread(order, cursor);

	if (cursor->thread && gotrace_is_as_needed(proc, thread->proc) &&
		gotrace_is_as_needed(goroutine, thread->goroutine != GOTRACE_NONE))
		return true;
	gotrace_order_lacks_context(order, cursor);
	return false;
}

/*
 * gotrace_order_emit: returns the next event of the room, with the cursor's context and time; the rule fills in the
 * rest.
 */
static inline struct gotrace_event *gotrace_order_emit(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, enum gotrace_kind kind)
{
	struct gotrace_event *event = &order->out[order->nr_out++];
	const struct gotrace_thread *thread = gotrace_order_thread(order, cursor);

	/* Assign member by member: assigning the whole struct would write the memory twice. */
	event->time = gotrace_order_raise(order, cursor->time);
	event->raw_time = cursor->time;
	event->thread = thread->id;
	event->proc = order->states.procs.at[thread->proc].id;
	event->goroutine = thread->goroutine;
	event->resource = GOTRACE_NONE;
	event->values[0] = event->values[1] = 0;
	event->name = event->message = event->stack = event->resource_stack = 0;
	event->kind = (uint8_t)kind;
	event->type = cursor->type;
	event->from = event->to = event->subject = 0;
	return event;
}

/* gotrace_order_lacks: records the failure that the generation has no such stack or string. */
void gotrace_order_lacks(struct gotrace_order *order, const struct gotrace_cursor *cursor,
	const char *what, uint64_t id) __attribute__((cold));

/*
 * gotrace_order_stack, _string: the index of an id. gotrace_order_name: the name of a string. If the generation has
 * none, the result is 0 and the failure is recorded.
 */
static inline uint32_t gotrace_order_stack(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, uint64_t id)
{
	uint32_t index;

	if (!gotrace_tables_find(&order->generation->tables.stack_ids, id, &index))
		gotrace_order_lacks(order, cursor, "stack", id);
	return index;
}

static inline uint32_t gotrace_order_string(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, uint64_t id)
{
	uint32_t index;

	if (!gotrace_tables_find(&order->generation->tables.string_ids, id, &index))
		gotrace_order_lacks(order, cursor, "string", id);
	return index;
}

/* gotrace_order_new_name: makes the name of a string that has none yet; the slow path of gotrace_order_name. */
uint32_t gotrace_order_new_name(struct gotrace_order *order, struct gotrace_string *string);

static inline uint32_t gotrace_order_name(
	struct gotrace_order *order, const struct gotrace_cursor *cursor, uint64_t id)
{
	uint32_t index = gotrace_order_string(order, cursor, id);
	struct gotrace_string *string = &order->generation->tables.strings.at[index];

	return string->name ? string->name : gotrace_order_new_name(order, string);
}

/* gotrace_order_ask_for_goroutine: asks again the event that waits for the goroutine's present state and count. */
void gotrace_order_ask_for_goroutine(
	struct gotrace_order *order, const struct gotrace_goroutine *goroutine);

/* gotrace_order_move_*, _count_*: changes a state, or a count, and asks again the event that waited for the change. */
static inline void gotrace_order_move_goroutine(
	struct gotrace_order *order, uint32_t index, uint8_t status)
{
	struct gotrace_goroutine *goroutine = &order->states.goroutines.at[index];

	goroutine->status = status;
	if (order->nr_parked)
		gotrace_order_ask_for_goroutine(order, goroutine);
}

static inline void gotrace_order_count_goroutine(
	struct gotrace_order *order, uint32_t index, uint8_t status, uint64_t count)
{
	order->states.goroutines.at[index].count =
		(struct gotrace_count){order->nr_generations, count};
	gotrace_order_move_goroutine(order, index, status);
}

void gotrace_order_move_proc(struct gotrace_order *order, uint32_t proc, uint8_t status);
void gotrace_order_count_proc(
	struct gotrace_order *order, uint32_t proc, uint8_t status, uint64_t count);

/* gotrace_order_hold: the thread holds this processor from now on; 0: none. */
void gotrace_order_hold(struct gotrace_order *order, uint32_t thread, uint32_t proc);

/* gotrace_order_run: the thread runs this goroutine from now on; 0: none. */
static inline void gotrace_order_run(
	struct gotrace_order *order, uint32_t index, uint32_t goroutine)
{
	struct gotrace_thread *thread = &order->states.threads.at[index];

	thread->at = goroutine;
	thread->goroutine = goroutine ? order->states.goroutines.at[goroutine].id : GOTRACE_NONE;
}

/* gotrace_order_goroutine_state, _proc_state: the enum gotrace_state of a status in the file. */
enum gotrace_state gotrace_order_goroutine_state(uint8_t status);
enum gotrace_state gotrace_order_proc_state(uint8_t status);

#endif
