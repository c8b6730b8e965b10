/* SPDX-License-Identifier: MIT */
/*
 * The events of a trace file in the form in which the engine passed them on: raw times, batches, and definitions among
 * the batches. A repetition is as long as the clock readings reach, and has coroutines of its own.
 */
#include <stdio.h>
#include <stdlib.h>

#include "event/kind_words.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/index.h"
#include "workload.h"

#define BATCH 1024u

struct load {
	struct workload *workload;
	struct input *input;
	struct store_index index; /* empty: used for unpacking */
	struct workload once;     /* the trace unchanged */
	struct map segment_of;
	uint64_t first_raw, last_raw; /* of the clock */
	uint64_t first_ns, last_ns;
	uint64_t last_coro;
};

static void require_memory(bool is_there)
{
	if (is_there)
		return;
	fprintf(stderr, "bench: out of memory\n");
	exit(1);
}

static void note_clock(struct load *load, const struct ct_define_clock *clock)
{
	if (load->first_raw == 0) {
		load->first_raw = clock->raw;
		load->first_ns = clock->monotonic_ns;
	}
	load->last_raw = clock->raw;
	load->last_ns = clock->monotonic_ns;
}

/* Definitions that the sink itself writes, or that end the recording, are not repeated. */
static void load_definition(struct load *load, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_END:
	case CT_DEFINE_ENDING:
	case CT_DEFINE_GENERATION:
	case CT_DEFINE_GENERATION_END:
		return;
	case CT_DEFINE_CLOCK:
		note_clock(load, &definition->clock);
		break;
	case CT_DEFINE_STREAM:
		require_memory(map_put(
			&load->segment_of, definition->stream.stream, definition->stream.segment));
		break;
	default:
		break;
	}
	workload_define(&load->once, *definition);
}

static void load_definitions(struct load *load, const uint8_t *payload, uint32_t nr_bytes)
{
	struct store_bytes bytes = {payload, payload + nr_bytes, false};
	struct ct_definition definition;

	while (store_definition_take(&bytes, &load->workload->arena, &definition) == CT_OK)
		load_definition(load, &definition);
}

static void note_coro(struct load *load, const struct ctp_record *record)
{
	if (kind_has_coro(CTP_TAIL_KIND(record->tail)) && record->coro > load->last_coro)
		load->last_coro = record->coro;
}

static void load_events(struct load *load, const uint8_t *payload, uint32_t nr_bytes)
{
	struct store_bytes bytes = {payload, payload + nr_bytes, false};
	struct store_decoder *decoder = arena_alloc(&load->workload->arena, sizeof(*decoder));
	uint32_t stream = (uint32_t)store_varint_take(&bytes), segment = 0;
	uint32_t thread = (uint32_t)store_varint_take(&bytes);
	size_t count = store_varint_take(&bytes), i;
	uint64_t first = store_varint_take(&bytes);
	struct ctp_record *records = arena_array(&load->workload->arena, count, sizeof(*records));

	require_memory(decoder && records);
	store_varint_take(&bytes);
	store_decoder_start(decoder, first, bytes.at, bytes.end);
	count = store_decode(decoder, records, count);
	for (i = 0; i < count; i++)
		note_coro(load, &records[i]);
	map_get(&load->segment_of, stream, &segment);
	for (i = 0; i < count; i += BATCH) {
		struct workload_step step = {.segment = segment,
			.batch = {stream, thread, records + i,
				count - i < BATCH ? count - i : BATCH, false, true}};

		workload_add(&load->once, &step);
	}
}

static void load_blocks(struct load *load)
{
	uint64_t offset = sizeof(struct store_file_header);
	struct store_block_header header;
	const uint8_t *payload;
	struct ct_error error;

	while (store_block_check(load->input, offset, &header, &payload, &error) == CT_OK) {
		offset += sizeof(header) + header.payload_bytes;
		workload_require(
			store_block_unpack(&load->index, &header, &payload, &error), &error);
		if (header.type == STORE_BLOCK_DEFINITIONS)
			load_definitions(load, payload, header.raw_bytes);
		else if (header.type == STORE_BLOCK_EVENTS)
			load_events(load, payload, header.raw_bytes);
	}
}

/* ---------------------------------------------------------------- repeating */

