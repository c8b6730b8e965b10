/* SPDX-License-Identifier: MIT */
/*
 * What a sink is given by the engine, step by step, in memory: made of a scheduler's mix, or loaded from a trace.
 */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include "base/arena.h"
#include "stream/stream.h"
#include "base/vec.h"

/* A batch of records, or a definition where `batch.nr_records` is 0. */
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
 * workload_make: two threads, 10,000 coroutines taken at random, each in turn resumed, waking another one, and
 * suspending on a descriptor; counter times as of 2 GHz, 60 to 500 ns apart.
 *
 * workload_load: the events of a trace file with raw times, and what was defined among them, repeated with later times
 * and other coroutines until there are `nr_events` of them. Both end the program where they fail.
 */
void workload_make(struct workload *workload, size_t nr_events);
void workload_load(struct workload *workload, const char *path, size_t nr_events);
void workload_fini(struct workload *workload);

/* workload_put: gives all steps to a sink, and flushes it. Ends the program where that fails. */
void workload_put(const struct workload *workload, struct ct_sink *sink);

/*
 * workload_repeat: what workload_load would hold, given to a sink, in the memory of one repetition. Ends the program
 * where it fails.
 */
void workload_repeat(const char *path, size_t nr_events, struct ct_sink *sink);

/* workload_require: ends the program with the error's text unless the status is success. */
void workload_require(enum ct_status status, const struct ct_error *error);

/* workload_add: one step more; workload_define: one that defines. */
void workload_add(struct workload *workload, const struct workload_step *step);
void workload_define(struct workload *workload, struct ct_definition definition);

#endif
