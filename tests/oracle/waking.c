/* SPDX-License-Identifier: MIT */
/*
 * How a coroutine suspends, in two halves, and how it is made ready again, also between the two halves.
 */
#include <stdlib.h>

#include "steps.h"

void tell(struct world *world, struct actor actor, enum ctp_kind kind, uint64_t object,
	uint32_t site, unsigned argument)
{
	tell_event(world, actor.thread,
		(struct ct_event){
			.kind = (uint8_t)kind,
			.coro = coro_at(world, actor.coro)->id,
			.object = object,
			.site = site,
			.argument = (uint8_t)argument,
		});
}

uint32_t site_here(struct world *world, struct actor actor, enum place place)
{
	uint32_t script = world->threads.at[actor.thread].script;

	return actor.coro || script ? site_of(world, actor.coro ? actor.coro : script, place) : 0;
}

void be_busy(struct world *world, struct actor actor, int64_t ns)
{
	struct thread *thread = &world->threads.at[actor.thread];
	int64_t lasts = world->manner.is_crowded ? 4 * ns : ns;

	thread->busy_from = world->now;
	thread->busy_until = world->now + lasts;
	thread->busy_ns = ns;
	thread->ran_ns += ns;
	thread->kept_waiting_ns += lasts - ns;
	thread->at = thread->busy_until;
	self(world, actor)->taken_from_run += lasts - ns;
}

/* ---------------------------------------------------------------- queues */

static void tell_a_worker(struct world *world)
{
	uint32_t first = 1 + below(world, world->nr_workers), i;

	for (i = 0; i < world->nr_workers; i++) {
		uint32_t worker = 1 + (first + i) % world->nr_workers;
		struct thread *thread = &world->threads.at[worker];

		if (thread->is_asleep && thread->at == NEVER) {
			thread->at = world->now + between(world, 2 * US, 40 * US);
			return;
		}
	}
}

void put_into_queue(struct world *world, uint32_t thread, uint32_t coro, enum mistake mistake)
{
	struct coro *one = coro_at(world, coro);
	bool is_private =
		mistake == MISTAKE_OWN_SLOT && world->threads.at[thread].role == ROLE_WORKER;
	struct queued entry = {.coro = coro, .worker = is_private ? thread : 0};

	if (!vec_push(&world->queue, entry))
		abort();
	one->ready_from = world->now;
	if (world->manner.tells_queues)
		tell_event(world, thread,
			(struct ct_event){
				.kind = CTP_KIND_ENQUEUE,
				.coro = one->id,
				.object = CTP_HANDLE(CTP_RESOURCE_QUEUE, 1 + entry.worker),
				.flags = is_private,
			});
	if (!is_private && mistake != MISTAKE_NO_WORKER)
		tell_a_worker(world);
}

uint32_t first_in_list(const struct world *world, enum wait wait, uint32_t what)
{
	uint32_t first = 0, i;

	for (i = 1; i < world->coros.count; i++) {
		const struct coro *coro = &world->coros.at[i];

		if (coro->is_listed && coro->wait == wait && coro->what == what &&
			(!first || coro->order < world->coros.at[first].order))
			first = i;
	}
	return first;
}

static void say_wake(
	struct world *world, struct actor actor, uint32_t target, enum ctp_outcome outcome)
{
	tell(world, actor, CTP_KIND_WAKE, handle_of_coro(world, coro_at(world, target)),
		site_here(world, actor, PLACE_WAKE), outcome);
}

static void wake_the_gone(struct world *world, struct actor actor, uint32_t target)
{
	struct coro *coro = coro_at(world, target);

	coro->facts |= FACT_WOKEN_WHEN_GONE;
	if (first_in_list(world, coro->wait, coro->what))
		coro->facts |= FACT_TOOK_ALONG;
	say_wake(world, actor, target, CTP_OUTCOME_QUEUED);
	put_into_queue(world, actor.thread, target, MISTAKE_NONE);
}

static void make_ready(
	struct world *world, struct actor actor, uint32_t target, enum mistake mistake)
{
	struct coro *coro = coro_at(world, target);
	uint32_t site = wait_site_of(world, target);

	coro->life = LIFE_READY;
	put_into_queue(world, actor.thread, target, mistake);
	world->nr_woken[site] += !world->is_over;
	if (mistake != MISTAKE_TWICE)
		return;
	say_wake(world, actor, target, CTP_OUTCOME_QUEUED);
	put_into_queue(world, actor.thread, target, mistake);
	coro->facts |= FACT_WOKEN_AGAIN;
	coro->again_site = site;
	world->nr_woken_again[site] += !world->is_over;
}

void wake(struct world *world, struct actor actor, uint32_t target, enum mistake mistake)
{
	struct coro *coro = coro_at(world, target);

	if (mistake == MISTAKE_MISSES && coro->life == LIFE_WAITING) {
		coro->was_missed = true;
		say_wake(world, actor, target, CTP_OUTCOME_NO_TARGET);
		return;
	}
	coro->is_listed = false;
	switch (coro->life) {
	case LIFE_GONE:
		wake_the_gone(world, actor, target);
		break;
	case LIFE_LEAVING:
		say_wake(world, actor, target, CTP_OUTCOME_TARGET_RUNNING);
		coro->was_dropped = mistake == MISTAKE_GIVES_UP;
		coro->token = coro->was_dropped ? TOKEN_NONE : TOKEN_WAKE;
		break;
	case LIFE_WAITING:
		say_wake(world, actor, target, CTP_OUTCOME_QUEUED);
		make_ready(world, actor, target, mistake);
		break;
	default:
		say_wake(world, actor, target,
			coro->life == LIFE_READY ? CTP_OUTCOME_ALREADY_QUEUED
						 : CTP_OUTCOME_NO_TARGET);
		break;
	}
}

