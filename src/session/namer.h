/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses while a recording goes on. Once a second a thread looks up new addresses, because reading the
 * debug information of a large program takes longer than rings have room. The engine's thread defines the names that
 * were found. So parts of a trace, dumps and followers of a trace have names, too.
 *
 * A recording that ends within the first second has no such thread.
 */
#ifndef SESSION_NAMER_H
#define SESSION_NAMER_H

#include "collect/collect.h"
#include "stream/stream.h"

struct namer;

/* In the following functions `sink` is the one that naming_sink_open made (naming.h). */

/* namer_new: makes a namer. NULL: out of memory. namer_free: waits for the thread. NULL is allowed. */
struct namer *namer_new(uint64_t now_ns);
void namer_free(struct namer *namer);

/*
 * namer_look: defines names found since the last call, and starts looking up new addresses. Never waits, and never
 * fails.
 */
void namer_look(
	struct namer *namer, const struct collect *collect, struct ct_sink *sink, uint64_t now_ns);

/*
 * namer_wait_ms: returns how long the engine may wait so that new addresses get their names; at most wait_ms (-1: no
 * limit).
 */
int namer_wait_ms(const struct namer *namer, const struct collect *collect, int wait_ms);

/* namer_finish: names every site that has no name yet, if a name can be found. */
enum ct_status namer_finish(struct namer *namer, const struct collect *collect,
	struct ct_sink *sink, struct ct_error *reterr);

#endif
