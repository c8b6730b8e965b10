/* SPDX-License-Identifier: MIT */
/*
 * A Go trace with any content. Reading must end, and give the same result twice; each event names existing rows of the
 * tables; times do not decrease; and memory is bounded by the bytes of the file. A follower must get the same events,
 * and the file's parts must follow each other in it.
 */
#include "corotracer/event.h"
#include "gotrace/parts.h"
#include "gotrace/source.h"
#include "memory_file.h"

#define EVENTS_A_BYTE 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

struct reading {
	uint64_t nr_events;
	uint64_t sum;
	ct_time last;
};

static void check_event(
	struct reading *reading, const struct ct_tables *tables, const struct ct_event *event)
{
	require(event->site < tables->nr_sites && event->thread < tables->nr_threads);
	require(event->process == 1 && event->sequence == reading->nr_events);
	require(event->time >= reading->last);
	reading->last = event->time;
	reading->nr_events++;
	reading->sum = reading->sum * 31 + event->coro + event->object + event->kind +
		       (uint64_t)event->time + event->site;
}

static struct reading read_events(struct ct_source *source)
{
	struct reading reading = {0};
	const struct ct_event *event;
	enum ct_status status;

	require(source_reset(source, NULL) == CT_OK);
	while ((status = source_next(source, &event, NULL)) == CT_OK)
		check_event(&reading, source->tables, event);
	require(status == CT_END);
	return reading;
}

static void check_tables(const struct ct_tables *tables, size_t nr_bytes)
{
	uint32_t i;

	require(tables->nr_sites <= 16 + nr_bytes && tables->nr_threads <= 1 + nr_bytes);
	require(tables->nr_stacks <= 1 + nr_bytes && tables->nr_events <= EVENTS_A_BYTE * nr_bytes);
	for (i = 1; i < tables->nr_sites; i++)
		require(tables->sites[i].function && tables->sites[i].stack < tables->nr_stacks);
	for (i = 1; i < tables->nr_stacks; i++)
		require(tables->stacks[i].site < tables->nr_sites && tables->stacks[i].caller < i);
}

static struct memory_file file;

static struct input *open_file(void)
{
	struct input *input;

	require(input_open(file.path, &input, NULL) == CT_OK);
	return input;
}

/* If the trace ends in the middle of a generation, only a follower gets the events before the end. */
static void follow(const struct reading *whole)
{
	struct reading reading = {0};
	const struct ct_event *event;
	struct ct_source *source;
	enum ct_status status;

	if (gotrace_follow_open(open_file(), &source, NULL)) {
		require(!whole);
		return;
	}
	while ((status = source_next(source, &event, NULL)) == CT_OK) {
		check_event(&reading, source->tables, event);
		if (whole && reading.nr_events == whole->nr_events)
			require(reading.sum == whole->sum);
	}
	require(status == CT_END || status < 0);
	require(!whole || reading.nr_events >= whole->nr_events);
	source_close(source);
}

static void find_parts(void)
{
	struct input *input = open_file();
	struct gotrace_parts parts;
	uint64_t end = 16;
	size_t i;

	if (gotrace_parts_find(input, &parts, NULL) == CT_OK) {
		for (i = 0; i < parts.at.count; i++) {
			require(parts.at.at[i].offset == end && parts.at.at[i].end > end);
			end = parts.at.at[i].end;
		}
		require(end <= input->nr_bytes || !parts.at.count);
	}
	gotrace_parts_fini(&parts);
	input_close(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct ct_source *source;
	struct reading first, second;
	struct ct_error error = {0};

	file_set(&file, bytes, nr_bytes);
	find_parts();
	if (gotrace_source_open(open_file(), &source, &error)) {
		require(*error.text);
		follow(NULL);
		return 0;
	}
	check_tables(source->tables, nr_bytes);
	first = read_events(source);
	second = read_events(source);
	require(first.nr_events == second.nr_events && first.sum == second.sum);
	require(first.nr_events == source->tables->nr_events + source->tables->nr_carried);
	source_close(source);
	follow(&first);
	return 0;
}
