/* SPDX-License-Identifier: MIT */
/*
 * Mutexes, semaphores and channels for fibers: a fiber that must wait gives up its worker, and does not block a thread.
 * Waiters are served in the order in which they came.
 *
 * The trace records:
 *
 *	mutex      ACQUIRE, RELEASE, and HAND_OVER if it goes directly to a waiter
 *	semaphore  NOTIFY for each release, with the number of fibers woken; ACQUIRE for each permit taken
 *	channel    the same, items being the permits: NOTIFY for each item sent, ACQUIRE for each received.
 *	           Its free places are a second semaphore, with the roles exchanged
 *
 * Objects are in the caller's memory, and must live longer than any fiber waits for them. Functions must be called in
 * fibers, except fiber_semaphore_release, which any thread may call. As in fiber.h, macros add the site.
 */
#ifndef FIBER_SYNCHRONISATION_H
#define FIBER_SYNCHRONISATION_H

#include <stddef.h>

#include "fiber.h"
#include "wait_list.h"

struct fiber_mutex {
	pthread_mutex_t guard;
	struct fiber *owner;
	struct wait_list waiters;
};

void fiber_mutex_init(struct fiber_mutex *mutex);
void fiber_mutex_fini(struct fiber_mutex *mutex);

#define fiber_mutex_lock(mutex) fiber_mutex_lock_at((mutex), CTP_SITE("fiber_mutex_lock"))
void fiber_mutex_lock_at(struct fiber_mutex *mutex, uint32_t site);

/* fiber_mutex_try_lock: false: another fiber owns it. Never suspends. */
#define fiber_mutex_try_lock(mutex) \
	fiber_mutex_try_lock_at((mutex), CTP_SITE("fiber_mutex_try_lock"))
bool fiber_mutex_try_lock_at(struct fiber_mutex *mutex, uint32_t site);

/* fiber_mutex_unlock: makes the first waiter, if there is one, the owner. */
#define fiber_mutex_unlock(mutex) fiber_mutex_unlock_at((mutex), CTP_SITE("fiber_mutex_unlock"))
void fiber_mutex_unlock_at(struct fiber_mutex *mutex, uint32_t site);

struct fiber_semaphore {
	pthread_mutex_t guard;
	unsigned nr_permits;
	struct wait_list waiters;
	uint64_t handle;
};

void fiber_semaphore_init(struct fiber_semaphore *semaphore, unsigned nr_permits);
void fiber_semaphore_fini(struct fiber_semaphore *semaphore);

#define fiber_semaphore_acquire(semaphore) \
	fiber_semaphore_acquire_at((semaphore), CTP_SITE("fiber_semaphore_acquire"))
void fiber_semaphore_acquire_at(struct fiber_semaphore *semaphore, uint32_t site);

/* fiber_semaphore_release: adds one permit, which the first waiter gets if there is one. Any thread. */
#define fiber_semaphore_release(semaphore) \
	fiber_semaphore_release_at((semaphore), CTP_SITE("fiber_semaphore_release"))
void fiber_semaphore_release_at(struct fiber_semaphore *semaphore, uint32_t site);

struct fiber_channel {
	pthread_mutex_t guard;
	uintptr_t *items; /* a ring */
	size_t room;
	size_t first;
	size_t count;
	struct wait_list receivers;
	struct wait_list senders;
};

/* fiber_channel_init: `items` is the caller's memory for `room` items. */
void fiber_channel_init(struct fiber_channel *channel, uintptr_t *items, size_t room);
void fiber_channel_fini(struct fiber_channel *channel);

/* fiber_channel_send: suspends while the channel is full. */
#define fiber_channel_send(channel, item) \
	fiber_channel_send_at((channel), (item), CTP_SITE("fiber_channel_send"))
void fiber_channel_send_at(struct fiber_channel *channel, uintptr_t item, uint32_t site);

/* fiber_channel_receive: suspends while the channel is empty. */
#define fiber_channel_receive(channel) \
	fiber_channel_receive_at((channel), CTP_SITE("fiber_channel_receive"))
uintptr_t fiber_channel_receive_at(struct fiber_channel *channel, uint32_t site);

#endif
