/* SPDX-License-Identifier: MIT */
/*
 * What the trace file costs, as JSON on standard output: events written and read a second, and bytes
 * an event.
 *
 *	bench_store [FOLDER]
 *
 * The events are those of a scheduler: two threads, 10,000 coroutines, each in turn resumed, waking
 * another one, and suspending on a descriptor; counter times as of 2 GHz, 60 to 500 ns apart. They are
 * made before any clock starts. Beside writing and reading stand the machine's floor, a memcpy of the records in the
 * same batches, and the folding that later generations ask for, which is a part of writing. The figures are medians of
 * the rounds, ratios of one round's figures; FOLDER (default /dev/shm) should
 * not be a slow disk, since its speed would be measured.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "snapshot.h"
#include "store.h"

#define NR_THREADS 2u
#define NR_COROS 10000u
#define NR_EVENTS 6000000u
#define BATCH 1024u
#define ROUNDS 7u

struct figures {
	double write_ns[ROUNDS];
	double open_ns[ROUNDS];
	double read_ns[ROUNDS];
	double copy_ns[ROUNDS];
	double fold_ns[ROUNDS];
	double write_per_copy[ROUNDS];
	double read_per_copy[ROUNDS];
	double fold_share[ROUNDS];
	uint64_t nr_bytes;
};

static void require(enum ct_status status, const struct ct_error *error)
{
	if (status == CT_OK)
		return;
	fprintf(stderr, "bench_store: %s\n", error->text);
	exit(1);
}

/* The same numbers on every machine. */
static uint64_t random_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Three events a turn, of one thread: resume, wake, suspend. */
static void make_records(struct ctp_record *records, size_t count, uint64_t seed)
{
	uint64_t state = seed, time = UINT64_C(90000000000000), coro = 1, other;
	size_t i;

	for (i = 0; i < count; i++) {
		time += 120 + random_number(&state) % 880;
		switch (i % 3) {
		case 0:
			coro = 1 + random_number(&state) % NR_COROS;
			records[i] = (struct ctp_record){
				time, coro, 0, CTP_TAIL(0, CTP_KIND_RESUME, 0, 0)};
			break;
		case 1:
			other = 1 + random_number(&state) % NR_COROS;
			records[i] = (struct ctp_record){time, coro,
				CTP_HANDLE(CTP_RESOURCE_COROUTINE, other),
				CTP_TAIL(1 + other % 4, CTP_KIND_WAKE, 0, 0)};
			break;
		default:
			records[i] = (struct ctp_record){time, coro,
				CTP_DESCRIPTOR(10 + coro % 1000, 1 + coro / 1000),
				CTP_TAIL(5 + coro % 3, CTP_KIND_SUSPEND, 0, 0)};
			break;
		}
	}
}

static void define(struct ct_sink *sink, struct ct_definition definition)
{
	struct ct_error error;

	require(sink_define(sink, &definition, &error), &error);
}

static void define_all(struct ct_sink *sink)
{
	uint32_t i;

	define(sink, (struct ct_definition){.type = CT_DEFINE_PROCESS,
			     .process = {.process = 1, .program = "", .command_line = ""}});
	define(sink, (struct ct_definition){.type = CT_DEFINE_SEGMENT,
			     .segment = {.segment = 1,
				     .process = 1,
				     .role = CTP_ROLE_PROBE,
				     .clock = CTP_CLOCK_COUNTER}});
	for (i = 0; i < 60; i++)
		define(sink,
			(struct ct_definition){.type = CT_DEFINE_CLOCK,
				.clock = {.clock = CTP_CLOCK_COUNTER,
					.raw = UINT64_C(90000000000000) + i * UINT64_C(100000000),
					.monotonic_ns =
						UINT64_C(1000000000000) + i * UINT64_C(50000000)}});
	for (i = 1; i <= NR_THREADS; i++) {
		define(sink, (struct ct_definition){.type = CT_DEFINE_THREAD,
				     .thread = {.thread = i, .process = 1, .name = ""}});
		define(sink, (struct ct_definition){.type = CT_DEFINE_STREAM,
				     .stream = {.stream = i, .segment = 1}});
	}
	for (i = 1; i < 8; i++)
		define(sink, (struct ct_definition){.type = CT_DEFINE_SITE,
				     .site = {.segment = 1,
					     .id = i,
					     .file = "server.cpp",
					     .function = "",
					     .reason = "",
					     .module = ""}});
}

static double write_file(const char *path, struct ctp_record *const *records)
{
	struct ct_error error;
	struct ct_sink *sink;
	size_t count = NR_EVENTS / NR_THREADS, i, n;
	uint64_t start;
	uint32_t thread;

	require(store_sink_open(path, NULL, &sink, &error), &error);
	define_all(sink);
	start = clock_monotonic_ns();
	for (i = 0; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		for (thread = 1; thread <= NR_THREADS; thread++) {
			struct ct_batch batch = {thread, thread, records[thread - 1] + i, n, false};

			require(sink_put(sink, &batch, &error), &error);
		}
	}
	require(sink_flush(sink, &error), &error);
	start = clock_monotonic_ns() - start;
	require(sink_close(sink, true, &error), &error);
	return (double)start / NR_EVENTS;
}

