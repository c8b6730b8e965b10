/* SPDX-License-Identifier: MIT */
/*
 * Connections that keep the server waiting: one that sends its request drop by drop would hold its place for ever,
 * since each drop is activity. So each has a time in which its request must have come, and is closed then.
 */
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <microhttpd.h>
#include <stdint.h>

#define SERVE_CONNECTIONS_MAX 64u
#define SERVE_REQUEST_SECONDS \
	10u /* from the connection, or the answer before, to the whole request */

struct serve_connections;

/* serve_connections_new: NULL: out of memory. serve_connections_free: none is left. NULL is allowed. */
struct serve_connections *serve_connections_new(void);
void serve_connections_free(struct serve_connections *connections);

/* serve_connections_notify: MHD_NotifyConnectionCallback, whose context is `connections`. */
void serve_connections_notify(void *connections, struct MHD_Connection *connection, void **place,
	enum MHD_ConnectionNotificationCode code);

/* The whole request has come; its answer was sent. Called by the connection's thread. */
void serve_connections_note_request(struct MHD_Connection *connection);
void serve_connections_note_answer(struct MHD_Connection *connection);

/* serve_connections_close_slow: ends those that are late at now_ns, CLOCK_MONOTONIC. Any thread. */
void serve_connections_close_slow(struct serve_connections *connections, uint64_t now_ns);

#endif
