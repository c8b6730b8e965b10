/* SPDX-License-Identifier: MIT */
/*
 * Facts that /proc tells of a process. Everything here can vanish between two reads, and is then empty.
 * Nothing allocates.
 */
#ifndef KERNEL_PROCFS_H
#define KERNEL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * procfs_read: up to nr_bytes - 1 bytes of /proc/PID/NAME, NUL-terminated. Returns how many; 0 where
 * there is nothing to read.
 */
size_t procfs_read(pid_t pid, const char *name, char *buffer, size_t nr_bytes);

/* Facts that "stat" tells of a process or thread. */
struct procfs_stat {
	char state;    /* a letter */
	bool is_dying; /* on its way out, by its own doing or a signal's */
	pid_t parent;
	int exit_status; /* as waitpid(2) has it, where the state is 'Z' */
};

/* procfs_stat: of a process; false: it is gone. */
bool procfs_stat(pid_t pid, struct procfs_stat *ret_stat);

/* procfs_is_called: is it the process's id, here or in the container that it lives in (the last of its "NSpid:")? */
bool procfs_is_called(pid_t pid, uint64_t id);

/*
 * procfs_inner_id: the id of a process (name "status") or thread ("task/4711/status") in the container that it
 * lives in, the innermost one; its own where it lives in none. 0: not known.
 */
uint64_t procfs_inner_id(pid_t pid, const char *name);

/* procfs_process_of: the process of a thread; 0: it is gone, or counted differently there. */
pid_t procfs_process_of(uint64_t tid);

/*
 * procfs_has_our_root: do its paths mean the same files as ours? False where it lives in a mount namespace of its
 * own, or below another root; true where that is not known. procfs_open_root: that root; -1 where it may not be
 * looked into.
 */
bool procfs_has_our_root(pid_t pid);
int procfs_open_root(pid_t pid);

/* procfs_link: where the link /proc/PID/NAME leads, NUL-terminated; "" where that is not known. */
void procfs_link(pid_t pid, const char *name, char *buffer, size_t nr_bytes);

/* How long a thread ran, how long it could have run and had no processor, and how often it was given one. */
struct procfs_account {
	uint64_t ran_ns;
	uint64_t waited_ns;
	uint64_t nr_turns;
};

/* procfs_account: false, and all zero: there is no such thread, or the kernel keeps no account. */
bool procfs_account(pid_t pid, uint64_t tid, struct procfs_account *ret_account);

/*
 * procfs_children: calls `found` with each process that a thread of this one has started and that its parent has not
 * waited for. Stops where `found` returns false, and returns false then; also where threads cannot be listed.
 */
bool procfs_children(pid_t pid, bool (*found)(void *context, int child), void *context);

struct procfs_path {
	char text[96];
};

/* procfs_descriptor: where a descriptor of the process is opened anew, or asked about. */
struct procfs_path procfs_descriptor(pid_t pid, int number);

/* procfs_command_line: the arguments, separated by blanks; "" for a process that is gone. */
void procfs_command_line(pid_t pid, char *buffer, size_t nr_bytes);

/* procfs_thread_name: what the thread calls itself; "" where that is not known. */
void procfs_thread_name(pid_t pid, uint64_t tid, char *buffer, size_t nr_bytes);

/*
 * procfs_numbers: calls `found` with every number that the folder /proc/PID/NAME holds: "task" its
 * threads, "fd" its descriptors. Stops where `found` returns false, and returns false then; also where
 * the folder cannot be read.
 */
bool procfs_numbers(
	pid_t pid, const char *name, bool (*found)(void *context, int number), void *context);

/* procfs_boot_id: a text of this run of the machine alone; "" where that is not known. */
void procfs_boot_id(char *buffer, size_t nr_bytes);

/*
 * procfs_open: the folder /proc/PID, for the functions below; -1 and errno where there is none. The folder stays that
 * process's: once that has ended nothing can be read there, whichever process gets the id next.
 */
int procfs_open(pid_t pid);

/* procfs_stat_at: of a process or thread by its "stat", such as "task/4711/stat". */
bool procfs_stat_at(int folder, const char *name, struct procfs_stat *ret_stat);

#define PROCFS_NO_CALL (-1)      /* it runs, or waits outside of any call */
#define PROCFS_UNKNOWN_CALL (-2) /* the kernel does not tell us */
#define PROCFS_ARGUMENTS 6

/* procfs_call_at: the number of the system call that a thread is in, or one of the two above. */
int32_t procfs_call_at(int folder, uint64_t tid, uint64_t ret_arguments[PROCFS_ARGUMENTS]);

/* Sets of signals, bit 0 is signal 1. A set that is not told has all of them. */
struct procfs_signals {
	uint64_t pending; /* of the process, for any of its threads */
	uint64_t blocked; /* by the first thread */
	uint64_t ignored;
	uint64_t caught;
};

/* procfs_signals_at: false: the process is gone. */
bool procfs_signals_at(int folder, struct procfs_signals *ret_signals);

/* procfs_memory_at: bytes of the process's memory; false: some of them are not there, or may not be read. */
bool procfs_memory_at(int folder, uint64_t address, void *bytes, size_t nr_bytes);

/* procfs_is_timer_armed_at: will the timer behind this descriptor (timerfd_create) go off? */
bool procfs_is_timer_armed_at(int folder, int descriptor);

/* procfs_read_at, procfs_link_at, procfs_numbers_at: the same as without _at, in a folder of procfs_open. */
size_t procfs_read_at(int folder, const char *name, char *buffer, size_t nr_bytes);
void procfs_link_at(int folder, const char *name, char *buffer, size_t nr_bytes);
bool procfs_numbers_at(
	int folder, const char *name, bool (*found)(void *context, int number), void *context);

#endif
