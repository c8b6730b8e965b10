/* SPDX-License-Identifier: MIT */
/*
 * A correct mix of everything: several senders and receivers on one channel, a counter behind a mutex, a pipe between
 * two fibers, sleeping, yielding, joining, and a fiber that is destroyed while it waits. The sanitizers run this
 * scenario, too.
 */
#include <stdlib.h>

#include "corotracer/ctp_probe.h"
#include "stage.h"
#include "synchronisation.h"

#define NR_PAIRS 4u
#define NR_ITEMS 2000u /* for each sender */
#define NR_BATCH 100u
#define NR_BYTES 100000u
#define NR_NAPS 20u
#define NAP_NS UINT64_C(2000000)

static struct {
	struct fiber_channel channel;
	uintptr_t items[16];
	struct fiber_mutex mutex;
	uint64_t sum; /* by mutex */
	int ends[2];
	uint64_t nr_bytes;
	unsigned nr_naps;
	struct fiber_semaphore never;
	struct fiber *cancelled;
	atomic_bool is_complete;
} mixed;

static void send_numbers(void *argument)
{
	uintptr_t i;

	(void)argument;
	for (i = 1; i <= NR_ITEMS; i++) {
		fiber_channel_send(&mixed.channel, i);
		if (i % 64 == 0)
			fiber_yield();
	}
}

/* Each batch of numbers is a task of its own, and the work under the mutex is a region. */
static void receive_numbers(void *argument)
{
	uint64_t batch = 0;
	unsigned i;

	(void)argument;
	for (i = 0; i < NR_ITEMS; i++) {
		uintptr_t item;

		if (i % NR_BATCH == 0) {
			batch = ctp_task_new();
			ctp_task_begin(0, batch, CTP_SITE("batch"));
		}
		item = fiber_channel_receive(&mixed.channel);
		ctp_region_begin(0, 0, CTP_SITE("sum"));
		fiber_mutex_lock(&mixed.mutex);
		mixed.sum += item;
		if (i % 16 == 0)
			fiber_yield(); /* with the mutex held, so that others queue for it */
		fiber_mutex_unlock(&mixed.mutex);
		ctp_region_end(0, CTP_SITE("sum"));
		if (i % NR_BATCH == NR_BATCH - 1)
			ctp_task_end(0, batch);
	}
}

static void write_bytes(void *argument)
{
	static const char block[1000];
	size_t nr_written = 0;

	(void)argument;
	while (nr_written < NR_BYTES) {
		ssize_t count = fiber_write(mixed.ends[1], block, sizeof(block));

		if (count < 0)
			abort();
		nr_written += (size_t)count;
	}
}

static void read_bytes(void *argument)
{
	char block[700];

	(void)argument;
	while (mixed.nr_bytes < NR_BYTES) {
		ssize_t count = fiber_read(mixed.ends[0], block, sizeof(block));

		if (count <= 0)
			abort();
		mixed.nr_bytes += (size_t)count;
	}
}

static void nap(void *argument)
{
	(void)argument;
	for (; mixed.nr_naps < NR_NAPS; mixed.nr_naps++)
		fiber_sleep_until(fiber_now_ns() + NAP_NS);
}

static void wait_for_nothing(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&mixed.never);
}

static void run_all(void *argument)
{
	struct fiber *children[2 * NR_PAIRS + 3];
	unsigned count = 0, i;

	(void)argument;
	for (i = 0; i < NR_PAIRS; i++) {
		children[count++] = stage_spawn("sender", send_numbers, NULL);
		children[count++] = stage_spawn("receiver", receive_numbers, NULL);
	}
	children[count++] = stage_spawn("writer", write_bytes, NULL);
	children[count++] = stage_spawn("reader", read_bytes, NULL);
	children[count++] = stage_spawn("napper", nap, NULL);
	for (i = 0; i < count; i++)
		fiber_join(children[i]);
	atomic_store(&mixed.is_complete, true);
}

static void begin_mixed(void)
{
	fiber_channel_init(
		&mixed.channel, mixed.items, sizeof(mixed.items) / sizeof(mixed.items[0]));
	fiber_mutex_init(&mixed.mutex);
	fiber_semaphore_init(&mixed.never, 0);
	stage_pipe(mixed.ends, false);
	mixed.cancelled = stage_spawn("cancelled", wait_for_nothing, NULL);
	stage_spawn("parent", run_all, NULL);
}

/* Idle also means idle until a timer fires: a step has something to do only when all else is done. */
static bool step_mixed(unsigned number)
{
	(void)number;
	return atomic_load(&mixed.is_complete) && fiber_destroy(mixed.cancelled);
}

static bool is_mixed_right(void)
{
	return mixed.sum == (uint64_t)NR_PAIRS * NR_ITEMS * (NR_ITEMS + 1) / 2 &&
	       mixed.nr_bytes == NR_BYTES && mixed.nr_naps == NR_NAPS;
}

const struct scenario scenario_mixed = {
	.nr_workers = 4,
	.begin = begin_mixed,
	.step = step_mixed,
	.is_right = is_mixed_right,
};
