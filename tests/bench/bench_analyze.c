/* SPDX-License-Identifier: MIT */
/*
 * The other half of `./dev bench analyze`.
 *
 *	bench_analyze make TRACE EVENTS FILE
 *	bench_analyze floor FILE
 *
 * `make` writes FILE, which repeats the events of TRACE with later times and other coroutines (workload.h), with the
 * memory of only one repetition. `floor` prints, as JSON, the least time that any analysis of FILE needs on one core:
 * opening it, decoding all events in order, and copying as many records of 32 bytes within 16 MiB of memory. Times are
 * this thread's CPU time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store/store.h"
#include "workload.h"

#define EVENTS_AT_ONCE 256u
#define NR_COPIED ((16u << 20) / sizeof(struct ctp_record))
#define COPIED_AT_ONCE 1024u

static double spent_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void make(const char *trace, const char *nr_events, const char *path)
{
	struct store_options options = {0};
	struct ct_error error;
	struct ct_sink *sink;

	workload_require(store_sink_open(path, &options, &sink, &error), &error);
	workload_repeat(trace, strtoull(nr_events, NULL, 10), sink);
	workload_require(sink_close(sink, true, &error), &error);
}

static uint64_t decode(struct ct_source *source)
{
	static struct ct_event room[EVENTS_AT_ONCE];
	struct ct_events events = {.count = 0};
	enum ct_status status = CT_OK;
	struct ct_error error;
	uint64_t count = 0;

	while (status == CT_OK) {
		count += events.count;
		status = source_fill(source, room, EVENTS_AT_ONCE, &events, &error);
	}
	workload_require(status == CT_END ? CT_OK : status, &error);
	return count;
}

static double copy_ns(uint64_t nr_events)
{
	static struct ctp_record copy[COPIED_AT_ONCE];
	struct ctp_record *records = calloc(NR_COPIED, sizeof(*records));
	uint64_t done;
	double start;

	if (!records)
		exit(1);
	memset(records, 1, NR_COPIED * sizeof(*records));
	start = spent_ns();
	for (done = 0; done < nr_events; done += COPIED_AT_ONCE) {
		memcpy(copy, records + done % NR_COPIED, sizeof(copy));
		__asm__ volatile("" : : "r"(copy) : "memory");
	}
	start = spent_ns() - start;
	free(records);
	return start;
}

static void print_floor(const char *path)
{
	double start = spent_ns(), opened, decoded;
	struct ct_source *source;
	struct ct_error error;
	struct input *input;
	uint64_t count;

	workload_require(input_open(path, &input, &error), &error);
	workload_require(store_source_open(input, &source, &error), &error);
	opened = spent_ns();
	count = decode(source);
	decoded = spent_ns();
	source_close(source);
	if (!count)
		exit(1);
	printf("{\"events\": %" PRIu64
	       ", \"open_ns_per_event\": %.2f, \"decode_ns_per_event\": %.2f, "
	       "\"copy_ns_per_event\": %.2f}\n",
		count, (opened - start) / (double)count, (decoded - opened) / (double)count,
		copy_ns(count) / (double)count);
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "make") == 0)
		make(argv[2], argv[3], argv[4]);
	else if (argc == 3 && strcmp(argv[1], "floor") == 0)
		print_floor(argv[2]);
	else
		return 2;
	return 0;
}
