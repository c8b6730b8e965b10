/* SPDX-License-Identifier: MIT */
/*
 * Any recorded past, and any coroutines that were found in memory, as one source. The input is a byte that counts
 * the coroutines, twelve bytes for each, and then a text trace. Times have to ascend as in the past, what is told
 * has to lie within its tables, and each coroutine has one number.
 */
#include <string.h>

#include "corotracer/ctp.h"
#include "frames/narrate.h"
#include "memory_file.h"
#include "textrace/textrace.h"

#define COROUTINE_BYTES 12u
#define THREADS 3u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t sum; /* over all that is told */

static size_t read_nothing(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	(void)image, (void)region, (void)address, (void)bytes, (void)nr_bytes;
	return 0;
}

static void close_nothing(struct image *image)
{
	(void)image;
}

static void add_coroutine(struct found *found, const uint8_t *bytes)
{
	struct found_place place = {.function = "work", .file = "work.c", .reason = ""};
	struct found_coroutine coroutine = {.address = (uint64_t)bytes[0] * 16,
		.state = bytes[1] % 4,
		.is_initial = bytes[1] >> 2 & 1,
		.is_here = bytes[1] >> 3 & 1,
		.is_frame = bytes[1] >> 4 & 1,
		.name = bytes[1] >> 5 & 1 ? "name" : "",
		.thread = bytes[2] < THREADS ? bytes[2] : FOUND_NO_THREAD,
		.awaited = (uint64_t)bytes[3] * 16,
		.bytes = bytes[4],
		.identity = bytes[5],
		.object = bytes[6] ? CTP_HANDLE(CTP_RESOURCE_LOCK, bytes[6]) : 0};

	place.line = bytes[7];
	place.stack = found->calls.count > 1 ? bytes[8] % (uint32_t)found->calls.count : 0;
	coroutine.place = found_place(found, bytes[7], &place);
	coroutine.function = found_place(found, bytes[9], &place);
	found_call(found, coroutine.place, place.stack);
	if (bytes[10]) {
		struct found_holding holding = {.coroutine = (uint32_t)found->coroutines.count,
			.object = CTP_HANDLE(CTP_RESOURCE_LOCK, bytes[10]),
			.place = coroutine.place};
		uint32_t other;

		require(map_get(&found->by_address, coroutine.address, &other) ||
			vec_push(&found->holdings, holding));
	}
	found_coroutine(found, &coroutine);
}

static void check(struct ct_source *source)
{
	const struct ct_tables *tables = source->tables;
	const struct ct_event *event;
	uint64_t sequence = 0;
	uint32_t i;

	for (i = 0; i < tables->nr_notes; i++)
		sum += strlen(tables->notes[i].text);
	for (i = 1; i < tables->nr_stacks; i++)
		require(tables->stacks[i].site < tables->nr_sites);
	for (i = 0; i < tables->nr_sites; i++) {
		require(tables->sites[i].stack < tables->nr_stacks);
		sum += strlen(tables->sites[i].file) + strlen(tables->sites[i].reason);
	}
	while (source_next(source, &event, NULL) == CT_OK) {
		require(event->site < tables->nr_sites && event->thread < tables->nr_threads);
		require(event->sequence == sequence++);
	}
}

static void tell(struct telling *telling, struct image *image)
{
	static const struct image_ops ops = {.read = read_nothing, .close = close_nothing};
	struct image_thread thread = {.tid = 1, .name = "thread"};

	image_init(image, &ops);
	for (; thread.tid <= THREADS; thread.tid++)
		require(vec_push(&image->threads, thread));
	telling->image = image;
	narrate_found(telling);
	require(!telling->is_out_of_memory && !telling->found.is_out_of_memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct telling telling = {.source = calloc(1, sizeof(*telling.source))};
	struct ct_source *past = NULL, *joined;
	struct image image = {0};
	size_t count, i;

	require(telling.source != NULL);
	arena_init(&telling.source->arena);
	found_init(&telling.found, &telling.source->arena);
	count = nr_bytes ? bytes[0] : 0;
	bytes += nr_bytes > 0, nr_bytes -= nr_bytes > 0;
	for (i = 0; i < count && nr_bytes >= COROUTINE_BYTES; i++) {
		add_coroutine(&telling.found, bytes);
		bytes += COROUTINE_BYTES, nr_bytes -= COROUTINE_BYTES;
	}
	tell(&telling, &image);
	if (textrace_source_from_text("past", 1, (const char *)bytes, nr_bytes, &past, NULL)) {
		check(&telling.source->source);
		source_close(&telling.source->source);
	} else if (join_open(past, telling.source, &telling.found, &joined, NULL) == CT_OK) {
		check(joined);
		require(joined->ops->reset(joined, NULL) == CT_OK);
		check(joined);
		source_close(joined);
	}
	found_fini(&telling.found);
	image_close(&image);
	return 0;
}
