/* SPDX-License-Identifier: MIT */
/*
 * What the engine sees of a target's threads from outside: the system call that each is in, and
 * whether that call can end by itself. Read from /proc; nothing stops the target.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "collector.h"
#include "procfs.h"

#define THREADS_LOOKED_AT 4096
#define DESCRIPTORS_LOOKED_AT 65536
#define STALL_NS UINT64_C(1000000000)
#define STALL_MAX_NS (UINT64_C(60) * 1000000000)

#define FUTEX_COMMANDS 0x7f
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * When a call waits for ever. What waits for descriptors, signals or children may be ended by a timer
 * of the process, so that an armed one counts as a time-out. A futex is woken by another thread only,
 * and that one is looked at for itself.
 */
enum patience {
	FOREVER,      /* always, once it blocks */
	NULL_POINTER, /* where the time-out's pointer is NULL */
	NEGATIVE,     /* where the time-out is a negative int */
	FUTEX,        /* depends on the operation */
};

static const struct {
	long number;
	enum patience patience;
	unsigned argument;
} calls[] = {
	{SYS_futex, FUTEX, 3},
	{SYS_epoll_pwait, NEGATIVE, 3},
#ifdef SYS_epoll_wait
	{SYS_epoll_wait, NEGATIVE, 3},
#endif
#ifdef SYS_epoll_pwait2
	{SYS_epoll_pwait2, NULL_POINTER, 3},
#endif
#ifdef SYS_poll
	{SYS_poll, NEGATIVE, 2},
#endif
	{SYS_ppoll, NULL_POINTER, 2},
#ifdef SYS_select
	{SYS_select, NULL_POINTER, 4},
#endif
	{SYS_pselect6, NULL_POINTER, 4},
#ifdef SYS_pause
	{SYS_pause, FOREVER, 0},
#endif
	{SYS_rt_sigsuspend, FOREVER, 0},
	{SYS_rt_sigtimedwait, NULL_POINTER, 2},
	{SYS_wait4, FOREVER, 0},
	{SYS_waitid, FOREVER, 0},
	{SYS_read, FOREVER, 0},
	{SYS_readv, FOREVER, 0},
	{SYS_recvfrom, FOREVER, 0},
	{SYS_recvmsg, FOREVER, 0},
	{SYS_accept, FOREVER, 0},
	{SYS_accept4, FOREVER, 0},
	{SYS_write, FOREVER, 0},
	{SYS_writev, FOREVER, 0},
	{SYS_sendto, FOREVER, 0},
	{SYS_sendmsg, FOREVER, 0},
	{SYS_connect, FOREVER, 0},
};

/* What was read of one thread. */
struct thread_state {
	char letter;
	long call; /* -1: not in one */
	uint64_t arguments[6];
};

/* The operations that wait; all others return at once. 0 WAIT, 6 LOCK_PI, 9 WAIT_BITSET, 11
 * WAIT_REQUEUE_PI, 13 LOCK_PI2. */
static bool futex_waits(uint64_t operation)
{
	const uint64_t waiting = 1u << 0 | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13;

	operation &= FUTEX_COMMANDS;
	return operation < 64 && (waiting >> operation & 1);
}

/* Whether the process has a timer that will go off; looked up at most once a look. */
enum timers {
	NOT_ASKED = 0,
	NONE,
	SOME,
};

/* Whether something outside can set it going past its descriptors; looked up once a look. */
enum reach {
	REACH_NOT_ASKED = 0,
	REACH_NONE,
	REACH_SOME,
};

struct observation {
	struct collect *collect;
	struct process *process;
	enum timers timers;
	enum reach reach;
	unsigned nr_left; /* how many more threads or descriptors are looked at */
};

/* "it_value: (seconds, nanoseconds)" until it goes off; zeros: it is not armed. */
static bool is_armed(pid_t pid, int descriptor)
{
	char name[48];
	char text[512];

	snprintf(name, sizeof(name), "fdinfo/%d", descriptor);
	if (procfs_read(pid, name, text, sizeof(text)) == 0)
		return false;
	return strstr(text, "it_value: (0, 0)") == NULL;
}

static bool has_no_timer(void *context, int descriptor)
{
	struct observation *observation = context;
	pid_t pid = observation->process->pid;
	char name[48];
	char path[64];

	if (observation->nr_left-- == 0)
		return false;
	snprintf(name, sizeof(name), "fd/%d", descriptor);
	procfs_link(pid, name, path, sizeof(path));
	return strcmp(path, "anon_inode:[timerfd]") != 0 || !is_armed(pid, descriptor);
}

