/* SPDX-License-Identifier: MIT */
/*
 * One record on its way into the snapshot, for the files that fold: fold.c (what concerns coroutines) and keyed.c
 * (everything else). Private to src/snapshot.
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
	uint32_t likely; /* the coroutine that it is about, as looked up before; 0: nobody knows */
};

/*
 * snapshot_fold_set: the record is what counts from now on for what it is about, of this kind. snapshot_fold_keyed: for
 * this key.
 * False: no room.
 */
bool snapshot_fold_keyed(const struct step *step, uint64_t key);
bool snapshot_fold_set(const struct step *step, unsigned kind, uint64_t about);

/* snapshot_fold_thread: that the record is of. */
uint32_t snapshot_fold_thread(const struct step *step);

/*
 * What concerns no coroutine: snapshot_fold_open takes up a descriptor that came into being, and the others a beginning
 * or an end of a task, a region and a range. False: no room.
 */
bool snapshot_fold_open(const struct step *step);
bool snapshot_fold_task(const struct step *step);
bool snapshot_fold_region(const struct step *step);
bool snapshot_fold_range(const struct step *step);

#endif
