/* SPDX-License-Identifier: MIT */
/*
 * What one event costs, compared with the machine's floor; prints JSON on standard output.
 *
 *	bench_probe [--reader | --coarse | --flight PATH] [ROUNDS]
 *
 * The floor is the least that a tracer with time-stamps and records needs: one reading of the counter, one 32-byte
 * record, one release store of a head, into as much warm memory as the ring uses. Each round runs a short batch of
 * every case, in an order that changes, so that what disturbs the machine disturbs all; a ratio is the median of the
 * rounds' own ratios. Between batches, outside the time taken, the ring is drained by this program itself (it advances
 * the tail): the ring stays warm, as it does under an engine that keeps up. With --reader a thread copies what is
 * written every millisecond instead, as the engine does, and takes cache lines away as the engine would. With --coarse
 * a thread advances the coarse clock every 100 microseconds, and events read that; the floor stays what it is. With
 * --flight the ring is not drained: events go into a flight recorder's file, in a circle through all of its chunks.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define BATCH 4096u
#define FLOOR_RECORDS 4096u /* 128 KiB: no more than the ring cycles through */
#define ROUNDS_MAX 100000u

struct floor_ring {
	CTP_ALIGNED(64) uint64_t head;
	CTP_ALIGNED(64) struct ctp_record records[FLOOR_RECORDS];
};

static struct floor_ring floor_ring;
static uint64_t sink;

#define KEEP(value) __asm__ volatile("" : : "r"(value) : "memory")

static void case_empty(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		KEEP(i);
}

static void case_floor(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		uint64_t head = floor_ring.head;
		struct ctp_record *record = &floor_ring.records[head % FLOOR_RECORDS];

		record->time = ctp_time(CTP_CLOCK_COUNTER);
		record->coro = i;
		record->object = i;
		record->tail = CTP_TAIL(i, CTP_KIND_SUSPEND, 0, 0);
		ctp_store_release(&floor_ring.head, head + 1);
	}
}

static void case_create(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_create(ctp_coro_new(), (uint64_t)(uintptr_t)&sink, CTP_SITE("task"));
}

static void case_suspend(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_suspend(i, CTP_DESCRIPTOR(i, 1), CTP_SITE("read"), CTP_POINT_AWAIT);
}

static void case_resume(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_resume(i, CTP_POINT_AWAIT);
}

static void case_wake(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_wake(i, CTP_HANDLE(CTP_RESOURCE_COROUTINE, i + 1), CTP_SITE("ready"),
			CTP_OUTCOME_QUEUED);
}

static void case_acquire(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_acquire(i, CTP_HANDLE(CTP_RESOURCE_LOCK, i + 1), CTP_SITE("lock"));
}

static void case_switch(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_emit(i, i + 1, CTP_TAIL(0, CTP_KIND_SWITCH, CTP_POINT_YIELD, 0));
}

static void case_address(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_suspend(i, 0, ctp_site_address((char *)&sink + i % 64, CTP_SITE_ADDRESS),
			CTP_POINT_AWAIT);
}

static void case_counter_event(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_counter(i, CTP_SITE("open connections"));
}

/* Two events. */
static void case_region(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		uint32_t site = CTP_SITE("db.query");

		ctp_region_begin(i, 0, site);
		ctp_region_end(i, site);
	}
}

/* Three records: 16 bytes of text. */
static void case_log_text(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		ctp_log_text(i, "/index.html?all=", 16, CTP_SITE("GET {}"));
}

static void case_switched_off(void)
{
	uint32_t *off = &ctp_orders_page.orders.categories_off;
	unsigned i;

	ctp_store_relaxed(off, UINT32_C(1) << CTP_CATEGORY_COUNTERS);
	for (i = 0; i < BATCH; i++) {
		ctp_counter(i, CTP_SITE("switched off"));
		KEEP(i);
	}
	ctp_store_relaxed(off, 0);
}

/* Like an untraced program: no event is wanted during the batch. */
static void case_not_attached(void)
{
	uint32_t *wanted = &ctp_orders_page.orders.wanted;
	uint32_t by = ctp_load_relaxed(wanted);
	unsigned i;

	ctp_store_relaxed(wanted, 0);
	for (i = 0; i < BATCH; i++) {
		ctp_suspend(i, i, 0, CTP_POINT_AWAIT);
		KEEP(i);
	}
	ctp_store_relaxed(wanted, by);
}

