/* SPDX-License-Identifier: MIT */
/*
 * What /proc tells of a process. Everything here can vanish between two reads, and is then empty.
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

/* procfs_status: the state's letter, and who started it; false for a process that is gone. */
bool procfs_status(pid_t pid, char *ret_state, pid_t *ret_parent);

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

/*
 * procfs_open: the folder /proc/PID, for the functions below; -1 and errno where there is none. It stays that
 * process's: once that has ended nothing can be read there, whoever gets the id next.
 */
int procfs_open(pid_t pid);

/* procfs_status_at: of a process or thread by its "stat", such as "task/4711/stat". */
bool procfs_status_at(int folder, const char *name, char *ret_state, pid_t *ret_parent);

/* procfs_read_at, procfs_link_at, procfs_numbers_at: the same as without _at, in a folder of procfs_open. */
size_t procfs_read_at(int folder, const char *name, char *buffer, size_t nr_bytes);
void procfs_link_at(int folder, const char *name, char *buffer, size_t nr_bytes);
bool procfs_numbers_at(
	int folder, const char *name, bool (*found)(void *context, int number), void *context);

#endif
