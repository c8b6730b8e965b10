/* SPDX-License-Identifier: MIT */
/*
 * The processes that are traced at present.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/collector.h"
#include "base/crc32c.h"
#include "kernel/procfs.h"

#define COMMAND_LINE_BYTES 4096
#define YOUNG_NS UINT64_C(200000000)

struct process *collect_process_find(struct collect *collect, pid_t pid)
{
	struct process *latest = NULL, *process;

	for_each_process (collect, process)
		if (process->pid == pid && (!latest || process->number > latest->number))
			latest = process;
	return latest;
}

bool collect_process_is_gone(const struct process *process)
{
	struct pollfd question = {.fd = process->pidfd, .events = POLLIN};

	if (process->pidfd < 0)
		return kill(process->pid, 0) != 0 && errno == ESRCH;
	return poll(&question, 1, 0) > 0;
}

bool collect_process_was_replaced(const struct process *process, uint64_t attached_ns)
{
	struct procfs_stat stat;

	if (!collect_process_is_gone(process))
		return false;
	if (process->has_ended && attached_ns > process->ended_ns)
		return true;
	return procfs_stat(process->pid, &stat) && stat.state != 'Z' && stat.state != 'X';
}

static struct process *find_free(struct collect *collect)
{
	size_t i;

	for (i = 0; i < COLLECT_PROCESSES; i++)
		if (collect->processes[i].number == 0)
			return &collect->processes[i];
	return NULL;
}

/* Returns the traced process that started this one; 0: none, or it is gone. */
static uint32_t find_parent(struct collect *collect, pid_t pid, pid_t parent_told)
{
	struct process *parent;
	struct procfs_stat stat;

	/* The kernel states no parent for a process that is reaped while its file is open. */
	if (procfs_stat(pid, &stat) && stat.parent)
		parent_told = stat.parent;
	parent = collect_process_find(collect, parent_told);
	return parent ? parent->number : 0;
}

/* Notes the program that is meant: the one that the target has become, or else the first that the target started. */
static void note_attaching(
	struct collect *collect, const struct process *process, const char *program)
{
	const struct ct_attaching *attaching = ct_attaching(program);

	if (!collect->attaching || collect->attaching->is_launcher ||
		(process->is_target && !attaching->is_launcher))
		collect->attaching = attaching;
}

void collect_process_define(
	struct collect *collect, struct process *process, const struct process_facts *facts)
{
	struct ct_definition definition = {.type = CT_DEFINE_PROCESS};
	char arguments[COMMAND_LINE_BYTES];
	char path[PATH_MAX];
	const struct ct_define_process *told = &definition.process;
	uint32_t described;

	/* For a process that is gone, /proc has nothing, or describes another process that has the id by now. */
	path[0] = arguments[0] = '\0';
	if (!collect_process_is_gone(process)) {
		procfs_link(process->pid, "exe", path, sizeof(path));
		procfs_command_line(process->pid, arguments, sizeof(arguments));
	}
	definition.process = (struct ct_define_process){
		.process = process->number,
		.pid = (uint64_t)process->pid,
		.parent = process->parent,
		.program = path[0] ? path : facts->program,
		.command_line = arguments[0] ? arguments : facts->command_line,
	};
	described = crc32c(crc32c(0, told->program, strlen(told->program)), told->command_line,
		strlen(told->command_line));
	/* If the process is gone, or half gone, the earlier definition stands. */
	if (process->is_defined &&
		(described == process->described || !told->program[0] || !told->command_line[0]))
		return;
	note_attaching(collect, process, told->program);
	process->described = described;
	process->is_defined = true;
	collect_output_define(&collect->output, &definition);
}

/* The end of the process wakes the loop. Without a pidfd the end is noticed by asking. */
static void watch(struct collect *collect, struct process *process)
{
	struct epoll_event event = {.events = EPOLLIN};

	process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
	if (process->pidfd >= 0)
		epoll_ctl(collect->waiting, EPOLL_CTL_ADD, process->pidfd, &event);
}

struct process *collect_process_add(
	struct collect *collect, pid_t pid, const struct process_facts *facts)
{
	struct process *process = find_free(collect);

	if (!process)
		return NULL;
	memset(process, 0, sizeof(*process));
	process->number = ++collect->nr_processes;
	process->pid = pid;
	process->parent = find_parent(collect, pid, facts->parent);
	process->is_target = pid == collect->target.pid && !collect->target.has_ended;
	process->moved_ns = process->looked_ns = clock_monotonic_ns();
	thread_ids_init(&process->ids, pid);
	watch(collect, process);
	collect_process_define(collect, process, facts);
	return process;
}

bool collect_process_map(struct collect *collect, struct process *process)
{
	process->mapped_ns = collect->now_ns;
	if (!collect_mappings_read(
		    &collect->mappings, process->number, process->pid, &collect->output))
		return false;
	process->was_mapped = true;
	process->wants_mappings = false;
	return true;
}

static void define_thread(struct collect *collect, const struct process *process, uint32_t number,
	uint64_t tid, const char *name)
{
	struct ct_definition definition = {.type = CT_DEFINE_THREAD};

	definition.thread = (struct ct_define_thread){
		.thread = number, .process = process->number, .tid = tid, .name = name};
	collect_output_define(&collect->output, &definition);
}

