/* SPDX-License-Identifier: MIT */
/*
 * How long threads ran, and how long they could have run and did not get a processor: /proc/PID/task/TID/schedstat.
 * Without it a worker that other programs kept from running looks like one that is stuck in a coroutine.
 *
 * Read rarely, and only of threads that wrote something meanwhile, or are looked at: an idle program costs nothing.
 */
#include "base/clock.h"
#include "collect/collector.h"
#include "kernel/procfs.h"

#define THREADS_A_SAMPLE 64u

void collect_thread_time_put(
	struct collect *collect, struct process *process, uint64_t tid, uint32_t thread)
{
	struct ctp_record record = {.tail = CTP_TAIL(0, CTP_KIND_THREAD_TIME, 0, 0)};
	struct procfs_account account;

	if (!procfs_account(process->pid, tid, &account))
		return;
	record.time = clock_monotonic_ns();
	record.coro = account.ran_ns;
	record.object = account.waited_ns;
	collect_observe_put(collect, process, thread, &record);
}

/* False: nothing was to be read. The page of a ring that nobody wrote into, not even its owner, may not be there. */
static bool sample_ring(struct segment *segment, struct segment_ring *ring)
{
	const struct ring_reader *reader = &ring->reader;
	struct process *process = segment->process;
	uint64_t tid;

	if (reader->tail == ring->sampled || reader->thread == 0)
		return false;
	ring->sampled = reader->tail;
	tid = ctp_load_relaxed(&reader->shared->owner);
	tid = thread_ids_here(&process->ids, process->pid, tid);
	if (tid)
		collect_thread_time_put(segment->collect, process, tid,
			collect_process_thread(segment->collect, process, tid, THREADS_RUNNING));
	return true;
}

static void sample_segment(struct segment *segment)
{
	uint32_t count = (uint32_t)segment->rings.count, nr_read = 0, i;

	for (i = 0; i < count && nr_read < THREADS_A_SAMPLE; i++)
		nr_read += sample_ring(
			segment, &segment->rings.at[(segment->next_sampled + i) % count]);
	segment->next_sampled = count ? (segment->next_sampled + i) % count : 0;
}

void collect_thread_time_sample(struct collect *collect)
{
	size_t i;

	for (i = 0; i < COLLECT_SEGMENTS; i++) {
		struct segment *segment = &collect->segments[i];

		if (segment->number && segment->layout.role == CTP_ROLE_PROBE &&
			!segment->process->has_ended)
			sample_segment(segment);
	}
}
