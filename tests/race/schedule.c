/* SPDX-License-Identifier: MIT */
/*
 * Deterministic interleaving (schedule.h), with contexts that the C library switches.
 */
#include "schedule.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#define STACK_BYTES (256u << 10)

/* A switch: at this step, to the n-th of the other actors that have not ended. */
struct turn {
	uint64_t step;
	unsigned other;
};

static struct {
	const struct schedule_case *one;
	ucontext_t home;
	ucontext_t contexts[SCHEDULE_ACTORS];
	char *stacks[SCHEDULE_ACTORS];
	bool is_done[SCHEDULE_ACTORS];
	bool is_running;
	unsigned present;
	uint64_t step;

	/* The schedule: switches in order, or a source of random numbers. */
	struct turn turns[SCHEDULE_SWITCHES];
	unsigned nr_turns;
	unsigned next_turn;
	uint64_t random; /* 0: use the switches */
} state;

static unsigned count_others(void)
{
	unsigned i, count = 0;

	for (i = 0; i < state.one->nr_actors; i++)
		count += i != state.present && !state.is_done[i];
	return count;
}

/* The n-th actor after the present one that has not ended. */
static unsigned find_other(unsigned n)
{
	unsigned i = state.present;

	do {
		i = (i + 1) % state.one->nr_actors;
	} while (state.is_done[i] || i == state.present || n-- > 0);
	return i;
}

static void switch_to(unsigned next)
{
	unsigned before = state.present;

	state.present = next;
	swapcontext(&state.contexts[before], &state.contexts[next]);
}

static uint64_t next_random(void)
{
	state.random ^= state.random << 13;
	state.random ^= state.random >> 7;
	state.random ^= state.random << 17;
	return state.random;
}

static bool is_turn(unsigned *ret_other)
{
	const struct turn *turn = &state.turns[state.next_turn];

	if (state.random != 0) {
		*ret_other = (unsigned)(next_random() >> 8);
		return next_random() % 5 == 0;
	}
	if (state.next_turn == state.nr_turns || turn->step != state.step)
		return false;
	state.next_turn++;
	*ret_other = turn->other;
	return true;
}

void schedule_point(void)
{
	unsigned other, nr_others;

	if (!state.is_running)
		return;
	nr_others = count_others();
	if (is_turn(&other) && nr_others > 0) {
		state.step++;
		switch_to(find_other(other % nr_others));
		return;
	}
	state.step++;
}

bool schedule_wait(bool (*is_over)(void))
{
	while (!is_over()) {
		if (count_others() == 0)
			return false;
		switch_to(find_other(0));
	}
	return true;
}

static void run_actor(void)
{
	state.one->actors[state.present]();
	state.is_done[state.present] = true;
	if (count_others() > 0) {
		state.present = find_other(0);
		setcontext(&state.contexts[state.present]);
	}
	setcontext(&state.home);
}

static void prepare(const struct schedule_case *one, unsigned first)
{
	unsigned i;

	one->reset();
	state.one = one;
	state.step = 0;
	state.next_turn = 0;
	state.present = first;
	for (i = 0; i < one->nr_actors; i++) {
		if (!state.stacks[i])
			state.stacks[i] = malloc(STACK_BYTES);
		state.is_done[i] = false;
		getcontext(&state.contexts[i]);
		state.contexts[i].uc_stack.ss_sp = state.stacks[i];
		state.contexts[i].uc_stack.ss_size = STACK_BYTES;
		state.contexts[i].uc_link = NULL;
		makecontext(&state.contexts[i], run_actor, 0);
	}
}

static bool run_once(const struct schedule_case *one, unsigned first)
{
	prepare(one, first);
	state.is_running = true;
	swapcontext(&state.home, &state.contexts[first]);
	state.is_running = false;
	return one->is_right();
}

static void tell(const struct schedule_case *one, unsigned first, uint64_t seed)
{
	unsigned i;

	fprintf(stderr, "%s: went wrong; actor %u first", one->name, first);
	if (seed != 0)
		fprintf(stderr, ", seed %" PRIu64, seed);
	for (i = 0; i < state.nr_turns; i++)
		fprintf(stderr, ", at step %" PRIu64 " to other %u", state.turns[i].step,
			state.turns[i].other);
	fprintf(stderr, "\n");
}

/* Tries the schedule, then the schedule with one more switch at each later step, and so on. */
static bool explore_from(const struct schedule_case *one, unsigned first, uint64_t *tried)
{
	uint64_t begin, end, step;
	unsigned other;

	++*tried;
	if (!run_once(one, first)) {
		tell(one, first, 0);
		return false;
	}
	/* A switch that came after all other actors had ended does not count. */
	if (state.next_turn < state.nr_turns || state.nr_turns == one->nr_switches)
		return true;
	begin = state.nr_turns ? state.turns[state.nr_turns - 1].step + 1 : 0;
	end = state.step;
	for (step = begin; step < end; step++)
		for (other = 0; other + 1 < one->nr_actors; other++) {
			bool is_right;

			state.turns[state.nr_turns++] = (struct turn){step, other};
			is_right = explore_from(one, first, tried);
			state.nr_turns--;
			if (!is_right)
				return false;
		}
	return true;
}

uint64_t schedule_explore(const struct schedule_case *one)
{
	uint64_t tried = 0;
	unsigned first;

	state.random = 0;
	state.nr_turns = 0;
	for (first = 0; first < one->nr_actors; first++)
		if (!explore_from(one, first, &tried))
			return 0;
	return tried;
}

uint64_t schedule_random(const struct schedule_case *one, uint64_t seed, uint64_t count)
{
	uint64_t i;

	state.nr_turns = 0;
	for (i = 0; i < count; i++) {
		state.random = (seed + i) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		if (!run_once(one, (unsigned)(i % one->nr_actors))) {
			tell(one, (unsigned)(i % one->nr_actors), seed + i);
			state.random = 0;
			return 0;
		}
	}
	state.random = 0;
	return count;
}
