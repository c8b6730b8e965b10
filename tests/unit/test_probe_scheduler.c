/* SPDX-License-Identifier: MIT */
/*
 * The events of a scheduler, as ctp_probe.h names them: the content of each record; a detail stands beside its event
 * with the same time, and never behind another event. And the thread-local rule: a coroutine that migrates writes into
 * the ring of the thread that runs it.
 *
 * Built a second time with MUTANT, where the address of a thread's state is taken once and kept, as a compiler does
 * with a thread-local across a context switch. With the argument "mutant" this program passes if migration is found to
 * go wrong.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifdef MUTANT
/* The header defines ctp_thread_self(void), which gets another name, and calls ctp_thread_self(). */
struct ctp_thread;
static struct ctp_thread *thread_kept(void);
#define SELF_void thread_fresh(void)
#define SELF_ thread_kept()
#define SELF_JOIN(argument) SELF_##argument
#define ctp_thread_self(...) SELF_JOIN(__VA_ARGS__)
#endif
#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#ifdef MUTANT
static struct ctp_thread *thread_kept(void)
{
	static struct ctp_thread *kept;

	if (!kept)
		kept = thread_fresh();
	return kept;
}
#endif

/* ---------------------------------------------------------------- reading back */

#define RECORDS_MAX 8192

struct kept {
	struct ctp_record records[RECORDS_MAX];
	uint32_t rings[RECORDS_MAX];
	unsigned count;
};

static void keep(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	struct kept *kept = context;

	(void)position;
	if (kept->count == RECORDS_MAX)
		return;
	kept->records[kept->count] = record;
	kept->rings[kept->count] = ring;
	kept->count++;
}

static void attach(struct reader *reader)
{
	CHECK(ctp_attach());
	CHECK(reader_take(reader));
}

/* The record at `index`, counted from the first event of the test itself, has these words. */
static void check_record(const struct kept *kept, unsigned index, uint64_t coro, uint64_t object,
	uint32_t site, unsigned kind, unsigned argument)
{
	struct ctp_record record = kept->records[index + 1]; /* the thread's start stands first */

	CHECK_EQUAL(record.coro, coro);
	CHECK_EQUAL(record.object, object);
	CHECK_EQUAL(CTP_TAIL_SITE(record.tail), site);
	CHECK_EQUAL(CTP_TAIL_KIND(record.tail), kind);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(record.tail), argument);
}

static void check_detail(const struct kept *kept, unsigned index, uint64_t coro, uint64_t number,
	enum ctp_detail detail)
{
	check_record(kept, index, coro, number, 0, CTP_KIND_DETAIL, detail);
	CHECK_EQUAL(kept->records[index + 1].time, kept->records[index].time);
}

static unsigned drain(struct reader *reader, struct kept *kept)
{
	kept->count = 0;
	reader_drain_all(reader, keep, kept);
	return kept->count ? kept->count - 1 : 0;
}

/* ---------------------------------------------------------------- each function's record */

static const uint64_t lock = CTP_HANDLE(CTP_RESOURCE_LOCK, 0x123456789aULL);
static const uint64_t queue = CTP_HANDLE(CTP_RESOURCE_QUEUE, 7);

