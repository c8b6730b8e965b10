/* SPDX-License-Identifier: MIT */
/*
 * What live coroutines cost the engine; prints JSON on standard output: the memory of each, and the time of an event
 * while so many are alive.
 *
 *	bench_million [FOLDER]
 *	bench_million --living SHAPE NUMBER FILE
 *
 * The first form does this for 1,000 to 1,000,000 coroutines: each is created, has a frame, runs, and suspends; then
 * coroutines chosen at random are woken, resumed and suspended: first among a thousand while the others stay alive,
 * then among all, so that the coroutine of an event is hardly ever in the processor's cache. The sink writes a trace
 * file, with a heartbeat every 50,000 events and all generations that are due: restating the live coroutines is part of
 * an event's cost, and the longest heartbeat is printed, too. Memory is the difference of the heap's size before and
 * after; its peak includes the memory for one restatement. Times are this thread's CPU time.
 *
 * The second form writes a trace in which NUMBER coroutines stay alive, for benchmarks of readers. SHAPE is `waiting`
 * (each was created, ran and waits), `turns` (and was woken, ran and waits again, twice), `descriptors` (as `waiting`,
 * with a frame, each for a descriptor of its own), or `scattered` (as `waiting`, the ids far from each other).
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/store.h"
#include "workload.h"

#define BATCH 1024u
#define BEAT 50000u  /* events */
#define ACTIVE 1000u /* coroutines, while the others stay alive */
#define NR_EVENTS 20000000u
#define FIRST_TIME UINT64_C(90000000000000)
#define FIRST_NS UINT64_C(1000000000000)

struct bench {
	struct ct_sink *sink;
	struct ctp_record records[BATCH];
	size_t nr_waiting; /* records */
	uint64_t time;
	uint64_t state; /* of the random numbers */
	uint64_t nr_events;
	uint64_t next_beat;
	uint64_t longest_beat_ns;
};

static uint64_t spent_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static uint64_t heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* The resident memory of the process, from /proc. */
static uint64_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long size, resident = 0;

	if (file && fscanf(file, "%lu %lu", &size, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void define(struct bench *bench, struct ct_definition definition)
{
	struct ct_error error;

	workload_require(sink_define(bench->sink, &definition, &error), &error);
}

static void collect_define_clock(struct bench *bench)
{
	define(bench, (struct ct_definition){.type = CT_DEFINE_CLOCK,
			      .clock = {.clock = CTP_CLOCK_COUNTER,
				      .raw = bench->time,
				      .monotonic_ns = FIRST_NS + (bench->time - FIRST_TIME) / 2}});
}

static void define_all(struct bench *bench)
{
	define(bench, (struct ct_definition){.type = CT_DEFINE_PROCESS,
			      .process = {.process = 1, .program = "", .command_line = ""}});
	define(bench, (struct ct_definition){.type = CT_DEFINE_SEGMENT,
			      .segment = {.segment = 1,
				      .process = 1,
				      .role = CTP_ROLE_PROBE,
				      .clock = CTP_CLOCK_COUNTER}});
	collect_define_clock(bench);
	define(bench, (struct ct_definition){.type = CT_DEFINE_THREAD,
			      .thread = {.thread = 1, .process = 1, .name = ""}});
	define(bench, (struct ct_definition){
			      .type = CT_DEFINE_STREAM, .stream = {.stream = 1, .segment = 1}});
}

static void put_waiting(struct bench *bench)
{
	struct ct_batch batch = {1, 1, bench->records, bench->nr_waiting, false, true};
	struct ct_error error;

	if (bench->nr_waiting)
		workload_require(sink_put(bench->sink, &batch, &error), &error);
	bench->nr_waiting = 0;
}

static void beat(struct bench *bench)
{
	uint64_t start = spent_ns();

	put_waiting(bench);
	define(bench, (struct ct_definition){.type = CT_DEFINE_HEARTBEAT,
			      .heartbeat = {FIRST_NS + (bench->time - FIRST_TIME) / 2}});
	start = spent_ns() - start;
	if (start > bench->longest_beat_ns)
		bench->longest_beat_ns = start;
	bench->next_beat += BEAT;
}

static void emit(struct bench *bench, unsigned kind, uint64_t coro, uint64_t object)
{
	bench->time += 200 + coro % 64;
	bench->records[bench->nr_waiting++] =
		(struct ctp_record){bench->time, coro, object, CTP_TAIL(kind % 4, kind, 0, 0)};
	bench->nr_events++;
	if (bench->nr_waiting == BATCH)
		put_waiting(bench);
	if (bench->nr_events >= bench->next_beat)
		beat(bench);
}

static void create_all(struct bench *bench, uint64_t nr_coros)
{
	uint64_t coro;

	for (coro = 1; coro <= nr_coros; coro++) {
		emit(bench, CTP_KIND_CREATE, coro, 0);
		emit(bench, CTP_KIND_FRAME, coro, UINT64_C(0x7f0000000000) + coro * 4096);
		emit(bench, CTP_KIND_RESUME, coro, 0);
		emit(bench, CTP_KIND_SUSPEND, coro, CTP_DESCRIPTOR(10 + coro, 1));
	}
	put_waiting(bench);
}

static uint64_t chance(struct bench *bench)
{
	bench->state ^= bench->state << 13;
	bench->state ^= bench->state >> 7;
	bench->state ^= bench->state << 17;
	return bench->state;
}

static double run(struct bench *bench, uint64_t nr_coros)
{
	uint64_t running = 1, i, start = spent_ns();

	for (i = 0; i < NR_EVENTS / 3; i++) {
		uint64_t coro = 1 + chance(bench) % nr_coros;

		emit(bench, CTP_KIND_WAKE, running, CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro));
		emit(bench, CTP_KIND_SUSPEND, running, CTP_DESCRIPTOR(10 + running, 1));
		emit(bench, CTP_KIND_RESUME, coro, 0);
		running = coro;
	}
	put_waiting(bench);
	return (double)(spent_ns() - start) / NR_EVENTS;
}

/* The cost of making the events, which is subtracted. */
static double emptiness_ns(uint64_t nr_coros)
{
	static struct bench bench;
	uint64_t running = 1, i, start = spent_ns();

	bench = (struct bench){.time = FIRST_TIME, .state = 12345};
	for (i = 0; i < NR_EVENTS / 3; i++) {
		uint64_t coro = 1 + chance(&bench) % nr_coros;
		unsigned kind;

		for (kind = 0; kind < 3; kind++) {
			bench.time += 200 + coro % 64;
			bench.records[bench.nr_waiting++ % BATCH] = (struct ctp_record){
				bench.time, running, coro, CTP_TAIL(kind, kind, 0, 0)};
		}
		__asm__ volatile("" : : "r"(bench.records) : "memory");
		running = coro;
	}
	return (double)(spent_ns() - start) / NR_EVENTS;
}

static void measure(const char *path, uint64_t nr_coros, bool is_last)
{
	static struct bench bench;
	double empty = emptiness_ns(nr_coros), few_ns, all_ns;
	uint64_t heap, resident;
	struct ct_error error;
	struct stat about = {0};

	malloc_trim(0);
	bench = (struct bench){.time = FIRST_TIME, .state = 12345, .next_beat = BEAT};
	workload_require(store_sink_open(path, NULL, &bench.sink, &error), &error);
	define_all(&bench);
	beat(&bench);
	heap = heap_bytes();
	resident = resident_bytes();
	create_all(&bench, nr_coros);
	heap = heap_bytes() - heap;
	resident = resident_bytes() - resident;
	bench.longest_beat_ns = 0;
	few_ns = run(&bench, ACTIVE) - empty;
	all_ns = run(&bench, nr_coros) - empty;
	collect_define_clock(&bench);
	beat(&bench);
	workload_require(sink_close(bench.sink, true, &error), &error);
	stat(path, &about);
	unlink(path);
	printf("    {\"coroutines\": %" PRIu64
	       ", \"ns_per_event_of_1000\": %.2f, \"ns_per_event_of_all\": %.2f, "
	       "\"longest_heartbeat_ms\": %.2f, "
	       "\"heap_bytes_per_coroutine\": %.1f, \"resident_bytes_per_coroutine\": %.1f, "
	       "\"file_bytes_per_event\": %.2f}%s\n",
		nr_coros, few_ns, all_ns, (double)bench.longest_beat_ns / 1e6,
		(double)heap / (double)nr_coros, (double)resident / (double)nr_coros,
		(double)about.st_size / (double)bench.nr_events, is_last ? "" : ",");
	fflush(stdout);
}

/* Makes a coroutine run until it waits for a timer; if it was waiting, the scheduler wakes it first. */
static void take_turn(struct bench *bench, uint64_t coro, bool has_waited)
{
	if (has_waited)
		emit(bench, CTP_KIND_WAKE, 0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro));
	emit(bench, CTP_KIND_RESUME, coro, 0);
	emit(bench, CTP_KIND_SUSPEND, coro, CTP_HANDLE(CTP_RESOURCE_TIMER, 1));
}

