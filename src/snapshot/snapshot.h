/* SPDX-License-Identifier: MIT */
/*
 * The present state of a recording: which coroutines are alive, in which state and since when, which locks they hold,
 * which descriptors are open. Records are folded in as they come; the state is handed out as records again: the few
 * folded records from which a reader arrives at the same state.
 *
 * A trace that begins in the middle of a run (a part cut out of a longer one, the flight recorder's window) begins with
 * such records; docs/spec/trace-format.md has the rules (F-60 ...).
 *
 * Nothing in a record is trusted: a record that makes no sense is left out, and what a hostile program can claim is
 * bounded: 512 MiB in total, 16,777,216 coroutines and 8,388,608 further facts at a time, 64 of them about one
 * coroutine, 1,048,576 about other things. So there is room for five million coroutines with consecutive ids, or for
 * half as many with arbitrary ids. Records of one coroutine from several streams may come in any order; the later one
 * by time counts.
 */
#ifndef SNAPSHOT_SNAPSHOT_H
#define SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ctp.h"

struct snapshot;

/* The origin of records. Coroutine ids, sites and times are those of the segment. */
struct snapshot_origin {
	uint32_t segment;
	uint32_t stream;
	uint32_t thread;
};

/* One record that is handed out, and its origin. */
struct snapshot_record {
	struct ctp_record record;
	uint32_t origin; /* see snapshot_origin_at */
};

/*
 * snapshot_new: makes an empty snapshot. NULL: out of memory. snapshot_free: frees the snapshot. NULL is allowed. One
 * thread at a time uses a snapshot.
 */
struct snapshot *snapshot_new(void);
void snapshot_free(struct snapshot *snapshot);

/* snapshot_origin: returns the number under which records of this origin are folded; 0: out of memory. */
uint32_t snapshot_origin(struct snapshot *snapshot, struct snapshot_origin origin);
struct snapshot_origin snapshot_origin_at(const struct snapshot *snapshot, uint32_t number);

/*
 * Is called for events that folding detects, as they happen; times are raw, of the record's segment. NULL functions are
 * not called.
 */
struct snapshot_observer {
	void *context;
	/* ran: a coroutine that had been woken, or queued, runs. */
	void (*ran)(void *context, uint32_t origin, uint64_t woken, uint64_t resumed);
	/* ended: a region or task ended (kind REGION_END, TASK_END) that began at this site, with its id. */
	void (*ended)(void *context, uint32_t origin, const struct ctp_record *begin,
		const struct ctp_record *end);
};

/* snapshot_observe: sets the observer, which is copied. */
void snapshot_observe(struct snapshot *snapshot, const struct snapshot_observer *observer);

/*
 * snapshot_name: states the name of a site; the text is not kept. An end closes the innermost region of its name, which
 * another site of the segment may have begun. Returns false if out of memory.
 */
bool snapshot_name(struct snapshot *snapshot, uint32_t segment, uint32_t site, const char *name);

/*
 * snapshot_fold: folds one record. Returns false if there is no room, or no memory, for it; what was known stays known.
 * snapshot_fold_many: folds records of one origin in their order; snapshot_nr_forgotten counts those for which there
 * was no room.
 */
bool snapshot_fold(struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record);
void snapshot_fold_many(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *records, size_t count);

/*
 * snapshot_beat: says that every ring has been drained once since the last call. A record that comes later can precede
 * records of other rings only if those came since then.
 */
void snapshot_beat(struct snapshot *snapshot);

/*
 * snapshot_tell: begins to hand out the records that lead to the present state. Returns false if out of memory. Forgets
 * what nobody can ask for any more, such as closed descriptors that nobody waits for.
 * snapshot_tell_next: hands out some more records; *ret_count is 0 after the last one. The array belongs to the
 * snapshot and is valid until the next call. The records of each stream come by time; if there are very many, the
 * streams alternate. Returns false if out of memory. No record may be folded in between. Memory for a part of the
 * records is allocated meanwhile, and freed at the end.
 */
bool snapshot_tell(struct snapshot *snapshot);
bool snapshot_tell_next(
	struct snapshot *snapshot, const struct snapshot_record **ret_records, size_t *ret_count);

/*
 * snapshot_tidy: forgets what has ended. Only if all records are folded in order of time: otherwise a beginning that
 * comes after its end would be taken for a new one. Returns false if out of memory; not everything is forgotten then.
 */
bool snapshot_tidy(struct snapshot *snapshot);

/*
 * snapshot_nr_live: returns the number of coroutines that were created, or did anything, and were not destroyed.
 * snapshot_take_most_live: returns the largest such number since the last call.
 */
uint64_t snapshot_nr_live(const struct snapshot *snapshot);
uint64_t snapshot_take_most_live(struct snapshot *snapshot);

/*
 * snapshot_nr_ready: returns the number of coroutines that were woken or queued and do not run. Looks at all
 * coroutines.
 */
uint64_t snapshot_nr_ready(const struct snapshot *snapshot);

/* snapshot_nr_unfinished: returns the number of coroutines that have not come to their end. Looks at all coroutines. */
uint64_t snapshot_nr_unfinished(const struct snapshot *snapshot);

/*
 * snapshot_each_waiting: calls `tell` for each coroutine that suspended within its body and was not woken since, with
 * the origin and the record of the suspend. Looks at all coroutines.
 */
void snapshot_each_waiting(const struct snapshot *snapshot, void *context,
	void (*tell)(void *context, uint32_t origin, const struct ctp_record *record));

/*
 * snapshot_nr_told_at_most: returns an upper bound of the number of records that snapshot_tell would hand out. Costs
 * nothing.
 */
uint64_t snapshot_nr_told_at_most(const struct snapshot *snapshot);

/* snapshot_nr_bytes: returns the memory of what the snapshot knows. */
uint64_t snapshot_nr_bytes(const struct snapshot *snapshot);

/* snapshot_nr_forgotten: returns the number of records for which there was no room, or no memory. */
uint64_t snapshot_nr_forgotten(const struct snapshot *snapshot);

#endif
