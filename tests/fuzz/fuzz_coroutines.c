/* SPDX-License-Identifier: MIT */
/*
 * Programs of any bytes, with their symbols, debug information and code: the layouts of all coroutine functions are
 * read, and the places at which they suspend, and frames that have the same bytes are told by them. Reading has to end,
 * and what is told has to lie within its lists.
 */
#include <string.h>

#include "frames/awaited.h"
#include "frames/given.h"
#include "frames/stores.h"
#include "memory_file.h"

#define BASE UINT64_C(0x10000000)
#define REGION_BYTES UINT64_C(0x1000000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t sum; /* over all that is told */

static const uint8_t *memory; /* the input, again and again; every other word leads into it */
static size_t memory_bytes;

static size_t read_memory(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	uint8_t *to = bytes;
	uint64_t word;
	size_t i;

	(void)image, (void)region;
	for (i = 0; i < nr_bytes && memory_bytes > 0; i++)
		to[i] = memory[(address + i) % memory_bytes];
	if (nr_bytes == sizeof(word) && i == nr_bytes && to[0] % 2 == 0) {
		memcpy(&word, to, sizeof(word));
		word = BASE + word % REGION_BYTES;
		memcpy(to, &word, sizeof(word));
	}
	return i;
}

static void close_image(struct image *image)
{
	free(image);
}

static struct image *made_image(const char *path)
{
	static const struct image_ops ops = {.read = read_memory, .close = close_image};
	struct image_region region = {
		.start = BASE, .end = BASE + REGION_BYTES, .path = path, .is_code = true};
	struct image *image = calloc(1, sizeof(*image));

	require(image != NULL);
	image_init(image, &ops);
	image->program = path;
	require(image_add_region(image, &region));
	return image;
}

static void check_points(const struct code_function *function)
{
	size_t i;

	for (i = 0; i < function->shape.points.count; i++) {
		const struct code_point *point = &function->shape.points.at[i];

		require(point->awaiter_at == CODE_NO_OFFSET ||
			point->awaiter_at < function->shape.awaiters.count);
		require(code_point_of(function, point->index) != NULL);
		sum += strlen(point->file) + strlen(point->awaiter);
	}
	for (i = 0; i < function->shape.awaiters.count; i++)
		sum += strlen(function->shape.awaiters.at[i].type);
	require(function->shape.index_bytes <= sizeof(uint64_t));
	sum += strlen(function->name) + strlen(function->file);
}

static void say_memory(void *context, uint64_t address, struct text *text)
{
	(void)context;
	text_format(text, "%u", (unsigned)(address % 10));
}

static void tell(const struct code_function *function, const struct image *image)
{
	struct text text = {0};
	size_t i;

	given_tell(function, image, BASE, &text);
	for (i = 0; i < function->shape.awaiters.count; i++) {
		const struct code_awaiter *awaiter = &function->shape.awaiters.at[i];

		awaited_tell(awaiter, image, BASE, false, say_memory, NULL, &text);
		awaited_tell(awaiter, image, BASE, true, say_memory, NULL, &text);
		sum += awaited_object(awaiter, image, BASE);
	}
	sum += text.length;
	text_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file file;
	struct image *image;
	struct modules modules;
	struct code code;
	size_t i;

	memory = bytes;
	memory_bytes = nr_bytes;
	file_set(&file, bytes, nr_bytes);
	image = made_image(file.path);
	require(stores_prepare(NULL) == CT_OK);
	require(modules_open(&modules, image, NULL) == CT_OK);
	require(code_open(&code, image, &modules, NULL) == CT_OK);
	for (i = 0; i < code.functions.count; i++) {
		require(code_look_at(&code, &code.functions.at[i]));
		check_points(&code.functions.at[i]);
		tell(&code.functions.at[i], image);
	}
	code_close(&code);
	modules_close(&modules);
	image_close(image);
	return 0;
}
