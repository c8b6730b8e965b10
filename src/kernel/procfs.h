/* SPDX-License-Identifier: MIT */
/*
 * Facts about a process from /proc. All of them can vanish between two reads; a vanished fact reads as empty. No
 * function allocates.
 */
#ifndef KERNEL_PROCFS_H
#define KERNEL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * procfs_read: reads up to nr_bytes - 1 bytes of /proc/PID/NAME and adds a NUL. Returns the number of bytes; 0: nothing
 * could be read.
 */
size_t procfs_read(pid_t pid, const char *name, char *buffer, size_t nr_bytes);

/* Facts from the file "stat" of a process or thread. */
struct procfs_stat {
	char state;    /* a letter */
	bool is_dying; /* it is exiting, by itself or because of a signal */
	pid_t parent;
	uint64_t nr_resident; /* bytes that it has in memory */
	int exit_status;      /* as for waitpid(2), if the state is 'Z' */
};

/* procfs_stat: reads the facts of a process; false: the process is gone. */
bool procfs_stat(pid_t pid, struct procfs_stat *ret_stat);

/* How many page faults a thread had since it began: without reading anything, and with. */
struct procfs_faults {
	uint64_t nr_minor;
	uint64_t nr_major;
};

/* procfs_faults: false: there is no such thread. */
bool procfs_faults(pid_t pid, uint64_t tid, struct procfs_faults *ret_faults);

/* procfs_is_called: is `id` the id of the process, either here or in its container (the last number of "NSpid:")? */
bool procfs_is_called(pid_t pid, uint64_t id);

/*
 * procfs_inner_id: the id of a process (name "status") or thread ("task/4711/status") in its innermost container; its
 * own id if it is not in a container. 0: unknown.
 */
uint64_t procfs_inner_id(pid_t pid, const char *name);

/* procfs_process_of: the process of a thread; 0: the thread is gone, or its id belongs to another namespace. */
pid_t procfs_process_of(uint64_t tid);

/*
 * procfs_has_our_root: do the process's paths mean the same files as ours? False: the process has its own mount
 * namespace or another root. True if unknown. procfs_open_root: opens its root; -1: we may not.
 */
bool procfs_has_our_root(pid_t pid);
int procfs_open_root(pid_t pid);

/* procfs_link: reads the target of the link /proc/PID/NAME, NUL-terminated; "" if unknown. */
void procfs_link(pid_t pid, const char *name, char *buffer, size_t nr_bytes);

/* How long a thread ran, how long it was runnable without a processor, and how often it got a processor. */
struct procfs_account {
	uint64_t ran_ns;
	uint64_t waited_ns;
	uint64_t nr_turns;
};

/* procfs_account: false, and all zero: there is no such thread, or the kernel keeps no account. */
bool procfs_account(pid_t pid, uint64_t tid, struct procfs_account *ret_account);

/*
 * procfs_children: calls `found` for each child of the process's threads that its parent has not waited for. Stops if
 * `found` returns false, and returns false then; also false if threads cannot be listed.
 */
bool procfs_children(pid_t pid, bool (*found)(void *context, int child), void *context);

struct procfs_path {
	char text[96];
};

/* procfs_descriptor: the path under which a descriptor of the process can be opened again or examined. */
struct procfs_path procfs_descriptor(pid_t pid, int number);

/* procfs_command_line: reads the arguments, separated by blanks; "" if the process is gone. */
void procfs_command_line(pid_t pid, char *buffer, size_t nr_bytes);

/* procfs_thread_name: reads the thread's name; "" if unknown. */
void procfs_thread_name(pid_t pid, uint64_t tid, char *buffer, size_t nr_bytes);

/*
 * procfs_numbers: calls `found` with every number in the folder /proc/PID/NAME: "task" contains the threads, "fd" the
 * descriptors. Stops if `found` returns false, and returns false then; also false if the folder cannot be read.
 */
bool procfs_numbers(
	pid_t pid, const char *name, bool (*found)(void *context, int number), void *context);

/* procfs_boot_id: reads a text that differs at each boot of the machine; "" if unknown. */
void procfs_boot_id(char *buffer, size_t nr_bytes);

/*
 * procfs_open: opens the folder /proc/PID for the functions below; -1 and errno: there is none. The folder always means
 * that process: once the process has ended, nothing can be read there, even if another process gets the id.
 */
int procfs_open(pid_t pid);

/* procfs_stat_at: reads the facts of a process or thread from its "stat", such as "task/4711/stat". */
bool procfs_stat_at(int folder, const char *name, struct procfs_stat *ret_stat);

#define PROCFS_NO_CALL (-1) /* the thread runs, or waits outside of any call */
#define PROCFS_UNKNOWN_CALL \
	(-2) /* the kernel does not show the call, or it has no number in traces */
#define PROCFS_ARGUMENTS 6

/* procfs_call_at: the system call that a thread is in, by its number in traces, or one of the two values above. */
int32_t procfs_call_at(int folder, uint64_t tid, uint64_t ret_arguments[PROCFS_ARGUMENTS]);

/*
 * procfs_stack_pointer_at: the stack pointer of a thread that waits, and in *ret_instruction where it goes on; both 0:
 * the thread runs, or the kernel does not say.
 */
uint64_t procfs_stack_pointer_at(int folder, uint64_t tid, uint64_t *ret_instruction);

/* Sets of signals; bit 0 is signal 1. If a set is unknown, all its bits are set. */
struct procfs_signals {
	uint64_t pending; /* pending for the process, for any of its threads */
	uint64_t blocked; /* blocked by the first thread */
	uint64_t ignored;
	uint64_t caught;
};

/* procfs_signals_at: false: the process is gone. */
bool procfs_signals_at(int folder, struct procfs_signals *ret_signals);

/* procfs_memory_at: reads bytes of the process's memory; false: some of them do not exist or may not be read. */
bool procfs_memory_at(int folder, uint64_t address, void *bytes, size_t nr_bytes);

/* procfs_is_timer_armed_at: will the timer of this descriptor (timerfd_create) expire? */
bool procfs_is_timer_armed_at(int folder, int descriptor);

/* procfs_read_at, procfs_link_at, procfs_numbers_at: like the functions without _at, in a folder from procfs_open. */
size_t procfs_read_at(int folder, const char *name, char *buffer, size_t nr_bytes);
void procfs_link_at(int folder, const char *name, char *buffer, size_t nr_bytes);
bool procfs_numbers_at(
	int folder, const char *name, bool (*found)(void *context, int number), void *context);

#endif
