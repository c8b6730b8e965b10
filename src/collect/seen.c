/* SPDX-License-Identifier: MIT */
/*
 * Coroutines that were found in the memory of a recorded process, whose events the engine puts into the trace as its
 * own (collect_put_seen in collect.h). Sites, stacks and coroutines are those of a segment of their own.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/failure.h"
#include "collect/collector.h"
#include "stream/definition.h"

struct putting {
	struct collect *collect;
	const struct ct_tables *tables;
	const uint32_t *threads;
	uint32_t segment;
	uint32_t *streams; /* by the index of the thread; 0: none yet */
};

bool collect_seen_threads(
	struct collect *collect, uint32_t number, const struct ct_tables *tables, uint32_t *threads)
{
	struct process *process;
	uint32_t i;

	for_each_process (collect, process) {
		if (process->number != number || process->has_ended)
			continue;
		threads[0] = 0;
		for (i = 1; i < tables->nr_threads; i++)
			threads[i] = collect_process_thread(
				collect, process, tables->threads[i].tid, clock_monotonic_ns());
		return true;
	}
	return false;
}

static void define(struct putting *putting, const struct ct_definition *definition)
{
	collect_output_define(&putting->collect->output, definition);
}

static void define_segment(struct putting *putting, uint32_t process)
{
	struct ct_definition definition = {.type = CT_DEFINE_SEGMENT};

	definition.segment = (struct ct_define_segment){
		.segment = ++putting->collect->nr_segments,
		.process = process,
		.role = CTP_ROLE_ENGINE,
		.clock = CTP_CLOCK_MONOTONIC,
		.attached = (uint64_t)putting->tables->epoch_monotonic_ns,
	};
	memcpy(definition.segment.identity, putting->collect->run_id,
		sizeof(putting->collect->run_id));
	putting->segment = definition.segment.segment;
	define(putting, &definition);
}

static void define_places(struct putting *putting)
{
	const struct ct_tables *tables = putting->tables;
	struct ct_definition definition;
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++) {
		definition = definition_of_site(&tables->sites[i], putting->segment, i);
		define(putting, &definition);
	}
	for (i = 1; i < tables->nr_stacks; i++) {
		definition = definition_of_stack(&tables->stacks[i], putting->segment, i);
		define(putting, &definition);
	}
}

static void define_notes(struct putting *putting)
{
	const struct ct_tables *tables = putting->tables;
	struct ct_definition definition = {.type = CT_DEFINE_NOTE};
	uint32_t i;

	for (i = 0; i < tables->nr_notes; i++) {
		definition.note = (struct ct_define_note){.text = tables->notes[i].text,
			.count = tables->notes[i].count,
			.offset = tables->notes[i].offset};
		define(putting, &definition);
	}
}

static void put(struct putting *putting, const struct ct_event *event)
{
	struct collect *collect = putting->collect;
	struct ctp_record record = {
		.time = (uint64_t)(event->time + putting->tables->epoch_monotonic_ns),
		.coro = event->coro,
		.object = event->object,
		.tail = CTP_TAIL(event->site, event->kind, event->argument, event->flags),
	};
	struct ct_batch batch = {
		.thread = putting->threads[event->thread],
		.records = &record,
		.nr_records = 1,
		.is_copy = true,
	};
	struct ct_definition definition = {.type = CT_DEFINE_STREAM};

	if (!putting->streams[event->thread]) {
		putting->streams[event->thread] = ++collect->nr_streams;
		definition.stream = (struct ct_define_stream){
			.stream = collect->nr_streams, .segment = putting->segment};
		define(putting, &definition);
	}
	batch.stream = putting->streams[event->thread];
	collect_output_put(&collect->output, &batch, 1);
}

/* The trace says that coroutines were found in memory: what was before is not known. */
static void define_run(struct collect *collect)
{
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof(host) - 1);
	collect->is_from_memory = true;
	collect_define_run(collect, host);
}

enum ct_status collect_put_seen(struct collect *collect, uint32_t process, struct ct_source *seen,
	const uint32_t *threads, struct ct_error *reterr)
{
	struct putting putting = {
		.collect = collect,
		.tables = seen->tables,
		.threads = threads,
		.streams = calloc(seen->tables->nr_threads, sizeof(*putting.streams)),
	};
	const struct ct_event *event;
	enum ct_status status;

	if (!putting.streams)
		return ct_fail_memory(reterr);
	define_run(collect);
	define_segment(&putting, process);
	define_places(&putting);
	define_notes(&putting);
	while ((status = source_next(seen, &event, reterr)) == CT_OK)
		put(&putting, event);
	free(putting.streams);
	return status == CT_END ? CT_OK : status;
}
