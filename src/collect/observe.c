/* SPDX-License-Identifier: MIT */
/*
 * A target's threads, observed by the engine from outside: the system call of each thread, and whether that call can
 * end by itself. Read from /proc; nothing stops the target.
 *
 * All records of a look were true at one moment. A look at a process that was already being ended, by a signal or its
 * own exit, is thrown away, so that it never replaces an earlier look at the intact process.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system_calls.h"
#include "collect/collector.h"
#include "kernel/inside.h"
#include "kernel/patience.h"
#include "kernel/polled.h"
#include "kernel/procfs.h"
#include "kernel/procfs_maps.h"

#define THREADS_LOOKED_AT 4096
#define THREADS_A_SAMPLE 64u
#define DESCRIPTORS_LOOKED_AT 65536

#define FUTEX_COMMANDS 0x7f
#define BIT_OF(signal_number) (UINT64_C(1) << ((signal_number)-1))
/* Signals that do not end a process by default. */
#define HARMLESS                                                                                   \
	(BIT_OF(SIGCHLD) | BIT_OF(SIGCONT) | BIT_OF(SIGURG) | BIT_OF(SIGWINCH) | BIT_OF(SIGSTOP) | \
		BIT_OF(SIGTSTP) | BIT_OF(SIGTTIN) | BIT_OF(SIGTTOU))

/* One thread, as it was read. */
struct thread_state {
	char letter;
	bool is_dying;
	int32_t call; /* PROCFS_NO_CALL: not in a call, or not stated */
	uint64_t arguments[PROCFS_ARGUMENTS];
};

#define FUTEX_IS_PRIVATE 0x80

/*
 * Returns whether the word lies in memory that the process shares, as far as its mappings say: another process may wake
 * the thread that waits there.
 */
static bool is_shared_word(pid_t pid, uint64_t address)
{
	struct procfs_mapping mapping;
	struct procfs_maps maps;
	bool is_shared = false;

	if (!procfs_maps_open(&maps, pid))
		return true;
	while (!is_shared && procfs_maps_next(&maps, &mapping))
		is_shared = address >= mapping.start && address < mapping.end && mapping.is_shared;
	procfs_maps_close(&maps);
	return is_shared;
}

/* Returns whether this thread waits for a word that another process may change. */
static bool waits_for_others(pid_t pid, const struct thread_state *state)
{
	return state->letter == 'S' && state->call == SYSTEM_CALL_futex &&
	       patience_futex_waits(state->arguments[1]) &&
	       !(state->arguments[1] & FUTEX_IS_PRIVATE) &&
	       is_shared_word(pid, state->arguments[0]);
}

/*
 * Returns whether the thread waits as for a mutex: glibc waits so, for a word that is 2 as long as others wait, and in
 * no other way for a condition, a semaphore or the end of a thread.
 */
static bool waits_for_mutex(const struct thread_state *state)
{
	return state->letter == 'S' && state->call == SYSTEM_CALL_futex &&
	       (state->arguments[1] & FUTEX_COMMANDS) == 0 && state->arguments[2] == 2;
}

#define MUTEX_OWNER_AT \
	8u /* glibc's pthread_mutex_t: the word, how often, and the kernel id of who has it */
#define OWNER_SHIFT 32 /* of the owner, in the object of THREAD_STATE */

/* The kernel id of the thread that has the mutex for which this one waits; 0: not known, or of no thread here. */
static uint32_t owner_of_mutex(int folder, const struct thread_state *state)
{
	struct procfs_stat stat = {.state = '\0'};
	char name[48];
	uint32_t owner;

	if (!waits_for_mutex(state) ||
		!procfs_memory_at(
			folder, state->arguments[0] + MUTEX_OWNER_AT, &owner, sizeof(owner)) ||
		owner == 0 || owner > INT32_MAX)
		return 0;
	snprintf(name, sizeof(name), "task/%" PRIu32 "/stat", owner);
	procfs_stat_at(folder, name, &stat);
	return stat.state ? owner : 0;
}

#define FLAG_TELLS_POLLS 8u      /* flag of THREAD_STATE */
#define FLAG_IS_INSIDE 16u       /* flag of THREAD_STATE */
#define FLAG_WAITS_FOR_MUTEX 32u /* flag of THREAD_STATE */

/* What is looked up at most once a look. */
enum answer {
	NOT_ASKED = 0,
	NONE,
	SOME,
};

