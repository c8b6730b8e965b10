/* SPDX-License-Identifier: MIT */
/*
 * Programs of any bytes, with their symbols, debug information and code: the layouts of all coroutine functions are
 * read, and the places at which they suspend. Reading has to end, and what is told has to lie within its lists.
 */
#include <string.h>

#include "frames/code.h"
#include "frames/stores.h"
#include "memory_file.h"

#define BASE UINT64_C(0x10000000)
#define REGION_BYTES UINT64_C(0x1000000)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t sum; /* over all that is told */

static size_t read_nothing(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	(void)image, (void)region, (void)address, (void)bytes, (void)nr_bytes;
	return 0;
}

static void close_image(struct image *image)
{
	free(image);
}

static struct image *made_image(const char *path)
{
	static const struct image_ops ops = {.read = read_nothing, .close = close_image};
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file file;
	struct image *image;
	struct modules modules;
	struct code code;
	size_t i;

	file_set(&file, bytes, nr_bytes);
	image = made_image(file.path);
	require(stores_prepare(NULL) == CT_OK);
	require(modules_open(&modules, image, NULL) == CT_OK);
	require(code_open(&code, image, &modules, NULL) == CT_OK);
	for (i = 0; i < code.functions.count; i++) {
		require(code_look_at(&code, &code.functions.at[i]));
		check_points(&code.functions.at[i]);
	}
	code_close(&code);
	modules_close(&modules);
	image_close(image);
	return 0;
}
