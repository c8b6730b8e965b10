/* SPDX-License-Identifier: MIT */
/*
 * What the simulated program's probe, its ledger and the engine write. This is the only way from the simulation to the
 * trace.
 */
#include <stdlib.h>

#include "base/system_calls.h"
#include "world.h"

/* Each event takes a little time, so no two have the same time. */
void tell_event(struct world *world, uint32_t thread, struct ct_event event)
{
	world->now += between(world, 20, 400);
	if (world->is_over || world->threads.at[thread].is_untold)
		return;
	event.time = world->now;
	event.process = 1;
	event.thread = thread;
	world->threads.at[thread].wrote = true;
	if (!vec_push(&world->events, event))
		abort();
}

uint32_t site_of(const struct world *world, uint32_t coro, enum place place)
{
	return 1 + world->coros.at[coro].group * NR_PLACES + place;
}

uint32_t wait_site_of(const struct world *world, uint32_t coro)
{
	return site_of(world, coro, PLACE_WAIT) + world->coros.at[coro].wait;
}

uint64_t handle_of_coro(const struct world *world, const struct coro *coro)
{
	return world->manner.names_frames ? CTP_HANDLE(CTP_RESOURCE_FRAME, coro->address - 0x10)
					  : CTP_HANDLE(CTP_RESOURCE_COROUTINE, coro->id);
}

uint64_t handle_of_file(const struct file *file)
{
	return CTP_DESCRIPTOR(file->number, file->generation);
}

uint64_t handle_of_wait(const struct world *world, const struct coro *coro)
{
	switch (coro->wait) {
	case WAIT_LOCK:
		return CTP_HANDLE(CTP_RESOURCE_LOCK, 0x70000000 + 0x40 * coro->what);
	case WAIT_CHANNEL:
		return CTP_HANDLE(CTP_RESOURCE_CHANNEL, 0x60000000 + 0x40 * coro->what);
	case WAIT_FILE:
		return handle_of_file(&world->files.at[coro->what]);
	case WAIT_CHILD:
		return handle_of_coro(world, &world->coros.at[coro->what]);
	case WAIT_TIMER:
		return CTP_HANDLE(CTP_RESOURCE_TIMER, 0x5000 + coro->id);
	default:
		return 0;
	}
}

/* ---------------------------------------------------------------- the engine's own records */

/* System call << 8 | state letter; *ret_untimed: it blocks without a timeout. */
static uint64_t state_of(const struct world *world, const struct thread *thread, bool *ret_untimed)
{
	*ret_untimed = false;
	if (thread->role == ROLE_POLLER && thread->is_asleep) {
		*ret_untimed = thread->sleeps_until == NEVER;
		return SYSTEM_CALL_epoll_pwait << 8 | 'S';
	}
	if (thread->called_until > world->now) {
		*ret_untimed = thread->called_until == NEVER;
		return SYSTEM_CALL_read << 8 | 'S';
	}
	if (thread->at == NEVER) {
		*ret_untimed = true;
		return SYSTEM_CALL_futex << 8 | 'S';
	}
	if (thread->role == ROLE_STRANGER || thread->role == ROLE_STARTER)
		return SYSTEM_CALL_clock_nanosleep << 8 | 'S';
	return 'R';
}

void say_look(struct world *world)
{
	uint32_t i;

	for (i = 1; i < world->threads.count; i++) {
		struct thread *thread = &world->threads.at[i];
		bool is_untimed, is_untold = thread->is_untold;
		struct ct_event event = {
			.kind = CTP_KIND_THREAD_STATE,
			.coro = 1000 + i,
			.object = state_of(world, thread, &is_untimed),
			.argument = is_untimed,
			.flags = (uint16_t)(world->manner.hides_threads | world->manner.has_handler
										  << 1),
		};

		thread->is_untold = false;
		tell_event(world, i, event);
		thread->is_untold = is_untold;
	}
}

/* How much of the thread's present work is done. */
static int64_t part_done(const struct world *world, const struct thread *thread, int64_t whole)
{
	int64_t lasts = thread->busy_until - thread->busy_from;

	if (lasts <= 0 || world->now >= thread->busy_until)
		return whole;
	return (int64_t)((double)whole * (double)(world->now - thread->busy_from) / (double)lasts);
}

/* Ten times a second, the engine reads the kernel's account of each thread that has written events. */
void say_accounts(struct world *world)
{
	uint32_t i;

	for (i = 1; i < world->threads.count; i++) {
		struct thread *thread = &world->threads.at[i];
		int64_t kept = thread->busy_until - thread->busy_from - thread->busy_ns;
		struct ct_event event = {.kind = CTP_KIND_THREAD_TIME};

		if (!thread->wrote)
			continue;
		event.coro = (uint64_t)(thread->ran_ns - thread->busy_ns +
					part_done(world, thread, thread->busy_ns));
		event.object =
			(uint64_t)(thread->kept_waiting_ns - kept + part_done(world, thread, kept));
		tell_event(world, i, event);
		thread->wrote = thread->busy_until > world->now;
	}
}