static void moves(void)
{
	static struct kept kept;
	struct reader reader;

	attach(&reader);
	ctp_switch(5, 6, 70, CTP_POINT_YIELD);
	ctp_switch_for(6, 5, lock, 71, CTP_POINT_AWAIT);
	ctp_suspend(5, lock, 72, CTP_POINT_AWAIT);
	ctp_suspend_until(6, lock, 73, CTP_POINT_AWAIT, 123456789);
	ctp_await(5, 6, 74);
	ctp_await_done(5, 6);
	ctp_destroy_at(6, CTP_LIFE_SUSPENDED, 75);
	CHECK_EQUAL(drain(&reader, &kept), 9);
	check_record(&kept, 0, 5, 6, 70, CTP_KIND_SWITCH, CTP_POINT_YIELD);
	check_record(&kept, 1, 6, 5, 71, CTP_KIND_SWITCH, CTP_POINT_AWAIT);
	check_detail(&kept, 2, 6, lock, CTP_DETAIL_RESOURCE);
	check_record(&kept, 3, 5, lock, 72, CTP_KIND_SUSPEND, CTP_POINT_AWAIT);
	check_record(&kept, 4, 6, lock, 73, CTP_KIND_SUSPEND, CTP_POINT_AWAIT);
	check_detail(&kept, 5, 6, 123456789, CTP_DETAIL_DEADLINE);
	check_record(&kept, 6, 5, 6, 74, CTP_KIND_AWAIT, 0);
	check_record(&kept, 7, 5, 6, 0, CTP_KIND_AWAIT_DONE, 0);
	check_record(&kept, 8, 6, 0, 75, CTP_KIND_DESTROY, CTP_LIFE_SUSPENDED);
}

static void resources(void)
{
	static struct kept kept;
	struct reader reader;

	attach(&reader);
	ctp_acquire(5, lock, 80);
	ctp_hand_over(5, lock, 6, 81);
	ctp_release(6, lock, 82);
	ctp_notify(6, lock, 0, 83);
	ctp_notify(6, lock, 254, 84);
	ctp_notify(6, lock, 100000, 85);
	CHECK_EQUAL(drain(&reader, &kept), 7);
	check_record(&kept, 0, 5, lock, 80, CTP_KIND_ACQUIRE, 0);
	check_record(&kept, 1, 5, lock, 81, CTP_KIND_HAND_OVER, 0);
	check_detail(&kept, 2, 5, 6, CTP_DETAIL_RECEIVER);
	check_record(&kept, 3, 6, lock, 82, CTP_KIND_RELEASE, 0);
	check_record(&kept, 4, 6, lock, 83, CTP_KIND_NOTIFY, 0);
	check_record(&kept, 5, 6, lock, 84, CTP_KIND_NOTIFY, 254);
	check_record(&kept, 6, 6, lock, 85, CTP_KIND_NOTIFY, 255);
}

static void workers(void)
{
	static struct kept kept;
	struct reader reader;

	attach(&reader);
	ctp_enqueue(5, queue);
	ctp_dequeue(5, queue);
	ctp_park(queue, 90);
	ctp_unpark(queue);
	ctp_park_until(queue, 91, 987654321);
	ctp_enqueue_private(6, queue);
	ctp_block(lock, -1, 92); /* P-35 */
	ctp_block_done(92);
	ctp_park_untimed(queue, 93);
	CHECK_EQUAL(drain(&reader, &kept), 10);
	check_record(&kept, 9, 0, queue, 93, CTP_KIND_PARK, 0);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[10].tail), CTP_PARK_UNTIMED);
	check_record(&kept, 7, lock, UINT64_MAX, 92, CTP_KIND_BLOCK_BEGIN, CTP_CALL_LOCK);
	check_record(&kept, 8, 0, 0, 92, CTP_KIND_BLOCK_END, CTP_CALL_LOCK);
	check_record(&kept, 0, 5, queue, 0, CTP_KIND_ENQUEUE, 0);
	check_record(&kept, 1, 5, queue, 0, CTP_KIND_DEQUEUE, 0);
	check_record(&kept, 2, 0, queue, 90, CTP_KIND_PARK, 0);
	check_record(&kept, 3, 0, queue, 0, CTP_KIND_UNPARK, 0);
	check_record(&kept, 4, 0, queue, 91, CTP_KIND_PARK, 0);
	check_detail(&kept, 5, 0, 987654321, CTP_DETAIL_DEADLINE);
	check_record(&kept, 6, 6, queue, 0, CTP_KIND_ENQUEUE, 0);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[1].tail), 0);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[7].tail), CTP_ENQUEUE_PRIVATE);
}

