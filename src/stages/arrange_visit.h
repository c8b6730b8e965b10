/* SPDX-License-Identifier: MIT */
/*
 * The memory of one search for an order. Which events have been put so far, and where their subject is behind them,
 * decide all that can follow: whoever comes there a second time, at no less a cost, need not look again. So a search
 * looks at as many places as its rows have, and not at as many as there are orders.
 */
#ifndef STAGES_ARRANGE_VISIT_H
#define STAGES_ARRANGE_VISIT_H

#include "stages/arrange_step.h"

#define NR_VISITS 8192u /* a power of two, with room to spare for those of one search */

struct visit {
	uint64_t put; /* which events, a bit for each */
	uint32_t by;
	uint32_t search; /* in which this was noted; 0: in none */
	uint16_t cost;
	uint8_t state;
};

struct visits {
	struct visit *at; /* NR_VISITS */
	uint32_t search;
};

/* arrange_visits_init: false: out of memory. arrange_visits_forget: a new search begins. */
bool arrange_visits_init(struct visits *visits);
void arrange_visits_forget(struct visits *visits);
void arrange_visits_fini(struct visits *visits);

/* arrange_visits_note: false where the search was here before at no higher cost. */
bool arrange_visits_note(
	struct visits *visits, uint64_t put, const struct place *place, unsigned cost);

#endif
