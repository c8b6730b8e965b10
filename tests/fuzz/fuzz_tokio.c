/* SPDX-License-Identifier: MIT */
/*
 * Programs in Rust of any bytes, with their symbols and debug information: the types of all tasks are read, and a task
 * of each is followed in a memory that is made of the program's bytes. Reading has to end, and what is told has to lie
 * within its lists.
 */
#include <string.h>

#include "frames/rust_awaited.h"
#include "frames/rust_tasks.h"
#include "memory_file.h"

#define BASE UINT64_C(0x10000000)
#define TASKS 8u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

/* The program as it is mapped: the file itself. */
struct mapped {
	struct image image;
	const uint8_t *bytes;
};

static uint64_t sum; /* over all that is told */

static size_t read_bytes(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	memcpy(bytes, ((const struct mapped *)image)->bytes + (address - region->start), nr_bytes);
	return nr_bytes;
}

static void close_image(struct image *image)
{
	(void)image;
}

static void map(struct mapped *mapped, const char *path, size_t nr_bytes)
{
	static const struct image_ops ops = {.read = read_bytes, .close = close_image};
	struct image_region region = {.start = BASE, .end = BASE + nr_bytes, .path = path};

	image_init(&mapped->image, &ops);
	mapped->image.program = path;
	require(image_add_region(&mapped->image, &region));
}

static void check_found(const struct found *found, const struct found_coroutine *coroutine)
{
	size_t i;

	require(coroutine->place < found->places.count);
	require(coroutine->function < found->places.count);
	for (i = 0; i < found->places.count; i++) {
		require(found->places.at[i].stack < found->calls.count);
		sum += strlen(found->places.at[i].function) + strlen(found->places.at[i].file);
	}
}

/* The future of a task of this type is anywhere. */
static void follow(const struct mapped *mapped, const struct modules *modules,
	const struct rust_kind *kind, size_t nr_bytes, struct found *found)
{
	struct rust_objects objects = {.counts = {.by_address = {0}}};
	const struct rust_reading reading = {&mapped->image, found->arena};
	struct text text = {0};
	size_t i;

	for (i = 0; i < TASKS; i++) {
		struct rust_value future = {
			.type = kind->future, .address = BASE + nr_bytes * i / TASKS};
		struct found_coroutine coroutine = {.name = ""};

		rust_chain_tell(found, &mapped->image, modules, &future, &coroutine, &objects);
		check_found(found, &coroutine);
		require(rust_awaited_say(&reading, &future, &text));
	}
	for (i = 0; i < objects.waiting.count; i++)
		require(rust_awaited_say(&reading, &objects.waiting.at[i].object, &text));
	sum += text.length;
	text_fini(&text);
	object_counts_fini(&objects.counts);
	vec_fini(&objects.waiting);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file file;
	struct mapped mapped = {.bytes = bytes};
	struct modules modules;
	struct rust_kinds kinds = {0};
	struct arena arena;
	struct found found;
	size_t i;

	if (nr_bytes == 0)
		return 0;
	file_set(&file, bytes, nr_bytes);
	map(&mapped, file.path, nr_bytes);
	arena_init(&arena);
	found_init(&found, &arena);
	require(modules_open(&modules, &mapped.image, NULL) == CT_OK);
	require(rust_kinds_find(&kinds, &mapped.image, &modules, NULL) == CT_OK);
	for (i = 0; i < kinds.kinds.count; i++)
		follow(&mapped, &modules, &kinds.kinds.at[i], nr_bytes, &found);
	rust_kinds_fini(&kinds);
	modules_close(&modules);
	found_fini(&found);
	arena_fini(&arena);
	image_close(&mapped.image);
	return 0;
}