static void read_file(const char *path, double *ret_open_ns, double *ret_read_ns)
{
	const struct ct_event *event;
	struct ct_source *source;
	struct ct_error error;
	uint64_t start = clock_monotonic_ns(), opened, count = 0, sum = 0;

	require(store_source_open(path, &source, &error), &error);
	opened = clock_monotonic_ns();
	while (source_next(source, &event, &error) == CT_OK) {
		sum += event->coro;
		count++;
	}
	*ret_open_ns = (double)(opened - start) / NR_EVENTS;
	*ret_read_ns = (double)(clock_monotonic_ns() - opened) / NR_EVENTS;
	source_close(source);
	if (count != NR_EVENTS || sum == 0) {
		fprintf(stderr, "bench_store: %" PRIu64 " events came back\n", count);
		exit(1);
	}
}

/* What any copy of the records costs here. */
static double copy_records(struct ctp_record *const *records)
{
	static struct ctp_record copy[BATCH];
	size_t count = NR_EVENTS / NR_THREADS, i, n;
	uint64_t start = clock_monotonic_ns(), sum = 0;
	uint32_t thread;

	for (i = 0; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		for (thread = 0; thread < NR_THREADS; thread++) {
			memcpy(copy, records[thread] + i, n * sizeof(*copy));
			__asm__ volatile("" : : "r"(copy) : "memory");
			sum += copy[n - 1].time;
		}
	}
	if (sum == 0)
		exit(1);
	return (double)(clock_monotonic_ns() - start) / NR_EVENTS;
}

static double fold_records(struct ctp_record *const *records)
{
	struct snapshot *snapshot = snapshot_new();
	size_t count = NR_EVENTS / NR_THREADS, i, n, at;
	uint32_t origins[NR_THREADS], thread;
	uint64_t start;

	if (!snapshot)
		exit(1);
	for (thread = 0; thread < NR_THREADS; thread++)
		origins[thread] = snapshot_origin(
			snapshot, (struct snapshot_origin){1, 1 + thread, 1 + thread});
	start = clock_monotonic_ns();
	for (i = 0; i < count; i += n) {
		n = count - i < BATCH ? count - i : BATCH;
		for (thread = 0; thread < NR_THREADS; thread++)
			for (at = i; at < i + n; at++)
				snapshot_fold(snapshot, origins[thread], &records[thread][at]);
	}
	start = clock_monotonic_ns() - start;
	snapshot_free(snapshot);
	return (double)start / NR_EVENTS;
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	return values[ROUNDS / 2];
}

static void print_rate(const char *name, double ns)
{
	printf("  \"%s_ns_per_event\": %.2f,\n  \"%s_events_per_second\": %.0f,\n", name, ns, name,
		1e9 / ns);
}

static void print(struct figures *figures)
{
	printf("{\n  \"benchmark\": \"store\",\n  \"events\": %u,\n  \"threads\": %u,\n"
	       "  \"coroutines\": %u,\n  \"rounds\": %u,\n",
		NR_EVENTS, NR_THREADS, NR_COROS, ROUNDS);
	print_rate("write", median(figures->write_ns));
	print_rate("open", median(figures->open_ns));
	print_rate("read", median(figures->read_ns));
	print_rate("copy", median(figures->copy_ns));
	print_rate("fold", median(figures->fold_ns));
	printf("  \"write_per_copy\": %.2f,\n  \"read_per_copy\": %.2f,\n  "
	       "\"fold_share_of_write\": %.3f,\n",
		median(figures->write_per_copy), median(figures->read_per_copy),
		median(figures->fold_share));
	printf("  \"bytes_per_event\": %.3f\n}\n", (double)figures->nr_bytes / NR_EVENTS);
}

int main(int argc, char **argv)
{
	static struct figures figures;
	struct ctp_record *records[NR_THREADS];
	struct stat about;
	char path[4096];
	unsigned i;

	snprintf(path, sizeof(path), "%s/corotracer-bench-%ld.ctrace",
		argc > 1 ? argv[1] : "/dev/shm", (long)getpid());
	for (i = 0; i < NR_THREADS; i++) {
		records[i] = calloc(NR_EVENTS / NR_THREADS, sizeof(*records[i]));
		if (!records[i])
			return 1;
		make_records(records[i], NR_EVENTS / NR_THREADS, 12345 + i);
	}
	for (i = 0; i < ROUNDS; i++) {
		figures.write_ns[i] = write_file(path, records);
		read_file(path, &figures.open_ns[i], &figures.read_ns[i]);
		figures.copy_ns[i] = copy_records(records);
		figures.fold_ns[i] = fold_records(records);
		figures.write_per_copy[i] = figures.write_ns[i] / figures.copy_ns[i];
		figures.read_per_copy[i] = figures.read_ns[i] / figures.copy_ns[i];
		figures.fold_share[i] = figures.fold_ns[i] / figures.write_ns[i];
	}
	if (stat(path, &about) == 0)
		figures.nr_bytes = (uint64_t)about.st_size;
	unlink(path);
	print(&figures);
	for (i = 0; i < NR_THREADS; i++)
		free(records[i]);
	return 0;
}
