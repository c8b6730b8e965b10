/* SPDX-License-Identifier: MIT */
/*
 * Execution traces of Go, as a stream of events in a possible order.
 *
 * Events are not ordered by time-stamps alone. The events of each thread stay in the order in which the thread wrote
 * them; events of several threads are ordered by the sequence numbers that goroutines and processors count. If a time
 * contradicts this order, it is raised to one nanosecond after the previous event, so times always increase. The words
 * are Go's: a goroutine runs on a processor (P), and a thread (M) holds the processor.
 */
#ifndef GOTRACE_GOTRACE_H
#define GOTRACE_GOTRACE_H

#include "base/input.h"
#include "gotrace/generation.h"

enum gotrace_kind {
	/* a generation begins, or the trace ends: all states are as reported before */
	GOTRACE_KIND_SYNC = 1,
	GOTRACE_KIND_GOROUTINE, /* `resource` changes from one state to another, or its state is restated */
	GOTRACE_KIND_PROC, /* the same for a processor */
	GOTRACE_KIND_RANGE_BEGIN,
	GOTRACE_KIND_RANGE_ACTIVE, /* the range began before the trace */
	GOTRACE_KIND_RANGE_END,
	GOTRACE_KIND_METRIC,
	GOTRACE_KIND_LABEL, /* a label of the running goroutine */
	GOTRACE_KIND_TASK_BEGIN,
	GOTRACE_KIND_TASK_END,
	GOTRACE_KIND_REGION_BEGIN,
	GOTRACE_KIND_REGION_END,
	GOTRACE_KIND_LOG,
	/* a sample of the CPU profiler; its context is the one that the profiler saw */
	GOTRACE_KIND_SAMPLE,
	GOTRACE_KIND_EXPERIMENTAL,
};

enum gotrace_state {
	GOTRACE_STATE_UNDETERMINED, /* before the trace: the next state has held since the trace began */
	GOTRACE_STATE_NOT_EXIST,
	GOTRACE_STATE_RUNNABLE,
	GOTRACE_STATE_RUNNING, /* a state of goroutines and of processors */
	GOTRACE_STATE_WAITING,
	GOTRACE_STATE_SYSCALL,
	GOTRACE_STATE_IDLE, /* a state of processors */
};

/* The thing that a range or a metric belongs to. */
enum gotrace_subject {
	GOTRACE_SUBJECT_NONE,
	GOTRACE_GC_MARK, /* belongs to the program */
	/* belongs to the processor `resource`; its end has the bytes swept and reclaimed */
	GOTRACE_GC_SWEEP,
	GOTRACE_MARK_ASSIST,   /* belongs to the goroutine `resource` */
	GOTRACE_STOPPED_WORLD, /* the goroutine `resource` stopped the world; `name` says why */
	GOTRACE_NR_PROCS,
	GOTRACE_HEAP_BYTES,
	GOTRACE_HEAP_GOAL_BYTES,
};

struct gotrace_event {
	int64_t time;     /* nanoseconds; larger than the time of the previous event */
	int64_t raw_time; /* the time in the file, in nanoseconds */
	/* the context before the event; each of the three is GOTRACE_NONE if there is none */
	uint64_t thread;
	uint64_t proc;
	uint64_t goroutine;
	uint64_t resource; /* the goroutine, processor or task that the event is about */
	/* A metric's value; the two values of a range's end; a task's parent; the task of a region or a log message. */
	uint64_t values[2];
	/* the reason of a wait or stop, a name, or a log category: a number for gotrace_reader_name */
	uint32_t name;
	uint32_t message; /* the text of a log message: index of a string in this generation */
	/* of the context, or of the restated goroutine: an index in this generation; 0: no stack */
	uint32_t stack;
	uint32_t resource_stack; /* the stack of `resource`; for a new goroutine, where it begins */
	uint8_t kind;            /* enum gotrace_kind */
	uint8_t type;            /* enum gotrace_type, 0 for samples and syncs */
	uint8_t from;            /* enum gotrace_state */
	uint8_t to;
	uint8_t subject; /* enum gotrace_subject */
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

/* gotrace_reader_generation: the one that the last events came from; until the next call of gotrace_reader_next. */
const struct gotrace_generation *gotrace_reader_generation(const struct gotrace_reader *reader);

/* gotrace_reader_name: the text of a name, ended by a zero byte, as long as the reader is open. 0 is the empty one. */
const char *gotrace_reader_name(
	const struct gotrace_reader *reader, uint32_t name, size_t *ret_nr_bytes);

/* gotrace_reader_is_unstopped: did the reading end because the file ends between two batches of a generation? */
bool gotrace_reader_is_unstopped(const struct gotrace_reader *reader);

/* gotrace_reader_offset: where in the file the first byte stands that no event handed out came from. */
uint64_t gotrace_reader_offset(const struct gotrace_reader *reader);

#endif