static void case_counter(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		KEEP(ctp_time(CTP_CLOCK_COUNTER));
}

static void case_clock_gettime(void)
{
	struct timespec now;
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		KEEP(now.tv_nsec);
	}
}

static void case_gettid(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		KEEP(syscall(SYS_gettid));
}

static void case_fence(void)
{
	unsigned i;

	for (i = 0; i < BATCH; i++)
		__atomic_store_n(&sink, i, __ATOMIC_SEQ_CST);
}

enum {
	CASE_EMPTY,
	CASE_FLOOR,
	CASE_NOT_ATTACHED,
};

static const struct bench_case {
	const char *name;
	void (*run)(void);
	bool is_event;
} cases[] = {
	[CASE_EMPTY] = {"empty_loop", case_empty, false},
	[CASE_FLOOR] = {"floor", case_floor, false},
	[CASE_NOT_ATTACHED] = {"not_attached_with_loop", case_not_attached, false},
	{"create", case_create, true},
	{"suspend", case_suspend, true},
	{"resume", case_resume, true},
	{"wake", case_wake, true},
	{"acquire", case_acquire, true},
	{"switch", case_switch, true},
	{"suspend_at_address", case_address, true},
	{"counter_value", case_counter_event, true},
	{"region_both_ends", case_region, true},
	{"log_16_bytes", case_log_text, true},
	{"category_off", case_switched_off, true},
	{"counter", case_counter, false},
	{"clock_gettime", case_clock_gettime, false},
	{"gettid", case_gettid, false},
	{"full_fence", case_fence, false},
};

#define NR_CASES (sizeof(cases) / sizeof(cases[0]))

enum draining { BETWEEN_BATCHES, BY_THREAD, BY_NOBODY };

static const char *const draining_names[] = {"between batches, not timed",
	"by a thread, every millisecond", "by nobody: the oldest give way"};

static struct reader reader;
static enum draining draining;
static unsigned nr_rounds = 1501;
static double *results[NR_CASES]; /* nanoseconds per operation, by case and round */
static double *scratch;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void drain(void)
{
	struct ctp_ring *ring = reader_ring(&reader, 0);

	ctp_store_release(&ring->tail, ctp_load_acquire(&ring->head)); /* P2 */
}

static void discard(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	(void)ring;
	(void)position;
	*(uint64_t *)context += record.tail;
}

static uint32_t is_reader_done;

static void *read_every_millisecond(void *context)
{
	struct timespec millisecond = {0, 1000000};
	uint64_t sum = 0;

	while (!ctp_load_acquire(&is_reader_done)) {
		reader_drain_all(&reader, discard, &sum);
		clock_nanosleep(CLOCK_MONOTONIC, 0, &millisecond, NULL);
	}
	KEEP(sum);
	return context;
}

static void *advance_every_step(void *context)
{
	struct timespec step = {0, 100000};

	while (!ctp_load_acquire(&is_reader_done)) {
		ctp_store_relaxed(&reader.orders->coarse_time, now_ns());
		clock_nanosleep(CLOCK_MONOTONIC, 0, &step, NULL);
	}
	return context;
}

