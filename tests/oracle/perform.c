/* SPDX-License-Identifier: MIT */
/*
 * What a step of a script does: to the simulated program, and, by tell_event, to its trace.
 */
#include "steps.h"

static enum went perform_compute(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro->phase)
		return WENT_ON;
	coro->phase = 1;
	be_busy(world, actor, step->value);
	return WENT_BUSY;
}

static enum went perform_call(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);
	struct thread *thread = &world->threads.at[actor.thread];
	int64_t timeout_ms = step->value == NEVER ? -1 : step->value / MS;

	if (coro->phase) {
		tell(world, actor, CTP_KIND_BLOCK_END, 0, 0, CTP_CALL_READ);
		return WENT_ON;
	}
	coro->phase = 1;
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = CTP_KIND_BLOCK_BEGIN,
			.argument = CTP_CALL_READ,
			.object = (uint64_t)timeout_ms,
		});
	thread->called_until = step->value == NEVER ? NEVER : world->now + step->value;
	thread->at = thread->called_until;
	return WENT_BUSY;
}

static enum went perform_sleep(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro->phase && (actor.coro == 0 || world->now >= coro->until))
		return WENT_ON;
	if (!coro->phase)
		coro->until = world->now + step->value;
	coro->phase = 1;
	if (actor.coro)
		return suspend(world, actor, WAIT_TIMER, 0, coro->until - world->now);
	world->threads.at[actor.thread].at = coro->until;
	return WENT_BUSY;
}

/* A thousand looks, one after the other, at a thousand per second or more. */
static enum went perform_look(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro->phase)
		return WENT_ON;
	if (coro->nr_looks++ == 0)
		coro->looks_from = world->now;
	if (coro->nr_looks >= 1000 && world->now - coro->looks_from <= coro->nr_looks * MS)
		coro->facts |= FACT_STORMED;
	return give_way(world, actor, WAIT_CHANNEL, step->what);
}

/* ---------------------------------------------------------------- special steps */

static enum went perform_aim(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro->phase || coro_at(world, step->what)->life == LIFE_LEAVING)
		return WENT_ON;
	coro->phase = 1;
	world->threads.at[actor.thread].at = world->now + 50 * MS;
	return WENT_BUSY;
}

static enum went perform_stand_by(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro_at(world, step->what)->life != LIFE_WAITING && coro->nr_rounds++ < 200)
		coro->at -= 2;
	else
		coro->nr_rounds = 0;
	return WENT_ON;
}

static enum went perform_again(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	if (coro->nr_rounds++ < step->value)
		coro->at -= step->what + 1;
	else
		coro->nr_rounds = 0;
	return WENT_ON;
}

static enum went perform_suspend_anew(
	struct world *world, struct actor actor, const struct step *step)
{
	struct coro *target = coro_at(world, step->what);
	struct actor other = {actor.thread, step->what};

	if (target->life != LIFE_WAITING)
		return WENT_ON;
	target->facts |= FACT_IMPOSSIBLE_STEP;
	tell(world, other, CTP_KIND_SUSPEND, handle_of_wait(world, target),
		wait_site_of(world, step->what), CTP_POINT_AWAIT);
	return WENT_ON;
}

static enum went perform_crash(struct world *world, struct actor actor)
{
	self(world, actor)->facts |= FACT_CRASHED;
	tell(world, actor, CTP_KIND_CRASH, 0xdead, site_here(world, actor, PLACE_WORK), 11);
	world->signal = 11;
	world->ended = world->now;
	return WENT_ON;
}

static enum went perform_count(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	coro->counter += step->value;
	if (++coro->nr_counts >= 60 && coro->counter >= coro->nr_counts)
		coro->facts |= FACT_GREW;
	tell(world, actor, CTP_KIND_COUNTER, (uint64_t)coro->counter,
		site_here(world, actor, PLACE_COUNTER), 0);
	return WENT_ON;
}

static enum went perform_mark(struct world *world, struct actor actor, const struct step *step)
{
	struct coro *coro = self(world, actor);

