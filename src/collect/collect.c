/* SPDX-License-Identifier: MIT */
/*
 * The collector's loop, one round at a time, and its beginning and end.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/coarse.h"
#include "collect/collect.h"
#include "collect/collector.h"
#include "collect/executable.h"
#include "event/attaching.h"
#include "kernel/family.h"
#include "kernel/procfs.h"

#define ARRIVALS_AT_THE_END 64 /* looks for arrivals */
#define ARRIVALS_PERIOD_NS UINT64_C(10000000)
#define HOST_BYTES 256
#define DYING_MS 500 /* at most; the kernel may be writing a core */
#define COMMAND_LINE_BYTES 4096

/* ------------------------------------------------------------------ the end of a process */

/* Only the parent learns how a process ended; otherwise the engine finds out what the kernel lets others know. */
static void end_other(struct collect *collect, struct process *process)
{
	struct ct_define_ending ending = {
		.ending = process->has_ended ? CT_ENDING_UNKNOWN : CT_ENDING_DETACHED,
		.monotonic_ns = process->has_ended ? process->ended_ns : clock_monotonic_ns(),
	};

	if (process->has_ended)
		family_ending(process->pid, process->pidfd, &ending.ending, &ending.value);
	ending.was_forwarded =
		collect_target_was_forwarded(&collect->target, ending.ending, ending.value);
	collect_look_last(collect, process);
	collect_process_end(collect, process, &ending);
}

static void end_target(struct collect *collect, struct process *process)
{
	const struct target *target = &collect->target;
	struct ct_define_ending ending = {
		.ending = target->has_ended ? target->ending : CT_ENDING_DETACHED,
		.value = target->ending_value,
		.was_forwarded =
			collect_target_was_forwarded(target, target->ending, target->ending_value),
		.monotonic_ns = target->has_ended ? target->ended_ns : clock_monotonic_ns(),
	};

	if (target->is_found && target->has_ended)
		family_ending(process->pid, process->pidfd, &ending.ending, &ending.value);
	collect_look_last(collect, process);
	collect_process_end(collect, process, &ending);
}

/*
 * Notes which processes have ended, before looking at arrivals: everything that a process handed over before its end is
 * then certainly in the queue.
 */
static void note_the_dead(struct collect *collect)
{
	struct process *process;

	collect_target_reap(&collect->target);
	collect->has_unwatched = false;
	for_each_process (collect, process) {
		if (process->has_ended)
			continue;
		process->has_ended = process->is_target && !collect->target.is_found
					     ? collect->target.has_ended
					     : collect_process_is_gone(process);
		process->ended_ns = process->has_ended ? clock_monotonic_ns() : 0;
		if (process->is_target && process->has_ended && collect->target.is_found)
			collect_target_note_gone(&collect->target, process->ended_ns);
		collect->has_unwatched |= process->pidfd < 0;
	}
}

/* A process is closed only when no peer in the queue can still hand over a segment of the process. */
static void end_the_dead(struct collect *collect)
{
	struct process *process;

	for_each_process (collect, process)
		if (process->has_ended && !process->is_target)
			end_other(collect, process);
}

/*
 * Accepts peers that have handed something over and are not accepted yet. Bounded, because they may be faster than we
 * are.
 */
static void take_in_the_rest(struct collect *collect)
{
	int i;

	for (i = 0; i < ARRIVALS_AT_THE_END && collect_look_arrivals(collect); i++)
		;
	collect->now_ns = clock_monotonic_ns();
	collect_look_rings(collect);
	version1_service_scan(&collect->service, true);
	note_the_dead(collect);
}

/*
 * Waits for the end of a process that the signal that ended the target is ending, too: how it ends is known in a
 * moment.
 */
static void wait_for_end(struct process *process)
{
	struct pollfd end = {.fd = process->pidfd, .events = POLLIN};

	if (process->pidfd < 0 || poll(&end, 1, DYING_MS) != 1)
		return;
	process->has_ended = true;
	process->ended_ns = clock_monotonic_ns();
}

