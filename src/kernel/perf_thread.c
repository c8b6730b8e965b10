/* SPDX-License-Identifier: MIT */
/*
 * Opens and reads perf events of threads.
 *
 * The kernel writes into pages that it shares with us. P1: it publishes data_head after the records below it (pairs
 * with the acquire in perf_thread_next). P2: data_tail gives the room back (release), after the records were copied.
 */
#include "kernel/perf_thread.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DATA_PAGES 32u /* 128 KiB: 600 switches with their stacks */
#define CALLS_BESIDE 32u
#define SECOND_NS UINT64_C(1000000000)

static int open_event(const struct perf_event_attr *attributes, pid_t tid)
{
	return (int)syscall(SYS_perf_event_open, attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* A user who may not look into the kernel gets no samples there; everything else is the same. */
static int open_either(struct perf_thread *thread, struct perf_event_attr *attributes, pid_t tid)
{
	int descriptor = open_event(attributes, tid);

	thread->is_blind = false;
	if (descriptor >= 0 || (errno != EACCES && errno != EPERM))
		return descriptor;
	thread->is_blind = true;
	attributes->exclude_kernel = 1;
	return open_event(attributes, tid);
}

static bool map(struct perf_thread *thread)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *pages = mmap(NULL, (DATA_PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		thread->descriptor, 0);

	if (pages == MAP_FAILED)
		return false;
	thread->pages = pages;
	thread->bytes = (struct perf_bytes){(const uint8_t *)pages + page, DATA_PAGES * page};
	return true;
}

static struct perf_event_attr attributes_of(uint64_t config, uint64_t period, unsigned nr_calls)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.exclude_hv = 1,
		.exclude_callchain_kernel = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.sample_max_stack = (uint16_t)nr_calls,
		.watermark = 1, /* nobody waits: at the end of the ring is soon enough */
		.wakeup_watermark = UINT32_MAX,
	};
}

/* Another event of the same thread, each of which is told with its stack, in the same ring. -1: there is none. */
static int open_beside(const struct perf_thread *thread, pid_t tid, uint64_t config)
{
	struct perf_event_attr attributes = attributes_of(config, 1, CALLS_BESIDE);
	int descriptor;

	attributes.exclude_kernel = thread->is_blind;
	descriptor = open_event(&attributes, tid);
	if (descriptor < 0 || !ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, thread->descriptor))
		return descriptor;
	close(descriptor);
	return -1;
}

/*
 * A user who may not look into the kernel gets no stacks of switches, because these happen inside of it, and everything
 * else is the same.
 */
bool perf_thread_open(struct perf_thread *thread, pid_t tid, unsigned hz, bool tells_switches)
{
	struct perf_event_attr attributes =
		attributes_of(PERF_COUNT_SW_CPU_CLOCK, SECOND_NS / hz, PERF_CALLS);
	int trouble;

	attributes.context_switch = tells_switches;
	thread->switches = thread->faults = -1;
	thread->descriptor = open_either(thread, &attributes, tid);
	if (thread->descriptor < 0)
		return false;
	if (map(thread)) {
		if (tells_switches && !thread->is_blind)
			thread->switches = open_beside(thread, tid, PERF_COUNT_SW_CONTEXT_SWITCHES);
		return true;
	}
	trouble = errno;
	close(thread->descriptor);
	errno = trouble;
	return false;
}

void perf_thread_tell_faults(struct perf_thread *thread, pid_t tid, bool are_told)
{
	if (are_told == (thread->faults >= 0))
		return;
	if (are_told) {
		thread->faults = open_beside(thread, tid, PERF_COUNT_SW_PAGE_FAULTS_MAJ);
		return;
	}
	close(thread->faults);
	thread->faults = -1;
}

bool perf_thread_next(
	struct perf_thread *thread, struct perf_record *ret_record, bool *ret_is_corrupt)
{
	struct perf_event_mmap_page *page = thread->pages;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	bool has_record =
		perf_records_next(&thread->bytes, &tail, head, ret_record, ret_is_corrupt);

	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	return has_record;
}

void perf_thread_close(struct perf_thread *thread)
{
	if (!thread->pages)
		return;
	munmap(thread->pages, thread->bytes.size + (size_t)sysconf(_SC_PAGESIZE));
	if (thread->switches >= 0)
		close(thread->switches);
	if (thread->faults >= 0)
		close(thread->faults);
	close(thread->descriptor);
	*thread = (struct perf_thread){0};
}
