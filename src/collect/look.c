/* SPDX-License-Identifier: MIT */
/* One look of the engine: which peers have come, what is in the rings, what is due by the clock. */

#include "base/clock.h"
#include "collect/coarse.h"
#include "collect/collector.h"
#include "collect/reach.h"

#define CLOCK_PERIOD_NS UINT64_C(1000000000)
#define HEARTBEAT_PERIOD_NS UINT64_C(200000000)
#define FLUSH_PERIOD_NS UINT64_C(1000000000)
#define SILENCE_PERIOD_NS UINT64_C(10000000)
#define SETTLE_PERIOD_NS UINT64_C(100000000)
#define SAMPLE_PERIOD_NS UINT64_C(100000000)
#define MAPPING_PERIOD_NS UINT64_C(100000000)
#define SEEK_PERIOD_NS UINT64_C(1000000000)
#define ARRIVALS_A_LOOK 64 /* so that peers cannot keep the engine from its rings */

bool collect_look_arrivals(struct collect *collect)
{
	struct arrival arrival;
	struct ct_error trouble;
	enum ct_status status;
	int i;

	collect->arrivals_ns = collect->now_ns;
	version1_service_arrivals(&collect->service);
	for (i = 0; i < ARRIVALS_A_LOOK; i++) {
		status = collect_listener_next(&collect->listener, &arrival, &trouble);
		if (status == CT_AGAIN)
			return false;
		if (status == CT_OK)
			status = collect_attach(collect, &arrival, &trouble);
		if (status) {
			collect->nr_refused++;
			collect->refusal = trouble;
		}
	}
	return true;
}

/*
 * Segments are drained in turns, so that one look does not take long. But a heartbeat says that every ring was looked
 * at: it is made at the end of a look that left out no ring.
 */
uint64_t collect_look_rings(struct collect *collect)
{
	bool is_whole = collect->now_ns - collect->heartbeat_ns >= HEARTBEAT_PERIOD_NS;
	uint64_t nr_records = 0;
	struct segment *segment;

	collect->most_records = 0;
	for_each_segment (collect, segment)
		nr_records += is_whole ? collect_segment_drain_all(segment)
				       : collect_segment_drain(segment);
	if (nr_records > 0)
		collect->active_ns = collect->now_ns;
	return nr_records;
}

void collect_define_reading_of(
	struct collect *collect, uint32_t clock, const struct clock_reading *reading)
{
	struct ct_definition definition = {.type = CT_DEFINE_CLOCK};

	definition.clock = (struct ct_define_clock){
		.clock = clock,
		.raw = reading->counter,
		.monotonic_ns = reading->monotonic_ns,
		.realtime_ns = reading->realtime_ns,
		.uncertainty_ns = reading->uncertainty_ns,
		.reach_ns = collect->reach_ns,
	};
	collect_output_define(&collect->output, &definition);
}

void collect_define_reading(struct collect *collect, const struct clock_reading *reading)
{
	collect_define_reading_of(collect, CTP_CLOCK_COUNTER, reading);
}

/* The coarse clock shows CLOCK_MONOTONIC, and may be late by its largest delay so far. */
static void define_coarse(struct collect *collect, const struct clock_reading *reading)
{
	struct ct_definition definition = {.type = CT_DEFINE_CLOCK};

	definition.clock = (struct ct_define_clock){
		.clock = CTP_CLOCK_COARSE,
		.raw = reading->monotonic_ns,
		.monotonic_ns = reading->monotonic_ns,
		.realtime_ns = reading->realtime_ns,
		.uncertainty_ns = collect_coarse_lag_ns(collect->coarse),
	};
	collect_output_define(&collect->output, &definition);
}

void collect_define_clock(struct collect *collect)
{
	struct clock_reading reading;

	if (!collect->reach_ns)
		collect->reach_ns = collect_reach_measure();
	clock_read(&reading);
	clock_line_keep(&collect->line, &reading);
	collect_define_reading(collect, &reading);
	if (collect->has_coarse)
		define_coarse(collect, &reading);
}

/* Defines the clock readings, between the regular ones, at which CLOCK_MONOTONIC began to run at another rate. */
static void watch_line(struct collect *collect)
{
	struct clock_reading reading, before;

	clock_glance(&reading);
	if (!clock_line_breaks(&collect->line, &reading, &before))
		return;
	collect_define_reading(collect, &before);
	collect_define_reading(collect, &reading);
}

