/* SPDX-License-Identifier: MIT */
/*
 * A correct program in which everything passes from thread to thread: `crowd [COROUTINES]`. Four workers run very many
 * short coroutines, which are made of steps; each takes one of a few locks, some wait for a condition. A waiter pushes
 * itself onto a lock-free list, and may run on another thread before its own thread has left it. Locks and wakes never
 * go to the wrong coroutine, nor twice to the same: the program counts, and its exit status says whether the counts
 * were right.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "corotracer/ctp_probe.h"

#define NR_WORKERS 4
#define NR_LOCKS 3u
#define NR_ALIVE 64u

enum next { BEGIN, WORK, LEAVE };

struct task {
	uint64_t id;
	struct task *behind; /* the next one in its list */
	enum next next;
	unsigned lock;
	bool is_patient; /* it waits for the condition once */
};

/* NULL: free. LOCKED: owned, without waiters. Else owned, with a list of waiters, the last one first. */
struct lock {
	CTP_ALIGNED(64) struct task *waiting;
	uint64_t count; /* guarded by the lock */
};

/* A lock that is held for a few instructions. */
struct list {
	CTP_ALIGNED(64) uint32_t is_busy;
	struct task *first;
};

static struct task locked;
#define LOCKED (&locked)

static struct lock locks[NR_LOCKS];
static struct list ready, patient;
static CTP_ALIGNED(64) uint64_t nr_begun, nr_ended, nr_wanted;

static void list_enter(struct list *list)
{
	while (__atomic_exchange_n(&list->is_busy, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&list->is_busy, __ATOMIC_RELAXED))
			sched_yield();
}

static void list_leave(struct list *list)
{
	__atomic_store_n(&list->is_busy, 0, __ATOMIC_RELEASE);
}

static void list_push(struct list *list, struct task *task)
{
	list_enter(list);
	task->behind = list->first;
	list->first = task;
	list_leave(list);
}

static struct task *list_pop(struct list *list)
{
	struct task *task;

	list_enter(list);
	task = list->first;
	if (task)
		list->first = task->behind;
	list_leave(list);
	return task;
}

static void wake(const struct task *waker, struct task *task)
{
	ctp_wake(waker ? waker->id : 0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, task->id),
		CTP_SITE("wake"), CTP_OUTCOME_QUEUED);
	list_push(&ready, task);
}

static uint64_t handle_of(const struct lock *lock)
{
	return CTP_HANDLE(CTP_RESOURCE_LOCK, (uintptr_t)lock);
}

/* False: the task waits, and may run on another thread already. */
static bool take_lock(struct task *task, struct lock *lock)
{
	struct task *present = NULL;

	if (__atomic_compare_exchange_n(
		    &lock->waiting, &present, LOCKED, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		ctp_acquire(task->id, handle_of(lock), CTP_SITE("take"));
		return true;
	}
	ctp_suspend(task->id, handle_of(lock), CTP_SITE("lock"), CTP_POINT_AWAIT);
	for (;;) {
		task->behind = present;
		if (present && __atomic_compare_exchange_n(&lock->waiting, &present, task, false,
				       __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return false;
		if (!present && __atomic_compare_exchange_n(&lock->waiting, &present, LOCKED, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			ctp_cancel(task->id);
			ctp_acquire(task->id, handle_of(lock), CTP_SITE("take"));
			return true;
		}
	}
}

/* Only the owner of the lock takes waiters off its list. */
static struct task *pop_waiting(struct lock *lock)
{
	struct task *first = __atomic_load_n(&lock->waiting, __ATOMIC_ACQUIRE);

	while (first != LOCKED && !__atomic_compare_exchange_n(&lock->waiting, &first,
					  first->behind, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		;
	return first == LOCKED ? NULL : first;
}

static void give_lock(struct task *task, struct lock *lock)
{
	struct task *present = LOCKED, *next;

	ctp_release(task->id, handle_of(lock), CTP_SITE("give"));
	if (__atomic_load_n(&lock->waiting, __ATOMIC_RELAXED) == LOCKED &&
		__atomic_compare_exchange_n(
			&lock->waiting, &present, NULL, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	next = pop_waiting(lock);
	wake(task, next);
}

static void notify(const struct task *task)
{
	struct task *found = list_pop(&patient);

	ctp_notify(task ? task->id : 0, CTP_HANDLE(CTP_RESOURCE_CONDITION, 1), CTP_SITE("notify"),
		found != NULL);
	if (found)
		wake(task, found);
}

static void begin_one(uint64_t number)
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		abort();
	task->id = ctp_coro_new();
	task->lock = (unsigned)(number % NR_LOCKS);
	task->is_patient = number % 8 == 0;
	ctp_create(task->id, (uintptr_t)task, CTP_SITE("task"));
	list_push(&ready, task);
}

static void end(struct task *task)
{
	uint64_t number = __atomic_fetch_add(&nr_begun, 1, __ATOMIC_RELAXED);

	ctp_suspend(task->id, 0, 0, CTP_POINT_FINAL);
	ctp_destroy(task->id, CTP_LIFE_DONE);
	free(task);
	if (number < nr_wanted)
		begin_one(number);
	__atomic_fetch_add(&nr_ended, 1, __ATOMIC_RELEASE);
}

/* Runs the task until it must wait. */
static void run(struct task *task)
{
	struct lock *lock = &locks[task->lock];

	ctp_resume(task->id, CTP_POINT_AWAIT);
	if (task->is_patient) {
		task->is_patient = false;
		ctp_suspend(task->id, CTP_HANDLE(CTP_RESOURCE_CONDITION, 1), CTP_SITE("patience"),
			CTP_POINT_AWAIT);
		list_push(&patient, task);
		return;
	}
	if (task->next == BEGIN) {
		task->next = WORK;
		if (!take_lock(task, lock))
			return;
		task->next = LEAVE;
	}
	/* The lock was handed over, so a former waiter owns it when it runs. */
	if (task->next == WORK)
		ctp_acquire(task->id, handle_of(lock), CTP_SITE("taken"));
	lock->count++;
	give_lock(task, lock);
	if (task->id % 4 == 0)
		notify(task);
	end(task);
}

static void *work(void *context)
{
	struct task *task;

	(void)context;
	while (__atomic_load_n(&nr_ended, __ATOMIC_ACQUIRE) < nr_wanted) {
		task = list_pop(&ready);
		if (task) {
			run(task);
			continue;
		}
		notify(NULL);
		sched_yield();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t workers[NR_WORKERS];
	uint64_t i, sum = 0;

	nr_wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
	ctp_attach();
	nr_begun = NR_ALIVE < nr_wanted ? NR_ALIVE : nr_wanted;
	for (i = 0; i < nr_begun; i++)
		begin_one(i);
	for (i = 0; i < NR_WORKERS; i++)
		if (pthread_create(&workers[i], NULL, work, NULL))
			abort();
	for (i = 0; i < NR_WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (i = 0; i < NR_LOCKS; i++)
		sum += locks[i].count;
	return sum != nr_wanted;
}