/* What can not be looked at may hold a timer. */
static bool may_be_timed(struct observation *observation)
{
	struct observation look = *observation;
	char text[64];

	if (observation->timers == NOT_ASKED) {
		look.nr_left = DESCRIPTORS_LOOKED_AT;
		observation->timers = SOME;
		if (procfs_read(look.process->pid, "timers", text, sizeof(text)) == 0 &&
			procfs_numbers(look.process->pid, "fd", has_no_timer, &look))
			observation->timers = NONE;
	}
	return observation->timers == SOME;
}

/* Signals that the ledger itself catches, or libc: their handlers set nothing going. */
static bool is_quiet_signal(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGABRT || number == 32 || number == 33;
}

/* Whoever sends such a signal may make a descriptor ready, or wake somebody. */
static bool catches_signals(pid_t pid)
{
	char text[4096];
	const char *caught;
	uint64_t mask;
	int number;

	if (procfs_read(pid, "status", text, sizeof(text)) == 0)
		return true;
	caught = strstr(text, "\nSigCgt:");
	if (!caught)
		return true;
	mask = strtoull(caught + strlen("\nSigCgt:"), NULL, 16);
	for (number = 1; number <= 64; number++) {
		if ((mask >> (number - 1) & 1) && !is_quiet_signal(number))
			return true;
	}
	return false;
}

static bool has_no_child(void *context, int tid)
{
	const struct observation *observation = context;
	char name[48];
	char text[32];

	snprintf(name, sizeof(name), "task/%d/children", tid);
	return procfs_read(observation->process->pid, name, text, sizeof(text)) == 0;
}

static bool is_no_ring(void *context, int descriptor)
{
	const struct observation *observation = context;
	char name[48];
	char path[64];

	snprintf(name, sizeof(name), "fd/%d", descriptor);
	procfs_link(observation->process->pid, name, path, sizeof(path));
	return strcmp(path, "anon_inode:[io_uring]") != 0;
}

static bool is_reachable(struct observation *observation)
{
	pid_t pid = observation->process->pid;

	if (observation->reach == REACH_NOT_ASKED)
		observation->reach =
			catches_signals(pid) ||
					!procfs_numbers(pid, "task", has_no_child, observation) ||
					!procfs_numbers(pid, "fd", is_no_ring, observation)
				? REACH_SOME
				: REACH_NONE;
	return observation->reach == REACH_SOME;
}

/* What the call's arguments say. */
static bool has_no_time_out(const struct thread_state *state)
{
	size_t i = 0;

	while (i < COUNT(calls) && calls[i].number != state->call)
		i++;
	if (i == COUNT(calls))
		return false;
	switch (calls[i].patience) {
	case FOREVER:
		return true;
	case NULL_POINTER:
		return state->arguments[calls[i].argument] == 0;
	case NEGATIVE:
		return (int32_t)state->arguments[calls[i].argument] < 0;
	case FUTEX:
		return futex_waits(state->arguments[1]) && state->arguments[calls[i].argument] == 0;
	}
	return false;
}

static bool waits_for_ever(struct observation *observation, const struct thread_state *state)
{
	if (state->letter != 'S' || !has_no_time_out(state))
		return false;
	return state->call == SYS_futex || !may_be_timed(observation);
}

static char read_letter(pid_t pid, pid_t tid)
{
	const char *behind_name;
	char name[48];
	char text[512];

	snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
	if (procfs_read(pid, name, text, sizeof(text)) == 0)
		return '\0';
	behind_name = strrchr(text, ')');
	return behind_name && behind_name[1] == ' ' ? behind_name[2] : '\0';
}

/* "number argument... stack instruction", "-1 stack instruction", or "running". */
static void read_call(pid_t pid, pid_t tid, struct thread_state *ret_state)
{
	char name[48];
	char text[256];
	char *at = text;
	char *end;
	unsigned i;

	ret_state->call = -1;
	snprintf(name, sizeof(name), "task/%d/syscall", (int)tid);
	if (procfs_read(pid, name, text, sizeof(text)) == 0)
		return;
	ret_state->call = strtol(at, &end, 10);
	if (end == at || ret_state->call < 0) {
		ret_state->call = -1;
		return;
	}
	for (i = 0; i < COUNT(ret_state->arguments); i++) {
		at = end;
		ret_state->arguments[i] = strtoull(at, &end, 16);
	}
}

/* The engine's own records of a process stand in a segment and a stream of their own. */
static void make_stream(struct collect *collect, struct process *process)
{
	struct ct_definition definition = {.type = CT_DEFINE_SEGMENT};

	process->observed_segment = ++collect->nr_segments;
	process->observed_stream = ++collect->nr_streams;
	definition.segment = (struct ct_define_segment){
		.segment = process->observed_segment,
		.process = process->number,
		.role = CTP_ROLE_ENGINE,
		.clock = CTP_CLOCK_MONOTONIC,
		.attached = clock_monotonic_ns(),
	};
	memcpy(definition.segment.identity, collect->run_id, sizeof(collect->run_id));
	output_define(&collect->output, &definition);
	definition = (struct ct_definition){.type = CT_DEFINE_STREAM};
	definition.stream = (struct ct_define_stream){
		.stream = process->observed_stream, .segment = process->observed_segment};
	output_define(&collect->output, &definition);
}

