/* SPDX-License-Identifier: MIT */
/*
 * How coroutines begin and end, and how they act on each other.
 */
#include <stdlib.h>

#include "steps.h"

void create(struct world *world, struct actor actor, uint32_t coro)
{
	struct coro *one = coro_at(world, coro);

	one->id = world->next_id++;
	one->parent = actor.coro;
	one->created = world->now;
	one->address = world->next_address;
	if (world->free_addresses.count)
		one->address = world->free_addresses.at[--world->free_addresses.count];
	else
		world->next_address += 0x1000;
	one->life = LIFE_NEW;
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_CREATE,
			.coro = one->id,
			.object = one->address,
			.site = site_of(world, coro, actor.coro ? PLACE_SPAWN : PLACE_START),
		});
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_FRAME,
			.coro = one->id,
			.object = one->address - 0x10,
			.site = site_of(world, coro, PLACE_WORK),
		});
	if (!one->is_generator)
		put_into_queue(world, actor.thread, coro, MISTAKE_NONE);
}

static bool is_named_anywhere(const struct world *world, uint32_t coro)
{
	size_t i;

	for (i = 0; i < world->queue.count; i++)
		if (world->queue.at[i].coro == coro)
			return true;
	return world->coros.at[coro].is_listed;
}

static void destroy(struct world *world, struct actor actor, uint32_t target, enum ctp_life life)
{
	struct coro *coro = coro_at(world, target);

	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_DESTROY, .coro = coro->id, .argument = (uint8_t)life});
	coro->life = LIFE_GONE;
	if (!is_named_anywhere(world, target) && !coro->facts &&
		!vec_push(&world->free_addresses, coro->address))
		abort();
}

/* Ends the coroutine: a coroutine that waits for its end goes on. */
void end(struct world *world, struct actor actor)
{
	struct coro *coro = coro_at(world, actor.coro);
	struct thread *thread = &world->threads.at[actor.thread];
	struct actor bare = {actor.thread, 0};
	uint32_t waiter;

	note_run(world, actor.coro);
	thread->top = coro->caller;
	coro->caller = 0;
	coro->life = LIFE_ENDED;
	if (world->manner.returns)
		tell(world, actor, CTP_KIND_RETURN, 0, 0, 0);
	else
		tell(world, actor, CTP_KIND_SUSPEND, 0, 0, CTP_POINT_FINAL);
	while ((waiter = first_in_list(world, WAIT_CHILD, actor.coro)) != 0)
		wake(world, bare, waiter, MISTAKE_NONE);
	if (!coro->stays)
		destroy(world, bare, actor.coro, CTP_LIFE_DONE);
	if (world->threads.at[world->starter].at == NEVER)
		world->threads.at[world->starter].at = world->now + US;
}

static void take_out_of_queue(struct world *world, uint32_t coro)
{
	size_t i, kept = 0;

	for (i = 0; i < world->queue.count; i++)
		if (world->queue.at[i].coro != coro)
			world->queue.at[kept++] = world->queue.at[i];
	world->queue.count = kept;
}

static bool owns_a_lock(const struct world *world, uint32_t coro)
{
	size_t i;

	for (i = 1; i < world->locks.count; i++)
		if (world->locks.at[i].owner == coro)
			return true;
	return false;
}

enum went perform_destroy(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *target = coro_at(world, step->what);
	bool is_pending = target->life == LIFE_READY && target->wait == WAIT_CHANNEL &&
			  world->channels.at[target->what].nr_items > 0;
	enum ctp_life life = target->life == LIFE_ENDED ? CTP_LIFE_DONE
			     : target->life == LIFE_NEW ? CTP_LIFE_UNSEEN
							: CTP_LIFE_SUSPENDED;

	if (target->life == LIFE_GONE || target->life == LIFE_RUNNING)
		target->facts |= FACT_IMPOSSIBLE_STEP;
	if (target->life == LIFE_WAITING || target->life == LIFE_READY ||
		target->life == LIFE_LEAVING)
		target->facts |= FACT_DESTROYED_WAITING;
	if (target->life == LIFE_READY)
		target->facts |= FACT_CUT_READY;
	if (owns_a_lock(world, step->what) || is_pending)
		target->facts |= FACT_TOOK_ALONG;
	if (step->mistake != MISTAKE_STAYS) {
		target->is_listed = false;
		take_out_of_queue(world, step->what);
	}
	destroy(world, actor, step->what, life);
	return WENT_ON;
}

enum went perform_spawn(struct world *world, struct actor actor, const struct step *step)
{
	uint32_t target = step->what;

	/* In a loop: takes the next coroutine that does not exist yet. */
	while (target < world->coros.count && coro_at(world, target)->id)
		target++;
	if (target < world->coros.count &&
		coro_at(world, target)->group == coro_at(world, step->what)->group)
		create(world, actor, target);
	return WENT_ON;
}

enum went perform_join(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor), *child = coro_at(world, step->what);
	bool is_done = child->life == LIFE_ENDED || child->life == LIFE_GONE || coro->has_timed_out;

	if (world->manner.tells_awaits && coro->phase != (is_done ? 0 : 1))
		tell(world, actor, is_done ? CTP_KIND_AWAIT_DONE : CTP_KIND_AWAIT, child->id, 0, 0);
	coro->phase = 1;
	if (is_done)
		return WENT_ON;
	return suspend(world, actor, WAIT_CHILD, step->what, step->value);
}

enum went perform_run(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro->phase || coro_at(world, step->what)->life == LIFE_GONE)
		return WENT_ON;
	coro->phase = 1;
	start_run(world, actor.thread, step->what);
	coro_at(world, step->what)->caller = actor.coro;
	return WENT_CALLED;
}
