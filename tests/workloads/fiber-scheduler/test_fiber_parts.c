/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's parts on their own: the run queue under contention, the order of the timers, stacks and their guard
 * pages, what a switch preserves, and what moves with a fiber that migrates.
 */
#include <errno.h>
#include <fenv.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "scheduler.h"
#include "synchronisation.h"
#include "timer_heap.h"

/* ---------------------------------------------------------------- run queue */

#define NR_FIBERS 20000u
#define NR_THIEVES 2

static struct {
	struct run_queue victim;
	struct fiber *fibers;
	_Atomic unsigned char nr_taken[NR_FIBERS]; /* how often each fiber was taken out */
	_Atomic unsigned nr_done;
	atomic_bool is_over;
} contended;

static void note_taken(struct fiber *fiber)
{
	atomic_fetch_add(&contended.nr_taken[fiber - contended.fibers], 1);
	atomic_fetch_add(&contended.nr_done, 1);
}

static void *steal_all(void *context)
{
	static struct run_queue own[NR_THIEVES];
	struct run_queue *queue = &own[(uintptr_t)context];
	struct fiber *fiber;

	run_queue_init(queue, 0);
	while (!atomic_load(&contended.is_over)) {
		fiber = run_queue_steal(&contended.victim, queue);
		while (fiber) {
			note_taken(fiber);
			fiber = run_queue_pop(queue);
		}
	}
	return NULL;
}

/* The owner pushes all fibers, and pops whenever the queue is full, and at times without need. */
static void push_all(void)
{
	struct fiber *fiber;
	unsigned i;

	for (i = 0; i < NR_FIBERS; i++) {
		while (!run_queue_push(&contended.victim, &contended.fibers[i]))
			if ((fiber = run_queue_pop(&contended.victim)))
				note_taken(fiber);
		if (i % 3 == 0 && (fiber = run_queue_pop(&contended.victim)))
			note_taken(fiber);
	}
	while ((fiber = run_queue_pop(&contended.victim)))
		note_taken(fiber);
}

static void run_queue_under_contention(void)
{
	pthread_t thieves[NR_THIEVES];
	unsigned nr_wrong = 0, i;

	contended.fibers = calloc(NR_FIBERS, sizeof(*contended.fibers));
	run_queue_init(&contended.victim, 0);
	for (i = 0; i < NR_THIEVES; i++)
		pthread_create(&thieves[i], NULL, steal_all, (void *)(uintptr_t)i);
	push_all();
	while (atomic_load(&contended.nr_done) < NR_FIBERS)
		sched_yield();
	atomic_store(&contended.is_over, true);
	for (i = 0; i < NR_THIEVES; i++)
		pthread_join(thieves[i], NULL);
	for (i = 0; i < NR_FIBERS; i++)
		nr_wrong += atomic_load(&contended.nr_taken[i]) != 1;
	CHECK_EQUAL(nr_wrong, 0);
	CHECK(run_queue_is_empty(&contended.victim));
	free(contended.fibers);
}

static void run_queue_in_order(void)
{
	static struct run_queue queue, thief;
	static struct fiber fibers[RUN_QUEUE_ENTRIES + 1];
	unsigned i;

	run_queue_init(&queue, 0);
	run_queue_init(&thief, 0);
	CHECK(run_queue_pop(&queue) == NULL);
	CHECK(run_queue_steal(&queue, &thief) == NULL);
	for (i = 0; i < RUN_QUEUE_ENTRIES; i++)
		CHECK(run_queue_push(&queue, &fibers[i]));
	CHECK(!run_queue_push(&queue, &fibers[i]));
	CHECK(run_queue_steal(&queue, &thief) == &fibers[0]);
	for (i = 1; i < RUN_QUEUE_ENTRIES / 2; i++)
		CHECK(run_queue_pop(&thief) == &fibers[i]);
	CHECK(run_queue_pop(&thief) == NULL);
	for (; i < RUN_QUEUE_ENTRIES; i++)
		CHECK(run_queue_pop(&queue) == &fibers[i]);
	CHECK(run_queue_is_empty(&queue));
}

/* ---------------------------------------------------------------- timers */

#define NR_TIMERS 500u

static void timers_in_order(void)
{
	static struct fiber fibers[NR_TIMERS];
	struct timer_heap heap;
	uint64_t random = 12345, last = 0;
	unsigned i, count = 0;

	timer_heap_init(&heap);
	CHECK(timer_heap_first(&heap) == NULL);
	for (i = 0; i < NR_TIMERS; i++) {
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
		fibers[i].deadline_ns = random >> 56; /* many are alike */
		CHECK(timer_heap_add(&heap, &fibers[i]));
	}
	for (i = 0; i < NR_TIMERS; i += 3)
		CHECK(timer_heap_remove(&heap, &fibers[i]));
	CHECK(!timer_heap_remove(&heap, &fibers[0]));
	for (; timer_heap_first(&heap); count++) {
		struct fiber *first = timer_heap_first(&heap);

		CHECK(first->deadline_ns >= last);
		CHECK((first - fibers) % 3 != 0);
		last = first->deadline_ns;
		CHECK(timer_heap_remove(&heap, first));
	}
	CHECK_EQUAL(count, NR_TIMERS - (NR_TIMERS + 2) / 3);
	timer_heap_fini(&heap);
}

/* ---------------------------------------------------------------- stacks */

