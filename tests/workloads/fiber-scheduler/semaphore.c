/* SPDX-License-Identifier: MIT */
/* The semaphore. */
#include "fault.h"
#include "scheduler.h"
#include "synchronisation.h"
#include "truth.h"

void fiber_semaphore_init(struct fiber_semaphore *semaphore, unsigned nr_permits)
{
	*semaphore = (struct fiber_semaphore){.nr_permits = nr_permits};
	pthread_mutex_init(&semaphore->guard, NULL);
	wait_list_init(&semaphore->waiters, &semaphore->guard);
	semaphore->handle = CTP_HANDLE(CTP_RESOURCE_SEMAPHORE, (uintptr_t)semaphore);
}

void fiber_semaphore_fini(struct fiber_semaphore *semaphore)
{
	pthread_mutex_destroy(&semaphore->guard);
}

void fiber_semaphore_acquire_at(struct fiber_semaphore *semaphore, uint32_t site)
{
	struct wait wait = {.resource = semaphore->handle, .site = site};
	struct fiber *self = fiber_self();
	bool is_taken;

	pthread_mutex_lock(&semaphore->guard);
	is_taken = semaphore->nr_permits > 0;
	if (is_taken)
		semaphore->nr_permits--;
	else
		wait_list_append(&semaphore->waiters, self);
	pthread_mutex_unlock(&semaphore->guard);
	if (!is_taken)
		fiber_wait(&wait); /* who wakes it gives it a permit */
	ctp_acquire(self->id, semaphore->handle, site);
}

/* Under the guard: takes the first waiter, which owns the permit from now on; NULL: the permit stays. */
static struct fiber *give_permit(struct fiber_semaphore *semaphore, uint64_t by, uint32_t site)
{
	struct fiber *waiter = wait_list_take_first(&semaphore->waiters);

	if (!waiter)
		semaphore->nr_permits++;
	ctp_notify(by, semaphore->handle, waiter ? 1 : 0, site);
	return waiter;
}

/*
 * The fault: all waiters are taken, to look through them without the guard, and those that get nothing
 * are put back afterwards. A release in between finds nobody, and leaves its permit; they are put
 * back without a look at that.
 */
static struct fiber *give_permit_privately(
	struct fiber_semaphore *semaphore, uint64_t by, uint32_t site)
{
	struct wait_list taken;
	struct fiber *waiter;

	wait_list_init(&taken, &semaphore->guard);
	pthread_mutex_lock(&semaphore->guard);
	wait_list_move(&semaphore->waiters, &taken);
	waiter = wait_list_take_first(&taken);
	if (!waiter)
		semaphore->nr_permits++;
	ctp_notify(by, semaphore->handle, waiter ? 1 : 0, site);
	pthread_mutex_unlock(&semaphore->guard);
	scheduler_at(worker_self()->scheduler, POINT_LIST_TAKEN, fiber_self());
	pthread_mutex_lock(&semaphore->guard);
	if (taken.first && semaphore->nr_permits > 0)
		truth_cause(PRIVATE_LIST, taken.first->id, by);
	wait_list_move(&taken, &semaphore->waiters);
	pthread_mutex_unlock(&semaphore->guard);
	return waiter;
}

void fiber_semaphore_release_at(struct fiber_semaphore *semaphore, uint32_t site)
{
	struct fiber *self = fiber_self();
	struct fiber *waiter;

	if (has_fault(PRIVATE_LIST) && self) {
		waiter = give_permit_privately(semaphore, self->id, site);
	} else {
		pthread_mutex_lock(&semaphore->guard);
		waiter = give_permit(semaphore, fiber_id_of(self), site);
		pthread_mutex_unlock(&semaphore->guard);
		if (self)
			scheduler_at(self->scheduler, POINT_LIST_TAKEN, self);
	}
	if (waiter)
		fiber_wake(waiter, fiber_id_of(self), site);
}
