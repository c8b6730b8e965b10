/* SPDX-License-Identifier: MIT */
/*
 * Server-sent events: the state, and the headlines of what was found, told to all readers as they change.
 *
 * What is told is made once for all of them, four times a second at most, whatever the target does. A reader that is
 * slow misses what was newer meanwhile, and has the newest next.
 */
#ifndef SERVE_READERS_H
#define SERVE_READERS_H

#include "serve/server.h"

#define SERVE_READERS_MAX 16u

/* serve_readers_open: starts the thread that tells; it also ends connections that are late (connections.h). */
enum ct_status serve_readers_open(
	struct ct_serve *serve, struct serve_readers **ret_readers, struct ct_error *reterr);

/*
 * serve_readers_end: tells all readers that it is over, and lets them go; what comes later is refused. Called before
 * the daemon is stopped. serve_readers_close: after it. NULL is allowed.
 */
void serve_readers_end(struct serve_readers *readers);
void serve_readers_close(struct serve_readers *readers);

/* serve_readers_reply: makes the request a reader. */
enum MHD_Result serve_readers_reply(struct serve_readers *readers, struct serve_call *call);

#endif
