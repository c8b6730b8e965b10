/* SPDX-License-Identifier: MIT */
/*
 * One record on its way into the snapshot, for the files that fold: fold.c (records about coroutines) and keyed.c (all
 * others). Private to src/snapshot.
 */
#ifndef SNAPSHOT_FOLD_H
#define SNAPSHOT_FOLD_H

#include "snapshot/known.h"

struct step {
	struct snapshot *snapshot;
	const struct ctp_record *record;
	uint32_t origin;
	uint32_t segment;
	unsigned kind;
	unsigned argument;
	uint32_t likely; /* the record's coroutine, looked up ahead; 0: not known */
};

/*
 * snapshot_fold_set: makes the record the one that counts for its kind and object from now on. snapshot_fold_keyed: the
 * same for a key. Both return false if there is no room.
 */
bool snapshot_fold_keyed(const struct step *step, uint64_t key);
bool snapshot_fold_set(const struct step *step, unsigned kind, uint64_t about);

/* snapshot_fold_thread: returns the thread of the record. */
uint32_t snapshot_fold_thread(const struct step *step);

/*
 * Records that concern no coroutine: snapshot_fold_open folds the opening of a descriptor; the others fold the
 * beginning or the end of a task, a region and a range. All return false if there is no room.
 */
bool snapshot_fold_open(const struct step *step);
bool snapshot_fold_task(const struct step *step);
bool snapshot_fold_region(const struct step *step);
bool snapshot_fold_range(const struct step *step);

#endif
