/* SPDX-License-Identifier: MIT */
/*
 * Both sides of `./dev bench idle`. The engine's side, with the collector, measures the time from publishing the first
 * event after idleness until the sink has it:
 *
 *	bench_idle first MODE EVENTS
 *
 * prints one JSON object. The target's side:
 *
 *	bench_idle target MODE idle SECONDS   one event, and then nothing
 *	bench_idle target MODE first EVENTS   each after 20 to 50 ms of nothing; its object is when it was published
 *	bench_idle target MODE busy SECONDS   one event a millisecond; prints how many found the engine asleep
 *
 * MODE is `woken`: the probe takes part in the sleep handshake; or `polled`: a second thread exists when the target
 * attaches, so the probe does not take part, and the engine polls.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/collect.h"
#include "corotracer/ctp_probe.h"

#define MILLISECOND_NS 1000000L
#define GAP_LEAST_NS (20 * MILLISECOND_NS)
#define GAP_MORE_NS (30 * MILLISECOND_NS)
#define EVENTS_MAX 100000u

/* ------------------------------------------------------------------ the target */

static void rest(uint64_t ns)
{
	const struct timespec gap = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	nanosleep(&gap, NULL);
}

static void emit_now(void)
{
	ctp_emit(0, clock_monotonic_ns(), CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
}

static void write_first_events(unsigned long count)
{
	uint64_t random = 1;

	for (; count > 0; count--) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		rest(GAP_LEAST_NS + (random >> 33) % GAP_MORE_NS);
		emit_now();
	}
}

static void write_all_the_time(unsigned long seconds)
{
	unsigned long i, nr_events = seconds * 1000, nr_asleep = 0;

	for (i = 0; i < nr_events; i++) {
		rest(MILLISECOND_NS);
		nr_asleep += ctp_load_relaxed(&ctp_orders_page.orders.sleeping);
		emit_now();
	}
	printf("{\"events\": %lu, \"wake_calls\": %lu}\n", nr_events, nr_asleep);
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int run_target(const char *mode, const char *what, unsigned long number)
{
	pthread_t thread;

	if (strcmp(mode, "polled") == 0 && pthread_create(&thread, NULL, wait_for_ever, NULL))
		return 2;
	if (!ctp_attach())
		return 2;
	emit_now();
	if (strcmp(what, "first") == 0)
		write_first_events(number);
	else if (strcmp(what, "busy") == 0)
		write_all_the_time(number);
	else
		rest(number * UINT64_C(1000000000));
	return 0;
}

/* ------------------------------------------------------------------ the engine */

static uint64_t latencies[EVENTS_MAX];
static unsigned nr_latencies;

static enum ct_status take_records(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	uint64_t now_ns = clock_monotonic_ns();
	size_t i;

	(void)sink, (void)reterr;
	for (i = 0; i < batch->nr_records; i++)
		if (CTP_TAIL_KIND(batch->records[i].tail) == CTP_KIND_COUNTER &&
			nr_latencies < EVENTS_MAX)
			latencies[nr_latencies++] = now_ns - batch->records[i].object;
	return CT_OK;
}

static enum ct_status take_definition(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	(void)sink, (void)definition, (void)reterr;
	return CT_OK;
}

static enum ct_status take_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	(void)sink, (void)reterr;
	return CT_OK;
}

static enum ct_status take_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	(void)sink, (void)is_wanted, (void)reterr;
	return CT_OK;
}

static int compare(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a > b) - (a < b);
}

/* The first event came when the target attached, so it says nothing about idleness. */
static void print_latencies(const char *mode)
{
	uint64_t *sorted = latencies + 1;
	unsigned count = nr_latencies - 1;

	qsort(sorted, count, sizeof(*sorted), compare);
	printf("{\"mode\": \"%s\", \"events\": %u, \"p50_us\": %.1f, \"p99_us\": %.1f, \"max_us\": "
	       "%.1f}\n",
		mode, count, (double)sorted[count / 2] / 1e3,
		(double)sorted[count * 99 / 100] / 1e3, (double)sorted[count - 1] / 1e3);
}

static int measure(char *self, char *mode, char *events)
{
	static const struct ct_sink_ops ops = {
		.put = take_records,
		.define = take_definition,
		.flush = take_flush,
		.close = take_close,
	};
	char *command[] = {self, (char[]){"target"}, mode, (char[]){"first"}, events, NULL};
	struct ct_record_options options = {
		.size = sizeof(options), .command = command, .no_ledger = true};
	struct ct_sink sink = {&ops};
	struct collect *collect;
	struct ct_error trouble;
	enum ct_status status = collect_open(&options, &sink, &collect, &trouble);

	while (status == CT_OK)
		status = collect_step(collect, -1, &trouble);
	if (status != CT_END || nr_latencies < 2) {
		fprintf(stderr, "bench_idle: %s\n", status < 0 ? trouble.text : "no events came");
		return 1;
	}
	collect_close(collect);
	print_latencies(mode);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "first") == 0)
		return measure(argv[0], argv[2], argv[3]);
	if (argc == 5 && strcmp(argv[1], "target") == 0)
		return run_target(argv[2], argv[3], strtoul(argv[4], NULL, 10));
	return 2;
}