static void runtime(void)
{
	const uint64_t processor = CTP_HANDLE(CTP_RESOURCE_PROCESSOR, 3);
	static struct kept kept;
	struct reader reader;

	attach(&reader);
	ctp_processor_state(3, CTP_PROCESSOR_RUNNING); /* P-100 */
	ctp_syscall_begin(5, 1, 94);                   /* P-101 */
	ctp_syscall_end(5, true);
	ctp_syscall_end(6, false);
	ctp_range_begin(5, 0, CTP_RANGE_PAUSE, 95); /* P-102 */
	ctp_range_end(5, 0, CTP_RANGE_PAUSE);
	ctp_range_begin(0, processor, CTP_RANGE_SWEEP, 96);
	CHECK_EQUAL(drain(&reader, &kept), 7);
	check_record(&kept, 0, 0, processor, 0, CTP_KIND_PROCESSOR, CTP_PROCESSOR_RUNNING);
	check_record(&kept, 1, 5, 1, 94, CTP_KIND_SYSCALL_BEGIN, 0);
	check_record(&kept, 2, 5, 0, 0, CTP_KIND_SYSCALL_END, 0);
	check_record(&kept, 3, 6, 0, 0, CTP_KIND_SYSCALL_END, 0);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[3].tail), CTP_SYSCALL_READY);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[4].tail), 0);
	check_record(&kept, 4, 5, 0, 95, CTP_KIND_RANGE_BEGIN, CTP_RANGE_PAUSE);
	check_record(&kept, 5, 5, 0, 0, CTP_KIND_RANGE_END, CTP_RANGE_PAUSE);
	check_record(&kept, 6, 0, processor, 96, CTP_KIND_RANGE_BEGIN, CTP_RANGE_SWEEP);
}

static void descriptors(void)
{
	static struct kept kept;
	struct reader reader;
	uint64_t descriptor = CTP_DESCRIPTOR(9, 3);

	attach(&reader);
	ctp_descriptor_open(descriptor, 100);
	ctp_descriptor_arm(descriptor, 1, 0x4001, 77, 101);
	ctp_descriptor_ready(descriptor, 0x11, 77);
	ctp_descriptor_close(descriptor, 102);
	CHECK_EQUAL(drain(&reader, &kept), 4);
	check_record(&kept, 0, 0, descriptor, 100, CTP_KIND_DESCRIPTOR_OPEN, 0);
	check_record(&kept, 1, 77, descriptor, 101, CTP_KIND_DESCRIPTOR_ARM, 1);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[2].tail), 0x4001);
	check_record(&kept, 2, 77, descriptor, 0, CTP_KIND_DESCRIPTOR_READY, 0);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[3].tail), 0x11);
	check_record(&kept, 3, 0, descriptor, 102, CTP_KIND_DESCRIPTOR_CLOSE, 0);
}

/* The probe knows which coroutine runs on a thread, as far as the program has told. */
static void who_runs(void)
{
	struct reader reader;

	attach(&reader);
	CHECK_EQUAL(ctp_current(), 0);
	ctp_resume(5, CTP_POINT_INITIAL);
	CHECK_EQUAL(ctp_current(), 5);
	ctp_suspend(7, lock, 0, CTP_POINT_INITIAL); /* another one, made here, that has not run */
	CHECK_EQUAL(ctp_current(), 5);
	ctp_switch(5, 6, 0, CTP_POINT_YIELD);
	CHECK_EQUAL(ctp_current(), 6);
	ctp_suspend(6, lock, 0, CTP_POINT_AWAIT);
	CHECK_EQUAL(ctp_current(), 0);
	ctp_cancel(6);
	CHECK_EQUAL(ctp_current(), 6);
	ctp_return(6);
	CHECK_EQUAL(ctp_current(), 0);
	ctp_destroy(6, CTP_LIFE_DONE);
	CHECK_EQUAL(ctp_current(), 0);
	ctp_switch_for(0, 5, lock, 0, CTP_POINT_AWAIT);
	ctp_park(0, 0);
	CHECK_EQUAL(ctp_current(), 0);
}

