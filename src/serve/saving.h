/* SPDX-License-Identifier: MIT */
/*
 * The page as one file, made from the trace as it is now, on a thread of its own: a large trace takes seconds, and
 * delays no other request. One page is made at a time, and is sent from a file without a name.
 */
#ifndef SERVE_SAVING_H
#define SERVE_SAVING_H

#include "serve/server.h"

/* serve_savings_new: returns NULL if memory is out. serve_savings_free: no page may be in the making. */
struct serve_savings *serve_savings_new(void);
void serve_savings_free(struct serve_savings *savings);

/*
 * serve_savings_reply: begins to make the page and suspends the connection. When the page is ready, the function is
 * called again for the same request and sends it. serve_saving_free: frees the page of a request that has ended; waits
 * for its thread.
 */
enum MHD_Result serve_savings_reply(struct serve_savings *savings, struct serve_call *call);
void serve_saving_free(struct serve_saving *saving);

/* serve_savings_end: breaks off the page in the making, waits for it, and refuses later ones. */
void serve_savings_end(struct serve_savings *savings);

#endif
