/* SPDX-License-Identifier: MIT */
/*
 * While the source is read again: coroutines of which the model has no record any more, from their creation to their
 * destruction, with the waits that they have reached. As many are held at once as were alive at once.
 */
#ifndef ANALYZE_PEERS_H
#define ANALYZE_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "base/map.h"
#include "base/vec.h"

struct peer {
	uint32_t spawn_site;
	uint32_t waits; /* bit n: it has reached wait n */
};

/* Zeroed is empty, but for by_id: nr_processes empty maps, which the caller keeps. */
struct peers {
	struct map *by_id; /* by process: id -> number of its place in `at` */
	uint32_t nr_processes;
	VEC(struct peer) at;
	VEC(uint32_t) free; /* places that nobody has */
	bool is_broken;     /* out of memory */
};

void analyze_peers_fini(struct peers *peers);

/* analyze_peers_create: the event creates its coroutine, at this place. analyze_peers_destroy: it is its end. */
void analyze_peers_create(struct peers *peers, const struct ct_event *event, uint32_t spawn_site);
void analyze_peers_destroy(struct peers *peers, const struct ct_event *event);

/* analyze_peers_reach: has the event's coroutine, if it was started there, reached this wait for the first time? */
bool analyze_peers_reach(
	struct peers *peers, const struct ct_event *event, uint32_t wait, uint32_t spawn_site);

#endif
