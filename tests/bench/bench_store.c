/* SPDX-License-Identifier: MIT */
/*
 * What the trace file costs; prints JSON on standard output: events written and read per second of one core, and bytes
 * per event.
 *
 *	bench_store [FOLDER [TRACE]]
 *
 * Two workloads: a scheduler's mix that is made here, and, where TRACE is given, the events of that file (workload.h).
 * Writing includes everything that the sink does, also the beginnings of later generations; folding is the part of the
 * time that these beginnings need. Reading is opening the file (each byte is looked at once) and then reading every
 * event in order. For comparison there are the machine's floor, a memcpy of the records in the same batches; the same
 * with packed blocks; and the same events as JSON lines. Times are this thread's CPU time, so that other programs
 * disturb less; the figures are medians over the rounds, and ratios are of figures from the same round. FOLDER (default
 * /dev/shm) should not be a slow disk.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "jsonl/jsonl.h"
#include "snapshot/snapshot.h"
#include "store/store.h"
#include "workload.h"

#define NR_EVENTS 6000000u
#define ROUNDS 5u
#define EVENTS_AT_ONCE 256u
#define JSON_ROUNDS 1u

enum figure {
	WRITE,
	FOLD,
	OPEN,
	READ,
	COPY,
	WRITE_ZSTD_1,
	READ_ZSTD_1,
	WRITE_ZSTD_3,
	READ_ZSTD_3,
	WRITE_JSON,
	READ_JSON,
	NR_FIGURES
};

static const char *const names[NR_FIGURES] = {
	"write",
	"fold",
	"open",
	"read",
	"copy",
	"write_zstd_1",
	"read_zstd_1",
	"write_zstd_3",
	"read_zstd_3",
	"write_jsonl",
	"read_jsonl",
};

struct bench {
	const struct workload *workload;
	char path[4096];
	unsigned round;
	double ns[NR_FIGURES][ROUNDS]; /* per event; 0: not measured in this round */
	double bytes[NR_FIGURES];      /* per event, of what was written */
};

static uint64_t spent_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void note(struct bench *bench, enum figure figure, uint64_t start)
{
	bench->ns[figure][bench->round] =
		(double)(spent_ns() - start) / (double)bench->workload->nr_events;
}

/* ---------------------------------------------------------------- measurements */

static void write_file(struct bench *bench, enum figure figure, struct ct_sink *sink)
{
	uint64_t start = spent_ns();
	struct ct_error error;
	struct stat about;

	workload_put(bench->workload, sink);
	note(bench, figure, start);
	workload_require(sink_close(sink, true, &error), &error);
	if (stat(bench->path, &about) == 0)
		bench->bytes[figure] = (double)about.st_size / (double)bench->workload->nr_events;
}

static void write_trace(struct bench *bench, enum figure figure, int pack_level)
{
	struct store_options options = {.pack_level = pack_level};
	struct ct_error error;
	struct ct_sink *sink;

	workload_require(store_sink_open(bench->path, &options, &sink, &error), &error);
	write_file(bench, figure, sink);
}

/* Reads like a report does. */
static uint64_t read_events(struct ct_source *source)
{
	static struct ct_event room[EVENTS_AT_ONCE];
	struct ct_events events = {.count = 0};
	enum ct_status status = CT_OK;
	uint64_t count = 0, sum = 0;
	struct ct_error error;
	size_t i;

	while (status == CT_OK) {
		for (i = 0; i < events.count; i++)
			sum += room[i].coro;
		count += events.count;
		status = source_fill(source, room, EVENTS_AT_ONCE, &events, &error);
	}
	return sum ? count : 0;
}

static void read_trace(struct bench *bench, enum figure opening, enum figure reading)
{
	uint64_t start = spent_ns(), count;
	struct ct_source *source;
	struct ct_error error;
	struct input *input;

	workload_require(input_open(bench->path, &input, &error), &error);
	workload_require(store_source_open(input, &source, &error), &error);
	if (opening != reading) {
		note(bench, opening, start);
		start = spent_ns();
	}
	count = read_events(source);
	note(bench, reading, start);
	source_close(source);
	if (count != bench->workload->nr_events) {
		fprintf(stderr, "bench_store: %" PRIu64 " events came back\n", count);
		exit(1);
	}
}

static void write_and_read_json(struct bench *bench)
{
	struct ct_source *source;
	struct ct_error error;
	struct ct_sink *sink;
	struct input *input;
	uint64_t start;

	workload_require(jsonl_sink_open(bench->path, &(struct jsonl_options){.all_kinds = true},
				 &sink, &error),
		&error);
	write_file(bench, WRITE_JSON, sink);
	start = spent_ns();
	workload_require(input_open(bench->path, &input, &error), &error);
	workload_require(jsonl_source_open(input, &source, &error), &error);
	if (read_events(source) == 0)
		exit(1);
	note(bench, READ_JSON, start);
	source_close(source);
}

