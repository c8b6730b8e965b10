/* SPDX-License-Identifier: MIT */
/*
 * Locks, channels and descriptors: what coroutines wait for, and what wakes them.
 */
#include <stdlib.h>

#include "steps.h"

static uint64_t lock_handle(uint32_t lock)
{
	return CTP_HANDLE(CTP_RESOURCE_LOCK, 0x70000000 + 0x40 * lock);
}

static uint64_t channel_handle(uint32_t channel)
{
	return CTP_HANDLE(CTP_RESOURCE_CHANNEL, 0x60000000 + 0x40 * channel);
}

/* Notes that a coroutine takes a lock, and might have had to wait for it while it owned another lock. */
static void note_nesting(struct world *world, uint32_t coro, uint32_t inner)
{
	struct nesting nesting = {.coro = coro, .inner = inner, .time = world->now};
	uint32_t lock;

	for (lock = 1; lock < world->locks.count && lock < 64; lock++)
		if (world->locks.at[lock].owner == coro && lock != inner)
			nesting.held |= UINT64_C(1) << lock;
	for (lock = 1; lock < 64; lock++) {
		nesting.outer = lock;
		if ((nesting.held >> lock & 1) && !vec_push(&world->nestings, nesting))
			abort();
	}
}

enum went perform_lock(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);
	struct lock *lock = &world->locks.at[step->what];

	if ((lock->owner == 0 || (lock->owner == actor.coro && coro->phase)) &&
		step->act == ACT_LOCK)
		note_nesting(world, actor.coro, step->what);
	if (lock->owner == actor.coro && coro->phase)
		return WENT_ON; /* the lock was handed over */
	if (lock->owner == 0) {
		lock->owner = actor.coro;
		tell(world, actor, CTP_KIND_ACQUIRE, lock_handle(step->what),
			site_here(world, actor, PLACE_WORK), 0);
		return WENT_ON;
	}
	if (step->act == ACT_TRY_LOCK || coro->has_timed_out)
		return WENT_ON;
	if (step->mistake == MISTAKE_BARGES) {
		coro->facts |= FACT_BARGED;
		tell(world, actor, CTP_KIND_ACQUIRE, lock_handle(step->what),
			site_here(world, actor, PLACE_WORK), 0);
		return WENT_ON;
	}
	coro->phase = 1;
	return suspend(world, actor, WAIT_LOCK, step->what, step->value);
}

static void hand_over(struct world *world, struct actor actor, uint32_t lock, uint32_t receiver,
	enum mistake mistake)
{
	struct coro *coro = coro_at(world, receiver);

	world->locks.at[lock].owner = receiver;
	coro->was_granted = true;
	if (coro->life == LIFE_GONE)
		coro->facts |= FACT_TOOK_ALONG;
	tell(world, actor, CTP_KIND_HAND_OVER, lock_handle(lock),
		site_here(world, actor, PLACE_WAKE), 0);
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_DETAIL,
			.argument = CTP_DETAIL_RECEIVER,
			.object = coro->id,
		});
	if (mistake != MISTAKE_FORGETS)
		wake(world, actor, receiver, mistake);
	else
		coro->is_listed = false;
}

/* The lock is free, and another coroutine may own it, before its owner records the release. */
static enum went unlock_silently(
	struct world *world, struct actor actor, uint32_t lock, uint32_t waiter)
{
	struct coro *coro = self(world, actor);

	if (coro->phase) {
		tell(world, actor, CTP_KIND_RELEASE, lock_handle(lock),
			site_here(world, actor, PLACE_WORK), 0);
		return WENT_ON;
	}
	coro->phase = 1;
	world->locks.at[lock].owner = 0;
	if (waiter)
		wake(world, actor, waiter, MISTAKE_NONE);
	be_busy(world, actor, between(world, US, 100 * US));
	return WENT_BUSY;
}

enum went perform_unlock(struct world *world, struct actor actor, const struct step *step)
{
	uint32_t waiter = first_in_list(world, WAIT_LOCK, step->what);

