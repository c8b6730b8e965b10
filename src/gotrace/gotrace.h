/* SPDX-License-Identifier: MIT */
/*
 * Execution traces of Go, as a stream of events in an order that can have happened.
 *
 * The order is not that of time-stamps: each thread's events stay in the order in which it wrote them, and events of
 * several threads follow the numbers that goroutines and processors count. Times are raised where they contradict it,
 * by a nanosecond each, so that they always increase. The words are Go's: a goroutine runs on a processor (P), which a
 * thread (M) holds.
 */
#ifndef GOTRACE_GOTRACE_H
#define GOTRACE_GOTRACE_H

#include "base/input.h"
#include "gotrace/generation.h"

enum gotrace_kind {
	GOTRACE_KIND_SYNC = 1,  /* a generation begins, or the trace ends: all states are as told */
	GOTRACE_KIND_GOROUTINE, /* `resource` goes from a state to another, or is said to be in it */
	GOTRACE_KIND_PROC,      /* likewise a processor */
	GOTRACE_KIND_RANGE_BEGIN,
	GOTRACE_KIND_RANGE_ACTIVE, /* it began before */
	GOTRACE_KIND_RANGE_END,
	GOTRACE_KIND_METRIC,
	GOTRACE_KIND_LABEL, /* of the goroutine that runs */
	GOTRACE_KIND_TASK_BEGIN,
	GOTRACE_KIND_TASK_END,
	GOTRACE_KIND_REGION_BEGIN,
	GOTRACE_KIND_REGION_END,
	GOTRACE_KIND_LOG,
	GOTRACE_KIND_SAMPLE, /* of the processor's time: its context is what the profiler saw */
	GOTRACE_KIND_EXPERIMENTAL,
};

enum gotrace_state {
	GOTRACE_STATE_UNDETERMINED, /* before the trace: the state that follows was there from its beginning */
	GOTRACE_STATE_NOT_EXIST,
	GOTRACE_STATE_RUNNABLE,
	GOTRACE_STATE_RUNNING, /* goroutines, and processors */
	GOTRACE_STATE_WAITING,
	GOTRACE_STATE_SYSCALL,
	GOTRACE_STATE_IDLE, /* processors */
};

/* What a range, or a metric, is of. */
enum gotrace_subject {
	GOTRACE_SUBJECT_NONE,
	GOTRACE_GC_MARK,     /* of the program */
	GOTRACE_GC_SWEEP,    /* of the processor `resource`; ends with bytes swept and reclaimed */
	GOTRACE_MARK_ASSIST, /* of the goroutine `resource` */
	GOTRACE_STOPPED_WORLD, /* by the goroutine `resource`; `name` says what for */
	GOTRACE_NR_PROCS,
	GOTRACE_HEAP_BYTES,
	GOTRACE_HEAP_GOAL_BYTES,
};

#define GOTRACE_IS_SYNTHETIC \
	1u /* made by the reader, to say in several events what the runtime says in one */

struct gotrace_event {
	int64_t time;     /* nanoseconds; increases from event to event */
	int64_t raw_time; /* as it was written */
	uint64_t thread;  /* the context before the event, each GOTRACE_NONE where there is none */
	uint64_t proc;
	uint64_t goroutine;
	uint64_t resource; /* the goroutine, processor or task that is spoken of */
	/* of a metric its value, of a range's end two of them, of a task its parent, of a region or log the task */
	uint64_t values[2];
	uint32_t
		name; /* why it waits or stops, what it is called, a log's category: gotrace_reader_name */
	uint32_t message; /* of a log: index of a string in this generation */
	uint32_t
		stack; /* of the context; of a restated goroutine, its own. Index in this generation; 0: none */
	uint32_t resource_stack; /* of what is spoken of; of a new goroutine, where it begins */
	uint8_t kind;            /* enum gotrace_kind */
	uint8_t type;            /* enum gotrace_type, 0 for samples and syncs */
	uint8_t from;            /* enum gotrace_state */
	uint8_t to;
	uint8_t subject; /* enum gotrace_subject */
	uint8_t flags;
};

struct gotrace_reader;

/* gotrace_is_ours: does a file that begins so claim to be a trace of Go, of whatever format? */
bool gotrace_is_ours(const void *first_bytes, size_t nr_bytes);

/*
 * gotrace_reader_open: reads the header. The input stays the caller's, who closes it behind the reader. CT_ERR_FORMAT
 * as gotrace_header_read says.
 */
enum ct_status gotrace_reader_open(
	const struct input *input, struct gotrace_reader **ret_reader, struct ct_error *reterr);

/* gotrace_reader_close: NULL is allowed. */
void gotrace_reader_close(struct gotrace_reader *reader);

/* gotrace_reader_set_growing: whether the end of the file may move on. Files do not grow, unless this says so. */
void gotrace_reader_set_growing(struct gotrace_reader *reader, bool is_growing);

/*
 * gotrace_reader_set_part: reads generations from an offset to another one only, as if the file had no others. Before
 * the first events.
 */
void gotrace_reader_set_part(struct gotrace_reader *reader, uint64_t offset, uint64_t end);

#define GOTRACE_ROOM_MIN 8u

/*
 * gotrace_reader_next: events into a room of GOTRACE_ROOM_MIN or more, all of one generation. CT_OK: one at least;
 * CT_END behind the last; CT_AGAIN, of a file that grows, where no generation is whole. A failure comes behind the
 * events that are sound, and again at each further call: CT_ERR_CORRUPT says in a sentence which batch, or which event
 * at which time, cannot be.
 */
enum ct_status gotrace_reader_next(struct gotrace_reader *reader, struct gotrace_event *room,
	size_t capacity, size_t *ret_count, struct ct_error *reterr);

/* gotrace_reader_format: of the file, such as 26. */
unsigned gotrace_reader_format(const struct gotrace_reader *reader);

/* gotrace_reader_generation: the one that the last events came from; until the next call of gotrace_reader_next. */
const struct gotrace_generation *gotrace_reader_generation(const struct gotrace_reader *reader);

/* gotrace_reader_name: the text of a name, ended by a zero byte, as long as the reader is open. 0 is the empty one. */
const char *gotrace_reader_name(
	const struct gotrace_reader *reader, uint32_t name, size_t *ret_nr_bytes);

/* gotrace_reader_offset: where in the file the first byte stands that no event handed out came from. */
uint64_t gotrace_reader_offset(const struct gotrace_reader *reader);

#endif