void collect_define_heartbeat(struct collect *collect)
{
	struct ct_definition definition = {.type = CT_DEFINE_HEARTBEAT};
	const struct segment *segment;

	collect->heartbeat_ns = collect->now_ns;
	definition.heartbeat.monotonic_ns = collect->now_ns;
	collect_output_define(&collect->output, &definition);
	for_each_segment (collect, segment)
		ctp_store_relaxed(
			&collect_segment_orders(segment)->engine_heartbeat_ns, collect->now_ns);
}

static void settle(struct collect *collect)
{
	struct segment *segment;

	for_each_segment (collect, segment)
		collect_segment_settle(segment, 0, false);
}

static void read_wanted_mappings(struct collect *collect)
{
	struct process *process;

	for_each_process (collect, process)
		if (process->wants_mappings && !process->has_ended &&
			collect->now_ns - process->mapped_ns >= MAPPING_PERIOD_NS)
			collect_process_map(collect, process);
}

static bool is_due(struct collect *collect, uint64_t *last_ns, uint64_t period_ns)
{
	if (collect->now_ns - *last_ns < period_ns)
		return false;
	*last_ns = collect->now_ns;
	return true;
}

void collect_look_thread_times(struct collect *collect)
{
	if (is_due(collect, &collect->sampled_ns, SAMPLE_PERIOD_NS))
		collect_thread_time_sample(collect);
}

void collect_look_clocks(struct collect *collect)
{
	watch_line(collect);
	read_wanted_mappings(collect);
	if (is_due(collect, &collect->settle_ns, SETTLE_PERIOD_NS)) {
		settle(collect);
		collect_process_name_threads(collect);
	}
	if (is_due(collect, &collect->silence_ns, SILENCE_PERIOD_NS))
		collect_silence_look(collect);
	/* A library that was loaded meanwhile may have brought its own probe. */
	if (collect->target.is_found && !collect->target.has_ended &&
		is_due(collect, &collect->seek_ns, SEEK_PERIOD_NS))
		collect_seek_segments(collect, NULL);
	collect_look_thread_times(collect);
	collect_samples_look(collect);
	if (is_due(collect, &collect->clock_ns, CLOCK_PERIOD_NS)) {
		collect_define_clock(collect);
		version1_service_settle(&collect->service);
	}
	if (is_due(collect, &collect->heartbeat_ns, HEARTBEAT_PERIOD_NS)) {
		collect_samples_take(collect);
		collect_define_heartbeat(collect);
	}
	if (is_due(collect, &collect->flush_ns, FLUSH_PERIOD_NS))
		collect_output_flush(&collect->output);
}

static uint64_t earlier(uint64_t one_ns, uint64_t other_ns)
{
	return one_ns < other_ns ? one_ns : other_ns;
}

/*
 * In silence one heartbeat with each clock reading suffices: one look a second. Losses beside the last events are
 * settled soon, so that their time is known as well as that of other losses.
 */
uint64_t collect_look_due_ns(const struct collect *collect)
{
	uint64_t due_ns = collect->clock_ns + CLOCK_PERIOD_NS;
	uint64_t silence_ns = collect_silence_next_ns(collect);
	uint64_t samples_ns = collect_samples_due_ns(collect);
	const struct process *process;

	if (silence_ns < collect->silence_ns + SILENCE_PERIOD_NS)
		silence_ns = collect->silence_ns + SILENCE_PERIOD_NS;
	if (collect->active_ns > collect->settle_ns)
		due_ns = earlier(due_ns, collect->settle_ns + SETTLE_PERIOD_NS);
	for_each_process (collect, process)
		if (process->wants_mappings && !process->has_ended)
			due_ns = earlier(due_ns, process->mapped_ns + MAPPING_PERIOD_NS);
	due_ns = earlier(earlier(due_ns, samples_ns), collect_process_naming_due_ns(collect));
	return earlier(due_ns, silence_ns);
}

void collect_look_last(struct collect *collect, struct process *process)
{
	struct segment *segment;

	version1_service_last(&collect->service, process);
	collect_samples_last(collect, process);
	for_each_segment (collect, segment) {
		if (segment->process != process)
			continue;
		collect_segment_unwant(segment);
		collect_segment_drain_all(segment);
		collect_segment_settle(segment, 0, true);
		collect_segment_close(segment);
	}
}
