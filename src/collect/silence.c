/* SPDX-License-Identifier: MIT */
/*
 * When the engine looks at the threads of a process by itself: as soon as the process falls silent, and then more and
 * more rarely; and once a second while the process goes on.
 *
 * The way a program is ended does not show what it was waiting for, and mostly there is no time for a look then: a key
 * in the terminal reaches the program at once. So the look must have been taken before. For a program that falls silent
 * again and again, looks take at most a thousandth of the time; in a silence that lasts, a hundredth.
 */
#include "collect/collector.h"

#define SILENCE_NS UINT64_C(20000000)
#define STALL_NS UINT64_C(1000000000)
#define STALL_MAX_NS (UINT64_C(60) * 1000000000)
#define LASTING_NS UINT64_C(250000000)
#define REST_FACTOR 1000        /* duration of a look, times this, until the next look */
#define REST_FACTOR_LASTING 100 /* the same in a silence that lasts */

/*
 * Returns whether the silence of this process means anything: the process has had coroutines, or only the ledger
 * records it.
 */
static bool has_something_to_say(const struct process *process)
{
	return process->has_probe ? process->nr_moves > 0 : process->has_ledger;
}

/*
 * Looks, and flushes: if the engine is killed from here on, the trace has the look, and everything up to the end of the
 * look.
 */
static void look_at(struct collect *collect, struct process *process)
{
	if (!collect_observe_process(collect, process))
		return;
	collect->now_ns = process->looked_ns;
	collect_look_rings(collect);
	collect_define_heartbeat(collect);
	collect->flush_ns = 0;
}

static uint64_t later(uint64_t one_ns, uint64_t other_ns)
{
	return one_ns > other_ns ? one_ns : other_ns;
}

/* Returns when the next look in the first second of silence is due; UINT64_MAX: there is none. */
static uint64_t silence_due_ns(const struct process *process)
{
	bool is_known = process->silence_of_ns == process->wrote_ns;
	uint64_t after_ns = is_known ? process->silence_after_ns : SILENCE_NS;
	uint64_t due_ns, lasting_ns;

	if (!process->has_probe || process->wrote_ns == 0 || after_ns >= STALL_NS)
		return UINT64_MAX;
	due_ns = later(process->wrote_ns + after_ns,
		process->looked_ns + process->look_cost_ns * REST_FACTOR);
	lasting_ns = later(process->wrote_ns + later(after_ns, LASTING_NS),
		process->looked_ns + process->look_cost_ns * REST_FACTOR_LASTING);
	return due_ns < lasting_ns ? due_ns : lasting_ns;
}

/* Looks after 20 ms, 40, 80, ... of silence. */
static void look_at_silence(struct collect *collect, struct process *process)
{
	uint64_t quiet_ns = collect->now_ns - process->wrote_ns;

	if (collect->now_ns < silence_due_ns(process))
		return;
	process->silence_of_ns = process->wrote_ns;
	process->silence_after_ns = SILENCE_NS;
	while (process->silence_after_ns <= quiet_ns)
		process->silence_after_ns *= 2;
	if (has_something_to_say(process))
		look_at(collect, process);
}

/*
 * A process may write records without moving its coroutines, such as a loop that polls. The process is then looked at
 * 1 second, 2, 4, ... after its coroutines last moved, and later every minute.
 */
static void look_at_stall(struct collect *collect, struct process *process)
{
	uint64_t quiet_ns = collect->now_ns - process->moved_ns;

	if (quiet_ns < STALL_NS) {
		process->snapshot_after_ns = STALL_NS;
		return;
	}
	if (quiet_ns < process->snapshot_after_ns || !has_something_to_say(process))
		return;
	look_at(collect, process);
	process->snapshot_after_ns = quiet_ns + (quiet_ns < STALL_MAX_NS ? quiet_ns : STALL_MAX_NS);
}

static uint64_t stall_due_ns(const struct collect *collect, const struct process *process)
{
	uint64_t after_ns = process->snapshot_after_ns;

	if (after_ns < STALL_NS || collect->now_ns - process->moved_ns < STALL_NS)
		after_ns = STALL_NS;
	/* The look that was due earlier was not needed. */
	return process->moved_ns + after_ns > collect->now_ns ? process->moved_ns + after_ns
							      : UINT64_MAX;
}

/*
 * In a process that goes on, a thread may be stuck in one call, with the coroutine that it runs: all threads are looked
 * at once a second, in at most a thousandth of the time.
 */
static uint64_t busy_due_ns(const struct process *process)
{
	if (!process->has_probe || process->nr_moves == 0 ||
		process->wrote_ns <= process->looked_ns)
		return UINT64_MAX;
	return process->looked_ns + later(STALL_NS, process->look_cost_ns * REST_FACTOR);
}

static void look_at_busy(struct collect *collect, struct process *process)
{
	if (collect->now_ns >= busy_due_ns(process))
		look_at(collect, process);
}

uint64_t collect_silence_next_ns(const struct collect *collect)
{
	uint64_t due_ns = UINT64_MAX, own_ns;
	const struct process *process;

	for_each_process (collect, process) {
		if (process->has_ended)
			continue;
		own_ns = silence_due_ns(process);
		due_ns = own_ns < due_ns ? own_ns : due_ns;
		own_ns = stall_due_ns(collect, process);
		due_ns = own_ns < due_ns ? own_ns : due_ns;
		own_ns = busy_due_ns(process);
		due_ns = own_ns < due_ns ? own_ns : due_ns;
	}
	return due_ns;
}

static uint64_t still_since_ns(const struct process *process)
{
	return process->has_probe ? process->moved_ns : later(process->moved_ns, process->wrote_ns);
}

/* Without a probe, a program that another one started tells more than the one that waits for the end of the other. */
static bool is_better(const struct process *process, const struct process *than)
{
	if (!than || process->has_probe != than->has_probe)
		return !than || process->has_probe;
	return (still_since_ns(process) < still_since_ns(than)) == process->has_probe;
}

bool collect_still(const struct collect *collect, struct collect_still *ret_still)
{
	const struct process *process, *best = NULL;

	for_each_process (collect, process)
		if (!process->has_ended && has_something_to_say(process) &&
			is_better(process, best))
			best = process;
	if (best)
		*ret_still = (struct collect_still){.pid = best->pid,
			.since_ns = still_since_ns(best),
			.has_probe = best->has_probe,
			.process = best->number};
	return best != NULL;
}

bool collect_note_waits(struct collect *collect)
{
	if (!collect->waited)
		collect->waited = collect_waited_new();
	return collect->waited != NULL;
}

bool collect_waits(const struct collect *collect, uint64_t from_ns, uint64_t until_ns,
	struct collect_still *ret_still)
{
	const struct process *process;
	uint32_t number;

	if (collect_waited_count(collect->waited, from_ns, until_ns, &number) == 0)
		return false;
	for_each_process (collect, process)
		if (!process->has_ended && process->has_probe &&
			(process->number & 0xff) == number) {
			*ret_still = (struct collect_still){.pid = process->pid,
				.since_ns = still_since_ns(process),
				.has_probe = true,
				.process = process->number};
			return true;
		}
	return false;
}

uint64_t collect_waits_since(
	const struct collect *collect, uint32_t process, uint64_t coro, uint64_t at_ns)
{
	return collect_waited_since(collect->waited, process, coro, at_ns);
}

void collect_silence_look(struct collect *collect)
{
	struct process *process;

	for_each_process (collect, process) {
		if (process->has_ended)
			continue;
		look_at_silence(collect, process);
		look_at_stall(collect, process);
		look_at_busy(collect, process);
	}
}
