/* SPDX-License-Identifier: MIT */
/*
 * The collector's access to its sink: counts what is taken and what is lost, and keeps a failing sink from ending a
 * recording.
 *
 * The sentence of the first failure is kept. The sink is still called after a failure, because the sink knows what it
 * can keep, and reports in its output what it refuses. An event that the sink refuses counts as lost.
 */
#ifndef COLLECT_OUTPUT_H
#define COLLECT_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/stream.h"

struct output {
	struct ct_sink *sink; /* belongs to the caller */
	bool is_broken;
	uint64_t nr_events; /* records taken, except those of kind LOST */
	uint64_t nr_lost;   /* events that were written but that no reader will see; saturates */
	struct ct_error trouble; /* the first failure */
};

/* collect_output_init: everything goes to `sink` from now on. */
void collect_output_init(struct output *output, struct ct_sink *sink);

/*
 * collect_output_put: passes records on; `nr_events` of them are events, the others report losses. An empty batch is
 * ignored.
 */
void collect_output_put(struct output *output, const struct ct_batch *batch, uint64_t nr_events);

/* collect_output_define: passes a definition on. */
void collect_output_define(struct output *output, const struct ct_definition *definition);

/* collect_output_lose: counts a loss and defines it. A count of 0 is ignored. */
void collect_output_lose(struct output *output, const struct ct_define_loss *loss);

/* collect_output_count_lost: counts losses that a record in the stream reports. */
void collect_output_count_lost(struct output *output, uint64_t count);

/* collect_output_flush: asks the sink to flush. */
void collect_output_flush(struct output *output);

#endif