/* Looks at a process that runs on: this is the last moment at which it can be asked. */
static void look_at_survivor(struct collect *collect, struct process *process)
{
	if (process->wants_mappings)
		collect_process_map(collect, process);
	if (!collect_observe_process(collect, process))
		wait_for_end(process);
}

/* Ends the recording of every process: living ones are detached. */
static void wind_up(struct collect *collect)
{
	struct process *process;

	if (collect->was_wound_up)
		return;
	collect->was_wound_up = true;
	take_in_the_rest(collect);
	for_each_process (collect, process) {
		if (!process->has_ended)
			look_at_survivor(collect, process);
		if (process->is_target)
			end_target(collect, process);
		else
			end_other(collect, process);
	}
	collect->ended_ns = clock_monotonic_ns();
	collect_define_clock(collect);
}

/* ------------------------------------------------------------------ the loop */

/*
 * Arrivals are looked for again after a while, because a connection that does not wake the engine would be missed
 * otherwise.
 */
static bool are_arrivals_due(const struct collect *collect)
{
	return collect->has_news || collect->has_arrivals || collect->has_unwatched ||
	       collect->listener.nr_peers > 0 ||
	       collect->now_ns - collect->arrivals_ns >= ARRIVALS_PERIOD_NS;
}

enum ct_status collect_step(struct collect *collect, int wait_ms, struct ct_error *reterr)
{
	enum ct_status status;
	uint64_t nr_records;

	if (collect->was_wound_up)
		return CT_END;
	status = collect_wait_for_news(collect, wait_ms, reterr);
	if (status)
		return status;
	collect->now_ns = clock_monotonic_ns();
	if (collect->has_news || collect->has_unwatched)
		note_the_dead(collect);
	if (collect->has_wakes)
		version1_service_listen(&collect->service);
	if (are_arrivals_due(collect))
		collect->has_arrivals = collect_look_arrivals(collect);
	nr_records = collect_look_rings(collect);
	collect_wait_adapt(collect, nr_records, version1_service_harvest(&collect->service));
	collect_look_clocks(collect);
	end_the_dead(collect);
	if (!collect->target.has_ended && !collect->is_stopping)
		return CT_OK;
	wind_up(collect);
	return CT_END;
}

void collect_read_clock(struct collect *collect)
{
	collect_define_clock(collect);
}

enum ct_status collect_snapshot(struct collect *collect, struct ct_error *reterr)
{
	struct process *process;

	(void)reterr;
	collect->now_ns = clock_monotonic_ns();
	collect_look_rings(collect);
	version1_service_scan(&collect->service, false);
	for_each_process (collect, process)
		collect_observe_process(collect, process);
	return CT_OK;
}

enum ct_status collect_signal(
	struct collect *collect, int signal_number, bool is_note_only, struct ct_error *reterr)
{
	if (collect->was_wound_up)
		return CT_OK;
	/* A signal that the kernel has delivered is ending the program already. */
	if (!is_note_only)
		collect_snapshot(collect, reterr);
	if (collect->target.is_found) {
		collect_stop(collect);
		return CT_OK;
	}
	return collect_target_signal(&collect->target, signal_number, is_note_only, reterr);
}

void collect_stop(struct collect *collect)
{
	collect->is_stopping = true;
}

void collect_release(struct collect *collect)
{
	struct segment *segment;

	collect->is_released = true;
	for_each_segment (collect, segment)
		collect_segment_order(segment);
}

void collect_leave_out(struct collect *collect, uint32_t categories_off)
{
	struct segment *segment;

	collect->categories_off = categories_off & ~(UINT32_C(1) << CTP_CATEGORY_SCHEDULING);
	for_each_segment (collect, segment)
		collect_segment_order(segment);
}

/* ------------------------------------------------------------------ opening */

void collect_define_run(struct collect *collect, const char *host)
{
	struct ct_definition definition = {.type = CT_DEFINE_RUN};
	char command_line[COMMAND_LINE_BYTES];

	procfs_command_line(getpid(), command_line, sizeof(command_line));
	memcpy(definition.run.run_id, collect->run_id, sizeof(collect->run_id));
	definition.run.host = host;
	definition.run.command_line = command_line;
	definition.run.is_from_memory = collect->is_from_memory;
	collect_output_define(&collect->output, &definition);
}

