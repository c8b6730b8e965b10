/* SPDX-License-Identifier: MIT */
/*
 * The channel: a ring of items. A fiber that finds it empty (or full) queues itself under the same guard under which it
 * looked, so no item can come between the look and the wait. A fiber that was woken looks again, because another fiber
 * may have been faster.
 */
#include "fault.h"
#include "scheduler.h"
#include "synchronisation.h"
#include "truth.h"

static uint64_t items_of(const struct fiber_channel *channel)
{
	return CTP_HANDLE(CTP_RESOURCE_CHANNEL, (uintptr_t)channel);
}

/* The free places. Any address within the channel tells it from other semaphores. */
static uint64_t places_of(const struct fiber_channel *channel)
{
	return CTP_HANDLE(CTP_RESOURCE_SEMAPHORE, (uintptr_t)&channel->room);
}

void fiber_channel_init(struct fiber_channel *channel, uintptr_t *items, size_t room)
{
	*channel = (struct fiber_channel){.items = items, .room = room};
	pthread_mutex_init(&channel->guard, NULL);
	wait_list_init(&channel->receivers, &channel->guard);
	wait_list_init(&channel->senders, &channel->guard);
}

void fiber_channel_fini(struct fiber_channel *channel)
{
	pthread_mutex_destroy(&channel->guard);
}

/* ---------------------------------------------------------------- under the guard */

static bool is_full(const struct fiber_channel *channel)
{
	return channel->count == channel->room;
}

static struct fiber *put(
	struct fiber_channel *channel, struct fiber *self, uintptr_t item, uint32_t site)
{
	struct fiber *receiver = wait_list_take_first(&channel->receivers);

	channel->items[(channel->first + channel->count) % channel->room] = item;
	channel->count++;
	ctp_acquire(self->id, places_of(channel), site);
	ctp_notify(self->id, items_of(channel), receiver ? 1 : 0, site);
	return receiver;
}

static struct fiber *take(
	struct fiber_channel *channel, struct fiber *self, uintptr_t *ret_item, uint32_t site)
{
	struct fiber *sender = wait_list_take_first(&channel->senders);

	*ret_item = channel->items[channel->first];
	channel->first = (channel->first + 1) % channel->room;
	channel->count--;
	ctp_acquire(self->id, items_of(channel), site);
	ctp_notify(self->id, places_of(channel), sender ? 1 : 0, site);
	return sender;
}

/* ---------------------------------------------------------------- sending and receiving */

void fiber_channel_send_at(struct fiber_channel *channel, uintptr_t item, uint32_t site)
{
	struct wait wait = {.resource = places_of(channel), .site = site};
	struct fiber *self = fiber_self();
	struct fiber *receiver;

	pthread_mutex_lock(&channel->guard);
	while (is_full(channel)) {
		wait_list_append(&channel->senders, self);
		pthread_mutex_unlock(&channel->guard);
		fiber_wait(&wait);
		pthread_mutex_lock(&channel->guard);
	}
	receiver = put(channel, self, item, site);
	pthread_mutex_unlock(&channel->guard);
	if (receiver)
		fiber_wake(receiver, self->id, site);
}

/*
 * A first look, so that a director can come between this look and the wait. The first look decides nothing: the second
 * one counts, which the fault leaves out.
 */
static bool seems_empty(struct fiber_channel *channel, struct fiber *self)
{
	bool is_empty;

	pthread_mutex_lock(&channel->guard);
	is_empty = channel->count == 0;
	pthread_mutex_unlock(&channel->guard);
	if (is_empty)
		scheduler_at(self->scheduler, POINT_EMPTY_SEEN, self);
	return is_empty;
}

uintptr_t fiber_channel_receive_at(struct fiber_channel *channel, uint32_t site)
{
	struct wait wait = {.resource = items_of(channel), .site = site};
	struct fiber *self = fiber_self();
	struct fiber *sender;
	uintptr_t item;
	bool must_wait;

	for (;;) {
		must_wait = seems_empty(channel, self);
		pthread_mutex_lock(&channel->guard);
		if (has_fault(MISSED_NOTIFY) && must_wait && channel->count > 0)
			truth_cause(MISSED_NOTIFY, self->id, 0);
		if (!has_fault(MISSED_NOTIFY))
			must_wait = channel->count == 0;
		if (!must_wait)
			break;
		wait_list_append(&channel->receivers, self);
		pthread_mutex_unlock(&channel->guard);
		fiber_wait(&wait);
	}
	sender = take(channel, self, &item, site);
	pthread_mutex_unlock(&channel->guard);
	if (sender)
		fiber_wake(sender, self->id, site);
	return item;
}
