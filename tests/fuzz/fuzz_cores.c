/* SPDX-License-Identifier: MIT */
/*
 * Core dumps of any bytes, with all that is looked for in them. Reading has to end, what is told has to lie within its
 * tables, and a refusal has to say so at a place in the file.
 */
#include <string.h>

#include "frames/frames.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t sum; /* over all that is told */

static void check_regions(const struct image *image)
{
	uint8_t bytes[64];
	size_t i;

	for (i = 0; i < image->regions.count; i++) {
		const struct image_region *region = &image->regions.at[i];

		require(region->start < region->end);
		require(i == 0 || image->regions.at[i - 1].end <= region->start);
		sum += strlen(region->path) +
		       image_read(image, region->end - 1, bytes, sizeof(bytes));
		require(image_read(image, region->end - 1, bytes, sizeof(bytes)) <= 1);
	}
	for (i = 0; i < image->threads.count; i++)
		sum += strlen(image->threads.at[i].name) + image->threads.at[i].stack_pointer;
	sum += strlen(image->program) + strlen(image->command_line);
}

static void check_tables(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 0; i < tables->nr_sites; i++) {
		require(tables->sites[i].stack < tables->nr_stacks);
		sum += strlen(tables->sites[i].file) + strlen(tables->sites[i].function) +
		       strlen(tables->sites[i].reason);
	}
	for (i = 1; i < tables->nr_stacks; i++)
		require(tables->stacks[i].caller < i && tables->stacks[i].site < tables->nr_sites);
	for (i = 0; i < tables->nr_notes; i++)
		sum += strlen(tables->notes[i].text);
}

static void check_events(struct ct_source *source)
{
	const struct ct_event *event;
	ct_time last = 0;

	while (source_next(source, &event, NULL) == CT_OK) {
		require(event->site < source->tables->nr_sites);
		require(event->thread < source->tables->nr_threads);
		require(event->time >= last);
		last = event->time;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file file;
	struct ct_error error = {0};
	struct ct_source *source;
	struct input *input;
	struct image *image;

	file_set(&file, bytes, nr_bytes);
	if (!image_is_core(bytes, nr_bytes) || input_open(file.path, &input, &error))
		return 0;
	if (image_open_core(input, NULL, &image, &error)) {
		require(error.status == CT_ERR_FORMAT && error.offset <= UINT64_MAX);
		return 0;
	}
	check_regions(image);
	if (frames_source_open(image, NULL, NULL, &source, &error)) {
		require((error.status == CT_ERR_NOT_FOUND || error.status == CT_ERR_FORMAT) &&
			error.text[0]);
		return 0;
	}
	check_tables(source->tables);
	check_events(source);
	source->ops->close(source);
	return 0;
}