struct observation {
	struct collect *collect;
	struct process *process;
	int folder;         /* from procfs_open */
	enum answer timers; /* timers of the process that will go off */
	/* means to wake the process from outside, besides its descriptors and signals */
	enum answer reach;
	enum answer catches;
	unsigned nr_left; /* how many more threads or descriptors are examined */
	bool is_dying;
};

static bool leads_to(const struct observation *observation, int descriptor, const char *what)
{
	char name[48];
	char path[64];

	snprintf(name, sizeof(name), "fd/%d", descriptor);
	procfs_link_at(observation->folder, name, path, sizeof(path));
	return strcmp(path, what) == 0;
}

static bool has_no_timer(void *context, int descriptor)
{
	struct observation *observation = context;

	if (observation->nr_left-- == 0)
		return false;
	return !leads_to(observation, descriptor, "anon_inode:[timerfd]") ||
	       !procfs_is_timer_armed_at(observation->folder, descriptor);
}

/* Returns whether a timer may be armed: a descriptor that cannot be examined may be one. */
static bool may_be_timed(struct observation *observation)
{
	struct observation look = *observation;
	char text[64];

	if (observation->timers == NOT_ASKED) {
		look.nr_left = DESCRIPTORS_LOOKED_AT;
		observation->timers = SOME;
		if (procfs_read_at(look.folder, "timers", text, sizeof(text)) == 0 &&
			procfs_numbers_at(look.folder, "fd", has_no_timer, &look))
			observation->timers = NONE;
	}
	return observation->timers == SOME;
}

/*
 * Signals that the ledger itself or libc catches: their handlers wake nothing. SIGCHLD cannot come without a child,
 * which is checked before (is_reachable); SIGPIPE comes of the process's own write.
 */
static bool is_quiet_signal(int number)
{
	return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE ||
	       number == SIGABRT || number == SIGCHLD || number == SIGPIPE || number == 32 ||
	       number == 33;
}

/* Returns whether the process catches a signal whose handler may make a descriptor ready, or wake a thread. */
static bool catches_signals(int folder)
{
	struct procfs_signals signals;
	int number;

	if (!procfs_signals_at(folder, &signals))
		return true;
	for (number = 1; number <= 64; number++) {
		if ((signals.caught & BIT_OF(number)) && !is_quiet_signal(number))
			return true;
	}
	return false;
}

static bool is_no_child(void *context, int child)
{
	(void)context, (void)child;
	return false;
}

static bool is_no_ring(void *context, int descriptor)
{
	return !leads_to(context, descriptor, "anon_inode:[io_uring]");
}

static bool is_reachable(struct observation *observation)
{
	if (observation->reach == NOT_ASKED)
		observation->reach = !procfs_children(observation->process->pid, is_no_child,
					     NULL) || !procfs_numbers_at(observation->folder, "fd",
							      is_no_ring, observation)
					     ? SOME
					     : NONE;
	return observation->reach == SOME;
}

static bool has_handlers(struct observation *observation)
{
	if (observation->catches == NOT_ASKED)
		observation->catches = catches_signals(observation->folder) ? SOME : NONE;
	return observation->catches == SOME;
}

/* Returns the flags of THREAD_STATE that say how the process can be woken from outside. */
static unsigned reach_of(struct observation *observation, const struct thread_state *state)
{
	if (is_reachable(observation) || waits_for_others(observation->process->pid, state))
		return 2;
	return has_handlers(observation) ? 2 | 4 : 0;
}

static bool waits_for_ever(struct observation *observation, const struct thread_state *state)
{
	if (state->letter != 'S' || patience_of(state->call, state->arguments) != PATIENCE_ENDLESS)
		return false;
	return state->call == SYSTEM_CALL_futex || !may_be_timed(observation);
}

/* Makes the segment and the stream of the engine's own records of a process. */
static void make_stream(struct collect *collect, struct process *process)
{
	process->observed_segment = collect_process_segment(collect, process);
	process->observed_stream = collect_process_stream(collect, process->observed_segment);
}

void collect_observe_put(struct collect *collect, struct process *process, uint32_t thread,
	const struct ctp_record *record)
{
	struct ct_batch batch = {.thread = thread, .records = record, .nr_records = 1};

	if (process->observed_stream == 0)
		make_stream(collect, process);
	batch.stream = process->observed_stream;
	collect_output_put(&collect->output, &batch, 1);
}

static void read_stat(int folder, pid_t tid, struct thread_state *state)
{
	struct procfs_stat stat = {.state = '\0'};
	char name[48];

	snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
	procfs_stat_at(folder, name, &stat);
	state->letter = stat.state;
	state->is_dying = stat.is_dying;
}