/* A program that is not attached, and that no engine asked for. */
static void detached(void)
{
	unsetenv(CTP_ENVIRONMENT);
	setenv(CTP_ATTACH_ENVIRONMENT, "0", 1);
	errno = 5;
	CHECK(!ctp_attach());
	ctp_switch_for(1, 2, lock, 0, CTP_POINT_AWAIT);
	ctp_hand_over(1, lock, 2, 0);
	CHECK_EQUAL(ctp_coro_new(), 0);
	CHECK_EQUAL(ctp_current(), 0);
	CHECK_EQUAL(errno, 5);
}

/* ---------------------------------------------------------------- details and full rings */

static void walk(const struct kept *kept, unsigned *nr_details, unsigned *nr_strays)
{
	unsigned i;

	for (i = 1; i < kept->count; i++) {
		const struct ctp_record *record = &kept->records[i], *before = record - 1;

		if (CTP_TAIL_KIND(record->tail) != CTP_KIND_DETAIL)
			continue;
		(*nr_details)++;
		*nr_strays += CTP_TAIL_KIND(before->tail) != CTP_KIND_SWITCH ||
			      before->time != record->time || before->object + 1 != record->object;
	}
}

/*
 * A ring of one chunk, which is full again and again at any place between an event and its detail: where the event is
 * lost its detail is lost, too, and each detail that is there has its own event before it.
 */
static void details_stand_beside_their_events(void)
{
	static struct kept kept;
	unsigned nr_details = 0, nr_strays = 0, round;
	uint64_t number = 0, first;
	struct reader reader;

	attach(&reader);
	ctp_store_relaxed(&reader.orders->chunks_per_ring, 1);
	for (round = 0; round < 20; round++) {
		if (round % 2)
			ctp_switch(1, 0, 0, CTP_POINT_YIELD);
		first = number;
		for (; number < first + CTP_CHUNK_RECORDS; number++)
			ctp_switch_for(1, 2 * number, 2 * number + 1, 0, CTP_POINT_AWAIT);
		drain(&reader, &kept);
		walk(&kept, &nr_details, &nr_strays);
	}
	CHECK(nr_details > 10 * (CTP_CHUNK_RECORDS / 2 - 4));
	CHECK_EQUAL(nr_strays, 0);
	CHECK(ctp_load_relaxed(&reader_ring(&reader, 0)->dropped) > 0);
}

/* A detail that is the first record of a new chunk. */
static void detail_across_chunks(void)
{
	static struct kept kept;
	unsigned nr_details = 0, nr_strays = 0, i;
	struct reader reader;

	attach(&reader);
	for (i = 0; i < CTP_CHUNK_RECORDS - 2; i++)
		ctp_switch(1, 0, 0, CTP_POINT_YIELD);
	ctp_switch_for(1, 10, 11, 0, CTP_POINT_AWAIT);
	CHECK_EQUAL(drain(&reader, &kept), CTP_CHUNK_RECORDS);
	CHECK_EQUAL(CTP_TAIL_KIND(kept.records[CTP_CHUNK_RECORDS].tail), CTP_KIND_DETAIL);
	walk(&kept, &nr_details, &nr_strays);
	CHECK_EQUAL(nr_details, 1);
	CHECK_EQUAL(nr_strays, 0);
}

/* ---------------------------------------------------------------- migration */

#define NR_THREADS 3
#define NR_LEGS 30
#define FIBER_ID 42

/*
 * One coroutine, carried from thread to thread. In each leg the coroutine emits an event with the number of the thread
 * that runs it; then it switches back to that thread, which hands it to the next one.
 */
static struct {
	ucontext_t fiber;
	ucontext_t thread;
	char stack[1 << 16];
	pthread_mutex_t mutex;
	pthread_cond_t turned;
	unsigned leg;
	unsigned nr_astray; /* who runs was not as it should be */
	uint64_t tids[NR_THREADS];
} carried = {.mutex = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};

