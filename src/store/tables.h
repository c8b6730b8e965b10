/* SPDX-License-Identifier: MIT */
/*
 * Makes definitions into the tables that a reader hands out, and a record's words into an event's.
 *
 * Numbers in the file are names that the writer gave; here they become indexes of tables. A name that is not defined
 * becomes 0, and is counted.
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
	uint32_t number;  /* its number in the file */
	uint32_t process; /* index of its process */
	uint32_t role;
	uint32_t clock;
	uint64_t attached;    /* raw time; STORE_NOT_KNOWN */
	uint64_t coro_prefix; /* distinguishes coroutine ids of a process's further segments */
};

/* A site whose stack was not defined yet. The site is an index, the other numbers are the file's. */
struct store_named_stack {
	uint32_t site; /* index of the site */
	uint32_t segment;
	uint32_t stack;
};

struct store_tables {
	struct ct_tables tables; /* what the source hands out; filled in by finish */
	struct arena arena;
	struct lists lists;
	VEC(struct store_segment) segments; /* entry 0 is reserved here, too */
	struct map process_of;              /* maps numbers of the file to indexes */
	struct map thread_of;
	struct map segment_of;
	struct map stream_of; /* maps to the index of a segment */
	struct map site_of;   /* key: the segment's number << 32 | id */
	struct map stack_of;  /* key: the segment's number << 32 | id */
	VEC(struct store_named_stack) named_stacks;
	struct map probes_of; /* maps the index of a process to its number of probe segments */
	struct timeline timelines[STORE_CLOCKS];
	uint64_t last_look;            /* of the sights */
	VEC(uint64_t) looks_of_sights; /* 0: of none */
	size_t nr_lasting_sights;      /* the first ones, which are of no look */
	bool has_clock;
	bool is_settled; /* times are those of the trace */
	bool has_heartbeat;
	uint64_t first_heartbeat_ns; /* CLOCK_MONOTONIC */
	uint64_t last_heartbeat_ns;
	bool has_end;
	uint64_t end_nr_events;
	uint64_t nr_unknown_types; /* definitions that were skipped */
};

enum ct_status store_tables_init(struct store_tables *all, struct ct_error *reterr);
void store_tables_fini(struct store_tables *all);

/* store_tables_apply: applies one definition, whose texts lie in all->arena. */
enum ct_status store_tables_apply(
	struct store_tables *all, const struct ct_definition *definition, struct ct_error *reterr);

/*
 * store_tables_restore_epoch: applies a repeated clock reading, in a file of which something is missing: if it is
 * earlier than any known reading, it sets the epoch (F-36). Returns true if the caller must also apply the definition
 * as the first clock reading, because none is known.
 */
bool store_tables_restore_epoch(struct store_tables *all, const struct ct_define_clock *clock);

/* store_tables_note: adds a note about a fault of the file. */
enum ct_status store_tables_note(struct store_tables *all, uint64_t count, uint64_t offset,
	struct ct_error *reterr, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* store_tables_finish: sets the epoch; call this after the last definition and before the first time is asked for. */
void store_tables_finish(struct store_tables *all);

/* store_tables_segment: returns the index of the segment that a stream (by its number) belongs to; 0: not defined. */
uint32_t store_tables_segment(const struct store_tables *all, uint32_t stream_number);

/* store_tables_publish: sets all->tables; no definition, note or loss may be added afterwards. */
void store_tables_publish(struct store_tables *all);

/*
 * store_tables_refresh: publishes what is known while more definitions come. The epoch and the times of observation are
 * final; times of processes and losses are still those of the file.
 */
void store_tables_refresh(struct store_tables *all);

/*
 * store_since_epoch: returns the time since the epoch; computed modulo 2^64, so that times before the epoch are
 * negative.
 */
static inline ct_time store_since_epoch(const struct store_tables *all, uint64_t monotonic_ns)
{
	ct_time time = (ct_time)(monotonic_ns - (uint64_t)all->tables.epoch_monotonic_ns);

	return time == CT_NO_TIME ? CT_NO_TIME + 1 : time;
}

/*
 * store_tables_time: returns the time of a raw time of a segment's clock. `hint` belongs to the caller, and is 0 at
 * first.
 */
ct_time store_tables_time(
	const struct store_tables *all, uint32_t clock, uint64_t raw, size_t *hint);

/* store_tables_site: returns the index of a segment's site; 0 if the site is not defined. */
uint32_t store_tables_site(const struct store_tables *all, uint32_t segment_number, uint32_t id);

#endif
