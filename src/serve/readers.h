/* SPDX-License-Identifier: MIT */
/*
 * Server-sent events: the state of the recording and the headlines of findings, sent to all readers when they change.
 *
 * A message is made once for all readers: four times a second, whatever the target does, and as soon as there is a new
 * judgement. A slow reader misses intermediate messages and gets the newest one next.
 */
#ifndef SERVE_READERS_H
#define SERVE_READERS_H

#include "serve/server.h"

#define SERVE_READERS_MAX 16u

/*
 * serve_readers_open: starts the thread that makes the messages; the thread also ends late connections (connections.h).
 */
enum ct_status serve_readers_open(
	struct ct_serve *serve, struct serve_readers **ret_readers, struct ct_error *reterr);

/*
 * serve_readers_end: sends the end to all readers, lets them go, and refuses later ones. Must be called before the
 * daemon stops. serve_readers_close: must be called after the daemon has stopped. NULL is allowed.
 */
void serve_readers_end(struct serve_readers *readers);
void serve_readers_close(struct serve_readers *readers);

/* serve_readers_tell: readers are told of a new judgement now. `context` are the readers. */
void serve_readers_tell(void *context);

/* serve_readers_reply: makes the client of the request a reader. */
enum MHD_Result serve_readers_reply(struct serve_readers *readers, struct serve_call *call);

#endif
