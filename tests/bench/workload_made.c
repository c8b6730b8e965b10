/* SPDX-License-Identifier: MIT */
/*
 * A scheduler's mix, made from random numbers that are the same on every machine.
 */
#include <stdio.h>
#include <stdlib.h>

#include "workload.h"

#define NR_THREADS 2u
#define NR_COROS 10000u
#define BATCH 1024u

void workload_require(enum ct_status status, const struct ct_error *error)
{
	if (status == CT_OK)
		return;
	fprintf(stderr, "bench: %s\n", error->text);
	exit(1);
}

void workload_add(struct workload *workload, const struct workload_step *step)
{
	if (!vec_push(&workload->steps, *step))
		exit(1);
	workload->nr_events += step->batch.nr_records;
}

void workload_define(struct workload *workload, struct ct_definition definition)
{
	struct workload_step step = {.definition = definition};

	workload_add(workload, &step);
}

void workload_fini(struct workload *workload)
{
	vec_fini(&workload->steps);
	arena_fini(&workload->arena);
}

void workload_put(const struct workload *workload, struct ct_sink *sink)
{
	struct ct_error error;
	size_t i;

	for (i = 0; i < workload->steps.count; i++) {
		const struct workload_step *step = &workload->steps.at[i];

		workload_require(step->batch.nr_records
					 ? sink_put(sink, &step->batch, &error)
					 : sink_define(sink, &step->definition, &error),
			&error);
	}
	workload_require(sink_flush(sink, &error), &error);
}

static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Three events in each turn, on one thread: resume, wake, suspend. */
static void make_records(struct ctp_record *records, size_t count, uint64_t seed)
{
	uint64_t state = seed, time = UINT64_C(90000000000000), coro = 1, other;
	size_t i;

	for (i = 0; i < count; i++) {
		time += 120 + random_number(&state) % 880;
		switch (i % 3) {
		case 0:
			coro = 1 + random_number(&state) % NR_COROS;
			records[i] = (struct ctp_record){
				time, coro, 0, CTP_TAIL(0, CTP_KIND_RESUME, 0, 0)};
			break;
		case 1:
			other = 1 + random_number(&state) % NR_COROS;
			records[i] = (struct ctp_record){time, coro,
				CTP_HANDLE(CTP_RESOURCE_COROUTINE, other),
				CTP_TAIL(1 + other % 4, CTP_KIND_WAKE, 0, 0)};
			break;
		default:
			records[i] = (struct ctp_record){time, coro,
				CTP_DESCRIPTOR(10 + coro % 1000, 1 + coro / 1000),
				CTP_TAIL(5 + coro % 3, CTP_KIND_SUSPEND, 0, 0)};
			break;
		}
	}
}

static void define_clocks(struct workload *workload)
{
	uint32_t i;

	for (i = 0; i < 60; i++)
		workload_define(workload,
			(struct ct_definition){.type = CT_DEFINE_CLOCK,
				.clock = {.clock = CTP_CLOCK_COUNTER,
					.raw = UINT64_C(90000000000000) + i * UINT64_C(100000000),
					.monotonic_ns =
						UINT64_C(1000000000000) + i * UINT64_C(50000000)}});
}

static void define_all(struct workload *workload)
{
	uint32_t i;

	workload_define(
		workload, (struct ct_definition){.type = CT_DEFINE_PROCESS,
				  .process = {.process = 1, .program = "", .command_line = ""}});
	workload_define(workload, (struct ct_definition){.type = CT_DEFINE_SEGMENT,
					  .segment = {.segment = 1,
						  .process = 1,
						  .role = CTP_ROLE_PROBE,
						  .clock = CTP_CLOCK_COUNTER}});
	define_clocks(workload);
	for (i = 1; i <= NR_THREADS; i++) {
		workload_define(
			workload, (struct ct_definition){.type = CT_DEFINE_THREAD,
					  .thread = {.thread = i, .process = 1, .name = ""}});
		workload_define(workload, (struct ct_definition){.type = CT_DEFINE_STREAM,
						  .stream = {.stream = i, .segment = 1}});
	}
	for (i = 1; i < 8; i++)
		workload_define(workload, (struct ct_definition){.type = CT_DEFINE_SITE,
						  .site = {.segment = 1,
							  .id = i,
							  .file = "server.cpp",
							  .function = "",
							  .reason = "",
							  .module = ""}});
}

void workload_make(struct workload *workload, size_t nr_events)
{
	struct ctp_record *records[NR_THREADS];
	size_t count = nr_events / NR_THREADS, i, n;
	uint32_t thread;

	*workload =
		(struct workload){.name = "made", .nr_streams = NR_THREADS, .nr_coros = NR_COROS};
	arena_init(&workload->arena);
	define_all(workload);
	for (thread = 0; thread < NR_THREADS; thread++) {
		records[thread] = arena_array(&workload->arena, count, sizeof(*records[thread]));
		if (!records[thread])
			exit(1);
		make_records(records[thread], count, 12345 + thread);
	}
	for (i = 0; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		for (thread = 0; thread < NR_THREADS; thread++) {
			struct workload_step step = {.segment = 1,
				.batch = {thread + 1, thread + 1, records[thread] + i, n, false,
					true}};

			workload_add(workload, &step);
		}
	}
}
