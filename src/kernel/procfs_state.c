/* SPDX-License-Identifier: MIT */
/*
 * The present state of processes and threads: the texts of "stat", "status", "syscall", "schedstat" and "children".
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system_calls.h"
#include "kernel/procfs.h"

#define NAME_BYTES 64
#define STATUS_BYTES 4096
#define CHILDREN_BYTES 65536

/* Flags in "stat". */
#define EXITING (0x4u | 0x200u | 0x400u) /* PF_EXITING, PF_DUMPCORE, PF_SIGNALED */

/* Positions of words in "stat"; the state has position 1. */
#define WORD_PARENT 2
#define WORD_FLAGS 7
#define WORD_MINOR_FAULTS 8
#define WORD_MAJOR_FAULTS 10
#define WORD_PENDING 29
#define WORD_RESIDENT 22
#define WORD_EXIT_STATUS 50

/* The build makes this table from the compiler's headers. */
static const struct system_call_there calls_here[] = {
#define X(number, name) {number, name},
#include <system_calls_here.def>
#undef X
};

#define NR_CALLS_HERE (sizeof(calls_here) / sizeof(calls_here[0]))

/* ---------------------------------------------------------------- stat */

/* 0: there are fewer words. */
static uint64_t number_at(const char *words, unsigned which)
{
	while (words && --which > 0) {
		words = strchr(words, ' ');
		words += words != NULL;
	}
	return words ? strtoull(words, NULL, 10) : 0;
}

/* "pid (name) state parent ...". */
static bool read_stat(const char *text, struct procfs_stat *ret_stat)
{
	const char *words = strrchr(text, ')'); /* the name may contain anything, brackets too */

	if (!words || words[1] != ' ' || words[2] == '\0')
		return false;
	words += 2;
	*ret_stat = (struct procfs_stat){
		.state = words[0],
		.is_dying = (number_at(words, WORD_FLAGS) & EXITING) ||
			    (number_at(words, WORD_PENDING) >> (SIGKILL - 1) & 1),
		.parent = (pid_t)number_at(words, WORD_PARENT),
		.nr_resident = number_at(words, WORD_RESIDENT) * (uint64_t)sysconf(_SC_PAGESIZE),
		.exit_status = (int)number_at(words, WORD_EXIT_STATUS),
	};
	return true;
}

bool procfs_stat_at(int folder, const char *name, struct procfs_stat *ret_stat)
{
	char text[1024];

	return procfs_read_at(folder, name, text, sizeof(text)) > 0 && read_stat(text, ret_stat);
}

bool procfs_stat(pid_t pid, struct procfs_stat *ret_stat)
{
	char text[1024];

	return procfs_read(pid, "stat", text, sizeof(text)) > 0 && read_stat(text, ret_stat);
}

/* ---------------------------------------------------------------- threads */

bool procfs_faults(pid_t pid, uint64_t tid, struct procfs_faults *ret_faults)
{
	char name[NAME_BYTES], text[1024];
	const char *words;

	snprintf(name, sizeof(name), "task/%" PRIu64 "/stat", tid);
	words = procfs_read(pid, name, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	if (!words || words[1] != ' ')
		return false;
	ret_faults->nr_minor = number_at(words + 2, WORD_MINOR_FAULTS);
	ret_faults->nr_major = number_at(words + 2, WORD_MAJOR_FAULTS);
	return true;
}

/* "number argument... stack instruction", "-1 stack instruction", or "running". */
static bool read_call(int folder, uint64_t tid, char *text, size_t nr_bytes)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "task/%" PRIu64 "/syscall", tid);
	return procfs_read_at(folder, name, text, nr_bytes) > 0;
}

int32_t procfs_call_at(int folder, uint64_t tid, uint64_t ret_arguments[PROCFS_ARGUMENTS])
{
	char text[256];
	char *at = text, *end;
	unsigned i;
	long number;
	int32_t call;

	if (!read_call(folder, tid, text, sizeof(text)))
		return PROCFS_UNKNOWN_CALL;
	number = strtol(at, &end, 10);
	if (end == at || number < 0 || number > INT32_MAX)
		return PROCFS_NO_CALL;
	for (i = 0; i < PROCFS_ARGUMENTS; i++) {
		at = end;
		ret_arguments[i] = strtoull(at, &end, 16);
	}
	call = system_call_of((int32_t)number, calls_here, NR_CALLS_HERE);
	return call < 0 ? PROCFS_UNKNOWN_CALL : call;
}

uint64_t procfs_stack_pointer_at(int folder, uint64_t tid, uint64_t *ret_instruction)
{
	char text[256];
	char *last;
	uint64_t pointer;

	*ret_instruction = 0;
	if (!read_call(folder, tid, text, sizeof(text)))
		return 0;
	last = strrchr(text, ' ');
	while (last && last > text && last[-1] != ' ')
		last--;
	if (!last)
		return 0;
	pointer = strtoull(last, &last, 16);
	*ret_instruction = strtoull(last, NULL, 16);
	return pointer;
}

bool procfs_account(pid_t pid, uint64_t tid, struct procfs_account *ret_account)
{
	char name[NAME_BYTES];
	char text[96];

	*ret_account = (struct procfs_account){0};
	snprintf(name, sizeof(name), "task/%" PRIu64 "/schedstat", tid);
	return procfs_read(pid, name, text, sizeof(text)) > 0 &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &ret_account->ran_ns,
		       &ret_account->waited_ns, &ret_account->nr_turns) == 3;
}

/* ---------------------------------------------------------------- processes */

static uint64_t set_in(const char *status, const char *name)
{
	const char *found = strstr(status, name);

	return found ? strtoull(found + strlen(name), NULL, 16) : UINT64_MAX;
}

bool procfs_signals_at(int folder, struct procfs_signals *ret_signals)
{
	char status[STATUS_BYTES];

	if (procfs_read_at(folder, "status", status, sizeof(status)) == 0)
		return false;
	*ret_signals = (struct procfs_signals){
		.pending = set_in(status, "\nShdPnd:"),
		.blocked = set_in(status, "\nSigBlk:"),
		.ignored = set_in(status, "\nSigIgn:"),
		.caught = set_in(status, "\nSigCgt:"),
	};
	return true;
}

/* "it_value: (seconds, nanoseconds)" until it expires; zeros: the timer is not armed. */
bool procfs_is_timer_armed_at(int folder, int descriptor)
{
	char name[NAME_BYTES];
	char text[512];

	snprintf(name, sizeof(name), "fdinfo/%d", descriptor);
	return procfs_read_at(folder, name, text, sizeof(text)) > 0 &&
	       strstr(text, "it_value: (0, 0)") == NULL;
}

struct children {
	pid_t parent;
	bool (*found)(void *context, int child);
	void *context;
};

static bool find_children(void *context, int tid)
{
	const struct children *children = context;
	char text[CHILDREN_BYTES];
	char name[NAME_BYTES];
	char *at = text, *end;
	bool goes_on = true;

	snprintf(name, sizeof(name), "task/%d/children", tid);
	procfs_read(children->parent, name, text, CHILDREN_BYTES);
	while (goes_on) {
		long child = strtol(at, &end, 10);

		if (end == at || child <= 0)
			break;
		goes_on = children->found(children->context, (int)child);
		at = end;
	}
	return goes_on;
}

bool procfs_children(pid_t pid, bool (*found)(void *context, int child), void *context)
{
	struct children children = {pid, found, context};

	return procfs_numbers(pid, "task", find_children, &children);
}
