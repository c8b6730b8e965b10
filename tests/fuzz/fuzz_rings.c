/* SPDX-License-Identifier: MIT */
/*
 * A flight recorder with any content in the memory of a program, whose mappings lie anyhow. The input is a byte
 * for the number of mappings, eight for each, and then stores into a valid recorder: two bytes of position, eight
 * of value. What is put together, recovered and joined has to end, and what is told has to lie within its tables.
 */
#include <string.h>

#include "made_flight.h"
#include "memory_file.h"
#include "session/past.h"

#define PARTS_MAX 8u
#define PART_BYTES 8u
#define STORE_BYTES 10u
#define START UINT64_C(0x700000000000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

struct recorder_image {
	struct image image;
	struct made_segment made;
};

static uint64_t sum; /* over all that is told */

static size_t read_recorder(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	const struct made_segment *made = &((const struct recorder_image *)image)->made;
	uint64_t at = region->offset + (address - region->start);

	if (region->core_bytes == 0 || at >= made->nr_bytes)
		return 0;
	if (nr_bytes > made->nr_bytes - at)
		nr_bytes = (size_t)(made->nr_bytes - at);
	memcpy(bytes, made->base + at, nr_bytes);
	return nr_bytes;
}

static void close_image(struct image *image)
{
	struct recorder_image *recorder = (struct recorder_image *)image;

	made_close(&recorder->made);
	free(recorder);
}

/* A mapping: where in the file, how long, how far behind the one before it, and what is special about it. */
static void add_part(struct recorder_image *recorder, const uint8_t *bytes, uint64_t *address)
{
	struct image_region region = {
		.path = bytes[6] & 1 ? "/tmp/flight" : "/memfd:corotracer (deleted)",
		.is_writable = !(bytes[6] & 2),
		.core_bytes = !(bytes[6] & 4)};

	region.start = *address + (uint64_t)bytes[4] * CTP_PAGE_BYTES + ((uint64_t)bytes[5] << 28);
	region.offset = (uint64_t)(bytes[0] | bytes[1] << 8) * CTP_PAGE_BYTES;
	if (bytes[6] & 8)
		region.offset <<= 36;
	region.end = region.start + (uint64_t)(bytes[2] | bytes[3] << 8) * CTP_PAGE_BYTES;
	*address = region.end;
	require(image_add_region(&recorder->image, &region));
}

static void check(struct ct_source *source)
{
	const struct ct_tables *tables = source->tables;
	const struct ct_event *event;
	uint32_t i;

	for (i = 0; i < tables->nr_notes; i++)
		sum += strlen(tables->notes[i].text);
	for (i = 0; i < tables->nr_threads; i++)
		require(tables->threads[i].process < tables->nr_processes);
	while (source_next(source, &event, NULL) == CT_OK) {
		require(event->site < tables->nr_sites && event->thread < tables->nr_threads);
		require(event->process < tables->nr_processes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static const struct image_ops ops = {.read = read_recorder, .close = close_image};
	struct recorder_image *recorder = calloc(1, sizeof(*recorder));
	uint64_t address = START;
	struct ct_source *source;
	struct ct_error error = {0};
	size_t nr_parts, i;

	require(recorder != NULL);
	if (nr_bytes == 0)
		goto end;
	image_init(&recorder->image, &ops);
	made_open_unsealed(&recorder->made);
	made_flight(&recorder->made);
	recorder->image.pid = recorder->made.header->pid;
	nr_parts = bytes[0] % (PARTS_MAX + 1);
	bytes++, nr_bytes--;
	for (i = 0; i < nr_parts && nr_bytes >= PART_BYTES; i++) {
		add_part(recorder, bytes, &address);
		bytes += PART_BYTES, nr_bytes -= PART_BYTES;
	}
	for (; nr_bytes >= STORE_BYTES; nr_bytes -= STORE_BYTES, bytes += STORE_BYTES)
		memcpy(recorder->made.base + (size_t)(bytes[0] | bytes[1] << 8) * 8 %
						     (recorder->made.nr_bytes - 8),
			bytes + 2, 8);
	if (past_open_core(&recorder->image, "core", &source, &error)) {
		require(error.text[0]);
		return 0;
	}
	check(source);
	source->ops->close(source);
	return 0;
end:
	free(recorder);
	return 0;
}