	coro->is_daemon = true;
	tell(world, actor, CTP_KIND_MARK, 0, site_here(world, actor, PLACE_WORK),
		(unsigned)step->value);
	return WENT_ON;
}

static enum went perform_wake(struct world *world, struct actor actor, const struct step *step)
{
	if (coro_at(world, step->what)->id)
		wake(world, actor, step->what, step->mistake);
	return WENT_ON;
}

/* ---------------------------------------------------------------- all steps */

static enum went perform_step(struct world *world, struct actor actor, const struct step *step)
{
	switch (step->act) {
	case ACT_COMPUTE:
		return perform_compute(world, actor, step);
	case ACT_CALL:
		return perform_call(world, actor, step);
	case ACT_YIELD:
		return give_way(world, actor, WAIT_NOTHING, 0);
	case ACT_GIVE_WAY:
		return give_way(world, actor, WAIT_CALLER, 0);
	case ACT_LOOK:
		return perform_look(world, actor, step);
	case ACT_SLEEP:
		return perform_sleep(world, actor, step);
	case ACT_LOCK:
	case ACT_TRY_LOCK:
		return perform_lock(world, actor, step);
	case ACT_GIVE_BACK:
		return perform_give_back(world, actor, step);
	case ACT_UNLOCK:
		return perform_unlock(world, actor, step);
	case ACT_SEND:
		return perform_send(world, actor, step);
	case ACT_SEND_MANY:
		return perform_send_many(world, actor, step);
	case ACT_RECEIVE:
		return perform_receive(world, actor, step);
	case ACT_OPEN:
		return perform_open(world, actor, step);
	case ACT_READ:
		return perform_read(world, actor, step);
	case ACT_CLOSE:
		return perform_close(world, actor, step);
	case ACT_DUPLICATE:
		return perform_duplicate(world, actor, step);
	case ACT_SPAWN:
		return perform_spawn(world, actor, step);
	case ACT_JOIN:
		return perform_join(world, actor, step);
	case ACT_RUN:
		return perform_run(world, actor, step);
	case ACT_DESTROY:
		return perform_destroy(world, actor, step);
	case ACT_CANCEL:
		if (coro_at(world, step->what)->life != LIFE_WAITING ||
			coro_at(world, step->what)->wait != WAIT_LOCK)
			return WENT_ON;
		return perform_destroy(world, actor, step);
	case ACT_CUT:
		if (coro_at(world, step->what)->life != LIFE_READY)
			return WENT_ON;
		return perform_destroy(world, actor, step);
	case ACT_COUNT:
		return perform_count(world, actor, step);
	case ACT_MARK:
		return perform_mark(world, actor, step);
	case ACT_AIM:
		return perform_aim(world, actor, step);
	case ACT_STAND_BY:
		return perform_stand_by(world, actor, step);
	case ACT_WAKE:
		return perform_wake(world, actor, step);
	case ACT_SUSPEND_ANEW:
		return perform_suspend_anew(world, actor, step);
	case ACT_CRASH:
		return perform_crash(world, actor);
	case ACT_AGAIN:
		return perform_again(world, actor, step);
	}
	return WENT_ON;
}

static bool is_looking(enum act act)
{
	return act == ACT_LOOK || act == ACT_COMPUTE || act == ACT_AGAIN;
}

void perform(struct world *world, uint32_t thread)
{
	struct thread *one = &world->threads.at[thread];
	struct actor actor = {thread, one->top};
	struct coro *coro = self(world, actor);
	struct step step;

	if (coro->at >= coro->steps.count) {
		one->at = actor.coro ? world->now + US : NEVER;
		if (actor.coro)
			end(world, actor);
		return;
	}
	step = coro->steps.at[coro->at];
	one->at = world->now + between(world, 200, 3 * US);
	one->called_until = 0;
	if (!is_looking(step.act))
		coro->nr_looks = 0;
	if (perform_step(world, actor, &step) != WENT_ON)
		return;
	coro->at++;
	coro->phase = 0;
	coro->has_timed_out = false;
}