/* The cost of any copy of the records on this machine. */
static void copy_records(struct bench *bench)
{
	static struct ctp_record copy[1024];
	uint64_t start = spent_ns();
	size_t i;

	for (i = 0; i < bench->workload->steps.count; i++) {
		const struct ct_batch *batch = &bench->workload->steps.at[i].batch;

		if (batch->nr_records)
			memcpy(copy, batch->records, batch->nr_records * sizeof(*copy));
		__asm__ volatile("" : : "r"(copy) : "memory");
	}
	note(bench, COPY, start);
}

static void fold_records(struct bench *bench)
{
	struct snapshot *snapshot = snapshot_new();
	uint64_t start = spent_ns();
	size_t i;

	if (!snapshot)
		exit(1);
	for (i = 0; i < bench->workload->steps.count; i++) {
		const struct workload_step *step = &bench->workload->steps.at[i];
		struct snapshot_origin from = {
			step->segment, step->batch.stream, step->batch.thread};
		uint32_t origin;

		if (!step->batch.nr_records)
			continue;
		origin = snapshot_origin(snapshot, from);
		snapshot_fold_many(snapshot, origin, step->batch.records, step->batch.nr_records);
	}
	note(bench, FOLD, start);
	snapshot_free(snapshot);
}

static void measure_round(struct bench *bench)
{
	copy_records(bench);
	fold_records(bench);
	write_trace(bench, WRITE, 0);
	read_trace(bench, OPEN, READ);
	write_trace(bench, WRITE_ZSTD_1, 1);
	read_trace(bench, READ_ZSTD_1, READ_ZSTD_1);
	write_trace(bench, WRITE_ZSTD_3, 3);
	read_trace(bench, READ_ZSTD_3, READ_ZSTD_3);
	if (bench->round < JSON_ROUNDS)
		write_and_read_json(bench);
}

/* ---------------------------------------------------------------- figures */

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The median over the rounds in which the figure was measured. */
static double median(const double *values)
{
	double known[ROUNDS];
	size_t count = 0, i;

	for (i = 0; i < ROUNDS; i++)
		if (values[i] > 0)
			known[count++] = values[i];
	qsort(known, count, sizeof(*known), compare);
	return count ? known[count / 2] : 0;
}

static double median_ratio(const double *values, const double *to)
{
	double ratios[ROUNDS] = {0};
	size_t i;

	for (i = 0; i < ROUNDS; i++)
		ratios[i] = to[i] > 0 ? values[i] / to[i] : 0;
	return median(ratios);
}

static void print_figures(const struct bench *bench)
{
	unsigned i;

	printf("  \"%s\": {\n    \"events\": %zu,\n    \"streams\": %zu,\n    \"coroutines\": "
	       "%zu,\n"
	       "    \"rounds\": %u,\n",
		bench->workload->name, bench->workload->nr_events, bench->workload->nr_streams,
		bench->workload->nr_coros, ROUNDS);
	for (i = 0; i < NR_FIGURES; i++) {
		double ns = median(bench->ns[i]);

		printf("    \"%s_ns_per_event\": %.2f,\n    \"%s_events_per_second\": %.0f,\n",
			names[i], ns, names[i], 1e9 / ns);
	}
	printf("    \"write_per_copy\": %.2f,\n    \"read_per_copy\": %.2f,\n"
	       "    \"fold_share_of_write\": %.3f,\n",
		median_ratio(bench->ns[WRITE], bench->ns[COPY]),
		median_ratio(bench->ns[READ], bench->ns[COPY]),
		median_ratio(bench->ns[FOLD], bench->ns[WRITE]));
	printf("    \"bytes_per_event\": %.3f,\n    \"bytes_per_event_zstd_1\": %.3f,\n"
	       "    \"bytes_per_event_zstd_3\": %.3f,\n    \"bytes_per_event_jsonl\": %.3f\n  }",
		bench->bytes[WRITE], bench->bytes[WRITE_ZSTD_1], bench->bytes[WRITE_ZSTD_3],
		bench->bytes[WRITE_JSON]);
}

static void measure(const char *folder, struct workload *workload)
{
	static struct bench bench;

	bench = (struct bench){.workload = workload};
	snprintf(bench.path, sizeof(bench.path), "%s/corotracer-bench-%ld.ctrace", folder,
		(long)getpid());
	for (bench.round = 0; bench.round < ROUNDS; bench.round++)
		measure_round(&bench);
	unlink(bench.path);
	print_figures(&bench);
	workload_fini(workload);
}

int main(int argc, char **argv)
{
	const char *folder = argc > 1 ? argv[1] : "/dev/shm";
	struct workload workload;

	printf("{\n  \"benchmark\": \"store\",\n");
	workload_make(&workload, NR_EVENTS);
	measure(folder, &workload);
	if (argc > 2) {
		printf(",\n");
		workload_load(&workload, argv[2], NR_EVENTS);
		measure(folder, &workload);
	}
	printf("\n}\n");
	return 0;
}