static void stacks(void)
{
	struct stack_cache cache;
	struct stack first, second, again;
	int status = 0;
	pid_t child;

	stack_cache_init(&cache, 10000);
	CHECK(stack_open(&cache, &first) && stack_open(&cache, &second));
	CHECK(first.bytes >= 10000 && first.low != second.low);
	memset(first.low, 1, first.bytes);
	child = fork();
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL); /* a sanitizer would explain at length */
		((char *)first.low)[-1] = 1;
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		WTERMSIG(status) == SIGSEGV);
	again = second;
	stack_close(&cache, &second);
	CHECK(stack_open(&cache, &second) && second.low == again.low);
	stack_close(&cache, &first);
	stack_close(&cache, &second);
	stack_cache_fini(&cache);
}

/* ---------------------------------------------------------------- what a switch preserves */

#define NR_ROUNDS 200

/*
 * errno goes along with a fiber, whatever thread it comes to; so does the rounding mode; and the worker
 * that fiber code asks for is the one that runs it. `blocker` holds up the worker on which `keeper` has
 * yielded, until keeper runs again: that can only be on the other one.
 */
static struct {
	struct fiber *blocker;
	atomic_bool is_its_turn;
	sem_t has_run;
	struct fiber_semaphore is_over; /* the blocker's part of a round */
	unsigned nr_wrong;
	unsigned nr_migrations;
} preserved;

static void block_worker(void *argument)
{
	int round;

	(void)argument;
	for (round = 0; round < NR_ROUNDS; round++) {
		while (!atomic_exchange(&preserved.is_its_turn, false))
			fiber_park();
		sem_wait(&preserved.has_run);
		fiber_semaphore_release(&preserved.is_over);
	}
}

/* Not inlined: the C library lets compilers call pthread_self once in a function, as it does with errno. */
__attribute__((noinline)) static void migrate_once(int number, int mode)
{
	struct worker *before = worker_self();

	fiber_set_errno(number);
	fesetround(mode);
	atomic_store(&preserved.is_its_turn, true);
	fiber_unpark(preserved.blocker);
	fiber_yield();
	preserved.nr_wrong += fiber_errno() != number || fegetround() != mode;
	preserved.nr_wrong += !pthread_equal(worker_self()->thread, pthread_self());
	preserved.nr_migrations += worker_self() != before;
	sem_post(&preserved.has_run);
	fiber_semaphore_acquire(&preserved.is_over);
}

static void keep_state(void *argument)
{
	int round;

	(void)argument;
	for (round = 0; round < NR_ROUNDS; round++)
		migrate_once(round + 1, round % 2 ? FE_UPWARD : FE_DOWNWARD);
	fesetround(FE_TONEAREST);
}

static void await_all(struct fiber **fibers, unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++) {
		while (fiber_state(fibers[i]) != FIBER_DONE)
			sched_yield();
		fiber_release(fibers[i]);
	}
}

static void state_goes_along(void)
{
	struct scheduler *scheduler = scheduler_new(2);
	struct fiber *fibers[2];

	sem_init(&preserved.has_run, 0, 0);
	fiber_semaphore_init(&preserved.is_over, 0);
	preserved.blocker = fibers[0] = fiber_spawn(scheduler, "blocker", block_worker, NULL);
	fibers[1] = fiber_spawn(scheduler, "keeper", keep_state, NULL);
	await_all(fibers, 2);
	while (scheduler_nr_alive(scheduler) > 0)
		sched_yield();
	scheduler_free(scheduler);
	fiber_semaphore_fini(&preserved.is_over);
	CHECK_EQUAL(preserved.nr_wrong, 0);
	CHECK(preserved.nr_migrations > 0);
}

/* ---------------------------------------------------------------- destruction */

static struct {
	struct fiber_mutex mutex;
	struct fiber_semaphore never;
	atomic_bool has_joined;
	struct fiber *victim;
} destruction;

static void wait_for_ever(void *argument)
{
	(void)argument;
	fiber_semaphore_acquire(&destruction.never);
}

static void join_victim(void *argument)
{
	(void)argument;
	fiber_join(destruction.victim);
	atomic_store(&destruction.has_joined, true);
}

static void await_quiet(struct scheduler *scheduler)
{
	while (!scheduler_is_quiet(scheduler))
		sched_yield();
}

/* A fiber that waits for a destroyed one goes on; a fiber that has ended cannot be destroyed. */
static void destroyed_fibers_let_go(void)
{
	struct scheduler *scheduler = scheduler_new(2);
	struct fiber *joiner;

	fiber_semaphore_init(&destruction.never, 0);
	destruction.victim = fiber_spawn(scheduler, "victim", wait_for_ever, NULL);
	joiner = fiber_spawn(scheduler, "joiner", join_victim, NULL);
	await_quiet(scheduler);
	CHECK(!atomic_load(&destruction.has_joined));
	CHECK_EQUAL(scheduler_nr_alive(scheduler), 2);
	CHECK(fiber_destroy(destruction.victim));
	CHECK(!fiber_destroy(destruction.victim));
	await_all(&joiner, 1);
	CHECK(atomic_load(&destruction.has_joined));
	CHECK_EQUAL(fiber_state(destruction.victim), FIBER_DESTROYED);
	CHECK(destruction.never.waiters.first == NULL);
	fiber_release(destruction.victim);
	scheduler_free(scheduler);
	fiber_semaphore_fini(&destruction.never);
}

int main(void)
{
	run_queue_in_order();
	run_queue_under_contention();
	timers_in_order();
	stacks();
	state_goes_along();
	destroyed_fibers_let_go();
	return check_result();
}
