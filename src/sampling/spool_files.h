/* SPDX-License-Identifier: MIT */
/* The folders and files of a spool: private to spool.c and spool_files.c. */
#ifndef SAMPLING_SPOOL_FILES_H
#define SAMPLING_SPOOL_FILES_H

#include <pthread.h>

#include "base/vec.h"
#include "sampling/spool.h"

#define SPOOL_MAKING "making"
#define SPOOL_READY "ready"

struct spool_entry {
	char name[KEYS_BYTES];
	uint64_t nr_bytes;
	bool is_taken;
};

struct spool {
	struct spool_options options;
	char *place; /* the spool's own folder */
	int claim;   /* of that folder: holds its lock; -1: none */
	pthread_mutex_t lock;
	VEC(struct spool_entry) entries;
	uint64_t nr_bytes;
};

/* spool_file: returns a file's path in heap memory; NULL: no memory. spool_unlink: removes a file. */
char *spool_file(const struct spool *spool, const char *folder, const char *name);
void spool_unlink(const struct spool *spool, const char *folder, const char *name);

/*
 * spool_claim: finds or makes the spool's own folder, and moves what other folders of the destination hold, which
 * nobody has any more, into it. spool_let_go: gives the folder up, and removes it if it is empty.
 */
enum ct_status spool_claim(struct spool *spool, struct ct_error *reterr);
void spool_let_go(struct spool *spool);

/* spool_visit: visits the names in a folder. False: it cannot be read, or a visit returned false. */
bool spool_visit(
	struct spool *spool, const char *folder, bool (*visit)(void *spool, const char *name));

/* spool_finish: brings a window in "making" to the disk, and renames it into "ready". */
enum ct_status spool_finish(
	struct spool *spool, const char *name, uint64_t *ret_nr_bytes, struct ct_error *reterr);

/*
 * spool_recover: makes a whole window of a file that was left in "making", and finishes it. CT_OK: it was whole.
 * CT_END: the window lacks its end. Else nothing could be made of the file, which is removed. ret_whole is the name.
 */
enum ct_status spool_recover(
	struct spool *spool, const char *name, char ret_whole[KEYS_BYTES], uint64_t *ret_nr_bytes);

#endif
