/* SPDX-License-Identifier: MIT */
/*
 * The cursor between those that produce events and those that read or keep them.
 *
 * A source hands out events in order, and the tables they refer to. A sink takes raw records as the
 * engine drains them, with definitions of what they refer to; it keeps them in whatever form it
 * likes. Nothing above this layer knows where events come from.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include <string.h>

#include "corotracer/error.h"
#include "corotracer/event.h"

/* ------------------------------------------------------------------ source */

struct ct_source;

/* The older form's words for a suspend or resume, beside its thread and time. */
struct ct_row {
	uint64_t probe_id;
	uint64_t address;
	uint64_t seq;
};

#define SOURCE_ROOM_EVENTS 256u

/*
 * A run of events, in order, which is borrowed until the next one is asked for. A source that has to put events
 * together does so in the room, one that has them lends them from where they lie.
 */
struct ct_events {
	struct ct_event *room;     /* the source's until the next call */
	size_t capacity;           /* of the room: no run is longer */
	const struct ct_event *at; /* the room, unless the source lends */
	size_t count;              /* 1 at least */
	/* that they come from, one for each; NULL: they come from none */
	const struct ct_row *rows;
	bool are_carried; /* they tell how things stood when this part began */
};

struct ct_source_ops {
	/*
	 * next: the next run, in order of time, within a thread in the order it was written; `events` comes empty,
	 * with its room. CT_OK; CT_END when there is no more; a failure, or CT_END, is returned again by each
	 * further call. From a source that grows, CT_AGAIN: no more at present.
	 */
	enum ct_status (*next)(
		struct ct_source *source, struct ct_events *events, struct ct_error *reterr);
	/* reset: start again from the first event. Tables stay as they are. */
	enum ct_status (*reset)(struct ct_source *source, struct ct_error *reterr);
	/* close: frees everything; the source and all that was borrowed from it are gone. */
	void (*close)(struct ct_source *source);
};

/* Events handed out since the first one that were put into another order than that of their time-stamps. */
struct ct_order {
	uint64_t nr_moved;
	int64_t furthest_ns; /* by which a time was raised at most */
};

/*
 * First member of every source. `tables` is complete for file sources as soon as the source is open
 * (they look through their definitions first).
 */
struct ct_source {
	const struct ct_source_ops *ops;
	const struct ct_tables *tables;
	const struct ct_order *order; /* NULL: events come by their time-stamps */
	bool is_ordered;     /* events come in an order that can be, whatever the clocks' reach */
	bool was_damaged;    /* it is a copy of one that is damaged */
	bool goes_on;        /* it is written at present, and more stands behind it soon */
	uint64_t most_bytes; /* that who folds them may keep for its coroutines; 0: any number */
	struct ct_events one_by_one;              /* what source_next hands out */
	size_t nr_handed;                         /* of these */
	struct ct_event room[SOURCE_ROOM_EVENTS]; /* where the reader has no room of its own */
};

/* source_next_run: see `next`. */
static inline enum ct_status source_next_run(
	struct ct_source *source, struct ct_events *ret_events, struct ct_error *reterr)
{
	*ret_events = (struct ct_events){
		.room = source->room, .capacity = SOURCE_ROOM_EVENTS, .at = source->room};
	return source->ops->next(source, ret_events, reterr);
}

/* source_fill: the same, and the run lies in this room, even if the source had it elsewhere. */
static inline enum ct_status source_fill(struct ct_source *source, struct ct_event *room,
	size_t capacity, struct ct_events *ret_events, struct ct_error *reterr)
{
	enum ct_status status;

	*ret_events = (struct ct_events){.room = room, .capacity = capacity, .at = room};
	status = source->ops->next(source, ret_events, reterr);
	if (status == CT_OK && ret_events->at != room) {
		memcpy(room, ret_events->at, ret_events->count * sizeof(*room));
		ret_events->at = room;
	}
	return status;
}

/*
 * source_lend: for a source that has a run already, which may be longer than the room: what of it was not lent yet, as
 * far as one run may go. `nr_lent` counts on.
 */
static inline void source_lend(
	const struct ct_events *run, size_t *nr_lent, struct ct_events *ret_events)
{
	size_t left = run->count - *nr_lent;

	ret_events->at = run->at + *nr_lent;
	ret_events->rows = run->rows ? run->rows + *nr_lent : NULL;
	ret_events->are_carried = run->are_carried;
	ret_events->count = left < ret_events->capacity ? left : ret_events->capacity;
	*nr_lent += ret_events->count;
}

/*
 * source_next: the next event alone, borrowed until the next call; what it returns is what `next` does. Between two
 * resets events are asked for one by one, or by runs.
 */
static inline enum ct_status source_next(
	struct ct_source *source, const struct ct_event **ret_event, struct ct_error *reterr)
{
	enum ct_status status;

