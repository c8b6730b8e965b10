/* SPDX-License-Identifier: MIT */
/* The mutex is handed over to its first waiter, so a later fiber cannot be faster. */
#include "scheduler.h"
#include "synchronisation.h"

static uint64_t handle_of(const struct fiber_mutex *mutex)
{
	return CTP_HANDLE(CTP_RESOURCE_LOCK, (uintptr_t)mutex);
}

void fiber_mutex_init(struct fiber_mutex *mutex)
{
	*mutex = (struct fiber_mutex){0};
	pthread_mutex_init(&mutex->guard, NULL);
	wait_list_init(&mutex->waiters, &mutex->guard);
}

void fiber_mutex_fini(struct fiber_mutex *mutex)
{
	pthread_mutex_destroy(&mutex->guard);
}

/* Under the guard, so that the trace has acquire and release in the order in which they happened. */
static bool take(struct fiber_mutex *mutex, struct fiber *self, uint32_t site)
{
	if (mutex->owner)
		return false;
	mutex->owner = self;
	ctp_acquire(self->id, handle_of(mutex), site);
	return true;
}

bool fiber_mutex_try_lock_at(struct fiber_mutex *mutex, uint32_t site)
{
	bool is_taken;

	pthread_mutex_lock(&mutex->guard);
	is_taken = take(mutex, fiber_self(), site);
	pthread_mutex_unlock(&mutex->guard);
	return is_taken;
}

void fiber_mutex_lock_at(struct fiber_mutex *mutex, uint32_t site)
{
	struct wait wait = {.resource = handle_of(mutex), .site = site};
	struct fiber *self = fiber_self();
	bool is_taken;

	pthread_mutex_lock(&mutex->guard);
	is_taken = take(mutex, self, site);
	if (!is_taken)
		wait_list_append(&mutex->waiters, self);
	pthread_mutex_unlock(&mutex->guard);
	if (!is_taken)
		fiber_wait(&wait); /* until unlock has made this fiber the owner */
}

void fiber_mutex_unlock_at(struct fiber_mutex *mutex, uint32_t site)
{
	struct fiber *self = fiber_self();
	struct fiber *heir;

	pthread_mutex_lock(&mutex->guard);
	heir = wait_list_take_first(&mutex->waiters);
	if (heir)
		ctp_hand_over(self->id, handle_of(mutex), heir->id, site);
	else
		ctp_release(self->id, handle_of(mutex), site);
	mutex->owner = heir;
	pthread_mutex_unlock(&mutex->guard);
	if (heir)
		fiber_wake(heir, self->id, site);
}
