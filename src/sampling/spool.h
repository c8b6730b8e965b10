/* SPDX-License-Identifier: MIT */
/*
 * Windows that wait on this machine's disk until they are stored elsewhere, in at most so many bytes.
 *
 * A window is recorded in the folder "making", under its key. When it is whole it is brought to the disk and renamed
 * into "ready", and when it is stored it is removed. A process that is killed at any instant so leaves each window in
 * one of the two: what is in "ready" is stored by the next process that opens the spool, and what is in "making" is
 * made whole first, as far as it goes. A window may be stored once more if its remover was killed: under the same key.
 *
 * Each process has a spool of its own within the folder that it is given. A spool of the same destination that nobody
 * has any more is taken over by the next one that is opened. Threads may use a spool at the same time.
 */
#ifndef SAMPLING_SPOOL_H
#define SAMPLING_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "sampling/keys.h"

struct spool;

enum spool_fate {
	SPOOL_RECOVERED, /* made whole, of what a killed process left */
	SPOOL_LOST, /* a killed process left nothing that could be used, or somebody removed the file */
	SPOOL_DROPPED, /* the oldest, because there was no room for a new one */
};

struct spool_options {
	const char *folder;      /* made if it is not there */
	const char *destination; /* only a spool of the same destination is taken over */
	uint64_t most_bytes;
	/* Called for each window to which something happens; on the thread that called. */
	void (*tell)(void *context, enum spool_fate fate, const char *key, uint64_t nr_bytes);
	void *context;
};

/* A window that was taken out to be stored. */
struct spool_window {
	char key[KEYS_BYTES];
	int descriptor;
	uint64_t nr_bytes;
};

struct spool_state {
	uint64_t nr_windows;
	uint64_t nr_bytes;
};

/* spool_open, spool_close: open a spool, and recover what is left in it; the folder's name is lent until the close. */
enum ct_status spool_open(
	const struct spool_options *options, struct spool **ret_spool, struct ct_error *reterr);
void spool_close(struct spool *spool);

/* spool_path: returns the file in which the window of this key is to be recorded; heap memory. NULL: no memory. */
char *spool_path(const struct spool *spool, const char *key);

/*
 * spool_keep: keeps a window that was recorded, and drops the oldest ones where there is no room for it; one that is
 * larger than all room is dropped itself (CT_END). *ret_nr_bytes is its size.
 */
enum ct_status spool_keep(
	struct spool *spool, const char *key, uint64_t *ret_nr_bytes, struct ct_error *reterr);

/*
 * spool_take: opens the oldest window; CT_AGAIN: there is none. The window stays in the spool, and is not dropped,
 * until spool_return: `is_stored` removes it. One window at a time can be taken.
 */
enum ct_status spool_take(
	struct spool *spool, struct spool_window *ret_window, struct ct_error *reterr);
void spool_return(struct spool *spool, struct spool_window *window, bool is_stored);

struct spool_state spool_state(struct spool *spool);

#endif
