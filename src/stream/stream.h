/* SPDX-License-Identifier: MIT */
/*
 * The interfaces between code that produces events and code that reads or keeps them.
 *
 * A source hands out events in order, and the tables that they refer to. A sink takes raw records as the engine drains
 * them, with definitions of what they refer to, and keeps them in any form. No layer above this one knows where events
 * come from.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include <string.h>

#include "corotracer/error.h"
#include "corotracer/event.h"

/* ------------------------------------------------------------------ source */

struct ct_source;

/* The fields that the older form has for a suspend or resume in addition to its thread and time. */
struct ct_row {
	uint64_t probe_id;
	uint64_t address;
	uint64_t seq;
};

#define SOURCE_ROOM_EVENTS 256u

/*
 * A run of events, in order, borrowed until the next run is asked for. A source that has to assemble events does so in
 * the room; a source that has them in memory lends them from there.
 */
struct ct_events {
	struct ct_event *room;     /* for the source's use until the next call */
	size_t capacity;           /* size of the room: no run is longer */
	const struct ct_event *at; /* equal to `room`, unless the source lends */
	size_t count;              /* at least 1 */
	/* the rows from which the events come, one for each; NULL: not from rows */
	const struct ct_row *rows;
	bool are_carried; /* carried events: they state what was true when this part began */
};

struct ct_source_ops {
	/*
	 * next: returns the next run, in order of time, within a thread in the order of writing; `events` is empty on
	 * entry, except its room. CT_OK; CT_END when there are no more events. A failure, or CT_END, is returned again
	 * by each further call. A source that grows may return CT_AGAIN: no more events at present.
	 */
	enum ct_status (*next)(
		struct ct_source *source, struct ct_events *events, struct ct_error *reterr);
	/* reset: goes back to the first event. Tables stay as they are. */
	enum ct_status (*reset)(struct ct_source *source, struct ct_error *reterr);
	/* close: frees everything, including all that was borrowed from the source. */
	void (*close)(struct ct_source *source);
};

/* The events, handed out since the first event, that were put into another order than that of their time-stamps. */
struct ct_order {
	uint64_t nr_moved;
	int64_t furthest_ns; /* most by which a time was raised */
};

/*
 * The memory that a reader of events keeps for a living coroutine: one that was created, ran and waits; one that has
 * had turns. Measured with a million coroutines: docs/costs.md.
 */
#define CT_BYTES_OF_IDLE 150u
#define CT_BYTES_OF_BUSY 860u

/*
 * First member of every source. For file sources `tables` is complete as soon as the source is open (definitions are
 * read first).
 */
struct ct_source {
	const struct ct_source_ops *ops;
	const struct ct_tables *tables;
	const struct ct_order *order; /* NULL: events come by their time-stamps */
	bool is_ordered;  /* events come in a possible order, whatever the clocks' reach */
	bool was_damaged; /* a copy of a damaged trace */
	bool goes_on;     /* it is being written, and more events follow soon */
	/* most memory that the events' reader may keep for its coroutines; 0: any */
	uint64_t most_bytes;
	/* the run from which source_next hands out events */
	struct ct_events one_by_one;
	size_t nr_handed;                         /* events of that run handed out so far */
	struct ct_event room[SOURCE_ROOM_EVENTS]; /* for readers that have no room of their own */
};

/* source_next_run: see `next`. */
static inline enum ct_status source_next_run(
	struct ct_source *source, struct ct_events *ret_events, struct ct_error *reterr)
{
	*ret_events = (struct ct_events){
		.room = source->room, .capacity = SOURCE_ROOM_EVENTS, .at = source->room};
	return source->ops->next(source, ret_events, reterr);
}

/*
 * source_fill: does what source_next_run does, and puts the run into this room, even if the source lends it from
 * elsewhere.
 */
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
 * source_lend: lends the next part of a run that a source has in memory and that may be longer than the room: the part
 * that was not lent yet, as far as one run may go. `nr_lent` is advanced.
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
 * source_next: returns the next event alone, borrowed until the next call; the status is that of `next`. Between two
 * resets, ask for events either one by one or by runs.
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

/*
 * source_is_carried: returns whether the event that source_next handed out last is carried. source_row: returns the row
 * from which that event came, or NULL.
 */
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
 * source_each: calls the function for each event from the first one on; the event is borrowed during the call. Returns
 * CT_OK after the last event; else a failure of the source, or what the function returned other than CT_OK.
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

/* source_close: closes the source. NULL is allowed. */
static inline void source_close(struct ct_source *source)
{
	if (source)
		source->ops->close(source);
}

/* -------------------------------------------------------------------- sink */

/*
 * The producer gives the following numbers: process, thread, segment and stream indexes each start at 1 and are defined
 * before they are used. Times are raw: in units of the segment's clock.
 */

