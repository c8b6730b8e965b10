/* SPDX-License-Identifier: MIT */
/*
 * The target of `./dev bench switches`: a scheduler that runs 1,000 coroutines in turn on one processor, each for a
 * fixed piece of work.
 *
 *	bench_switches calibrate RATE
 *	bench_switches HOW UNITS SECONDS
 *
 * `calibrate` prints how much work is needed between two switches to get RATE switches per second, untraced. The second
 * form prints one JSON object: the number of switches, how long one took (sampled), and the CPU seconds of the program
 * and of its parent, which is the engine if the program is traced. HOW: `switch` writes one event for a switch; `pair`
 * writes a suspend and a resume; `version1` writes both like version 1, and asks the kernel for the thread's id each
 * time. Without an engine, events are dropped.
 */
#include <inttypes.h>
#include <sched.h>
#include <string.h>

#include "corotracer/ctp_probe.h"
#include "version1_write.h"

#define NR_COROS 1000u
#define CHECK_EVERY 256u /* switches */
#define SAMPLE_EVERY 16u
#define BUCKETS 65536u /* of 1 ns: longer times count in the last one */

enum how { SWITCH, PAIR, VERSION1, NR_HOW };
static const char *const names[NR_HOW] = {"switch", "pair", "version1"};

static uint64_t ids[NR_COROS], nr_events[NR_COROS];
static struct version1_station *stations;
static uint64_t lengths[BUCKETS];
static uint64_t kept; /* makes the computed value used */

static inline void work(unsigned long units)
{
	uint64_t value = kept | 1;

	for (; units > 0; units--) {
		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
	}
	kept = value;
}

static inline void tell(enum how how, unsigned from, unsigned to)
{
	switch (how) {
	case SWITCH:
		ctp_switch(ids[from], ids[to], CTP_SITE("yield"), CTP_POINT_YIELD);
		break;
	case PAIR:
		ctp_suspend(ids[from], 0, CTP_SITE("yield"), CTP_POINT_YIELD);
		ctp_resume(ids[to], CTP_POINT_YIELD);
		break;
	default:
		if (!stations)
			break;
		write_event(&stations[from], nr_events[from]++);
		write_event(&stations[to], nr_events[to]++);
	}
}

static void note_length(uint64_t ticks, double ns_per_tick)
{
	uint64_t ns = (uint64_t)((double)ticks * ns_per_tick);

	lengths[ns < BUCKETS ? ns : BUCKETS - 1]++;
}

static double ns_per_tick(void)
{
	uint64_t ns = now(), ticks = ctp_time(CTP_CLOCK_COUNTER);

	while (now() < ns + 20000000)
		;
	return (double)(now() - ns) / (double)(ctp_time(CTP_CLOCK_COUNTER) - ticks);
}

/* Returns the number of switches; *ret_ns: the duration. */
static uint64_t run(enum how how, unsigned long units, double seconds, uint64_t *ret_ns)
{
	double scale = ns_per_tick();
	uint64_t begin = now(), end = begin + (uint64_t)(seconds * 1e9), count = 0, before = 0;
	unsigned present = 0, next;

	for (;;) {
		if (count % CHECK_EVERY == 0 && now() >= end)
			break;
		if (count % SAMPLE_EVERY == 0)
			before = ctp_time(CTP_CLOCK_COUNTER);
		next = present + 1 < NR_COROS ? present + 1 : 0;
		tell(how, present, next);
		work(units);
		present = next;
		if (count % SAMPLE_EVERY == 0)
			note_length(ctp_time(CTP_CLOCK_COUNTER) - before, scale);
		count++;
	}
	*ret_ns = now() - begin;
	return count;
}

static uint64_t percentile(double share)
{
	uint64_t sum = 0, passed = 0, i;

	for (i = 0; i < BUCKETS; i++)
		sum += lengths[i];
	for (i = 0; i + 1 < BUCKETS && (double)(passed + lengths[i]) < share * (double)sum; i++)
		passed += lengths[i];
	return i;
}

/* The sum over all threads of a process. */
static double cpu_seconds(pid_t pid)
{
	struct timespec used = {0, 0};
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Measures CPU time, so that other programs make no difference. */
static unsigned long calibrate(double rate)
{
	unsigned long units = 100;
	double before, each;
	uint64_t ns, count;
	int i;

	for (i = 0; i < 4; i++) {
		before = cpu_seconds(0);
		count = run(VERSION1, units, 0.1, &ns);
		each = (cpu_seconds(0) - before) / (double)count;
		units = (unsigned long)((double)units / rate / each);
		units = units > 0 ? units : 1;
	}
	return units;
}

static void prepare(enum how how)
{
	cpu_set_t first;
	unsigned i;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	if (how == VERSION1) {
		asks_kernel = true;
		stations = find_engine() ? take_stations(NR_COROS) : NULL;
		return;
	}
	ctp_attach();
	for (i = 0; i < NR_COROS; i++) {
		ids[i] = ctp_coro_new();
		ctp_create(ids[i], i, CTP_SITE("coroutine"));
	}
}

int main(int argc, char **argv)
{
	double own_before, engine_before;
	uint64_t ns, count;
	int how = 0;

	if (argc == 3 && strcmp(argv[1], "calibrate") == 0) {
		printf("%lu\n", calibrate(strtod(argv[2], NULL)));
		return 0;
	}
	while (argc == 4 && how < NR_HOW && strcmp(argv[1], names[how]) != 0)
		how++;
	if (argc != 4 || how == NR_HOW)
		return 2;
	prepare((enum how)how);
	own_before = cpu_seconds(0);
	engine_before = cpu_seconds(getppid());
	count = run((enum how)how, strtoul(argv[2], NULL, 10), strtod(argv[3], NULL), &ns);
	printf("{\"switches\": %" PRIu64 ", \"seconds\": %.4f, \"p50_ns\": %" PRIu64
	       ", \"p99_ns\": %" PRIu64 ", ",
		count, (double)ns / 1e9, percentile(0.5), percentile(0.99));
	printf("\"cpu_seconds\": %.4f, \"engine_cpu_seconds\": %.4f, \"is_traced\": %s}\n",
		cpu_seconds(0) - own_before, cpu_seconds(getppid()) - engine_before,
		ctp_is_attached() || stations ? "true" : "false");
	return 0;
}
