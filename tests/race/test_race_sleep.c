/* SPDX-License-Identifier: MIT */
/*
 * Interleaves the real functions of both sides of the sleep handshake, step by step: an engine harvests and sleeps, and
 * a probe writes events and wakes it. Protocol rules P-90, P-91 and P-94. System calls are simulated here, and each is
 * a step. Memory accesses take effect in program order; that the barrier is needed is shown by tests/models/sleep.pml.
 */
#include <stdarg.h>

#include "check.h"
#include "corotracer/ctp.h"
#include "schedule.h"

/* The system's header must declare it before the name gets another meaning. */
#include <unistd.h>
static long kernel_call(long number, ...);
#define syscall kernel_call

#include "one_ring.h"

#include "../../src/collect/sleep.c"
#include "corotracer/ctp_probe_cold.h"

#define EVENTS 2

/* ------------------------------------------------------------------ the kernel */

static bool is_queued;   /* the engine waits on the orders' word */
static bool is_stranded; /* the engine waits, and no actor is left that could wake it */
static unsigned nr_sleeps, nr_wakes;

static bool is_awake(void)
{
	return !is_queued;
}

/* Compares and queues in one step, like the kernel. */
static long wait_for(const struct futex_waitv *waits)
{
	const uint32_t *word = (const uint32_t *)(uintptr_t)waits->uaddr;

	schedule_point();
	if (*word != waits->val)
		return -1;
	is_queued = true;
	is_stranded = !schedule_wait(is_awake);
	is_queued = false;
	return 0;
}

static long kernel_call(long number, ...)
{
	va_list arguments;
	long result = 0;

	va_start(arguments, number);
	switch (number) {
	case SYS_membarrier:
		schedule_point();
		break;
	case SYS_futex_waitv:
		result = wait_for(va_arg(arguments, const struct futex_waitv *));
		break;
	case SYS_futex:
		schedule_point();
		nr_wakes++;
		is_queued = false;
		break;
	case SYS_gettid:
		result = 1;
		break;
	default:
		break;
	}
	va_end(arguments);
	return result;
}

/* ------------------------------------------------------------------ the segment */

static struct ctp_header *header;
static struct proto_layout layout;
static struct ring_space space;
static struct ring_reader reader;
static struct sleep asleep;
static uint64_t received;

static void segment_make(void)
{
	void *memory = NULL;

	if (posix_memalign(&memory, CTP_MAP_ALIGNMENT, CTP_CHUNK_OFFSET + CTP_MAP_ALIGNMENT) != 0)
		exit(1);
	header = memory;
	memset(header, 0, CTP_CHUNK_OFFSET + CTP_CHUNK_BYTES);
	layout.chunk_max = 1;
	layout.chunk_offset = CTP_CHUNK_OFFSET;
	space = (struct ring_space){.layout = &layout, .base = header};
}

static void reset(void)
{
	memset(header, 0, CTP_RING_OFFSET + sizeof(struct ctp_ring));
	memset(&ctp_thread_state, 0, sizeof(ctp_thread_state));
	memset(&ctp_orders_page, 0, sizeof(ctp_orders_page));
	ctp_orders_page.orders.wanted = CTP_WANTED_ENGINE;
	ctp_process_state.header = header;
	ctp_process_state.chunk_max = layout.chunk_max;
	ctp_process_state.ring_max = CTP_RING_MAX;
	ctp_process_state.rings_free = 0;
	ctp_process_state.has_thread_key = 0;
	ctp_gate_page.pass = CTP_PASS(1, CTP_CLOCK_COUNTER);
	reader = (struct ring_reader){.shared = ctp_ring_at(header, 0)};
	asleep =
		(struct sleep){.is_possible = true, .has_thread = true, .turn = SLEEP_THREAD_LOOKS};
	received = 0;
	nr_sleeps = nr_wakes = 0;
	is_queued = is_stranded = false;
}

/* ------------------------------------------------------------------ the two sides */

static void check_record(const struct ctp_record *record)
{
	received += CTP_TAIL_KIND(record->tail) == CTP_KIND_COUNTER;
}

static bool has_news(void *context)
{
	(void)context;
	return collect_ring_has_news(&reader);
}

/* The mistake that must be found: there is no second look. */
static bool has_none(void *context)
{
	(void)context;
	return false;
}

/* Runs until everything was received; other reasons to end a sleep are left out. */
static void harvest_and_sleep(bool (*is_there)(void *context))
{
	const struct sleep_words words = {{&ctp_orders_page.orders.sleeping}, 1};
	const struct sleep_news news = {NULL, is_there};

	while (received < EVENTS && !is_stranded) {
		if (collect_ring_drain(&reader, &space, &consumer) > 0)
			continue;
		nr_sleeps++;
		collect_sleep_until(&asleep, &words, UINT64_MAX, &news);
	}
}

static void engine(void)
{
	harvest_and_sleep(has_news);
}

static void hasty_engine(void)
{
	harvest_and_sleep(has_none);
}

static void probe(void)
{
	unsigned i;

	for (i = 0; i < EVENTS; i++)
		ctp_emit(i, i, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
}

/* Each sleep costs the target at most one call. */
static bool is_right(void)
{
	return !is_stranded && received == EVENTS && nr_wakes <= nr_sleeps;
}

static const struct schedule_case right = {"sleep", 2, 3, {engine, probe}, reset, is_right};
static const struct schedule_case wrong = {"sleep without a second look, which must go wrong", 2, 3,
	{hasty_engine, probe}, reset, is_right};

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000, tried;

#if CTP_IS_THREAD_SANITIZED
	SKIP("the thread sanitizer does not follow contexts");
#endif
	segment_make();
	tried = schedule_explore(&right);
	CHECK(tried > 100);
	CHECK(schedule_random(&right, 1, seeds) == seeds);
	CHECK(schedule_explore(&wrong) == 0);
	fprintf(stderr, "%s: %" PRIu64 " schedules, %" PRIu64 " at random\n", right.name, tried,
		seeds);
	return check_result();
}