/* A thread's first event often comes before the thread names itself. */
static void remember_young(struct collect *collect, struct process *process, uint32_t number,
	uint64_t tid, const char *name)
{
	struct young_thread *young;

	if (collect->nr_young == COLLECT_YOUNG)
		return;
	young = &collect->young[collect->nr_young++];
	*young = (struct young_thread){process, number, tid, collect->now_ns, ""};
	snprintf(young->name, sizeof(young->name), "%s", name);
}

static void name_thread(struct collect *collect, const struct young_thread *young)
{
	char name[COLLECT_THREAD_NAME];

	procfs_thread_name(young->process->pid, young->tid, name, sizeof(name));
	if (name[0] && strcmp(name, young->name) != 0)
		define_thread(collect, young->process, young->number, young->tid, name);
}

void collect_process_name_threads(struct collect *collect)
{
	unsigned kept = 0;
	unsigned i;

	for (i = 0; i < collect->nr_young; i++) {
		struct young_thread *young = &collect->young[i];

		if (collect->now_ns - young->since_ns < YOUNG_NS)
			collect->young[kept++] = *young;
		else if (!young->process->has_ended)
			name_thread(collect, young);
	}
	collect->nr_young = kept;
}

uint64_t collect_process_naming_due_ns(const struct collect *collect)
{
	/* The first entry is the oldest. */
	return collect->nr_young > 0 ? collect->young[0].since_ns + YOUNG_NS : UINT64_MAX;
}

/* Forgets threads that have just appeared in a process whose slot is given to another process. */
static void forget_young(struct collect *collect, const struct process *process)
{
	unsigned kept = 0;
	unsigned i;

	for (i = 0; i < collect->nr_young; i++)
		if (collect->young[i].process != process)
			collect->young[kept++] = collect->young[i];
	collect->nr_young = kept;
}

/* Returns the thread that stands for threads that cannot be named. */
static uint32_t unknown_thread(struct collect *collect, struct process *process)
{
	if (process->unknown_thread == 0) {
		process->unknown_thread = ++collect->nr_threads;
		define_thread(collect, process, process->unknown_thread, 0, "");
	}
	return process->unknown_thread;
}

static void take_up_thread(
	struct collect *collect, struct process *process, uint32_t number, uint64_t tid)
{
	char name[COLLECT_THREAD_NAME];

	collect->nr_threads++;
	procfs_thread_name(process->pid, tid, name, sizeof(name));
	define_thread(collect, process, number, tid, name);
	remember_young(collect, process, number, tid, name);
}

uint32_t collect_process_thread(
	struct collect *collect, struct process *process, uint64_t tid, uint64_t time)
{
	uint32_t number;
	bool is_new;

	if (tid == 0)
		return unknown_thread(collect, process);
	number = collect_threads_find(
		&process->threads, tid, time, collect->nr_threads + 1, &is_new);
	if (number == 0)
		return unknown_thread(collect, process);
	if (is_new)
		take_up_thread(collect, process, number, tid);
	return number;
}

uint32_t collect_process_thread_told(
	struct collect *collect, struct process *process, uint64_t told, uint64_t time)
{
	return collect_process_thread(
		collect, process, thread_ids_here(&process->ids, process->pid, told), time);
}

void collect_process_thread_stopped(
	struct process *process, uint32_t number, uint64_t told, uint64_t time)
{
	collect_threads_stopped(&process->threads, number,
		thread_ids_here(&process->ids, process->pid, told), time);
}

void collect_process_end(
	struct collect *collect, struct process *process, const struct ct_define_ending *ending)
{
	struct ct_definition definition = {.type = CT_DEFINE_ENDING, .ending = *ending};

	definition.ending.process = process->number;
	collect_output_define(&collect->output, &definition);
	if (!process->was_mapped && process->wants_mappings)
		collect->nr_unmapped++;
	if (process->pidfd >= 0)
		close(process->pidfd);
	collect_threads_fini(&process->threads);
	thread_ids_fini(&process->ids);
	forget_young(collect, process);
	memset(process, 0, sizeof(*process));
}

/* ---------------------------------------------------------------- the engine's own records */

uint32_t collect_process_segment(struct collect *collect, const struct process *process)
{
	struct ct_definition definition = {.type = CT_DEFINE_SEGMENT};

	definition.segment = (struct ct_define_segment){
		.segment = ++collect->nr_segments,
		.process = process->number,
		.role = CTP_ROLE_ENGINE,
		.clock = CTP_CLOCK_MONOTONIC,
		.attached = clock_monotonic_ns(),
	};
	memcpy(definition.segment.identity, collect->run_id, sizeof(collect->run_id));
	collect_output_define(&collect->output, &definition);
	return definition.segment.segment;
}

uint32_t collect_process_stream(struct collect *collect, uint32_t segment)
{
	struct ct_definition definition = {.type = CT_DEFINE_STREAM};

	definition.stream =
		(struct ct_define_stream){.stream = ++collect->nr_streams, .segment = segment};
	collect_output_define(&collect->output, &definition);
	return definition.stream.stream;
}
