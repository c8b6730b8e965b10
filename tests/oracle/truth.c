/* SPDX-License-Identifier: MIT */
/*
 * The truth of each rule, from the world's own state.
 */
#include "truth.h"

#define LONG_NS SECOND /* how long a ready coroutine must wait to be called stuck */

/* ---------------------------------------------------------------- circles */

/* The coroutine whose action would end the wait; 0: there is no single one, or time ends it. */
static uint32_t waits_for(const struct world *world, const struct coro *coro)
{
	if (coro->life != LIFE_WAITING || coro->deadline != NEVER)
		return 0;
	if (coro->wait == WAIT_LOCK)
		return world->locks.at[coro->what].owner;
	return coro->wait == WAIT_CHILD ? coro->what : 0;
}

/* Does the chain lead back to the coroutine? *ret_has_lock: does it contain a lock? */
static bool is_in_circle(const struct world *world, uint32_t coro, bool *ret_has_lock)
{
	uint32_t at = coro;
	size_t steps;

	*ret_has_lock = false;
	for (steps = 0; steps < world->coros.count; steps++) {
		*ret_has_lock |= world->coros.at[at].wait == WAIT_LOCK;
		at = waits_for(world, &world->coros.at[at]);
		if (at == 0 || at == coro)
			return at == coro;
	}
	return false;
}

/* ---------------------------------------------------------------- queues */

/* The coroutine's queue entry; NULL: it is in no queue. */
static const struct queued *entry_of(const struct world *world, uint32_t coro)
{
	size_t i;

	for (i = 0; i < world->queue.count; i++)
		if (world->queue.at[i].coro == coro)
			return &world->queue.at[i];
	return NULL;
}

static bool is_asleep(const struct thread *thread)
{
	return thread->is_asleep && thread->at == NEVER;
}

static bool has_run_for_long(const struct world *world, const struct thread *thread)
{
	return thread->top && world->end - world->coros.at[thread->top].run_from > LONG_NS;
}

/* Is there a worker that may take it, and that is asleep or not, as asked? */
static bool has_worker(const struct world *world, const struct queued *entry, bool wants_asleep)
{
	uint32_t i;

	for (i = 1; i <= world->nr_workers; i++) {
		const struct thread *worker = &world->threads.at[i];

		if (entry->worker != 0 && entry->worker != i)
			continue;
		if (wants_asleep ? is_asleep(worker) : has_run_for_long(world, worker))
			return true;
	}
	return false;
}

static bool is_left_ready(const struct world *world, uint32_t coro, bool wants_asleep)
{
	const struct queued *entry = entry_of(world, coro);
	const struct coro *one = &world->coros.at[coro];

	return (one->life == LIFE_READY || one->life == LIFE_NEW) && entry &&
	       world->end - one->ready_from > LONG_NS && has_worker(world, entry, wants_asleep);
}

/* ---------------------------------------------------------------- rules */

static bool runs_on(const struct world *world, uint32_t coro)
{
	uint32_t i;

	for (i = 1; i < world->threads.count; i++)
		if (world->threads.at[i].top == coro &&
			has_run_for_long(world, &world->threads.at[i]))
			return true;
	return false;
}

static bool is_waiting(const struct coro *coro)
{
	return coro->life == LIFE_WAITING && coro->wait != WAIT_CALLER && !coro->is_daemon;
}

static bool runs_late(const struct world *world, uint32_t coro)
{
	uint32_t site = world->coros.at[coro].late_site;

	return (world->coros.at[coro].facts & FACT_RAN_LATE) &&
	       world->nr_late[site] * 100 >= world->nr_runs[site];
}

/* Could the two coroutines have met, each with the lock that the other one wants? */
static bool could_collide(
	const struct world *world, const struct nesting *a, const struct nesting *b)
{
	uint64_t outer = UINT64_C(1) << a->outer | UINT64_C(1) << b->outer;

	return a->coro != b->coro && a->outer == b->inner && a->inner == b->outer &&
	       !(a->held & b->held & ~outer) && a->time >= world->coros.at[b->coro].created &&
	       b->time >= world->coros.at[a->coro].created;
}

static bool took_other_way(const struct world *world, uint32_t coro)
{
	size_t i, k;

	for (i = 0; i < world->nestings.count; i++)
		for (k = 0; k < world->nestings.count && world->nestings.at[i].coro == coro; k++)
			if (could_collide(world, &world->nestings.at[i], &world->nestings.at[k]))
				return true;
	return false;
}

static bool is_orphan(const struct world *world, uint32_t index)
{
	const struct coro *coro = &world->coros.at[index], *parent = &world->coros.at[coro->parent];

	return coro->parent && (parent->life == LIFE_ENDED || parent->life == LIFE_GONE) &&
	       is_waiting(coro) && !coro->lives_on && !first_in_list(world, WAIT_CHILD, index);
}

/* In more than half of at least a hundred cases. */
static bool is_woken_again(const struct world *world, uint32_t coro)
{
	uint32_t site = world->coros.at[coro].again_site;

	return (world->coros.at[coro].facts & FACT_WOKEN_AGAIN) && world->nr_woken[site] >= 100 &&
	       world->nr_woken_again[site] * 2 > world->nr_woken[site];
}

