/* SPDX-License-Identifier: MIT */
/*
 * Stores what is in the spool, the oldest window first, on a thread of its own. A window that cannot be stored stays in
 * the spool; the next attempt comes after a pause that doubles, up to a minute.
 */
#ifndef SAMPLING_UPLOAD_H
#define SAMPLING_UPLOAD_H

#include "objects/objects.h"
#include "sampling/spool.h"

struct upload;

struct upload_options {
	const char *destination;
	struct spool *spool;
	/* Called on the upload's thread after each attempt; `trouble`: why the window was not stored; NULL: it was. */
	void (*tell)(void *context, const struct spool_window *window, const char *trouble);
	void *context;
};

/* upload_open: opens the store and starts the thread. Fails as objects_open does. */
enum ct_status upload_open(
	const struct upload_options *options, struct upload **ret_upload, struct ct_error *reterr);

/* upload_wake: says that the spool has a new window. */
void upload_wake(struct upload *upload);

/* upload_settle: waits until the spool is empty, or so long; returns whether it is empty. */
bool upload_settle(struct upload *upload, uint64_t longest_ns);

/* upload_counts: of the store, as of the last attempt. */
struct objects_counts upload_counts(struct upload *upload);

/* upload_close: ends what goes on, and the thread; what is not stored stays in the spool. NULL is allowed. */
void upload_close(struct upload *upload);

#endif
