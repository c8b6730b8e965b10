/* SPDX-License-Identifier: MIT */
/*
 * Runs a few actors as if on threads of their own, in an order that the test decides. Each actor has a stack, and runs
 * until it reaches a point at which the schedule lets another actor continue. So every interleaving of small cases can
 * be tried, and repeated by its schedule.
 *
 * Memory accesses take effect in program order here, so this finds wrong algorithms, not missing barriers. Barriers are
 * argued in docs/spec/protocol.md.
 */
#ifndef TESTS_SCHEDULE_H
#define TESTS_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_ACTORS 3u
#define SCHEDULE_SWITCHES 4u

struct schedule_case {
	const char *name;
	unsigned nr_actors;
	unsigned nr_switches; /* every schedule with at most this many switches is tried */
	void (*actors[SCHEDULE_ACTORS])(void);
	void (*reset)(void);
	bool (*is_right)(void); /* called after all actors have ended */
};

/* schedule_point: a point at which another actor may continue. Does nothing outside schedule_explore. */
void schedule_point(void);

/*
 * schedule_wait: lets other actors continue until `is_over`, which takes no step. False: no other actor is left. Only
 * one actor at a time may wait.
 */
bool schedule_wait(bool (*is_over)(void));

/*
 * schedule_explore: tries every schedule with at most nr_switches switches that no actor asked for, and prints the
 * first one that went wrong. Returns the number tried; 0: one went wrong.
 */
uint64_t schedule_explore(const struct schedule_case *one);

/*
 * schedule_random: tries `count` schedules with any number of switches, from this seed on. Returns like
 * schedule_explore.
 */
uint64_t schedule_random(const struct schedule_case *one, uint64_t seed, uint64_t count);

#endif
