/* SPDX-License-Identifier: MIT */
/*
 * Arranging any events: eight bytes are one event of a few threads, whose coroutines, locks and frames share their
 * numbers. Every event must come out once, each thread's events in their order, no time lower than before, and none
 * higher by more than the reach.
 */
#include <stdlib.h>
#include <string.h>

#include "listed.h"
#include "memory_file.h"
#include "stages/arrange.h"

#define REACH_NS 5000
#define NR_THREADS 4u
#define MOST_EVENTS 65536u
#define EVENT_BYTES 8u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static const struct ct_tables tables = {
	.nr_threads = NR_THREADS + 1, .reach_ns = REACH_NS, .observed_until = INT64_C(1) << 40};

static struct list list = {.source = {.ops = &list_ops, .tables = &tables}};

/* The handles of seven kinds of thing with one identity, and small numbers like those of coroutines. */
static uint64_t number_of(uint8_t byte)
{
	uint64_t identity = byte >> 4;

	return byte & 8 ? CTP_HANDLE(byte & 7, identity) : identity;
}

static void add(const uint8_t *at, ct_time *now)
{
	struct ct_event event = {
		.kind = at[0] % 64,
		.argument = at[1],
		.coro = number_of(at[2]),
		.object = number_of(at[3]),
		.thread = 1 + at[4] % NR_THREADS,
		.process = at[4] >> 7,
		.flags = at[5] & 3,
		.sequence = list.events.count,
	};

	*now += at[6] | (at[7] & 15) << 8;
	event.time = *now;
	require(vec_push(&list.events, event));
}

/* The next event that its thread wrote. */
static const struct ct_event *told_by(uint32_t thread, size_t *at)
{
	while (*at < list.events.count && list.events.at[*at].thread != thread)
		++*at;
	require(*at < list.events.count);
	return &list.events.at[(*at)++];
}

static void look(struct ct_source *source)
{
	const struct ct_event *event;
	size_t at[NR_THREADS + 1] = {0}, count = 0;
	ct_time last = INT64_MIN;

	while (source_next(source, &event, NULL) == CT_OK) {
		const struct ct_event *told = told_by(event->thread, &at[event->thread]);

		require(event->kind == told->kind && event->coro == told->coro &&
			event->object == told->object);
		require(event->time >= told->time && event->time - told->time <= REACH_NS);
		require(event->time >= last);
		last = event->time;
		count++;
	}
	require(count == list.events.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct ct_source *source;
	ct_time now = 100000;
	size_t i;

	list.events.count = list.at = 0;
	for (i = 0; i + EVENT_BYTES <= nr_bytes && list.events.count < MOST_EVENTS;
		i += EVENT_BYTES)
		add(bytes + i, &now);
	require(arrange_open(&list.source, &source, NULL) == CT_OK);
	require(source_reset(source, NULL) == CT_OK);
	look(source);
	source_close(source);
	return 0;
}