/* Reads a thread's letter and then its call: a thread whose call can be read was asleep by then. */
static struct thread_state read_state(int folder, pid_t tid)
{
	struct thread_state state = {.call = PROCFS_NO_CALL};

	read_stat(folder, tid, &state);
	if (state.letter == '\0')
		return state;
	state.call = procfs_call_at(folder, (uint64_t)tid, state.arguments);
	if (state.call == PROCFS_UNKNOWN_CALL)
		state.call = PROCFS_NO_CALL;
	if (state.letter == 'R' && state.call >= 0)
		read_stat(folder, tid, &state);
	return state;
}

/* Returns how often the thread was given a processor so far; 0: the kernel keeps no account. */
static uint64_t read_turns(pid_t pid, pid_t tid)
{
	struct procfs_account account;

	procfs_account(pid, (uint64_t)tid, &account);
	return account.nr_turns;
}

/*
 * Makes records of the descriptors for which the thread waits by poll or select. Returns false if it does not wait so,
 * or if not all descriptors are known.
 */
static bool observe_polls(
	struct observation *observation, const struct thread_state *state, struct thread_look *look)
{
	struct collect *collect = observation->collect;
	struct polled polled;
	unsigned i;

	if (state->letter != 'S' ||
		!polled_read(observation->folder, state->call, state->arguments, &polled))
		return false;
	for (i = 0; i < polled.count; i++) {
		struct ctp_record record = {
			.time = look->record.time,
			.coro = look->record.coro,
			.object =
				CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, (uint64_t)polled.at[i].number),
			.tail = CTP_TAIL(0, CTP_KIND_THREAD_POLL, 0, polled.at[i].events),
		};

		if (!vec_push(&collect->polls, record))
			return false;
		look->nr_polls++;
	}
	return true;
}

/* If there is a ledger, its events show the contents of interest lists. */
static bool waits_inside(const struct observation *observation, const struct thread_state *state)
{
	return state->letter == 'S' && !observation->process->has_ledger &&
	       system_call_is_epoll((uint32_t)state->call) &&
	       inside_is_poll_own(observation->folder, (int32_t)state->arguments[0]);
}

static bool observe_thread(void *context, int tid)
{
	struct observation *observation = context;
	struct process *process = observation->process;
	uint64_t turns = read_turns(process->pid, tid);
	struct thread_state state = read_state(observation->folder, tid);
	struct thread_look look = {.record = {.coro = (uint64_t)tid}, .turns = turns};
	bool is_last = observation->nr_left == 0;
	bool is_stuck, tells_polls;

	observation->is_dying |= state.is_dying;
	if (state.letter == '\0' || state.is_dying)
		return !state.is_dying;
	is_stuck = waits_for_ever(observation, &state);
	look.record.time = clock_monotonic_ns();
	look.record.object = (uint64_t)owner_of_mutex(observation->folder, &state) << OWNER_SHIFT |
			     (uint64_t)state.call << 8 | (uint8_t)state.letter;
	look.thread = collect_process_thread(
		observation->collect, process, (uint64_t)tid, THREADS_RUNNING);
	tells_polls = observe_polls(observation, &state, &look);
	/* A thread without a number of its own cannot be distinguished from others, and counts as not looked at. */
	look.record.tail = CTP_TAIL(0, CTP_KIND_THREAD_STATE, is_stuck,
		(is_last || look.thread == process->unknown_thread ? 1u : 0) |
			reach_of(observation, &state) | (tells_polls ? FLAG_TELLS_POLLS : 0) |
			(waits_inside(observation, &state) ? FLAG_IS_INSIDE : 0) |
			(waits_for_mutex(&state) ? FLAG_WAITS_FOR_MUTEX : 0));
	observation->nr_left--;
	return vec_push(&observation->collect->looks, look) && !is_last;
}

/*
 * Threads are read one after the other: a thread may have woken another one that had been read as asleep, and may be
 * asleep itself when its turn comes. So each thread is looked at again, and a thread that ran meanwhile is recorded as
 * running.
 */
static void confirm(struct observation *observation, struct thread_look *look)
{
	struct process *process = observation->process;
	pid_t tid = (pid_t)look->record.coro;
	struct thread_state state = {.letter = '\0'};

	read_stat(observation->folder, tid, &state);
	observation->is_dying |= state.is_dying || state.letter == '\0';
	if (state.letter == (char)(look->record.object & 0x7f) &&
		look->turns == read_turns(process->pid, tid))
		return;
	look->record.object = UINT64_MAX << 8 | (uint8_t)'R';
	look->record.tail &= ~CTP_TAIL(0, 0, 1, FLAG_TELLS_POLLS | FLAG_IS_INSIDE);
}