static bool holds_now(const struct world *world, enum ct_rule rule, uint32_t index)
{
	const struct coro *coro = &world->coros.at[index];
	bool has_lock, is_circle = is_in_circle(world, index, &has_lock);

	switch (rule) {
	case CT_RULE_LOST_WAKEUP:
	case CT_RULE_WAKE_LOST_WITH_TASK:
	case CT_RULE_STANDSTILL:
	case CT_RULE_COROUTINE_LEAK:
		return is_waiting(coro);
	case CT_RULE_CLOSED_DESCRIPTOR:
		return is_waiting(coro) && coro->wait == WAIT_FILE &&
		       !world->files.at[coro->what].is_open;
	case CT_RULE_DROPPED_WAKE:
		return is_waiting(coro) && coro->was_dropped;
	case CT_RULE_WAKE_TO_NOBODY:
		return is_waiting(coro) && coro->was_missed;
	case CT_RULE_GRANTED_NOT_POLLED:
		return is_waiting(coro) && coro->was_granted;
	case CT_RULE_AWAIT_CYCLE:
		return is_circle && !has_lock;
	case CT_RULE_MUTEX_DEADLOCK:
		return is_circle && has_lock;
	case CT_RULE_STUCK_WORKER:
		return is_left_ready(world, index, false);
	case CT_RULE_MISSED_WAKE:
		return is_left_ready(world, index, true);
	case CT_RULE_PASSED_OVER:
		return entry_of(world, index) && world->end - coro->ready_from > LONG_NS;
	case CT_RULE_ENDLESS_RUN:
	case CT_RULE_BLOCKED_WORKER:
		return runs_on(world, index);
	case CT_RULE_CRASH:
		return coro->facts & FACT_CRASHED;
	case CT_RULE_DOUBLE_RESUME:
		return coro->facts & (FACT_RESUMED_TWICE | FACT_RESUMED_AFTER_END);
	case CT_RULE_WOKEN_DESTROYED:
		return coro->facts & FACT_CUT_READY;
	case CT_RULE_CLOSED_UNREAD:
		return coro->facts & FACT_CLOSES_UNREAD;
	case CT_RULE_TWO_HOLDERS:
		return coro->facts & FACT_BARGED;
	case CT_RULE_WOKEN_TWICE:
		return coro->facts & FACT_RUN_TOO_OFTEN;
	case CT_RULE_RESUME_AFTER_DESTROY:
		return coro->facts & (FACT_RESUMED_WHEN_GONE | FACT_WOKEN_WHEN_GONE);
	case CT_RULE_DESTROYED_SUSPENDED:
		return (coro->facts & FACT_DESTROYED_WAITING) && (coro->facts & FACT_TOOK_ALONG);
	case CT_RULE_BROKEN_STATE:
		return coro->facts & (FACT_IMPOSSIBLE_STEP | FACT_RESUMED_TWICE |
					     FACT_RESUMED_AFTER_END | FACT_RESUMED_WHEN_GONE);
	case CT_RULE_WORKER_HOG:
		return coro->facts & FACT_KEPT_OTHERS;
	case CT_RULE_STARVATION:
		return runs_late(world, index);
	case CT_RULE_LOCK_ORDER:
		return took_other_way(world, index);
	case CT_RULE_ORPHANED_CHILD:
		return is_orphan(world, index);
	case CT_RULE_DUPLICATE_WAKE:
		return is_woken_again(world, index);
	case CT_RULE_THUNDERING_HERD:
		return coro->facts & FACT_IN_HERDS;
	case CT_RULE_UNBOUNDED_GROWTH:
		return coro->facts & FACT_GREW;
	case CT_RULE_SELF_WAKE_STORM:
		return coro->facts & FACT_STORMED;
	default:
		return false;
	}
}

/* Is the rule true only of coroutines that would never have run again? */
static bool is_for_ever(enum ct_rule rule)
{
	switch (rule) {
	case CT_RULE_LOST_WAKEUP:
	case CT_RULE_WAKE_LOST_WITH_TASK:
	case CT_RULE_STANDSTILL:
	case CT_RULE_COROUTINE_LEAK:
	case CT_RULE_CLOSED_DESCRIPTOR:
	case CT_RULE_DROPPED_WAKE:
	case CT_RULE_WAKE_TO_NOBODY:
	case CT_RULE_GRANTED_NOT_POLLED:
	case CT_RULE_AWAIT_CYCLE:
	case CT_RULE_MUTEX_DEADLOCK:
		return true;
	default:
		return false;
	}
}

void truth_note(struct world *world)
{
	uint32_t rule, i;

	for (i = 1; i < world->coros.count; i++) {
		struct coro *coro = &world->coros.at[i];
		const struct queued *entry = entry_of(world, i);

		for (rule = 1; rule < CT_NR_RULES; rule++)
			if (coro->id && holds_now(world, rule, i))
				coro->truths |= UINT64_C(1) << rule;
		coro->was_resumed_when_gone = coro->facts & FACT_RESUMED_WHEN_GONE;
		coro->is_stuck_for_ever = entry && entry->worker &&
					  world->threads.at[entry->worker].called_until == NEVER;
	}
}

bool truth_of(const struct world *world, enum ct_rule rule, uint32_t index)
{
	const struct coro *coro = &world->coros.at[index];

	return (coro->truths >> rule & 1) &&
	       !(is_for_ever(rule) && (coro->facts & FACT_RAN_AFTERWARDS));
}

bool truth_is_proven(const struct world *world, enum ct_rule rule, uint32_t index)
{
	const struct coro *coro = &world->coros.at[index];

	if (!truth_of(world, rule, index))
		return false;
	if (rule == CT_RULE_STUCK_WORKER)
		return coro->is_stuck_for_ever;
	return rule != CT_RULE_RESUME_AFTER_DESTROY || coro->was_resumed_when_gone;
}