/* The run as a whole: the first definition of every trace. */
struct ct_define_run {
	uint8_t run_id[16];
	const char *host;
	const char *command_line; /* command line of the engine */
	bool has_no_end;          /* made from a form that cannot state the end of observation */
	uint64_t nr_impossible;   /* events left out then because their times cannot be true */
	bool is_from_memory;      /* found in memory, by a look: what was before is not known */
};

struct ct_define_process {
	uint32_t process;
	uint64_t pid;
	uint32_t parent; /* process index; 0: not traced */
	const char *program;
	const char *command_line;
};

/* A segment, which has its own site numbers and coroutine ids. */
struct ct_define_segment {
	uint32_t segment;
	uint32_t process;
	uint32_t role;  /* enum ctp_role */
	uint32_t clock; /* enum ctp_clock */
	uint8_t identity[16];
	uint64_t attached;     /* raw time */
	bool has_bare_resumes; /* see struct ct_process */
};

struct ct_define_thread {
	uint32_t thread;
	uint32_t process;
	uint64_t tid;
	const char *name;
};

/* A stream: one ring of one segment. Its order is the order of writing. */
struct ct_define_stream {
	uint32_t stream;
	uint32_t segment;
};

/*
 * A site, which records name by segment and id. A later definition of the site adds facts that were not known before.
 */
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
	const char *callers;  /* see struct ct_site */
	uint32_t form;        /* see struct ct_site */
	uint32_t stack;       /* id of a stack of the same segment; 0: none */
	uint32_t frame_bytes; /* see struct ct_site */
};

/* A call on a stack (struct ct_stack); sites and callers are those of the same segment. */
struct ct_define_stack {
	uint32_t segment;
	uint32_t id; /* from 1 */
	uint32_t site;
	uint32_t caller; /* smaller than `id`; 0: none */
};

struct ct_define_mapping {
	uint32_t process;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	const char *path;
	const char *build_id;
};

/* One instant on three clocks. Several of these give the counter's frequency. */
struct ct_define_clock {
	uint32_t clock; /* enum ctp_clock: the clock of `raw` */
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
	uint64_t first_monotonic_ns; /* the interval in which the events would have been */
	uint64_t last_monotonic_ns;
	uint64_t coro; /* the coroutine whose events they are; 0: not known, or several */
};

struct ct_define_ending {
	uint32_t process;
	enum ct_ending ending;
	int value;
	bool was_forwarded; /* the engine passed on the signal that ended it */
	uint64_t monotonic_ns;
};

/* A fault of the recording, or of the input from which the trace was made. */
struct ct_define_note {
	const char *text; /* one sentence */
	uint64_t count;
	uint64_t offset; /* in that input; CT_NO_OFFSET: none */
	bool is_sight;   /* nothing is wrong: it was seen beside the events */
	uint64_t coro;   /* of a sight: the coroutine whose it is; 0: none */
	/* of a sight: sights with a higher number take the place of those with lower ones; 0: of neither */
	uint64_t look;
	uint64_t begun_ns; /* of a sight: when the look began and ended; 0: not known */
	uint64_t ended_ns;
};

/* The orderly end of the trace: the last definition. The counts are of the whole recording. */
struct ct_define_end {
	uint64_t monotonic_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	bool is_cut; /* the recording goes on after this part of it */
};

/*
 * The beginning and the end of a part of the trace that can be understood alone. A sink that makes such parts makes
 * these definitions itself; a producer that passes on a part of a recording defines the first GENERATION, before
 * anything else.
 */
struct ct_define_generation {
	uint32_t generation; /* from 1 */
	uint64_t monotonic_ns;
	uint64_t nr_events_before; /* events of the recording before this part */
	uint64_t nr_lost_before;
	uint64_t nr_carried;   /* carried records */
	uint64_t nr_forgotten; /* facts for which no room was left among the carried records */
};

struct ct_define_generation_end {
	uint32_t generation;
	uint64_t monotonic_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t most_live; /* most coroutines alive at a time within it; 0: not known */
};

/* Why the trace was written, if a person or a condition asked for it at a certain moment. */
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
 * Records of one stream, written by one thread, in order. `records` may lie in shared memory that a hostile peer
 * changes at the same time: a sink reads each word once, and trusts no word. Only the words of a copy (is_copy) may be
 * read again.
 */
struct ct_batch {
	uint32_t stream;
	uint32_t thread;
	const struct ctp_record *records;
	size_t nr_records;
	bool is_carried; /* the records state what was true when the part began (F-64) */
	bool is_copy;    /* no thread writes to the records' memory until put returns */
};

/* stream_record: returns a copy of a record of a batch, reading each word once. */
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
	 * flush: returns when everything taken so far is with the operating system; a sink with a thread of its own
	 * (stages/queue.h) does that soon, and does not wait.
	 */
	enum ct_status (*flush)(struct ct_sink *sink, struct ct_error *reterr);
	/*
	 * close: flushes, makes the output final (if it has a name, it gets the name now), and frees the sink, even if
	 * it fails. With `is_wanted` false the output is discarded.
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