void observe_put(struct collect *collect, struct process *process, uint32_t thread,
	const struct ctp_record *record)
{
	struct ct_batch batch = {.thread = thread, .records = record, .nr_records = 1};

	if (process->observed_stream == 0)
		make_stream(collect, process);
	batch.stream = process->observed_stream;
	output_put(&collect->output, &batch, 1);
}

/* The two are read one after the other: who is in a call that can be read slept by then. */
static struct thread_state read_state(pid_t pid, pid_t tid)
{
	struct thread_state state = {.letter = read_letter(pid, tid), .call = -1};

	if (state.letter == '\0')
		return state;
	read_call(pid, tid, &state);
	if (state.letter == 'R' && state.call >= 0)
		state.letter = read_letter(pid, tid);
	return state;
}

static bool observe_thread(void *context, int tid)
{
	struct observation *observation = context;
	struct process *process = observation->process;
	struct thread_state state = read_state(process->pid, tid);
	struct ctp_record record = {.coro = (uint64_t)tid};
	bool is_last = observation->nr_left == 0;
	uint32_t thread;
	bool is_stuck;

	if (state.letter == '\0')
		return true;
	is_stuck = waits_for_ever(observation, &state);
	record.time = clock_monotonic_ns();
	record.object = (uint64_t)state.call << 8 | (uint8_t)state.letter;
	thread = process_thread(observation->collect, process, (uint64_t)tid, THREADS_RUNNING);
	/* One that has no number of its own can not be told from others, and counts as not looked at. */
	record.tail = CTP_TAIL(0, CTP_KIND_THREAD_STATE, is_stuck,
		(is_last || thread == process->unknown_thread ? 1u : 0) |
			(is_reachable(observation) ? 2u : 0));
	observe_put(observation->collect, process, thread, &record);
	observation->nr_left--;
	return !is_last;
}

void observe_process(struct collect *collect, struct process *process)
{
	struct observation observation = {
		.collect = collect, .process = process, .nr_left = THREADS_LOOKED_AT - 1};

	if (process->has_ended)
		return;
	procfs_numbers(process->pid, "task", observe_thread, &observation);
}

/* Whether silence of this process says something: coroutines wait, or only the ledger can tell. */
static bool has_something_to_say(struct collect *collect, const struct process *process)
{
	size_t i;

	if (!process->has_probe)
		return process->has_ledger;
	if (service_count_live(&collect->service, process) > 0)
		return true;
	for (i = 0; i < COLLECT_SEGMENTS; i++) {
		const struct segment *segment = &collect->segments[i];

		if (segment->number && segment->process == process &&
			segment_count_live(segment) > 0)
			return true;
	}
	return false;
}

/* The longer the silence, the rarer the looks: after 1 second, 2, 4, ... and then every minute. */
static void observe_stall(struct collect *collect, struct process *process)
{
	uint64_t quiet_ns = collect->now_ns - process->moved_ns;

	if (quiet_ns < STALL_NS) {
		process->snapshot_after_ns = STALL_NS;
		return;
	}
	if (quiet_ns < process->snapshot_after_ns || !has_something_to_say(collect, process))
		return;
	observe_process(collect, process);
	process->snapshot_after_ns = quiet_ns + (quiet_ns < STALL_MAX_NS ? quiet_ns : STALL_MAX_NS);
}

uint64_t observe_due_ns(const struct collect *collect)
{
	uint64_t due_ns = UINT64_MAX;
	size_t i;

	for (i = 0; i < COLLECT_PROCESSES; i++) {
		const struct process *process = &collect->processes[i];
		uint64_t after_ns = process->snapshot_after_ns;

		if (process->number == 0 || process->has_ended)
			continue;
		if (after_ns < STALL_NS || collect->now_ns - process->moved_ns < STALL_NS)
			after_ns = STALL_NS;
		/* What was due before had nothing to say. */
		if (process->moved_ns + after_ns > collect->now_ns &&
			process->moved_ns + after_ns < due_ns)
			due_ns = process->moved_ns + after_ns;
	}
	return due_ns;
}

void observe_stalls(struct collect *collect)
{
	size_t i;

	for (i = 0; i < COLLECT_PROCESSES; i++) {
		struct process *process = &collect->processes[i];

		if (process->number && !process->has_ended)
			observe_stall(collect, process);
	}
}
