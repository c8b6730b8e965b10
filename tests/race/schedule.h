/* SPDX-License-Identifier: MIT */
/*
 * Runs a few pieces of code as if on threads of their own, in an order that the test decides: each has a
 * stack, and one goes on until it comes to a point at which the schedule has another one continue. So
 * every interleaving of small cases can be tried, and each again, by its schedule.
 *
 * What runs here sees memory in the order of the program: this finds wrong algorithms, not missing
 * barriers. Those are argued in docs/spec/protocol.md.
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
	unsigned nr_switches; /* every schedule with at most so many is tried */
	void (*actors[SCHEDULE_ACTORS])(void);
	void (*reset)(void);
	bool (*is_right)(void); /* after all have come to their end */
};

/* schedule_point: a place at which another actor may continue. Outside of schedule_explore: nothing. */
void schedule_point(void);

/*
 * schedule_wait: lets others continue until `is_over`, which takes no step. False: none is left. One actor at a time
 * may wait.
 */
bool schedule_wait(bool (*is_over)(void));

/*
 * schedule_explore: tries every schedule with at most nr_switches switches that no actor asked for, and
 * says which one went wrong first. Returns how many were tried; 0: one went wrong.
 */
uint64_t schedule_explore(const struct schedule_case *one);

/* schedule_random: tries `count` schedules of any number of switches, from this seed on. As above. */
uint64_t schedule_random(const struct schedule_case *one, uint64_t seed, uint64_t count);

#endif
