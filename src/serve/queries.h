/* SPDX-License-Identifier: MIT */
/*
 * Statements of SQL, each on a thread of its own: one that takes seconds keeps no other request waiting, and can be
 * broken off. How many there are at a time, and the time, memory and rows of each, are bounded.
 */
#ifndef SERVE_QUERIES_H
#define SERVE_QUERIES_H

#include "serve/server.h"

#define SERVE_QUERIES_MAX 2u
#define SERVE_QUERY_SECONDS 10
#define SERVE_QUERY_BYTES (UINT64_C(256) << 20) /* of memory, all statements together */
#define SERVE_QUERY_ROWS 10000u
#define SERVE_QUERY_ANSWER_BYTES (8u << 20)

/* serve_queries_new: NULL: out of memory. serve_queries_free: none goes on any more; NULL is allowed. */
struct serve_queries *serve_queries_new(void);
void serve_queries_free(struct serve_queries *queries);

/*
 * serve_queries_reply: begins to answer the statement that is the request's body, and suspends its connection; called
 * again for the same request when the answer is there, replies it. serve_query_free: of a request that is over; waits
 * for the thread.
 */
enum MHD_Result serve_queries_reply(struct serve_queries *queries, struct serve_call *call);
void serve_query_free(struct serve_query *query);

/* serve_queries_stop: breaks off those with this number; returns how many. */
unsigned serve_queries_stop(struct serve_queries *queries, uint64_t number);

/* serve_queries_end: breaks off all, waits for them, and refuses what comes later. Called before the daemon stops. */
void serve_queries_end(struct serve_queries *queries);

#endif
