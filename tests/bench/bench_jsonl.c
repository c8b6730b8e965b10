/* SPDX-License-Identifier: MIT */
/*
 * What JSON lines cost; prints JSON on standard output: the MB/s of rows written and read, compared with the time that
 * this machine needs to look at every byte of the file once.
 *
 *	bench_jsonl FILE
 *
 * The rows are those of a scheduler: eight threads, 10,000 coroutines, resumed and suspended in turn. The
 * figures are medians of the rounds; FILE is left behind, and should not lie on a slow disk.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "jsonl/jsonl.h"

#define NR_THREADS 8u
#define NR_COROS 10000u
#define NR_ROWS 2500000u
#define BATCH 1000u
#define ROUNDS 3u
#define PIECE (1u << 18)

static void require(enum ct_status status, const struct ct_error *error)
{
	if (status == CT_OK)
		return;
	fprintf(stderr, "bench_jsonl: %s\n", error->text);
	exit(1);
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
				     .clock = CTP_CLOCK_MONOTONIC}});
	for (i = 1; i <= NR_THREADS; i++) {
		define(sink, (struct ct_definition){
				     .type = CT_DEFINE_THREAD, .thread = {i, 1, 4000 + i, ""}});
		define(sink, (struct ct_definition){.type = CT_DEFINE_STREAM,
				     .stream = {.stream = i, .segment = 1}});
	}
}

/* The same rows in every round: each coroutine is resumed, then suspends. */
static void make_batch(struct ctp_record *records, uint64_t *time, uint64_t *state)
{
	uint64_t coro = 0;
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
		*time += 50 + (*state >> 33) % 800;
		if (i % 2 == 0)
			coro = 1 + (*state >> 33) % NR_COROS;
		records[i] = (struct ctp_record){*time, coro, 0,
			CTP_TAIL(0, i % 2 ? CTP_KIND_SUSPEND : CTP_KIND_RESUME, 0, 0)};
	}
}

static double write_rows(const char *path)
{
	uint64_t time = UINT64_C(10000000000000), state = 1, start, spent = 0;
	struct ctp_record records[BATCH];
	struct ct_error error;
	struct ct_sink *sink;
	unsigned i;

	require(jsonl_sink_open(path, &(struct jsonl_options){0}, &sink, &error), &error);
	define_all(sink);
	for (i = 0; i < NR_ROWS / BATCH; i++) {
		struct ct_batch batch = {
			.stream = 1 + i % NR_THREADS,
			.thread = 1 + i % NR_THREADS,
			.records = records,
			.nr_records = BATCH,
		};

		make_batch(records, &time, &state);
		start = clock_monotonic_ns();
		require(sink_put(sink, &batch, &error), &error);
		spent += clock_monotonic_ns() - start;
	}
	start = clock_monotonic_ns();
	require(sink_close(sink, true, &error), &error);
	return (double)(spent + clock_monotonic_ns() - start);
}

static void read_rows(const char *path, double *ret_open_ns, double *ret_read_ns)
{
	const struct ct_event *event;
	struct ct_source *source;
	struct ct_error error;
	struct input *input;
	uint64_t start = clock_monotonic_ns(), opened, count = 0;

	require(input_open(path, &input, &error), &error);
	require(jsonl_source_open(input, &source, &error), &error);
	opened = clock_monotonic_ns();
	while (source_next(source, &event, &error) == CT_OK)
		count++;
	*ret_open_ns = (double)(opened - start);
	*ret_read_ns = (double)(clock_monotonic_ns() - opened);
	source_close(source);
	if (count == NR_ROWS)
		return;
	fprintf(stderr, "bench_jsonl: %" PRIu64 " events came back\n", count);
	exit(1);
}

/* The floor: every byte is only read and compared with a newline. */
static double count_lines(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t start = clock_monotonic_ns(), count = 0;
	static char piece[PIECE];
	ssize_t got;

	while ((got = read(descriptor, piece, sizeof(piece))) > 0) {
		const char *at = piece, *end = piece + got;

		while ((at = memchr(at, '\n', (size_t)(end - at)))) {
			count++;
			at++;
		}
	}
	close(descriptor);
	if (count != NR_ROWS)
		exit(1);
	return (double)(clock_monotonic_ns() - start);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static void print_rate(const char *name, double *values, off_t nr_bytes, const char *end)
{
	qsort(values, ROUNDS, sizeof(*values), compare);
	printf("  \"%s_mb_per_second\": %.0f,\n  \"%s_ns_per_row\": %.1f%s\n", name,
		(double)nr_bytes * 1e3 / values[ROUNDS / 2], name, values[ROUNDS / 2] / NR_ROWS,
		end);
}

int main(int argc, char **argv)
{
	double written[ROUNDS], opened[ROUNDS], read[ROUNDS], floor[ROUNDS];
	struct stat about;
	unsigned i;

	if (argc != 2)
		return 2;
	for (i = 0; i < ROUNDS; i++) {
		written[i] = write_rows(argv[1]);
		read_rows(argv[1], &opened[i], &read[i]);
		floor[i] = count_lines(argv[1]);
	}
	if (stat(argv[1], &about) < 0)
		return 1;
	printf("{\n  \"benchmark\": \"jsonl\",\n  \"rows\": %u,\n  \"bytes\": %" PRId64 ",\n"
	       "  \"rounds\": %u,\n",
		NR_ROWS, (int64_t)about.st_size, ROUNDS);
	print_rate("write", written, about.st_size, ",");
	print_rate("first_reading", opened, about.st_size, ",");
	print_rate("read", read, about.st_size, ",");
	print_rate("floor", floor, about.st_size, "");
	printf("}\n");
	return 0;
}