	if (step->mistake == MISTAKE_LATE)
		return unlock_silently(world, actor, step->what, waiter);
	if (world->locks.at[step->what].owner != actor.coro)
		return WENT_ON; /* the lock could not be taken */
	if (waiter && (world->manner.hands_over || step->mistake == MISTAKE_FORGETS)) {
		hand_over(world, actor, step->what, waiter, step->mistake);
		return WENT_ON;
	}
	world->locks.at[step->what].owner = 0;
	tell(world, actor, CTP_KIND_RELEASE, lock_handle(step->what),
		site_here(world, actor, PLACE_WORK), 0);
	if (waiter)
		wake(world, actor, waiter, step->mistake);
	return WENT_ON;
}

/* Like the owner's destructor would. */
enum went perform_give_back(struct world *world, struct actor actor, const struct step *step)
{
	struct actor owner = {actor.thread, world->locks.at[step->what].owner};
	struct step unlock = {.act = ACT_UNLOCK, .what = step->what};

	coro_at(world, owner.coro)->facts &= ~(unsigned)FACT_TOOK_ALONG;
	return owner.coro ? perform_unlock(world, owner, &unlock) : WENT_ON;
}

/* Notes that one more item was added, and how many there are now: half of what came stays. */
static void note_pile(struct coro *coro, int64_t nr_there)
{
	if (++coro->nr_counts >= 60 && nr_there * 3 >= coro->nr_counts)
		coro->facts |= FACT_GREW;
}

enum went perform_send(struct world *world, struct actor actor, const struct step *step)
{
	bool wakes = step->mistake != MISTAKE_FORGETS;
	uint32_t waiter = first_in_list(world, WAIT_CHANNEL, step->what);

	world->channels.at[step->what].nr_items++;
	note_pile(self(world, actor), world->channels.at[step->what].nr_items);
	if (world->manner.tells_notifies)
		tell(world, actor, CTP_KIND_NOTIFY, channel_handle(step->what),
			site_here(world, actor, PLACE_WAKE), waiter && wakes);
	if (waiter && wakes)
		wake(world, actor, waiter, step->mistake);
	return WENT_ON;
}

/* Eight or more woken for one item, ten times: a herd. */
enum went perform_send_many(struct world *world, struct actor actor, const struct step *step)
{
	uint32_t waiter, nr_woken = 0, i;

	world->channels.at[step->what].nr_items += step->value;
	for (i = 1; i < world->coros.count; i++)
		nr_woken += coro_at(world, i)->is_listed &&
			    coro_at(world, i)->wait == WAIT_CHANNEL &&
			    coro_at(world, i)->what == step->what;
	if (world->manner.tells_notifies)
		tell(world, actor, CTP_KIND_NOTIFY, channel_handle(step->what),
			site_here(world, actor, PLACE_WAKE), nr_woken);
	while ((waiter = first_in_list(world, WAIT_CHANNEL, step->what)) != 0) {
		struct coro *coro = coro_at(world, waiter);

		coro->nr_herds += nr_woken >= 8 && step->value == 1;
		if (coro->nr_herds >= 10)
			coro->facts |= FACT_IN_HERDS;
		wake(world, actor, waiter, MISTAKE_NONE);
	}
	return WENT_ON;
}

enum went perform_receive(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);
	struct channel *channel = &world->channels.at[step->what];
	bool has_looked = step->mistake == MISTAKE_LOOKS_FIRST && coro->phase == 1;

	if (channel->nr_items > 0 && !has_looked) {
		channel->nr_items--;
		if (world->manner.tells_takings)
			tell(world, actor, CTP_KIND_ACQUIRE, channel_handle(step->what),
				site_here(world, actor, PLACE_WORK), 0);
		return WENT_ON;
	}
	if (coro->has_timed_out)
		return WENT_ON;
	if (step->mistake == MISTAKE_LOOKS_FIRST && coro->phase == 0) {
		coro->phase = 1;
		be_busy(world, actor, 60 * US);
		return WENT_BUSY;
	}
	coro->phase = 2;
	return suspend(world, actor, WAIT_CHANNEL, step->what, step->value);
}

/* ---------------------------------------------------------------- descriptors */

