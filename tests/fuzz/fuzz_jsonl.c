/* SPDX-License-Identifier: MIT */
/*
 * JSON lines of any bytes. The result must have what a reader may rely on: references within the tables, as many events
 * as the tables say, in order of time, and the same events when read again.
 */
#include <string.h>

#include "jsonl/jsonl.h"
#include "memory_file.h"
#include "../support/opened.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void check_tables(const struct ct_tables *tables)
{
	uint32_t i;

	require(tables->nr_processes >= 2 && tables->nr_threads >= 1 && tables->nr_sites == 1);
	require(tables->has_no_end && tables->observed_until >= tables->observed_from);
	for (i = 1; i < tables->nr_threads; i++)
		require(tables->threads[i].process < tables->nr_processes);
	for (i = 0; i < tables->nr_losses; i++)
		require(tables->losses[i].process < tables->nr_processes &&
			tables->losses[i].count > 0 &&
			tables->losses[i].first <= tables->losses[i].last);
	require(tables->nr_notes > 0);
	for (i = 0; i < tables->nr_notes; i++)
		require(strlen(tables->notes[i].text) > 0);
}

static uint64_t check_events(struct ct_source *source)
{
	const struct ct_tables *tables = source->tables;
	const struct ct_event *event;
	uint64_t count = 0, sum = 0;
	ct_time last = INT64_MIN;
	enum ct_status status;

	while ((status = source_next(source, &event, NULL)) == CT_OK) {
		require(event->process > 0 && event->process < tables->nr_processes);
		require(event->thread < tables->nr_threads);
		require(event->sequence == count++);
		require(event->time >= last && event->time <= tables->observed_until);
		last = event->time;
		sum = sum * 31 + event->coro + event->object + event->kind + event->flags;
	}
	require(status == CT_END && count == tables->nr_events);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file input;
	struct ct_source *source = NULL;
	struct ct_error error = {0};
	uint64_t sum;

	jsonl_is_ours(bytes, nr_bytes);
	file_set(&input, bytes, nr_bytes);
	if (open_path(jsonl_source_open, input.path, &source, &error) == CT_OK) {
		check_tables(source->tables);
		sum = check_events(source);
		require(source_reset(source, NULL) == CT_OK && check_events(source) == sum);
		source_close(source);
	} else {
		require(error.status == CT_ERR_FORMAT && strlen(error.text) > 0);
	}
	return 0;
}