static void fiber_main(void)
{
	for (;;) {
		/* The function emits two events in a row and switches between the rounds, all in one frame. */
		ctp_resume(FIBER_ID, CTP_POINT_AWAIT);
		ctp_emit(FIBER_ID, carried.leg % NR_THREADS, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		carried.nr_astray += ctp_current() != FIBER_ID;
		ctp_suspend(FIBER_ID, lock, 0, CTP_POINT_AWAIT);
		swapcontext(&carried.fiber, &carried.thread);
	}
}

static void *carry(void *context)
{
	unsigned own = (unsigned)(uintptr_t)context;

	pthread_mutex_lock(&carried.mutex);
	carried.tids[own] = (uint64_t)syscall(SYS_gettid);
	while (carried.leg < NR_LEGS) {
		if (carried.leg % NR_THREADS != own) {
			pthread_cond_wait(&carried.turned, &carried.mutex);
			continue;
		}
		swapcontext(&carried.thread, &carried.fiber);
		carried.nr_astray += ctp_current() != 0;
		carried.leg++;
		pthread_cond_broadcast(&carried.turned);
	}
	pthread_mutex_unlock(&carried.mutex);
	return NULL;
}

static void run_carriers(void)
{
	pthread_t threads[NR_THREADS];
	uintptr_t i;

	getcontext(&carried.fiber);
	carried.fiber.uc_stack.ss_sp = carried.stack;
	carried.fiber.uc_stack.ss_size = sizeof(carried.stack);
	makecontext(&carried.fiber, fiber_main, 0);
	for (i = 0; i < NR_THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, carry, (void *)i) == 0);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* The thread of each record's ring must be the thread that ran the coroutine. */
static unsigned count_misplaced(const struct kept *kept, unsigned *ret_nr_legs)
{
	uint64_t tid_of_ring[NR_THREADS + 1] = {0};
	unsigned nr_misplaced = 0, i;

	for (i = 0; i < kept->count; i++) {
		const struct ctp_record *record = &kept->records[i];
		uint32_t ring = kept->rings[i];

		if (ring > NR_THREADS)
			return kept->count;
		if (CTP_TAIL_KIND(record->tail) == CTP_KIND_THREAD_START)
			tid_of_ring[ring] = record->object;
		if (CTP_TAIL_KIND(record->tail) != CTP_KIND_COUNTER)
			continue;
		(*ret_nr_legs)++;
		nr_misplaced += tid_of_ring[ring] != carried.tids[record->object % NR_THREADS];
	}
	return nr_misplaced;
}

static bool is_mutant;

static void migration(void)
{
	static struct kept kept;
	unsigned nr_legs = 0, nr_misplaced;
	struct reader reader;

	attach(&reader);
	run_carriers();
	kept.count = 0;
	reader_drain_all(&reader, keep, &kept);
	nr_misplaced = count_misplaced(&kept, &nr_legs);
	CHECK_EQUAL(nr_legs, NR_LEGS);
	if (is_mutant)
		CHECK_EQUAL(nr_misplaced, NR_LEGS - NR_LEGS / NR_THREADS);
	else
		CHECK_EQUAL(nr_misplaced, 0);
	if (!is_mutant)
		CHECK_EQUAL(carried.nr_astray, 0);
}

int main(int nr_arguments, char **arguments)
{
	is_mutant = nr_arguments > 1 && strcmp(arguments[1], "mutant") == 0;
	reader_listen();
	CHECK_EQUAL(in_child(migration), 0);
	if (is_mutant)
		return check_result();
	CHECK_EQUAL(in_child(moves), 0);
	CHECK_EQUAL(in_child(resources), 0);
	CHECK_EQUAL(in_child(workers), 0);
	CHECK_EQUAL(in_child(runtime), 0);
	CHECK_EQUAL(in_child(who_runs), 0);
	CHECK_EQUAL(in_child(descriptors), 0);
	CHECK_EQUAL(in_child(detached), 0);
	CHECK_EQUAL(in_child(details_stand_beside_their_events), 0);
	CHECK_EQUAL(in_child(detail_across_chunks), 0);
	return check_result();
}
