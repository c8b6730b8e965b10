/* SPDX-License-Identifier: MIT */
/*
 * Chooses the next to act: the thread with the earliest moment. Workers take coroutines from the queue or sleep; the
 * poller passes on what became ready or timed out; the starting thread starts coroutines; and the engine looks now and
 * then.
 */
#include <stdlib.h>

#include "world.h"

#define MOST_STEPS_AFTERWARDS 60000u
#define LATE_NS (5 * MS)

/* ---------------------------------------------------------------- workers */

static struct coro *coro_at(struct world *world, uint32_t coro)
{
	return &world->coros.at[coro];
}

/* The worker's own slot comes first. 0: there is no coroutine that it may take. */
static uint32_t take_from_queue(struct world *world, uint32_t worker)
{
	size_t found = SIZE_MAX, i;
	struct queued entry;

	for (i = world->queue.count; i-- > 0;)
		if (world->queue.at[i].worker == 0)
			found = i;
	for (i = world->queue.count; i-- > 0;)
		if (world->queue.at[i].worker == worker)
			found = i;
	if (found == SIZE_MAX)
		return 0;
	entry = world->queue.at[found];
	for (i = found + 1; i < world->queue.count; i++)
		world->queue.at[i - 1] = world->queue.at[i];
	world->queue.count--;
	if (world->manner.tells_queues)
		tell_event(world, worker,
			(struct ct_event){
				.kind = CTP_KIND_DEQUEUE,
				.coro = coro_at(world, entry.coro)->id,
				.object = CTP_HANDLE(CTP_RESOURCE_QUEUE, 1 + entry.worker),
			});
	return entry.coro;
}

static void say_resume(struct world *world, uint32_t thread, const struct coro *coro)
{
	tell_event(world, thread, (struct ct_event){.kind = CTP_KIND_RESUME, .coro = coro->id});
}

/* Another thread already runs it: both do what it does next, and sooner or later that is to suspend. */
static void run_beside(struct world *world, uint32_t thread, uint32_t coro)
{
	coro_at(world, coro)->facts |= FACT_RESUMED_TWICE;
	world->threads.at[thread].shadow = coro;
	world->threads.at[thread].at = world->now + between(world, 2 * US, 30 * US);
}

static void note_delay(struct world *world, uint32_t coro)
{
	struct coro *one = coro_at(world, coro);
	uint32_t site = wait_site_of(world, coro);

	if (one->life != LIFE_READY || world->is_over)
		return;
	world->nr_runs[site]++;
	if (world->now - one->ready_from < LATE_NS || world->manner.is_crowded)
		return;
	world->nr_late[site]++;
	one->facts |= FACT_RAN_LATE;
	one->late_site = site;
}

/* If a thread was still about to leave the coroutine, it has left now; the suspend was recorded before. */
static void leave_now(struct world *world, uint32_t coro)
{
	size_t i;

	for (i = 1; i < world->threads.count; i++)
		if (world->threads.at[i].leaving == coro)
			world->threads.at[i].leaving = 0;
}

static void start_properly(struct world *world, uint32_t thread, uint32_t coro)
{
	struct coro *one = coro_at(world, coro);

	note_delay(world, coro);
	leave_now(world, coro);
	one->life = LIFE_RUNNING;
	one->thread = thread;
	one->run_from = world->now;
	one->taken_from_run = 0;
	one->is_listed = one->was_granted = one->was_dropped = one->was_missed = false;
	one->token = TOKEN_NONE;
	one->deadline = NEVER;
	if (world->is_over)
		one->facts |= FACT_RAN_AFTERWARDS;
	world->threads.at[thread].top = coro;
	world->threads.at[thread].at = world->now + between(world, 100, 2 * US);
}

void start_run(struct world *world, uint32_t thread, uint32_t coro)
{
	struct coro *one = coro_at(world, coro);

	say_resume(world, thread, one);
	world->threads.at[thread].at = world->now + US;
	switch (one->life) {
	case LIFE_GONE:
		one->facts |= FACT_RESUMED_WHEN_GONE;
		break;
	case LIFE_ENDED:
		one->facts |= FACT_RESUMED_AFTER_END;
		break;
	case LIFE_RUNNING:
		run_beside(world, thread, coro);
		break;
	default:
		start_properly(world, thread, coro);
		break;
	}
}

static void leave_shadow(struct world *world, uint32_t worker)
{
	struct thread *thread = &world->threads.at[worker];
	struct coro *coro = coro_at(world, thread->shadow);

	tell_event(world, worker,
		(struct ct_event){
			.kind = CTP_KIND_SUSPEND,
			.coro = coro->id,
			.object = CTP_HANDLE(CTP_RESOURCE_OTHER, 1),
			.site = wait_site_of(world, thread->shadow),
		});
	thread->shadow = 0;
	thread->at = world->now + US;
}