static double run_case(const struct bench_case *one)
{
	uint64_t before, after;

	before = now_ns();
	one->run();
	after = now_ns();
	return (double)(after - before) / BATCH;
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

enum comparison { PLAIN, RATIO_TO_FLOOR, BEYOND_EMPTY_LOOP };

/* The median over the rounds; each round is compared with another case of the same round. */
static double median(unsigned index, enum comparison comparison)
{
	unsigned i;

	for (i = 0; i < nr_rounds; i++) {
		double value = results[index][i];

		if (comparison == RATIO_TO_FLOOR)
			value /= results[CASE_FLOOR][i];
		if (comparison == BEYOND_EMPTY_LOOP)
			value -= results[CASE_EMPTY][i];
		scratch[i] = value;
	}
	qsort(scratch, nr_rounds, sizeof(*scratch), compare_doubles);
	return scratch[nr_rounds / 2];
}

static void run_rounds(void)
{
	unsigned round, i;

	for (round = 0; round < nr_rounds; round++)
		for (i = 0; i < NR_CASES; i++) {
			/* Each round begins with another case, so no case always follows the same one. */
			unsigned index = (i + round) % NR_CASES;

			results[index][round] = run_case(&cases[index]);
			if (draining == BETWEEN_BATCHES)
				drain();
		}
}

static void print_cases(const char *title, bool is_event)
{
	const char *separator = "";
	unsigned i;

	printf("  \"%s\": {", title);
	for (i = 0; i < NR_CASES; i++) {
		if (cases[i].is_event != is_event)
			continue;
		printf("%s\n    \"%s\": {\"ns\": %.2f", separator, cases[i].name, median(i, PLAIN));
		if (is_event)
			printf(", \"ratio_to_floor\": %.3f", median(i, RATIO_TO_FLOOR));
		printf("}");
		separator = ",";
	}
	printf("\n  }");
}

static void print_all(void)
{
	printf("{\n  \"benchmark\": \"probe\",\n  \"rounds\": %u,\n  \"batch\": %u,\n", nr_rounds,
		BATCH);
	printf("  \"drained\": \"%s\",\n", draining_names[draining]);
	printf("  \"ring_bytes\": %u,\n  \"floor_bytes\": %zu,\n",
		reader.header->chunks_used * CTP_CHUNK_BYTES, sizeof(floor_ring.records));
	printf("  \"dropped\": %" PRIu64 ",\n", (uint64_t)reader_ring(&reader, 0)->dropped);
	printf("  \"floor_ns\": %.2f,\n", median(CASE_FLOOR, PLAIN));
	printf("  \"not_attached_ns\": %.3f,\n", median(CASE_NOT_ATTACHED, BEYOND_EMPTY_LOOP));
	print_cases("events", true);
	printf(",\n");
	print_cases("parts", false);
	printf("\n}\n");
}

static bool attach(const char *flight_path)
{
	if (flight_path) {
		reader.header = ctp_record_flight(flight_path, 0) ? ctp_process_state.header : NULL;
		return reader.header != NULL;
	}
	reader_listen();
	return ctp_attach() && reader_take(&reader);
}

static bool prepare(const char *flight_path, uint32_t clock)
{
	unsigned i;

	if (!attach(flight_path))
		return false;
	scratch = calloc(nr_rounds, sizeof(*scratch));
	for (i = 0; i < NR_CASES; i++)
		results[i] = calloc(nr_rounds, sizeof(double));
	memset(&floor_ring, 1, sizeof(floor_ring));
	floor_ring.head = 0;
	return CTP_PASS_CLOCK(ctp_gate_page.pass) == clock;
}

int main(int argc, char **argv)
{
	bool has_reader = argc > 1 && strcmp(argv[1], "--reader") == 0;
	bool is_coarse = argc > 1 && strcmp(argv[1], "--coarse") == 0;
	const char *flight_path = argc > 2 && strcmp(argv[1], "--flight") == 0 ? argv[2] : NULL;
	int place = has_reader || is_coarse ? 2 : flight_path ? 3 : 1;
	unsigned long rounds = strtoul(argc > place ? argv[place] : "", NULL, 10);
	pthread_t thread;

	if (rounds > 0 && rounds <= ROUNDS_MAX)
		nr_rounds = (unsigned)rounds;
	draining = has_reader ? BY_THREAD : flight_path ? BY_NOBODY : BETWEEN_BATCHES;
	if (is_coarse)
		setenv(CTP_CLOCK_ENVIRONMENT, "coarse", 1);
	if (!prepare(flight_path, is_coarse ? CTP_CLOCK_COARSE : CTP_CLOCK_COUNTER)) {
		fprintf(stderr, "bench_probe: no segment, or not the clock to measure with\n");
		return 77;
	}
	if (has_reader || is_coarse)
		pthread_create(&thread, NULL,
			is_coarse ? advance_every_step : read_every_millisecond, NULL);
	run_rounds();
	ctp_store_release(&is_reader_done, 1);
	if (has_reader || is_coarse)
		pthread_join(thread, NULL);
	print_all();
	return 0;
}