	if (source->nr_handed == source->one_by_one.count) {
		source->nr_handed = 0;
		status = source_next_run(source, &source->one_by_one, reterr);
		if (status) {
			source->one_by_one.count = 0;
			return status;
		}
	}
	*ret_event = &source->one_by_one.at[source->nr_handed++];
	return CT_OK;
}

/* source_is_carried: of the event that source_next handed out last. source_row: the row that it came from, or NULL. */
static inline bool source_is_carried(const struct ct_source *source)
{
	return source->one_by_one.are_carried;
}

static inline const struct ct_row *source_row(const struct ct_source *source)
{
	return source->one_by_one.rows ? &source->one_by_one.rows[source->nr_handed - 1] : NULL;
}

static inline enum ct_status source_reset(struct ct_source *source, struct ct_error *reterr)
{
	source->one_by_one.count = source->nr_handed = 0;
	return source->ops->reset(source, reterr);
}

typedef enum ct_status source_function(
	void *context, const struct ct_event *event, struct ct_error *reterr);

/*
 * source_each: calls the function with each event from the first one on, borrowed until it returns. CT_OK after the
 * last one; else a failure of the source, or what the function returned other than CT_OK.
 */
static inline enum ct_status source_each(
	struct ct_source *source, source_function *function, void *context, struct ct_error *reterr)
{
	enum ct_status status = source_reset(source, reterr);
	struct ct_events events;
	size_t i;

	while (status == CT_OK) {
		status = source_next_run(source, &events, reterr);
		for (i = 0; status == CT_OK && i < events.count; i++)
			status = function(context, &events.at[i], reterr);
	}
	return status == CT_END ? CT_OK : status;
}

/* source_close: NULL is allowed. */
static inline void source_close(struct ct_source *source)
{
	if (source)
		source->ops->close(source);
}

/* -------------------------------------------------------------------- sink */

/*
 * Numbers in what follows are given by the producer: process, thread, segment and stream indexes
 * each start at 1 and are defined before they are used. Times are raw: what the segment's clock
 * counts.
 */

/* The run as a whole: the first definition of every trace. */
struct ct_define_run {
	uint8_t run_id[16];
	const char *host;
	const char *command_line; /* of the engine */
	bool has_no_end;          /* made from a form that tells no end of observation */
	uint64_t nr_impossible;   /* events that were left out then: their times cannot be true */
};

struct ct_define_process {
	uint32_t process;
	uint64_t pid;
	uint32_t parent; /* process index; 0: not traced */
	const char *program;
	const char *command_line;
};

/* A segment: its site numbers and coroutine ids are its own. */
struct ct_define_segment {
	uint32_t segment;
	uint32_t process;
	uint32_t role;  /* enum ctp_role */
	uint32_t clock; /* enum ctp_clock */
	uint8_t identity[16];
	uint64_t attached;     /* raw */
	bool has_bare_resumes; /* see struct ct_process */
};

struct ct_define_thread {
	uint32_t thread;
	uint32_t process;
	uint64_t tid;
	const char *name;
};

/* A stream: one ring of one segment. Order within it is as written. */
struct ct_define_stream {
	uint32_t stream;
	uint32_t segment;
};

/* A site: (segment, id) is what records name. Defined again, it gains what was not known before. */
struct ct_define_site {
	uint32_t segment;
	uint32_t id;
	uint32_t kind;
	uint32_t line;
	uint32_t column;
	const char *file;
	const char *function;
	const char *reason;
	const char *module;
	uint64_t address;
	uint64_t module_offset;
	const char *callers; /* see struct ct_site */
	uint32_t form;       /* likewise */
	uint32_t stack;      /* the id of one of the same segment; 0: none */
};

/* A call on a stack (struct ct_stack); sites and callers are those of the same segment. */
struct ct_define_stack {
	uint32_t segment;
	uint32_t id; /* from 1 */
	uint32_t site;
	uint32_t caller; /* smaller than its own id; 0: none */
};

struct ct_define_mapping {
	uint32_t process;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	const char *path;
	const char *build_id;
};

/* One instant on three clocks. Several of them give the counter's frequency. */
struct ct_define_clock {
	uint32_t clock; /* enum ctp_clock: what `raw` counts */
	uint64_t raw;
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	uint64_t uncertainty_ns; /* how long the three readings took */
	uint64_t reach_ns;       /* how far a time-stamp may lie before its event; 0: not known */
};

/* The engine looked at this moment: silence up to here is evidence. */
struct ct_define_heartbeat {
	uint64_t monotonic_ns;
};

struct ct_define_loss {
	uint32_t process;
	uint32_t thread; /* 0: not known */
	uint32_t reason; /* enum ctp_loss */
	uint64_t count;
	uint64_t first_monotonic_ns; /* the interval in which they would have been */
	uint64_t last_monotonic_ns;
	uint64_t coro; /* whose they are; 0: not known, or of several */
};

struct ct_define_ending {
	uint32_t process;
	enum ct_ending ending;
	int value;
	bool was_forwarded; /* the engine passed on the signal that ended it */
	uint64_t monotonic_ns;
};

