/* SPDX-License-Identifier: MIT */
/*
 * From definitions to the tables that a reader hands out, and from a record's words to an event's.
 *
 * Numbers in the file are names given by the writer; here they become indexes of tables. A name that
 * nothing defines becomes 0, and is counted.
 */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "base/arena.h"
#include "base/map.h"
#include "stream/lists.h"
#include "stream/stream.h"
#include "base/timeline.h"
#include "base/vec.h"

#include "store/format.h"

struct store_segment {
	uint32_t number;  /* in the file */
	uint32_t process; /* index */
	uint32_t role;
	uint32_t clock;
	uint64_t attached;    /* raw; STORE_NOT_KNOWN */
	uint64_t coro_prefix; /* tells the coroutine ids of a process' further segments apart */
};

/* A site that names a stack which was not defined yet; numbers of the file, but for the site. */
struct store_named_stack {
	uint32_t site; /* index */
	uint32_t segment;
	uint32_t stack;
};

struct store_tables {
	struct ct_tables tables; /* what the source hands out; filled in by finish */
	struct arena arena;
	struct lists lists;
	VEC(struct store_segment) segments; /* 0 is reserved here, too */
	struct map process_of;              /* numbers of the file to indexes */
	struct map thread_of;
	struct map segment_of;
	struct map stream_of; /* to index of segment */
	struct map site_of;   /* segment's number << 32 | id */
	struct map stack_of;  /* likewise */
	VEC(struct store_named_stack) named_stacks;
	struct map probes_of; /* index of process to its number of probes' segments */
	struct timeline timelines[STORE_CLOCKS];
	bool has_clock;
	bool has_heartbeat;
	uint64_t first_heartbeat_ns; /* CLOCK_MONOTONIC */
	uint64_t last_heartbeat_ns;
	bool has_end;
	uint64_t end_nr_events;
	uint64_t nr_unknown_types; /* definitions stepped over */
};

enum ct_status store_tables_init(struct store_tables *all, struct ct_error *reterr);
void store_tables_fini(struct store_tables *all);

/* store_tables_apply: takes one definition, whose texts lie in all->arena. */
enum ct_status store_tables_apply(
	struct store_tables *all, const struct ct_definition *definition, struct ct_error *reterr);

/*
 * store_tables_restore_epoch: a clock reading that was made before, in a file of which something is missing:
 * an earlier one than any that is known makes the epoch (F-36). True: it is wanted as a reading, too, since
 * there is none at all.
 */
bool store_tables_restore_epoch(struct store_tables *all, const struct ct_define_clock *clock);

/* store_tables_note: adds what is wrong with the file. */
enum ct_status store_tables_note(struct store_tables *all, uint64_t count, uint64_t offset,
	struct ct_error *reterr, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* store_tables_finish: after the last definition and before the first time is asked for: the epoch. */
void store_tables_finish(struct store_tables *all);

/* store_tables_segment: index of the segment that a stream (by its number) is of; 0: not defined. */
uint32_t store_tables_segment(const struct store_tables *all, uint32_t stream_number);

/* store_tables_publish: sets all->tables; no definition, note or loss may follow. */
void store_tables_publish(struct store_tables *all);

/*
 * store_tables_refresh: publishes what is known while more definitions come. The epoch and what was observed
 * hold; times of processes and losses are those of the file still.
 */
void store_tables_refresh(struct store_tables *all);

/* store_since_epoch: modulo 2^64, so that what lies before the epoch becomes negative. */
static inline ct_time store_since_epoch(const struct store_tables *all, uint64_t monotonic_ns)
{
	ct_time time = (ct_time)(monotonic_ns - (uint64_t)all->tables.epoch_monotonic_ns);

	return time == CT_NO_TIME ? CT_NO_TIME + 1 : time;
}

/* store_tables_time: a raw time of a segment's clock. `hint` is the caller's, 0 at first. */
ct_time store_tables_time(
	const struct store_tables *all, uint32_t clock, uint64_t raw, size_t *hint);

/* store_tables_site: the index of a segment's site, 0 where it is not defined. */
uint32_t store_tables_site(const struct store_tables *all, uint32_t segment_number, uint32_t id);

#endif