struct shift {
	uint64_t raw;
	uint64_t ns;
	uint64_t coro;
};

/* A repetition has other coroutines, also in handles. */
static void shift_record(const struct shift *shift, struct ctp_record *record)
{
	unsigned kind = CTP_TAIL_KIND(record->tail);
	enum kind_object object = kind_object(kind);

	record->time += shift->raw;
	if (record->coro && kind_has_coro(kind))
		record->coro += shift->coro;
	if (record->object &&
		(object == KIND_OBJECT_CORO ||
			(object == KIND_OBJECT_RESOURCE &&
				CTP_HANDLE_RESOURCE(record->object) == CTP_RESOURCE_COROUTINE)))
		record->object += shift->coro;
}

static void repeat_batch(
	struct load *load, const struct shift *shift, const struct workload_step *step)
{
	struct workload_step copy = *step;
	struct ctp_record *records =
		arena_array(&load->workload->arena, step->batch.nr_records, sizeof(*records));
	size_t i;

	require_memory(records);
	for (i = 0; i < step->batch.nr_records; i++) {
		records[i] = step->batch.records[i];
		shift_record(shift, &records[i]);
	}
	copy.batch.records = records;
	workload_add(load->workload, &copy);
}

/* Names are valid for all repetitions. */
static void repeat_definition(
	struct load *load, const struct shift *shift, const struct workload_step *step)
{
	struct ct_definition definition = step->definition;

	if (definition.type == CT_DEFINE_CLOCK) {
		definition.clock.raw += shift->raw;
		definition.clock.monotonic_ns += shift->ns;
		definition.clock.realtime_ns += shift->ns;
	} else if (definition.type == CT_DEFINE_HEARTBEAT) {
		definition.heartbeat.monotonic_ns += shift->ns;
	} else if (shift->raw) {
		return;
	}
	workload_define(load->workload, definition);
}

static void repeat(struct load *load, const struct shift *shift)
{
	size_t i;

	for (i = 0; i < load->once.steps.count; i++) {
		const struct workload_step *step = &load->once.steps.at[i];

		if (step->batch.nr_records)
			repeat_batch(load, shift, step);
		else
			repeat_definition(load, shift, step);
	}
}

static void move_on(const struct load *load, struct shift *shift)
{
	/* There may be events after the last reading. */
	uint64_t raw = load->last_raw - load->first_raw, ns = load->last_ns - load->first_ns;

	shift->raw += raw + raw / 16;
	shift->ns += ns + ns / 16;
	shift->coro += load->last_coro + 1;
}

static void repeat_all(struct load *load, size_t nr_events)
{
	struct shift shift = {0};

	while (load->workload->nr_events < nr_events) {
		repeat(load, &shift);
		move_on(load, &shift);
		load->workload->nr_coros += load->last_coro;
	}
}

static void load_once(struct load *load, const char *path)
{
	struct ct_error error;

	*load->workload = (struct workload){.name = "real"};
	arena_init(&load->workload->arena);
	workload_require(input_open(path, &load->input, &error), &error);
	load_blocks(load);
	if (load->once.nr_events == 0 || load->last_raw == load->first_raw) {
		fprintf(stderr, "bench: '%s' holds no events, or no clock\n", path);
		exit(1);
	}
}

static void fini_load(struct load *load)
{
	vec_fini(&load->once.steps);
	map_fini(&load->segment_of);
	store_index_fini(&load->index);
	input_close(load->input);
}

void workload_load(struct workload *workload, const char *path, size_t nr_events)
{
	struct load load = {.workload = workload};

	load_once(&load, path);
	repeat_all(&load, nr_events);
	workload->nr_streams = load.segment_of.count;
	fini_load(&load);
}

void workload_repeat(const char *path, size_t nr_events, struct ct_sink *sink)
{
	struct workload all;
	struct load load = {.workload = &all};
	struct shift shift = {0};
	size_t nr_put = 0;

	load_once(&load, path);
	while (nr_put < nr_events) {
		struct workload one = {.name = "repetition"};

		arena_init(&one.arena);
		load.workload = &one;
		repeat(&load, &shift);
		move_on(&load, &shift);
		workload_put(&one, sink);
		nr_put += one.nr_events;
		workload_fini(&one);
	}
	fini_load(&load);
	workload_fini(&all);
}
