/* SPDX-License-Identifier: MIT */
/*
 * A trace file of any bytes: its header, its blocks, damaged parts between them. Each input is read completely, twice,
 * and followed. The result must have what a reader may rely on.
 */
#include "hostile_file.h"
#include "../support/opened.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void read_whole(const char *path)
{
	struct ct_source *source;
	uint64_t count;

	if (open_path(store_source_open, path, &source, NULL))
		return;
	file_check_tables(source->tables);
	count = file_check_events(source);
	require(source_reset(source, NULL) == CT_OK && file_check_events(source) == count);
	source_close(source);
}

static void follow(const char *path)
{
	const struct ct_event *event;
	struct ct_source *source;
	enum ct_status status;

	if (open_growing(store_follow_open, path, &source, NULL))
		return;
	while ((status = source_next(source, &event, NULL)) == CT_OK) {
		require(event->process < source->tables->nr_processes);
		require(event->thread < source->tables->nr_threads);
		require(event->site < source->tables->nr_sites);
	}
	require(status != CT_AGAIN);
	source_close(source);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file input;

	file_set_right(&input, bytes, nr_bytes);
	read_whole(input.path);
	follow(input.path);
	return 0;
}
