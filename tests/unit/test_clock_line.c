/* SPDX-License-Identifier: MIT */
/*
 * An hour of clocks by simulation: a counter with drift, CLOCK_MONOTONIC slewed as time daemons do, readings with noise
 * and interruptions, an engine that looks every one to four milliseconds. The time computed for an event must be within
 * a microsecond of CLOCK_MONOTONIC at that event.
 */
#include <math.h>

#include "check.h"
#include "base/clock_line.h"
#include "base/timeline.h"
#include "base/vec.h"

#define SECONDS 3600
#define COUNTER_HZ 2.6e9
#define SLEW 500e-6 /* the most that the kernel does */

static uint64_t state = 0x9e3779b97f4a7c15;

static double random_between(double least, double most)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return least + (most - least) * ((double)(state >> 11) / 9007199254740992.0);
}

/* The true time, and the values of the two clocks at that time. */
static struct {
	double seconds;
	double counter;
	double monotonic_ns;
	double frequency; /* of the clock, relative to the true time; 0: exact */
	double change_at; /* the time of the next change */
	double settling;  /* what a slow correction still has to correct in a second; 0: none */
} world;

static double counter_rate(void)
{
	/* 30 millionths too fast, and one more or less with the temperature. */
	return COUNTER_HZ * (1 + 30e-6 + 1e-6 * sin(world.seconds / 300));
}

/* A slew at full speed, its end, a correction that decays second by second, or a new frequency. */
static void change_rate(void)
{
	double kind = random_between(0, 4);

	if (world.settling > 1e-6) {
		world.settling *= 1 - 1.0 / 64;
		world.frequency = world.settling;
		world.change_at += 1;
		return;
	}
	world.settling = 0;
	if (kind < 1)
		world.frequency = random_between(0, 1) < 0.5 ? SLEW : -SLEW;
	else if (kind < 2)
		world.frequency = random_between(-10e-6, 10e-6);
	else if (kind < 3)
		world.settling = world.frequency = random_between(0, 150e-6);
	else
		world.frequency = 0;
	world.change_at += world.settling > 0 ? 1 : random_between(0.3, 40);
}

static void advance(double seconds)
{
	double until = world.seconds + seconds;

	while (world.seconds < until) {
		double end = until < world.change_at ? until : world.change_at;
		double part = end - world.seconds;

		world.counter += part * counter_rate();
		world.monotonic_ns += part * 1e9 * (1 + world.frequency);
		world.seconds = end;
		if (end == world.change_at)
			change_rate();
	}
}

/* One reading in a hundred was interrupted, and is marked as such. */
static struct clock_reading read_clocks(void)
{
	double doubt =
		random_between(0, 100) < 1 ? random_between(1e3, 50e3) : random_between(15, 60);

	return (struct clock_reading){
		.counter = (uint64_t)world.counter,
		.monotonic_ns = (uint64_t)(world.monotonic_ns + random_between(-doubt, doubt)),
		.uncertainty_ns = (uint64_t)doubt,
	};
}

static struct clock_reading read_tightly(void)
{
	struct clock_reading reading = read_clocks();

	while (reading.uncertainty_ns > 100)
		reading = read_clocks();
	return reading;
}

struct moment {
	uint64_t counter;
	double monotonic_ns;
};

struct hour {
	struct timeline timeline;
	struct clock_line line;
	VEC(struct moment) events;
	size_t nr_readings;
};

static void add(struct hour *hour, const struct clock_reading *reading)
{
	CHECK(timeline_add(
		&hour->timeline, reading->counter, reading->monotonic_ns, reading->uncertainty_ns));
	hour->nr_readings++;
}

/* Makes an event between this look and the next. */
static void live_until_next_look(struct hour *hour)
{
	double pause = random_between(0.001, 0.004), before = random_between(0, pause);
	struct moment event;

	advance(before);
	event = (struct moment){(uint64_t)world.counter, world.monotonic_ns};
	if (!vec_push(&hour->events, event))
		abort();
	advance(pause - before);
}

static void look(struct hour *hour, double *next_kept, bool is_line_watched)
{
	struct clock_reading reading = read_clocks(), before;

	if (is_line_watched && clock_line_breaks(&hour->line, &reading, &before)) {
		add(hour, &before);
		add(hour, &reading);
	}
	if (world.seconds < *next_kept)
		return;
	*next_kept += 1;
	advance(2e-6);
	reading = read_tightly();
	clock_line_keep(&hour->line, &reading);
	add(hour, &reading);
}

static double largest_error(const struct hour *hour)
{
	double largest = 0;
	size_t hint = 0, i;

	for (i = 0; i < hour->events.count; i++) {
		const struct moment *event = &hour->events.at[i];
		int64_t told = timeline_ns(&hour->timeline, event->counter, &hint);
		double error = fabs((double)told - event->monotonic_ns);

		largest = error > largest ? error : largest;
	}
	return largest;
}

static double simulate(bool is_line_watched, size_t *ret_nr_readings)
{
	struct hour hour = {0};
	double next_kept = 0, error;

	world.seconds = world.counter = world.settling = world.frequency = 0;
	world.counter = 1e12;
	world.monotonic_ns = 1e11;
	world.change_at = 5;
	while (world.seconds < SECONDS) {
		look(&hour, &next_kept, is_line_watched);
		live_until_next_look(&hour);
	}
	look(&hour, &next_kept, is_line_watched);
	error = largest_error(&hour);
	CHECK_EQUAL(hour.timeline.nr_refused, 0);
	*ret_nr_readings = hour.nr_readings;
	timeline_fini(&hour.timeline);
	vec_fini(&hour.events);
	return error;
}

int main(void)
{
	size_t nr_readings;
	double error = simulate(true, &nr_readings);

	printf("error %.0f ns at most, %zu readings\n", error, nr_readings);
	CHECK(error < 1000);
	CHECK(nr_readings < 3 * SECONDS);
	/* One reading per second is not enough for clocks like these. */
	error = simulate(false, &nr_readings);
	printf("without: %.0f ns, %zu readings\n", error, nr_readings);
	CHECK(error > 50000);
	return check_result();
}