/* ---------------------------------------------------------------- suspending */

/* A run of more than 10 ms kept a coroutine waiting if that was ready for half of it, and could have run here. */
void note_run(struct world *world, uint32_t coro)
{
	struct coro *one = coro_at(world, coro);
	int64_t lasted = world->now - one->run_from;
	size_t i;

	if (lasted - one->taken_from_run <= 10 * MS)
		return;
	for (i = 0; i < world->queue.count; i++) {
		const struct queued *entry = &world->queue.at[i];

		if ((entry->worker == 0 || entry->worker == one->thread) &&
			coro_at(world, entry->coro)->ready_from <= one->run_from + lasted / 2 &&
			!world->is_over)
			one->facts |= FACT_KEPT_OTHERS;
	}
}

/* A coroutine that waits for exactly this moment goes on now. */
static bool has_aimers(struct world *world, uint32_t coro)
{
	bool has_any = false;
	size_t i;

	for (i = 1; i < world->threads.count; i++) {
		struct thread *thread = &world->threads.at[i];
		struct coro *script = coro_at(world, thread->top ? thread->top : thread->script);
		const struct step *step =
			script->at < script->steps.count ? &script->steps.at[script->at] : NULL;

		if (!step || step->act != ACT_AIM || step->what != coro || script->phase != 1)
			continue;
		thread->at = world->now + US;
		has_any = true;
	}
	return has_any;
}

enum went suspend(
	struct world *world, struct actor actor, enum wait wait, uint32_t what, int64_t patience)
{
	struct coro *coro = coro_at(world, actor.coro);
	struct thread *thread = &world->threads.at[actor.thread];

	coro->wait = wait;
	coro->what = what;
	coro->order = ++world->next_order;
	coro->is_listed = wait != WAIT_NOTHING && wait != WAIT_CALLER;
	coro->deadline = patience ? world->now + patience : NEVER;
	note_run(world, actor.coro);
	tell(world, actor, CTP_KIND_SUSPEND, handle_of_wait(world, coro),
		wait_site_of(world, actor.coro),
		wait == WAIT_NOTHING || wait == WAIT_CALLER ? CTP_POINT_YIELD : CTP_POINT_AWAIT);
	if (patience && (world->manner.tells_deadlines || wait != WAIT_TIMER))
		tell_event(world, actor.thread,
			(struct ct_event){
				.kind = CTP_KIND_DETAIL,
				.argument = CTP_DETAIL_DEADLINE,
				.object = (uint64_t)coro->deadline,
			});
	if (coro->deadline < world->threads.at[world->poller].sleeps_until)
		world->threads.at[world->poller].at = world->now + US;
	coro->life = LIFE_LEAVING;
	thread->leaving = actor.coro;
	thread->at = world->now +
		     (has_aimers(world, actor.coro) ? 10 * US : between(world, 200, 2 * US));
	return WENT_AWAY;
}

/* A wake came in between: the coroutine goes on at once, or goes through the queue. */
static void use_token(struct world *world, struct actor actor)
{
	struct coro *coro = coro_at(world, actor.coro);
	struct actor thread = {actor.thread, 0};
	enum token token = coro->token;

	coro->token = TOKEN_NONE;
	if (token == TOKEN_WAKE && world->manner.cancels && coro->caller == 0) {
		tell(world, actor, CTP_KIND_CANCEL, 0, 0, 0);
		coro->life = LIFE_RUNNING;
		coro->deadline = NEVER;
		return;
	}
	coro->life = LIFE_READY;
	if (token == TOKEN_WAKE)
		say_wake(world, thread, actor.coro, CTP_OUTCOME_QUEUED);
	put_into_queue(world, actor.thread, actor.coro, MISTAKE_NONE);
}

void finish_suspend(struct world *world, uint32_t thread)
{
	struct thread *one = &world->threads.at[thread];
	struct actor actor = {thread, one->leaving};
	struct coro *coro = coro_at(world, actor.coro);

	one->at = world->now + between(world, 100, US);
	one->leaving = 0;
	coro->life = LIFE_WAITING;
	if (coro->token)
		use_token(world, actor);
	if (coro->life == LIFE_RUNNING)
		return;
	one->top = coro->caller;
	coro->caller = 0;
}

enum went give_way(struct world *world, struct actor actor, enum wait wait, uint32_t what)
{
	struct coro *coro = self(world, actor);

	if (coro->phase)
		return WENT_ON;
	coro->phase = 1;
	if (wait == WAIT_CALLER)
		return suspend(world, actor, wait, what, 0);
	say_wake(world, actor, actor.coro, CTP_OUTCOME_QUEUED);
	suspend(world, actor, wait, what, 0);
	coro->is_listed = false;
	coro->token = TOKEN_OWN;
	return WENT_AWAY;
}
