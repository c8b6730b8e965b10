/* SPDX-License-Identifier: MIT */
/*
 * A flight recorder's file with any content: its header, its rings, its words about the process. The input is a list of
 * stores into a valid file: two bytes of position, eight of value; an odd number of bytes behind them cuts the file.
 * The harness checks only that reading ends, and stays within the copy that it makes.
 */
#include <stdint.h>

#include "collect/flight_past.h"
#include "made_flight.h"

#define STORE_BYTES 10u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t sum; /* over every word that a sink would read */

static enum ct_status put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	size_t i;

	(void)sink, (void)reterr;
	for (i = 0; i < batch->nr_records; i++)
		sum += batch->records[i].time ^ batch->records[i].tail;
	return CT_OK;
}

static enum ct_status define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	(void)sink, (void)reterr;
	if (definition->type == CT_DEFINE_MAPPING)
		sum += strlen(definition->mapping.path) + strlen(definition->mapping.build_id);
	if (definition->type == CT_DEFINE_PROCESS)
		sum += strlen(definition->process.program) +
		       strlen(definition->process.command_line);
	if (definition->type == CT_DEFINE_SITE)
		sum += strlen(definition->site.file) + strlen(definition->site.function);
	return CT_OK;
}

static enum ct_status flush(struct ct_sink *sink, struct ct_error *reterr)
{
	(void)sink, (void)reterr;
	return CT_OK;
}

static enum ct_status close_sink(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)sink, (void)is_wanted, (void)reterr;
	return CT_OK;
}

static void recover(const struct made_segment *made)
{
	static const struct ct_sink_ops ops = {put, define, flush, close_sink};
	struct ct_sink sink = {&ops};
	struct ct_flight_recovered facts;
	struct collect *collect;
	static char name[] = "input";
	struct input input = {.descriptor = made->descriptor, .name = name};

	if (collect_flight(&input, 0, &sink, &collect, &facts, NULL))
		return;
	sum += facts.held_ns + facts.complete_ns;
	if (collect_finish(collect, NULL))
		abort();
	collect_close(collect);
}

/* Stores into the header, the rings, the sites and names, and the first records: everything except most records. */
static void store(struct made_segment *made, const uint8_t *bytes)
{
	size_t interesting = made->nr_bytes - (size_t)(MADE_CHUNKS - 1) * CTP_CHUNK_BYTES;

	memcpy(made->base + (size_t)(bytes[0] | bytes[1] << 8) * 8 % interesting, bytes + 2, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct made_segment made;

	made_open_unsealed(&made);
	made_flight(&made);
	for (; nr_bytes >= STORE_BYTES; nr_bytes -= STORE_BYTES, bytes += STORE_BYTES)
		store(&made, bytes);
	if (nr_bytes >= 3 && nr_bytes % 2 &&
		ftruncate(made.descriptor,
			(off_t)((bytes[0] | bytes[1] << 8 | bytes[2] << 16) % made.nr_bytes)))
		abort();
	recover(&made);
	made_close(&made);
	return 0;
}
