/* SPDX-License-Identifier: MIT */
/*
 * The memory of one search for an order. The set of events placed so far, and their subject's state after them,
 * determine everything that can follow: if the search reaches the same pair a second time, at no lower cost, it need
 * not go on. So a search visits about as many pairs as there are positions in its rows, not as many as there are
 * orders.
 */
#ifndef STAGES_ARRANGE_VISIT_H
#define STAGES_ARRANGE_VISIT_H

#include "stages/arrange_step.h"

#define NR_VISITS 8192u /* a power of two, with room to spare for the visits of one search */

struct visit {
	uint64_t put; /* the events placed, one bit each */
	uint32_t by;
	uint32_t search; /* search that noted this; 0: none */
	uint16_t cost;
	uint8_t state;
};

struct visits {
	struct visit *at; /* NR_VISITS visits */
	uint32_t search;
};

/* arrange_visits_init: makes the memory. Returns false if out of memory. arrange_visits_forget: begins a new search. */
bool arrange_visits_init(struct visits *visits);
void arrange_visits_forget(struct visits *visits);
void arrange_visits_fini(struct visits *visits);

/* arrange_visits_note: notes a visit. Returns false if the search was here before at no higher cost. */
bool arrange_visits_note(
	struct visits *visits, uint64_t put, const struct place *place, unsigned cost);

#endif