static void look_for_work(struct world *world, uint32_t worker)
{
	struct thread *thread = &world->threads.at[worker];
	uint32_t coro;

	if (thread->is_asleep)
		tell_event(world, worker, (struct ct_event){.kind = CTP_KIND_UNPARK});
	thread->is_asleep = false;
	coro = take_from_queue(world, worker);
	if (coro) {
		if (coro_at(world, coro)->life == LIFE_WAITING ||
			coro_at(world, coro)->life == LIFE_LEAVING)
			coro_at(world, coro)->facts |= FACT_RUN_TOO_OFTEN;
		start_run(world, worker, coro);
		return;
	}
	tell_event(world, worker, (struct ct_event){.kind = CTP_KIND_PARK});
	thread->is_asleep = true;
	thread->at = NEVER;
}

static void worker_turn(struct world *world, uint32_t worker)
{
	struct thread *thread = &world->threads.at[worker];

	if (thread->shadow)
		leave_shadow(world, worker);
	else if (thread->leaving)
		finish_suspend(world, worker);
	else if (thread->top)
		perform(world, worker);
	else
		look_for_work(world, worker);
}

/* ---------------------------------------------------------------- the poller */

struct file *whole_file(struct world *world, uint32_t file)
{
	uint32_t first = world->files.at[file].copy_of;

	return &world->files.at[first ? first - 1 : file];
}

static void hand_on_ready(struct world *world, uint32_t file)
{
	struct actor poller = {world->poller, 0};
	uint32_t i;

	tell_event(world, world->poller,
		(struct ct_event){
			.kind = CTP_KIND_DESCRIPTOR_READY, .coro = 1000 + file, .flags = 1});
	for (i = 1; i < world->coros.count; i++) {
		struct coro *coro = coro_at(world, i);

		if (coro->is_listed && coro->wait == WAIT_FILE &&
			whole_file(world, coro->what) == whole_file(world, file))
			wake(world, poller, i, MISTAKE_NONE);
	}
}

static void hand_on_timeouts(struct world *world)
{
	struct actor poller = {world->poller, 0};
	uint32_t i;

	for (i = 1; i < world->coros.count; i++) {
		struct coro *coro = coro_at(world, i);

		if (!coro->is_listed || coro->deadline > world->now)
			continue;
		coro->has_timed_out = coro->wait != WAIT_TIMER;
		coro->deadline = NEVER;
		wake(world, poller, i, MISTAKE_NONE);
	}
}

static void go_to_poll(struct world *world)
{
	struct thread *thread = &world->threads.at[world->poller];
	int64_t timeout_ms = -1;
	uint32_t i;

	thread->sleeps_until = NEVER;
	for (i = 1; i < world->coros.count; i++)
		if (coro_at(world, i)->is_listed &&
			coro_at(world, i)->deadline < thread->sleeps_until)
			thread->sleeps_until = coro_at(world, i)->deadline;
	if (thread->sleeps_until != NEVER && thread->sleeps_until > world->now)
		timeout_ms = (thread->sleeps_until - world->now + MS - 1) / MS;
	else if (thread->sleeps_until != NEVER)
		timeout_ms = 0;
	tell_event(world, world->poller,
		(struct ct_event){
			.kind = CTP_KIND_BLOCK_BEGIN,
			.argument = CTP_CALL_EPOLL_WAIT,
			.object = (uint64_t)timeout_ms,
		});
	thread->is_asleep = true;
	thread->at = thread->sleeps_until;
}

static void poller_turn(struct world *world)
{
	struct thread *thread = &world->threads.at[world->poller];
	uint32_t i;

	if (thread->is_asleep)
		tell_event(world, world->poller,
			(struct ct_event){
				.kind = CTP_KIND_BLOCK_END, .argument = CTP_CALL_EPOLL_WAIT});
	thread->is_asleep = false;
	for (i = 1; i < world->files.count; i++)
		if (world->files.at[i].is_ready && world->files.at[i].is_open) {
			world->files.at[i].is_ready = false;
			world->files.at[i].was_told = true;
			hand_on_ready(world, i);
		}
	hand_on_timeouts(world);
	go_to_poll(world);
}

/* The world outside sends data. Every open descriptor of the file is reported. */
static void arrive(struct world *world, uint32_t file)
{
	struct file *arrived = &world->files.at[file];
	uint32_t i;

	arrived->nr_bytes++;
	arrived->arrival = arrived->nr_arrivals > 1 ? world->now + arrived->every : NEVER;
	arrived->nr_arrivals -= arrived->nr_arrivals > 0;
	for (i = 1; i < world->files.count; i++)
		if (world->files.at[i].is_open && whole_file(world, i) == arrived) {
			world->files.at[i].is_ready = true;
			if (world->threads.at[world->poller].is_asleep)
				world->threads.at[world->poller].at = world->now + 5 * US;
		}
}