/* Assigns the lowest free number, like the kernel. */
static void give_number(struct world *world, uint32_t file)
{
	struct file *opened = &world->files.at[file];
	uint32_t number = 5, i;

	for (i = 1; i < world->files.count; i++)
		if (world->files.at[i].is_open && world->files.at[i].number == number) {
			number++;
			i = 0;
		}
	for (i = 1; i < world->files.count; i++)
		if (world->files.at[i].number == number &&
			world->files.at[i].generation > opened->generation)
			opened->generation = world->files.at[i].generation;
	opened->number = number;
	opened->generation++;
	opened->is_open = true;
	whole_file(world, file)->nr_open++;
}

static void arm(struct world *world, struct actor actor, uint32_t file)
{
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_DESCRIPTOR_ARM,
			.coro = 1000 + file,
			.object = handle_of_file(&world->files.at[file]),
			.argument = 1,
			.flags = 1,
		});
}

static void say_of_file(struct world *world, struct actor actor, enum ctp_kind kind, uint32_t file)
{
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = (uint8_t)kind,
			.object = handle_of_file(&world->files.at[file]),
			.site = site_here(world, actor, PLACE_WORK),
		});
}

enum went perform_open(struct world *world, struct actor actor, const struct step *step)
{
	struct file *file = &world->files.at[step->what];

	give_number(world, step->what);
	file->was_told = false;
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_DESCRIPTOR_OPEN,
			.object = handle_of_file(file),
			.site = site_here(world, actor, PLACE_WORK),
			.flags = CTP_DESCRIPTOR_TYPE_CONNECTION,
		});
	if (step->mistake == MISTAKE_FORGETS)
		note_pile(self(world, actor), ++self(world, actor)->counter);
	else
		arm(world, actor, step->what);
	file->arrival = file->nr_arrivals ? world->now + between(world, US, file->every) : NEVER;
	return WENT_ON;
}

/* The step's value names the file of which it becomes another descriptor. */
enum went perform_duplicate(struct world *world, struct actor actor, const struct step *step)
{
	world->files.at[step->what].copy_of = 1 + (uint32_t)step->value;
	give_number(world, step->what);
	say_of_file(world, actor, CTP_KIND_DESCRIPTOR_DUP, step->what);
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_DETAIL,
			.argument = CTP_DETAIL_RESOURCE,
			.object = handle_of_file(&world->files.at[step->value]),
		});
	arm(world, actor, step->what);
	return WENT_ON;
}

enum went perform_read(struct world *world, struct actor actor, const struct step *step)
{
	struct file *file = whole_file(world, step->what);

	if (file->nr_open == 0)
		return WENT_ON; /* the descriptor was closed */
	if (file->nr_bytes == 0)
		return suspend(world, actor, WAIT_FILE, step->what, step->value);
	file->nr_bytes--;
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_DESCRIPTOR_IO,
			.coro = 1,
			.object = handle_of_file(&world->files.at[step->what]),
			.argument = 1,
		});
	return WENT_ON;
}

static void note_close(struct coro *coro, const struct file *file, const struct file *whole)
{
	if (!file->was_told || file->copy_of)
		return;
	coro->nr_closes++;
	coro->nr_unread += whole->nr_bytes > 0;
	if (coro->nr_closes >= 10 && coro->nr_unread * 2 > coro->nr_closes)
		coro->facts |= FACT_CLOSES_UNREAD;
	else
		coro->facts &= ~(unsigned)FACT_CLOSES_UNREAD;
}

enum went perform_close(struct world *world, struct actor actor, const struct step *step)
{
	struct file *file = &world->files.at[step->what], *whole = whole_file(world, step->what);
	uint32_t waiter;

	if (!file->is_open)
		return WENT_ON;
	say_of_file(world, actor, CTP_KIND_DESCRIPTOR_CLOSE, step->what);
	note_close(self(world, actor), file, whole);
	file->is_open = false;
	whole->nr_open--;
	self(world, actor)->counter--;
	if (whole->nr_open || step->mistake == MISTAKE_FORGETS)
		return WENT_ON;
	while ((waiter = first_in_list(world, WAIT_FILE, step->what)) != 0)
		wake(world, actor, waiter, MISTAKE_NONE);
	return WENT_ON;
}
