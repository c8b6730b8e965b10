/* SPDX-License-Identifier: MIT */
/*
 * A flight recorder's file with any content: its header, its rings, its words about the process. The input is a list of
 * stores into a valid file: two bytes of position, eight of value; an odd number of bytes behind them cuts the file.
 * The harness checks only that reading ends, and stays within the copy that it makes.
 */
#include <stdint.h>
#include <stdio.h>

#define MADE_CHUNKS 4u /* a reader copies the whole file */

#include "collect/flight_past.h"
#include "made_segment.h"

#define STORE_BYTES 10u
#define ABOUT_BYTES 4096u

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

/* A valid file of two threads; the words about its process stand behind the rings. */
static void make_sound(struct made_segment *made)
{
	struct ctp_header *header = made->header;
	uint32_t i;

	header->features_compatible = CTP_FEATURE_FLIGHT;
	made->orders->policy = CTP_POLICY_OVERWRITE_OLDEST;
	header->clock = CTP_CLOCK_COUNTER;
	header->clock_counter = header->clock_monotonic_ns = 1000;
	header->about_offset = header->name_offset + MADE_NAME_BYTES - ABOUT_BYTES;
	header->about_bytes = ABOUT_BYTES;
	header->name_bytes = MADE_NAME_BYTES - ABOUT_BYTES;
	snprintf(made->base + header->about_offset, ABOUT_BYTES,
		"program /bin/sound\ncommand sound\nhost here\nboot never\n"
		"code 1000 2000 0 abcdef /bin/sound\ncode 3000 4000 10 - /lib/sound.so\n");
	header->instants[1] = (struct ctp_instant){5000, 6000, 7000};
	header->instants_taken = 1;
	header->sites_used = 3;
	made->sites[1] = (struct ctp_site){CTP_SITE_SOURCE, 7, 1, 8, 8, 0, 0};
	made->sites[2] = (struct ctp_site){CTP_SITE_ADDRESS, 0, 0, 0, 0, 0, 0x1234};
	made_name(made, 8, "sound.c");
	for (i = 0; i < 2; i++)
		made_claim(made, i, 100 + i);
	for (i = 0; i < 50; i++)
		made_emit(made, i % 2, i, i % 3, CTP_KIND_COUNTER, 0);
	made->rings[1].floor = 3;
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
	make_sound(&made);
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
