/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses while a recording goes on: once a second, what is new is looked up by a thread of its own, since
 * debug information of a large program takes longer to read than rings have room. The engine's thread defines the names
 * that were found. So parts of a trace, dumps and whoever follows it have names, too.
 *
 * A recording that is over before the first second has no such thread.
 */
#ifndef SESSION_NAMER_H
#define SESSION_NAMER_H

#include "collect/collect.h"
#include "stream/stream.h"

struct namer;

/* In what follows `sink` is the one that naming_sink_open made (naming.h). */

/* namer_new: NULL: out of memory. namer_free: waits for the thread. NULL is allowed. */
struct namer *namer_new(uint64_t now_ns);
void namer_free(struct namer *namer);

/* namer_look: defines what was found since, and has looked up what is new. Never waits, and never fails. */
void namer_look(
	struct namer *namer, const struct collect *collect, struct ct_sink *sink, uint64_t now_ns);

/* namer_wait_ms: how long the engine may wait, so that what is new gets its names; at most wait_ms (-1: any time). */
int namer_wait_ms(const struct namer *namer, const struct collect *collect, int wait_ms);

/* namer_finish: every site that has no name yet gets one, where there is one. */
enum ct_status namer_finish(struct namer *namer, const struct collect *collect,
	struct ct_sink *sink, struct ct_error *reterr);

#endif