/* A fault of the recording, or of the input of which the trace was made. */
struct ct_define_note {
	const char *text; /* one sentence */
	uint64_t count;
	uint64_t offset; /* in that input; CT_NO_OFFSET: none */
};

/* The orderly end of the trace: the last definition. Counts are those of the whole recording. */
struct ct_define_end {
	uint64_t monotonic_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	bool is_cut; /* the recording goes on behind this part of it */
};

/*
 * A part of the trace that can be understood alone begins, and ends. A sink that keeps such parts makes
 * these itself; a producer that hands on a part of a recording defines the first GENERATION, before anything else.
 */
struct ct_define_generation {
	uint32_t generation; /* from 1 */
	uint64_t monotonic_ns;
	uint64_t nr_events_before; /* in the recording, not in this part */
	uint64_t nr_lost_before;
	uint64_t nr_carried;   /* records that tell how things stood */
	uint64_t nr_forgotten; /* facts that found no room among them */
};

struct ct_define_generation_end {
	uint32_t generation;
	uint64_t monotonic_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t most_live; /* coroutines that were alive at once within it; 0: not known */
};

/* Why the trace was written, where somebody or something asked for it at a certain moment. */
struct ct_define_reason {
	uint64_t monotonic_ns;
	const char *text;
};

enum ct_define_type {
	CT_DEFINE_RUN = 1,
	CT_DEFINE_PROCESS,
	CT_DEFINE_SEGMENT,
	CT_DEFINE_THREAD,
	CT_DEFINE_STREAM,
	CT_DEFINE_SITE,
	CT_DEFINE_MAPPING,
	CT_DEFINE_CLOCK,
	CT_DEFINE_HEARTBEAT,
	CT_DEFINE_LOSS,
	CT_DEFINE_ENDING,
	CT_DEFINE_END,
	CT_DEFINE_NOTE,
	CT_DEFINE_GENERATION,
	CT_DEFINE_GENERATION_END,
	CT_DEFINE_REASON,
	CT_DEFINE_STACK,
};

struct ct_definition {
	enum ct_define_type type;
	union {
		struct ct_define_run run;
		struct ct_define_process process;
		struct ct_define_segment segment;
		struct ct_define_thread thread;
		struct ct_define_stream stream;
		struct ct_define_site site;
		struct ct_define_mapping mapping;
		struct ct_define_clock clock;
		struct ct_define_heartbeat heartbeat;
		struct ct_define_loss loss;
		struct ct_define_ending ending;
		struct ct_define_end end;
		struct ct_define_note note;
		struct ct_define_generation generation;
		struct ct_define_generation_end generation_end;
		struct ct_define_reason reason;
		struct ct_define_stack stack;
	};
};

/*
 * Records of one stream, written by one thread, in order. `records` may lie in shared memory that a
 * hostile peer changes meanwhile: a sink reads each word once, and trusts none. Only of a copy, which
 * nobody writes any more, words may be read again.
 */
struct ct_batch {
	uint32_t stream;
	uint32_t thread;
	const struct ctp_record *records;
	size_t nr_records;
	bool is_carried; /* they tell how things stood when the part began (F-64) */
	bool is_copy;    /* the records lie in memory that nobody writes until put returns */
};

/* stream_record: a copy of a record of a batch, each word read once. */
static inline struct ctp_record stream_record(const struct ctp_record *from)
{
	return (struct ctp_record){
		.time = ctp_load_relaxed(&from->time),
		.coro = ctp_load_relaxed(&from->coro),
		.object = ctp_load_relaxed(&from->object),
		.tail = ctp_load_relaxed(&from->tail),
	};
}

struct ct_sink;

struct ct_sink_ops {
	/* put: takes a copy of the records; they may change or vanish after it returns. */
	enum ct_status (*put)(
		struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr);
	/* define: takes a copy of the definition and its texts. */
	enum ct_status (*define)(struct ct_sink *sink, const struct ct_definition *definition,
		struct ct_error *reterr);
	/*
	 * flush: everything taken so far is in the operating system's hands when it returns; a
	 * sink with a thread of its own (stages/queue.h) sees to it soon, and does not wait.
	 */
	enum ct_status (*flush)(struct ct_sink *sink, struct ct_error *reterr);
	/*
	 * close: flushes, makes the output final (it gets its name now, if it has one), and frees
	 * the sink, also where it fails. `is_wanted` false throws the output away.
	 */
	enum ct_status (*close)(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr);
};

/* First member of every sink. */
struct ct_sink {
	const struct ct_sink_ops *ops;
};

static inline enum ct_status sink_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	return sink->ops->put(sink, batch, reterr);
}

static inline enum ct_status sink_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	return sink->ops->define(sink, definition, reterr);
}

static inline enum ct_status sink_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	return sink->ops->flush(sink, reterr);
}

static inline enum ct_status sink_close(
	struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	return sink->ops->close(sink, is_wanted, reterr);
}

#endif