static void set_ledger_absence(struct collect *collect, const char *command, const char *why)
{
	collect->has_ledger_absence = true;
	snprintf(collect->ledger_absence, sizeof(collect->ledger_absence), "%s%s%s", command,
		command[0] ? " " : "", why);
}

/* Returns the library to preload, or NULL with the reason noted. */
static const char *choose_ledger(struct collect *collect, const struct ct_record_options *options,
	const struct executable *executable)
{
	const char *path = options->ledger_path;

	if (options->no_ledger)
		set_ledger_absence(collect, "", "the descriptor ledger was not wanted");
	else if (!path)
		set_ledger_absence(collect, "", "the descriptor ledger's library was not found");
	else if (executable->obstacle[0])
		set_ledger_absence(collect, options->command[0], executable->obstacle);
	else if (access(path, R_OK))
		set_ledger_absence(collect, path, "cannot be read");
	else if (strpbrk(path, ":;"))
		set_ledger_absence(collect, path,
			"cannot be preloaded: its name holds a colon or a semicolon");
	else
		return path;
	return NULL;
}

static enum ct_status start_target(struct collect *collect, const struct ct_record_options *options,
	struct executable *executable, struct ct_error *reterr)
{
	struct target_options how = {.command = options->command,
		.socket_name = collect->listener.name,
		.is_coarse = collect->coarse_step_ns > 0,
		.version1 = collect->service.channel.base ? &collect->service.channel : NULL};
	enum ct_status status;

	if (options->pid > 0) {
		clock_read(&collect->first_reading);
		collect->now_ns = collect->first_reading.monotonic_ns;
		status = collect_seek_process(collect, (pid_t)options->pid, reterr);
		if (status == CT_OK)
			collect_seek_past(collect);
		return status;
	}
	if (!options->command || !options->command[0])
		return ct_fail(reterr, CT_ERR_USAGE, "no command was given to run");
	status = collect_executable_find(options->command[0], executable, reterr);
	if (status)
		return status;
	collect->is_go = collect_executable_is_go(executable);
	how.preload = choose_ledger(collect, options, executable);
	clock_read(&collect->first_reading);
	collect->now_ns = collect->first_reading.monotonic_ns;
	return collect_target_start(&how, &collect->target, reterr);
}

/* Joins the arguments, separated by blanks, cut at the end of the buffer. */
static void join_arguments(char *const *command, char *buffer, size_t nr_bytes)
{
	size_t length = 0;

	buffer[0] = '\0';
	for (; *command && length < nr_bytes; command++) {
		int more = snprintf(
			buffer + length, nr_bytes - length, "%s%s", length ? " " : "", *command);

		if (more < 0)
			return;
		length += (size_t)more;
	}
}

/*
 * If the target kept its past, the recording begins with the past: a process that stood still an hour ago has nothing
 * else to show. The heartbeat for the present comes with the first look, when the past is in.
 */
static void define_observation(struct collect *collect)
{
	const struct past_begin *past = &collect->past;

	if (past->reading.monotonic_ns == 0) {
		collect_define_reading(collect, &collect->first_reading);
		collect_define_heartbeat(collect);
		return;
	}
	collect_define_reading_of(collect, past->clock, &past->reading);
	collect_define_reading(collect, &collect->first_reading);
	collect->now_ns = past->reading.monotonic_ns;
	collect_define_heartbeat(collect);
	collect->now_ns = collect->first_reading.monotonic_ns;
}

/* The first look was before the target began, so nothing can have been missed. */
static void define_beginning(struct collect *collect, const struct ct_record_options *options,
	const struct executable *executable)
{
	char command_line[COMMAND_LINE_BYTES];
	char host[HOST_BYTES] = "";
	const struct process_facts facts = {
		.program = executable->path, .command_line = command_line};
	struct process *process;

	gethostname(host, sizeof(host) - 1);
	command_line[0] = '\0';
	if (options->command)
		join_arguments(options->command, command_line, sizeof(command_line));
	collect_define_run(collect, host);
	define_observation(collect);
	process = collect_process_add(collect, collect->target.pid, &facts);
	if (process)
		collect_process_map(
			collect, process); /* the executable is in place; libraries follow */
	collect->has_unwatched = true;     /* until the process was looked at once */
	collect->clock_ns = collect->flush_ns = collect->settle_ns = collect->now_ns;
	collect->sampled_ns = collect->now_ns;
}

