/* SPDX-License-Identifier: MIT */
/* Scenarios of workers that cannot, or do not, run ready fibers. */
#include <stdlib.h>
#include <unistd.h>

#include "stage.h"
#include "synchronisation.h"
#include "truth.h"

/* ---------------------------------------------------------------- (j) private slot */

/*
 * `asker` wakes `answerer`, which goes into the slot of asker's worker, and blocks that worker until
 * the answer comes. The other worker is idle; in the fault it may not take anything out of that slot.
 */
static struct {
	struct fiber_semaphore question;
	int ends[2];
	struct fiber *answerer;
} j;

static void answer(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&j.question);
	if (write(j.ends[1], "!", 1) != 1)
		abort();
}

static void ask(void *argument)
{
	char reply;

	(void)argument;
	fiber_semaphore_release(&j.question);
	if (has_fault(PRIVATE_SLOT))
		truth_cause(PRIVATE_SLOT, fiber_id(j.answerer), fiber_id(fiber_self()));
	if (read(j.ends[0], &reply, 1) != 1)
		abort();
}

static void begin_private_slot(void)
{
	fiber_semaphore_init(&j.question, 0);
	stage_pipe(j.ends, true);
	j.answerer = stage_spawn("answerer", answer, NULL);
}

static bool step_private_slot(unsigned number)
{
	if (number > 0)
		return false;
	stage_spawn("asker", ask, NULL);
	return true;
}

const struct scenario scenario_private_slot = {
	.fault = PRIVATE_SLOT,
	.nr_workers = 2,
	.begin = begin_private_slot,
	.step = step_private_slot,
};

/* ---------------------------------------------------------------- (k) blocked worker */

/*
 * `reader` reads what `writer`, queued behind it on the only worker, is to write. In the correct build it
 * waits for readiness and leaves the worker to the others; in the fault it blocks it.
 */
static struct {
	int ends[2];
} k;

static void write_byte(void *argument)
{
	(void)argument;
	if (fiber_write(k.ends[1], "!", 1) != 1)
		abort();
}

static void do_nothing(void *argument)
{
	(void)argument;
}

static void read_byte(void *argument)
{
	ssize_t nr_read;
	char byte;

	(void)argument;
	stage_spawn("writer", write_byte, NULL);
	stage_spawn("bystander-1", do_nothing, NULL);
	stage_spawn("bystander-2", do_nothing, NULL);
	if (has_fault(BLOCKED_WORKER)) {
		truth_cause(BLOCKED_WORKER, fiber_id(fiber_self()), 0);
		nr_read = read(k.ends[0], &byte, 1);
	} else {
		nr_read = fiber_read(k.ends[0], &byte, 1);
	}
	if (nr_read != 1)
		abort();
}

static void begin_blocked_worker(void)
{
	stage_pipe(k.ends, has_fault(BLOCKED_WORKER));
	stage_spawn("reader", read_byte, NULL);
}

const struct scenario scenario_blocked_worker = {
	.fault = BLOCKED_WORKER,
	.nr_workers = 1,
	.begin = begin_blocked_worker,
};

/* ---------------------------------------------------------------- (l) wake storm */

/*
 * `poller` waits for an entry in a table, which `setter` makes after a while. In the fault it looks through
 * the table again and again, and makes itself ready after every look.
 */
#define TABLE_ENTRIES 65536u
#define WAIT_NS UINT64_C(1200000000)

static struct {
	_Atomic unsigned char table[TABLE_ENTRIES];
	struct fiber_semaphore entry_made;
} l;

static bool is_entry_made(void)
{
	unsigned entry;

	for (entry = 0; entry < TABLE_ENTRIES; entry++)
		if (atomic_load_explicit(&l.table[entry], memory_order_acquire))
			return true;
	return false;
}

static void await_entry_in_a_storm(void)
{
	struct fiber *self = fiber_self();

	truth_cause(WAKE_STORM, fiber_id(self), fiber_id(self));
	while (!is_entry_made()) {
		fiber_unpark(self);
		fiber_park();
	}
}

static void await_entry(void *argument)
{
	(void)argument;
	if (has_fault(WAKE_STORM))
		await_entry_in_a_storm();
	else
		fiber_semaphore_acquire(&l.entry_made);
	if (!is_entry_made())
		abort();
}

static void make_entry(void *argument)
{
	(void)argument;
	fiber_sleep_until(fiber_now_ns() + WAIT_NS);
	atomic_store_explicit(&l.table[TABLE_ENTRIES - 1], 1, memory_order_release);
	fiber_semaphore_release(&l.entry_made);
}

static void begin_wake_storm(void)
{
	fiber_semaphore_init(&l.entry_made, 0);
	stage_spawn("poller", await_entry, NULL);
	stage_spawn("setter", make_entry, NULL);
}

const struct scenario scenario_wake_storm = {
	.fault = WAKE_STORM,
	.nr_workers = 2,
	.begin = begin_wake_storm,
};
