/* SPDX-License-Identifier: MIT */
/*
 * SQL statements, each on a thread of its own: a statement that takes seconds delays no other request, and can be
 * interrupted. The number of statements at a time is limited, and so is each of them (ask/statement.h).
 */
#ifndef SERVE_QUERIES_H
#define SERVE_QUERIES_H

#include "serve/server.h"

#define SERVE_QUERIES_MAX 2u

/*
 * serve_queries_new: returns NULL if memory is out. serve_queries_free: no statement may be running; NULL is allowed.
 */
struct serve_queries *serve_queries_new(void);
void serve_queries_free(struct serve_queries *queries);

/*
 * serve_queries_reply: begins to answer the statement in the request's body and suspends its connection. When the
 * answer is ready, the function is called again for the same request and sends it. serve_query_free: frees the query of
 * a request that has ended; waits for its thread.
 */
enum MHD_Result serve_queries_reply(struct serve_queries *queries, struct serve_call *call);
void serve_query_free(struct serve_query *query);

/* serve_queries_stop: interrupts the statements with this number; returns how many there were. */
unsigned serve_queries_stop(struct serve_queries *queries, uint64_t number);

/*
 * serve_queries_end: interrupts all statements, waits for them, and refuses later ones. Must be called before the
 * daemon stops.
 */
void serve_queries_end(struct serve_queries *queries);

#endif