static enum ct_status open_resources(
	struct collect *collect, const struct ct_record_options *options, struct ct_error *reterr)
{
	/* Edge-triggered: a peer that is kept waiting does not keep the loop awake. */
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};
	enum ct_status status;

	if (getrandom(collect->run_id, sizeof(collect->run_id), 0) !=
		(ssize_t)sizeof(collect->run_id))
		return ct_fail_errno(reterr, "asking for a random number");
	collect->waiting = epoll_create1(EPOLL_CLOEXEC);
	if (collect->waiting < 0)
		return ct_fail_errno(reterr, "making an epoll descriptor");
	collect_sleep_init(&collect->sleep, collect->waiting);
	status = collect_listener_open(&collect->listener, reterr);
	if (status)
		return status;
	if (epoll_ctl(collect->waiting, EPOLL_CTL_ADD, collect->listener.descriptor, &event))
		return ct_fail_errno(reterr, "watching the socket");
	event.events = EPOLLIN;
	if (options->wake_descriptor > 0 &&
		epoll_ctl(collect->waiting, EPOLL_CTL_ADD, options->wake_descriptor, &event))
		return ct_fail_errno(reterr, "watching the descriptor that ends a wait");
	status = collect_coarse_open(
		collect->coarse_step_ns ? collect->coarse_step_ns : COARSE_STEP_NS,
		COLLECT_SEGMENTS, &collect->coarse, reterr);
	return status ? status : collect_serve(collect, options, reterr);
}

#define LOOKS_AT_FIRST 256u

/* Everything is marked as not open, so that collect_close can be called at once. */
struct collect *collect_new(struct ct_sink *sink)
{
	struct collect *collect = calloc(1, sizeof(*collect));
	int i;

	if (!collect)
		return NULL;
	collect->scratch = calloc(CTP_CHUNK_RECORDS, sizeof(*collect->scratch));
	/* Looks happen in the loop, which must not allocate, except for processes with many threads. */
	if (!collect->scratch || !vec_reserve(&collect->looks, LOOKS_AT_FIRST)) {
		free(collect->scratch);
		free(collect);
		return NULL;
	}
	collect_output_init(&collect->output, sink);
	collect->waiting = -1;
	collect->listener.descriptor = -1;
	version1_service_init(&collect->service);
	for (i = 0; i < LISTENER_PEERS; i++)
		collect->listener.peers[i].descriptor = -1;
	return collect;
}

static void note_orders(struct collect *collect, const struct ct_record_options *options)
{
	static const struct ct_orders standard;
	const struct ct_orders *orders = options->orders ? options->orders : &standard;

	collect->categories_off = options->wanted ? options->wanted->categories_off : 0;
	collect->coarse_step_ns = (uint64_t)orders->coarse_step_ns;
	collect->overwrites = orders->overwrites;
	collect->samples.hz =
		options->sample_hz < CT_SAMPLE_HZ_MOST ? options->sample_hz : CT_SAMPLE_HZ_MOST;
	collect->listener.admission.admits_all = options->admits_all;
	collect->chunks_per_ring = (uint32_t)(orders->ring_bytes / CTP_CHUNK_BYTES);
}

enum ct_status collect_open(const struct ct_record_options *options, struct ct_sink *sink,
	struct collect **ret_collect, struct ct_error *reterr)
{
	struct collect *collect = collect_new(sink);
	struct executable *executable = calloc(1, sizeof(*executable));
	enum ct_status status;

