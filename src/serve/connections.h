/* SPDX-License-Identifier: MIT */
/*
 * Limits connections that would block others: connections on which nothing arrives, and connections whose request
 * arrives so slowly that libmicrohttpd sees activity. Each request must arrive within a time limit. If there are too
 * many connections, the least valuable one is closed at once, so that a new one has room.
 */
#ifndef SERVE_CONNECTIONS_H
#define SERVE_CONNECTIONS_H

#include <stdint.h>

#include "serve/mhd.h"

#define SERVE_CONNECTIONS_MAX 64u /* besides connections that read events (readers.h) */
/*
 * The limit of libmicrohttpd, which closes new connections beyond it. The limit also counts connections that are still
 * being closed.
 */
#define SERVE_SOCKETS_MAX (8 * SERVE_CONNECTIONS_MAX)
#define SERVE_REQUEST_SECONDS \
	10u /* time for the whole request, from the connection or from the previous answer on */
/* the time that an answer has in any case, however many other connections arrive */
#define SERVE_ANSWER_SECONDS 2u

struct serve_connections;

/*
 * serve_connections_new: returns NULL if memory is out. serve_connections_free: frees the list, which must be empty.
 * NULL is allowed.
 */
struct serve_connections *serve_connections_new(void);
void serve_connections_free(struct serve_connections *connections);

/*
 * serve_connections_notify: MHD_NotifyConnectionCallback, with `connections` as context. A new connection beyond
 * SERVE_CONNECTIONS_MAX ends another one. The candidates, in this order: the oldest that its peer has closed without a
 * part of a request; the oldest on which nothing has arrived; the oldest that was kept open after its answer; the
 * oldest whose request is incomplete; the oldest that is being answered, after SERVE_ANSWER_SECONDS.
 */
void serve_connections_notify(void *connections, struct MHD_Connection *connection, void **place,
	enum MHD_ConnectionNotificationCode code);

/*
 * serve_connections_note_request: the whole request has arrived. serve_connections_note_events: the answer is a stream
 * of events without end. serve_connections_note_answer: the answer was sent. All three are called by the connection's
 * thread.
 */
void serve_connections_note_request(struct MHD_Connection *connection);
void serve_connections_note_events(struct MHD_Connection *connection);
void serve_connections_note_answer(struct MHD_Connection *connection);

/*
 * serve_connections_close_slow: closes connections whose request is late at now_ns (CLOCK_MONOTONIC). Any thread may
 * call it.
 */
void serve_connections_close_slow(struct serve_connections *connections, uint64_t now_ns);

#endif