/* ---------------------------------------------------------------- the starting thread */

static bool is_all_done(const struct world *world)
{
	size_t i;

	for (i = 1; i < world->coros.count; i++) {
		const struct coro *coro = &world->coros.at[i];

		if (coro->id && !coro->is_daemon && coro->life != LIFE_ENDED &&
			coro->life != LIFE_GONE)
			return false;
	}
	return world->queue.count == 0;
}

static void starter_turn(struct world *world)
{
	struct thread *thread = &world->threads.at[world->starter];
	struct actor starter = {world->starter, 0};
	uint32_t i, next = 0;

	for (i = 1; i < world->coros.count; i++) {
		const struct coro *coro = coro_at(world, i);

		if (coro->life == LIFE_UNBORN && coro->start != NEVER &&
			(!next || coro->start < coro_at(world, next)->start))
			next = i;
	}
	if (next && coro_at(world, next)->start <= world->now)
		create(world, starter, next);
	if (next)
		thread->at = coro_at(world, next)->start > world->now ? coro_at(world, next)->start
								      : world->now + US;
	else if (world->manner.exits && is_all_done(world))
		world->ended = world->now + MS;
	else
		thread->at = NEVER;
}

/* ---------------------------------------------------------------- the whole */

static void take_turn(struct world *world, uint32_t thread)
{
	switch (world->threads.at[thread].role) {
	case ROLE_WORKER:
		worker_turn(world, thread);
		break;
	case ROLE_POLLER:
		poller_turn(world);
		break;
	case ROLE_STARTER:
		starter_turn(world);
		break;
	case ROLE_STRANGER:
		perform(world, thread);
		break;
	}
}

/* Takes the earliest step; false: nothing happens any more, or not before `until`, or the process has ended. */
static bool take_step(struct world *world, ct_time until)
{
	uint32_t first = 0, arrival = 0, i;
	ct_time at = NEVER;

	for (i = 1; i < world->threads.count; i++)
		if (world->threads.at[i].at < at) {
			first = i;
			at = world->threads.at[i].at;
		}
	for (i = 1; i < world->files.count; i++)
		if (world->files.at[i].is_open && world->files.at[i].arrival < at) {
			arrival = i;
			at = world->files.at[i].arrival;
		}
	if (at == NEVER || at >= until || (world->ended != NEVER && !world->is_over))
		return false;
	if (at > world->now)
		world->now = at;
	if (arrival)
		arrive(world, arrival);
	else
		take_turn(world, first);
	return true;
}

static void engine_turn(struct world *world)
{
	if (world->now >= world->next_look) {
		world->next_look = NEVER;
		say_look(world);
	}
	if (world->manner.has_accounts && world->now >= world->next_account) {
		world->next_account = world->now + 100 * MS;
		say_accounts(world);
	}
}

/* If the next step comes only later, the engine looks before it. */
static ct_time next_turn_of_engine(const struct world *world)
{
	ct_time next = world->end;

	if (world->next_look < next)
		next = world->next_look;
	if (world->manner.has_accounts && world->next_account < next)
		next = world->next_account;
	return next;
}

void world_run(struct world *world)
{
	while (world->ended == NEVER && world->now < world->end) {
		if (take_step(world, next_turn_of_engine(world)))
			continue;
		if (world->ended == NEVER && world->now < next_turn_of_engine(world))
			world->now = next_turn_of_engine(world);
		engine_turn(world);
	}
	if (world->ended != NEVER) {
		world->end = world->ended > world->now ? world->ended : world->now + MS;
		world->ended = world->end;
		return;
	}
	if (world->manner.has_accounts)
		say_accounts(world);
	if (world->manner.is_looked_at)
		say_look(world);
	world->end = world->now;
}

/*
 * The observation is over, and everything comes that could still come from outside: a coroutine that does not run now
 * would never have run.
 */
void world_go_on(struct world *world)
{
	uint32_t steps = 0;
	size_t i;

	world->is_over = true;
	world->manner.exits = false;
	world->now = world->end;
	for (i = 1; i < world->files.count; i++)
		if (world->files.at[i].is_open && !world->files.at[i].copy_of) {
			world->files.at[i].nr_arrivals = 40;
			world->files.at[i].every = 5 * MS;
			world->files.at[i].arrival = world->now + MS;
		}
	for (i = 0; i < world->afterwards.count; i++) {
		struct actor nobody = {0, 0};
		uint32_t coro, channel = world->afterwards.at[i];

		world->channels.at[channel].nr_items += 100;
		while ((coro = first_in_list(world, WAIT_CHANNEL, channel)) != 0)
			wake(world, nobody, coro, MISTAKE_NONE);
	}
	while (steps++ < MOST_STEPS_AFTERWARDS && take_step(world, world->end + AFTERWARDS))
		;
}
