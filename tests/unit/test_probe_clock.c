/* SPDX-License-Identifier: MIT */
/*
 * The coarse clock (P-52): which probes use it, the times of their events, and which probes do not.
 */
#include "corotracer/ctp_flight.h"
#include "probe_tally.h"

static void take(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	uint64_t **times = context;

	(void)ring;
	(void)position;
	if (CTP_TAIL_KIND(record.tail) == CTP_KIND_COUNTER)
		*(*times)++ = record.time;
}

/* An event's time is what the engine stored last, and repeats until the engine stores the next one. */
static void coarse_times(void)
{
	struct reader reader;
	uint64_t times[4] = {0}, *next = times, first;

	setenv(CTP_CLOCK_ENVIRONMENT, "coarse", 1);
	attach(&reader);
	CHECK_EQUAL(reader.header->clock, CTP_CLOCK_COARSE);
	first = reader.orders->coarse_time;
	CHECK_EQUAL(reader.header->clock_counter, first);
	CHECK(first <= reader.header->clock_monotonic_ns);
	emit_numbered(0);
	emit_numbered(1);
	ctp_store_relaxed(&reader.orders->coarse_time, first + 100000);
	emit_numbered(2);
	reader_drain(&reader, 0, UINT64_MAX, take, &next);
	CHECK_EQUAL(next - times, 3);
	CHECK_EQUAL(times[0], first);
	CHECK_EQUAL(times[1], first);
	CHECK_EQUAL(times[2], first + 100000);
}

/* An unknown word in the variable changes nothing. */
static void another_clock(void)
{
	struct reader reader;

	setenv(CTP_CLOCK_ENVIRONMENT, "sundial", 1);
	attach(&reader);
	CHECK(reader.header->clock != CTP_CLOCK_COARSE);
}

/* Where there is no engine, nobody advances a coarse clock. */
static void flight_recorder(void)
{
	setenv(CTP_CLOCK_ENVIRONMENT, "coarse", 1);
	CHECK(ctp_record_flight(NULL, 0));
	CHECK(ctp_process_state.header->clock != CTP_CLOCK_COARSE);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(coarse_times), 0);
	CHECK_EQUAL(in_child(another_clock), 0);
	unsetenv(CTP_ENVIRONMENT);
	CHECK_EQUAL(in_child(flight_recorder), 0);
	return check_result();
}
