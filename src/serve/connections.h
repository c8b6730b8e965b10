/* SPDX-License-Identifier: MIT */
/*
 * Connections that would keep others waiting: those on which nothing comes, and those whose request comes drop by drop,
 * which is activity to libmicrohttpd. Each has a time in which its request must have come, and where there are too
 * many, those of which least is lost go at once, so that a new one finds room.
 */
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <microhttpd.h>
#include <stdint.h>

#define SERVE_CONNECTIONS_MAX 64u /* besides those that are told of events (readers.h) */
/* libmicrohttpd's own bound: it closes what is new beyond it, also while those that were let go are still to end. */
#define SERVE_SOCKETS_MAX (8 * SERVE_CONNECTIONS_MAX)
#define SERVE_REQUEST_SECONDS \
	10u /* from the connection, or the answer before, to the whole request */
#define SERVE_ANSWER_SECONDS 2u /* that an answer has at least, however many others come */

struct serve_connections;

/* serve_connections_new: NULL: out of memory. serve_connections_free: none is left. NULL is allowed. */
struct serve_connections *serve_connections_new(void);
void serve_connections_free(struct serve_connections *connections);

/*
 * serve_connections_notify: MHD_NotifyConnectionCallback, whose context is `connections`. A new connection beyond
 * SERVE_CONNECTIONS_MAX ends another one: the oldest that its peer has closed with no part of a request; else the
 * oldest on which nothing has come; else the oldest that was kept after its answer; else the oldest whose request is
 * not whole; else the oldest that is answered, after SERVE_ANSWER_SECONDS.
 */
void serve_connections_notify(void *connections, struct MHD_Connection *connection, void **place,
	enum MHD_ConnectionNotificationCode code);

/*
 * The whole request has come; the answer is events, and has no end; the answer was sent. Called by the connection's
 * thread.
 */
void serve_connections_note_request(struct MHD_Connection *connection);
void serve_connections_note_events(struct MHD_Connection *connection);
void serve_connections_note_answer(struct MHD_Connection *connection);

/* serve_connections_close_slow: ends those that are late at now_ns, CLOCK_MONOTONIC. Any thread. */
void serve_connections_close_slow(struct serve_connections *connections, uint64_t now_ns);

#endif
