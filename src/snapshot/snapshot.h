/* SPDX-License-Identifier: MIT */
/*
 * How things stand at this moment: which coroutines are alive, in which state and since when, which locks they hold,
 * which descriptors are open. Kept by folding in records as they come, and told as records again: those few of all that
 * were folded in from which a reader comes to the same state.
 *
 * A trace that begins in the middle of a run (a part cut out of a longer one, the flight recorder's
 * window) begins with them; docs/spec/trace-format.md has the rules (F-60 ...).
 *
 * Nothing in a record is trusted: what makes no sense is left out, and what a hostile program can claim is bounded:
 * 512 MiB in all, 16,777,216 coroutines and 8,388,608 further facts at once, 64 of them about one coroutine, 1,048,576
 * about anything else. So five million coroutines find room whose ids follow each other, and half as many of any ids.
 * Records of one coroutine from several streams may come in any order; the later one by time counts.
 */
#ifndef SNAPSHOT_SNAPSHOT_H
#define SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ctp.h"

struct snapshot;

/* Where records come from. Coroutine ids, sites and times are those of the segment. */
struct snapshot_origin {
	uint32_t segment;
	uint32_t stream;
	uint32_t thread;
};

/* One record to be told, and where it came from. */
struct snapshot_record {
	struct ctp_record record;
	uint32_t origin; /* see snapshot_origin_at */
};

/*
 * snapshot_new: knows nothing. NULL: out of memory. snapshot_free: NULL is allowed. A snapshot is
 * used by one thread at a time.
 */
struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *snapshot);

/* snapshot_origin: the number under which records of this origin are folded in; 0: out of memory. */
uint32_t snapshot_origin(struct snapshot *snapshot, struct snapshot_origin origin);
struct snapshot_origin snapshot_origin_at(const struct snapshot *snapshot, uint32_t number);

/*
 * Told of events that folding comes across, as they happen; times are raw, of the record's segment. Functions that are
 * NULL are not called.
 */
struct snapshot_observer {
	void *context;
	/* ran: a coroutine that had been woken, or queued, runs. */
	void (*ran)(void *context, uint32_t origin, uint64_t woken, uint64_t resumed);
	/* ended: a region or task (kind REGION_END, TASK_END) that began at this site, with its id. */
	void (*ended)(void *context, uint32_t origin, const struct ctp_record *begin,
		const struct ctp_record *end);
};

/* snapshot_observe: the observer is copied. */
void snapshot_observe(struct snapshot *snapshot, const struct snapshot_observer *observer);

/*
 * snapshot_name: the name of a site, copied nowhere. An end closes the innermost region of its name, which another site
 * of the segment may have begun. False: out of memory.
 */
bool snapshot_name(struct snapshot *snapshot, uint32_t segment, uint32_t site, const char *name);

/*
 * snapshot_fold: takes up one record. False: no room, or no memory, for it; what was known stays known.
 * snapshot_fold_many: the same for records of one origin in their order; snapshot_nr_forgotten counts those for which
 * there was no room.
 */
bool snapshot_fold(struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record);
void snapshot_fold_many(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *records, size_t count);

/*
 * snapshot_beat: every ring has been emptied once since the last call. A record that comes later
 * belongs before those of other rings only as far as they came since then.
 */
void snapshot_beat(struct snapshot *snapshot);

/*
 * snapshot_tell: begins to tell the records that lead to the present state. False: out of memory. Forgets what nobody
 * can ask for any more, such as closed descriptors that nobody waits for.
 *
 * snapshot_tell_next: some more of them; *ret_count is 0 behind the last one. The array is the snapshot's and holds
 * until the next call. Those of each stream come by time; where there are very many, those of several streams come by
 * turns. False: out of memory. No record is folded in between. Memory for a part of them is taken meanwhile, and given
 * back at the end.
 */
bool snapshot_tell(struct snapshot *snapshot);
bool snapshot_tell_next(
	struct snapshot *snapshot, const struct snapshot_record **ret_records, size_t *ret_count);

/*
 * snapshot_tidy: forgets what ended. Only where all records are folded in order of time: one that began and comes
 * after its end would be taken for a new one. False: out of memory, and not all of it is forgotten.
 */
bool snapshot_tidy(struct snapshot *snapshot);

/*
 * snapshot_nr_live: coroutines that were created, or did anything, and were not destroyed. snapshot_take_most_live: the
 * most of them that there were at once since the last call.
 */
uint64_t snapshot_nr_live(const struct snapshot *snapshot);
uint64_t snapshot_take_most_live(struct snapshot *snapshot);

/* snapshot_nr_ready: coroutines that were woken or queued and do not run. Looks at all of them. */
uint64_t snapshot_nr_ready(const struct snapshot *snapshot);

/* snapshot_nr_unfinished: coroutines that have not come to their end. Looks at all of them. */
uint64_t snapshot_nr_unfinished(const struct snapshot *snapshot);

/*
 * snapshot_each_waiting: tells of each coroutine that suspended within its body and was not woken since: where its
 * record came from, and the record. Looks at all of them.
 */
void snapshot_each_waiting(const struct snapshot *snapshot, void *context,
	void (*tell)(void *context, uint32_t origin, const struct ctp_record *record));

/* snapshot_nr_told_at_most: an upper bound of how many records would be told. Costs nothing. */
uint64_t snapshot_nr_told_at_most(const struct snapshot *snapshot);

/* snapshot_nr_bytes: of what it knows. */
uint64_t snapshot_nr_bytes(const struct snapshot *snapshot);

/* snapshot_nr_forgotten: records that found no room, or no memory. */
uint64_t snapshot_nr_forgotten(const struct snapshot *snapshot);

#endif