static void live(struct bench *bench, const char *shape, uint64_t nr_coros)
{
	uint64_t step = strcmp(shape, "scattered") == 0 ? UINT64_C(0x9e3779b1) : 1, i;
	unsigned turn, nr_turns = strcmp(shape, "turns") == 0 ? 3 : 1;

	if (strcmp(shape, "descriptors") == 0) {
		create_all(bench, nr_coros);
		return;
	}
	for (turn = 0; turn < nr_turns; turn++)
		for (i = 1; i <= nr_coros; i++) {
			if (!turn)
				emit(bench, CTP_KIND_CREATE, i * step, 0);
			take_turn(bench, i * step, turn);
		}
	put_waiting(bench);
}

static int write_living(const char *shape, uint64_t nr_coros, const char *path)
{
	static struct bench bench;
	struct ct_error error;

	bench = (struct bench){.time = FIRST_TIME, .next_beat = BEAT};
	workload_require(store_sink_open(path, NULL, &bench.sink, &error), &error);
	define_all(&bench);
	beat(&bench);
	live(&bench, shape, nr_coros);
	collect_define_clock(&bench);
	beat(&bench);
	define(&bench, (struct ct_definition){.type = CT_DEFINE_END,
			       .end = {.monotonic_ns = FIRST_NS + (bench.time - FIRST_TIME) / 2,
				       .nr_events = bench.nr_events}});
	workload_require(sink_close(bench.sink, true, &error), &error);
	return 0;
}

int main(int argc, char **argv)
{
	char path[4096];
	uint64_t nr_coros;

	if (argc == 5 && strcmp(argv[1], "--living") == 0)
		return write_living(argv[2], strtoull(argv[3], NULL, 10), argv[4]);
	snprintf(path, sizeof(path), "%s/corotracer-million-%ld.ctrace",
		argc > 1 ? argv[1] : "/dev/shm", (long)getpid());
	printf("{\n  \"benchmark\": \"million\",\n  \"events\": %u,\n  \"sizes\": [\n", NR_EVENTS);
	for (nr_coros = 1000; nr_coros <= 1000000; nr_coros *= 10)
		measure(path, nr_coros, nr_coros == 1000000);
	printf("  ]\n}\n");
	return 0;
}
