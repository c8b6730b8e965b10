/* SPDX-License-Identifier: MIT */
/*
 * Peers: coroutines whose records the model has given back, followed while the source is read again, from their
 * creation to their end, with the waits that they have reached. Memory is needed for as many as lived at the same
 * time.
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
	uint32_t waits; /* bit n: the peer has reached wait n */
};

/* Zero is empty, except for by_id, which is nr_processes empty maps and belongs to the caller. */
struct peers {
	struct map *by_id; /* by process: id -> index in `at` */
	uint32_t nr_processes;
	VEC(struct peer) at;
	VEC(uint32_t) free; /* unused indexes of `at` */
	bool is_broken;     /* out of memory */
};

void analyze_peers_fini(struct peers *peers);

/*
 * analyze_peers_create: begins to follow the coroutine that the event creates, started at `spawn_site`.
 * analyze_peers_destroy: stops following the event's coroutine.
 */
void analyze_peers_create(struct peers *peers, const struct ct_event *event, uint32_t spawn_site);
void analyze_peers_destroy(struct peers *peers, const struct ct_event *event);

/*
 * analyze_peers_reach: has the event's coroutine reached this wait for the first time? False if it was not started at
 * `spawn_site`.
 */
bool analyze_peers_reach(
	struct peers *peers, const struct ct_event *event, uint32_t wait, uint32_t spawn_site);

#endif