	if (collect)
		note_orders(collect, options);
	if (collect && executable)
		status = open_resources(collect, options, reterr);
	else
		status = ct_fail_memory(reterr);
	if (status == CT_OK)
		status = start_target(collect, options, executable, reterr);
	if (status == CT_OK) {
		collect->listener.admission.target = collect->target.pid;
		define_beginning(collect, options, executable);
	}
	if (status == CT_OK && options->pid > 0)
		status = collect_seek_segments(collect, reterr);
	if (status == CT_OK) {
		*ret_collect = collect;
	} else {
		collect_close(collect);
	}
	free(executable);
	return status;
}

/* ------------------------------------------------------------------ results */

static const struct ct_attaching *attaching_of(const struct collect *collect)
{
	if (collect->is_go)
		return &attaching_go;
	return collect->attaching ? collect->attaching : ct_attaching("");
}

void collect_stats(const struct collect *collect, struct ct_record_stats *ret_stats)
{
	const struct target *target = &collect->target;

	*ret_stats = (struct ct_record_stats){
		.nr_events = collect->output.nr_events,
		.nr_lost = collect->output.nr_lost,
		.nr_segments = collect->nr_attached,
		.nr_refused = collect->nr_refused,
		.nr_sites_refused = collect->nr_sites_refused,
		.nr_unmapped = collect->nr_unmapped,
		.nr_forgotten = collect->nr_sites_forgotten + collect->mappings.nr_forgotten,
		.has_probe = collect->has_probe,
		.has_ledger = collect->has_ledger,
		.is_go = collect->is_go,
		.is_from_memory = collect->is_from_memory,
		.attaching = attaching_of(collect),
		.has_ended = target->has_ended,
		.ending = target->ending,
		.ending_value = target->ending_value,
		.target_pid = target->pid,
	};
	if (collect->has_ledger_absence)
		ret_stats->ledger_absence = collect->ledger_absence;
	if (collect->nr_refused > 0)
		ret_stats->refusal = collect->refusal.text;
	if (collect->output.is_broken)
		ret_stats->output_trouble = collect->output.trouble.text;
}

bool collect_was_forwarded(const struct collect *collect)
{
	const struct target *target = &collect->target;

	return target->has_ended &&
	       collect_target_was_forwarded(target, target->ending, target->ending_value);
}

const struct collect_site *collect_sites(const struct collect *collect, size_t *ret_count)
{
	*ret_count = collect->sites.count;
	return collect->sites.at;
}

/* ------------------------------------------------------------------ closing */

enum ct_status collect_finish(struct collect *collect, struct ct_error *reterr)
{
	struct ct_definition definition = {.type = CT_DEFINE_HEARTBEAT};

	if (collect->was_finished)
		return ct_fail(reterr, CT_ERR_USAGE, "the recording was finished before");
	collect->was_finished = true;
	wind_up(collect);
	definition.heartbeat.monotonic_ns = collect->ended_ns;
	collect_output_define(&collect->output, &definition);
	collect_define_notes(collect);
	definition = (struct ct_definition){.type = CT_DEFINE_END};
	definition.end = (struct ct_define_end){
		.monotonic_ns = collect->ended_ns,
		.nr_events = collect->output.nr_events,
		.nr_lost = collect->output.nr_lost,
	};
	collect_output_define(&collect->output, &definition);
	return CT_OK;
}

static void release_peers(struct collect *collect)
{
	struct segment *segment;
	struct process *process;

	for_each_segment (collect, segment)
		collect_segment_close(segment);
	for_each_process (collect, process) {
		if (process->pidfd >= 0)
			close(process->pidfd);
		collect_threads_fini(&process->threads);
		thread_ids_fini(&process->ids);
	}
}

void collect_close(struct collect *collect)
{
	if (!collect)
		return;
	collect_sleep_fini(&collect->sleep);
	collect_samples_fini(collect);
	release_peers(collect);
	collect_coarse_close(collect->coarse);
	collect_listener_close(&collect->listener);
	version1_service_close(&collect->service);
	if (collect->waiting >= 0)
		close(collect->waiting);
	vec_fini(&collect->looks);
	vec_fini(&collect->polls);
	vec_fini(&collect->sites);
	collect_mappings_fini(&collect->mappings);
	collect_waited_free(collect->waited);
	free(collect->scratch);
	free(collect);
}