/* A signal that ends the process may wait to be taken by one of its threads. */
static bool has_fatal_signal(int folder)
{
	struct procfs_signals signals;

	return !procfs_signals_at(folder, &signals) ||
	       (signals.pending & ~(signals.ignored | signals.caught | signals.blocked | HARMLESS));
}

/*
 * Records how long the thread ran, and how long it could have run but had no processor: otherwise a worker that other
 * programs kept from running would look like one that is stuck in a coroutine.
 */
static void put_thread_time(
	struct collect *collect, struct process *process, uint64_t tid, uint32_t thread)
{
	struct ctp_record record = {.tail = CTP_TAIL(0, CTP_KIND_THREAD_TIME, 0, 0)};
	struct procfs_account account;

	if (!procfs_account(process->pid, tid, &account))
		return;
	record.time = clock_monotonic_ns();
	record.coro = account.ran_ns;
	record.object = account.waited_ns;
	collect_observe_put(collect, process, thread, &record);
}

/*
 * Writes the states as they were read, then the accounts as they are now, so that a stream's times never go back.
 * Whether a thread ran at all since the previous look distinguishes a thread that polls from one that sleeps.
 */
static void put_looks(struct collect *collect, struct process *process)
{
	const struct thread_look *look;
	size_t nr_told = 0, i;
	unsigned nr_polls;

	for (i = 0; i < collect->looks.count; i++) {
		look = &collect->looks.at[i];
		for (nr_polls = look->nr_polls; nr_polls > 0; nr_polls--)
			collect_observe_put(
				collect, process, look->thread, &collect->polls.at[nr_told++]);
		collect_observe_put(collect, process, look->thread, &look->record);
	}
	for (i = 0; i < collect->looks.count; i++) {
		look = &collect->looks.at[i];
		if (look->thread != process->unknown_thread)
			put_thread_time(collect, process, look->record.coro, look->thread);
	}
}

static bool observe(struct observation *observation)
{
	struct collect *collect = observation->collect;
	size_t i;

	procfs_numbers_at(observation->folder, "task", observe_thread, observation);
	for (i = 0; i < collect->looks.count && !observation->is_dying; i++)
		confirm(observation, &collect->looks.at[i]);
	return !observation->is_dying && !has_fatal_signal(observation->folder);
}

bool collect_observe_process(struct collect *collect, struct process *process)
{
	uint64_t begin_ns = clock_monotonic_ns();
	struct observation observation = {
		.collect = collect, .process = process, .nr_left = THREADS_LOOKED_AT - 1};
	bool is_good = false;

	if (process->has_ended)
		return false;
	observation.folder = procfs_open(process->pid);
	collect->looks.count = collect->polls.count = 0;
	if (observation.folder >= 0) {
		is_good = observe(&observation);
		close(observation.folder);
	}
	process->looked_ns = clock_monotonic_ns();
	process->look_cost_ns = process->looked_ns - begin_ns;
	if (is_good)
		put_looks(collect, process);
	return is_good && collect->looks.count > 0;
}

/* ---------------------------------------------------------------- the times of threads that wrote something */

/*
 * Returns false if there was nothing to read. The page of a ring that was never written, not even by its owner, may not
 * exist.
 */
static bool sample_ring(struct segment *segment, struct segment_ring *ring)
{
	const struct ring_reader *reader = &ring->reader;
	struct process *process = segment->process;
	uint64_t tid;

	if (reader->tail == ring->sampled || reader->thread == 0)
		return false;
	ring->sampled = reader->tail;
	tid = ctp_load_relaxed(&reader->shared->owner);
	tid = thread_ids_here(&process->ids, process->pid, tid);
	if (tid)
		put_thread_time(segment->collect, process, tid,
			collect_process_thread(segment->collect, process, tid, THREADS_RUNNING));
	return true;
}

static void sample_segment(struct segment *segment)
{
	uint32_t count = (uint32_t)segment->rings.count, nr_read = 0, i;

	for (i = 0; i < count && nr_read < THREADS_A_SAMPLE; i++)
		nr_read += sample_ring(
			segment, &segment->rings.at[(segment->next_sampled + i) % count]);
	segment->next_sampled = count ? (segment->next_sampled + i) % count : 0;
}

void collect_thread_time_sample(struct collect *collect)
{
	struct segment *segment;

	for_each_segment (collect, segment)
		if (segment->layout.role == CTP_ROLE_PROBE && !segment->process->has_ended)
			sample_segment(segment);
}
