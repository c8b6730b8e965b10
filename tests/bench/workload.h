/* SPDX-License-Identifier: MIT */
/*
 * The input of a sink, as the engine gives it step by step, in memory: made from a scheduler's mix, or loaded from a
 * trace.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "base/arena.h"
#include "stream/stream.h"
#include "base/vec.h"

/* A batch of records; or a definition if `batch.nr_records` is 0. */
struct workload_step {
	struct ct_batch batch;
	uint32_t segment; /* of the batch */
	struct ct_definition definition;
};

struct workload {
	const char *name;
	VEC(struct workload_step) steps;
	struct arena arena; /* records and texts */
	size_t nr_events;
	size_t nr_streams;
	size_t nr_coros;
};

/*
 * workload_make: two threads take 10,000 coroutines at random; each is resumed, wakes another coroutine, and suspends
 * on a descriptor. Times are those of a 2 GHz counter, 60 to 500 ns apart.
 *
 * workload_load: the events of a trace file with raw times, and the definitions among them, repeated with later times
 * and other coroutines until there are `nr_events` events. Both functions end the program on failure.
 */
void workload_make(struct workload *workload, size_t nr_events);
void workload_load(struct workload *workload, const char *path, size_t nr_events);
void workload_fini(struct workload *workload);

/* workload_put: gives all steps to a sink, and flushes it. Ends the program on failure. */
void workload_put(const struct workload *workload, struct ct_sink *sink);

/*
 * workload_repeat: gives to a sink what workload_load would hold, with the memory of only one repetition. Ends the
 * program on failure.
 */
void workload_repeat(const char *path, size_t nr_events, struct ct_sink *sink);

/* workload_require: ends the program with the error's text unless the status is success. */
void workload_require(enum ct_status status, const struct ct_error *error);

/* workload_add: adds one step. workload_define: adds a step that defines something. */
void workload_add(struct workload *workload, const struct workload_step *step);
void workload_define(struct workload *workload, struct ct_definition definition);

#endif
