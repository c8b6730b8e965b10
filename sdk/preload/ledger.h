/* SPDX-License-Identifier: MIT */
/*
 * The ledger's internal interface, shared by its files.
 *
 * The ledger is a library that `corotracer run` preloads. The library stands between a program and libc, calls libc's
 * own function in every case, and records what happened to the program's descriptors. The library must never change
 * what the program sees: results and errno pass through untouched, nothing is allocated, nothing blocks, and all of it
 * may run in a signal handler. While the program is not traced the ledger only forwards.
 */
#ifndef PRELOAD_LEDGER_H
#define PRELOAD_LEDGER_H

/* Both spellings of a call (open and open64) are defined here: no header may rename either. */
#undef _FILE_OFFSET_BITS
#undef _FORTIFY_SOURCE

#include <sys/socket.h>
#include <sys/types.h>

#include "corotracer/ctp_probe.h"

#pragma GCC visibility push(hidden)

/* An entry point: the symbol that the dynamic linker finds before libc's. */
#define LEDGER_EXPORT __attribute__((visibility("default")))
/* The place in the program that called the entry point: a return address. */
#define LEDGER_CALLER __builtin_return_address(0)

/*
 * True while the calling thread is lent to a child of vfork(): the child runs on this thread's stack and thread-locals,
 * but its descriptors are its own, so nothing of the child may be recorded.
 */
extern __attribute__((tls_model("initial-exec"))) _Thread_local uint32_t ledger_is_lent;

/* ledger_is_watching: returns true while events are recorded for the calling thread. */
static inline bool ledger_is_watching(void)
{
	return ctp_is_attached() && ledger_is_lent == 0;
}

/* ------------------------------------------------------------ the table of generations */

/*
 * One word for each descriptor number: generation in the low 24 bits, then the bits below. A number that was never seen
 * opened, or whose descriptor was seen closed, has generation 0, "not known".
 */
#define LEDGER_DESCRIPTORS (1u << 20)
#define LEDGER_GENERATION 0x00ffffffu
#define LEDGER_IS_OPEN 0x01000000u
#define LEDGER_IS_STREAM 0x02000000u       /* not a regular file: its transfers are recorded */
#define LEDGER_TYPE(entry) ((entry) >> 26) /* enum ctp_descriptor_type */

extern uint32_t ledger_table[LEDGER_DESCRIPTORS];

/* ledger_entry: returns the present word of a number; 0 if nothing is known. */
static inline uint32_t ledger_entry(int fd)
{
	return (unsigned)fd < LEDGER_DESCRIPTORS ? ctp_load_relaxed(&ledger_table[fd]) : 0;
}

/* ledger_handle: returns the descriptor as a resource handle, with its generation if that is known. */
static inline uint64_t ledger_handle(int fd)
{
	uint32_t entry = ledger_entry(fd);

	return CTP_DESCRIPTOR(fd, entry & LEDGER_IS_OPEN ? entry & LEDGER_GENERATION : 0);
}

/* ledger_stream: returns the handle if a transfer on this descriptor is to be recorded, else 0. */
static inline uint64_t ledger_stream(int fd)
{
	const uint32_t wanted = LEDGER_IS_OPEN | LEDGER_IS_STREAM;

	if (!ledger_is_watching() || (ledger_entry(fd) & wanted) != wanted)
		return 0;
	return ledger_handle(fd);
}

/*
 * ledger_take: notes that a descriptor of this type (enum ctp_descriptor_type) was opened; gives the number the next
 * generation and returns the handle.
 * ledger_restore: undoes ledger_drop; `entry` is what ledger_entry returned before.
 * ledger_drop: notes that the number is about to be closed; returns the handle that it had.
 */
uint64_t ledger_take(int fd, unsigned type);
void ledger_restore(int fd, uint32_t entry);
uint64_t ledger_drop(int fd);

/* ------------------------------------------------------------ recording */

/* ledger_note: writes one event, with the place `caller`. Keeps errno. */
void ledger_note(const void *caller, enum ctp_kind kind, uint64_t object, uint64_t coro,
	unsigned argument, unsigned flags);

/* The values of DESCRIPTOR_IO's argument (def/kinds.def). */
enum ledger_transfer {
	LEDGER_READ = 1,
	LEDGER_WRITE = 2,
	LEDGER_CONNECT = 3,
	LEDGER_ACCEPT = 4,
};

/* ledger_transferred: records that a transfer ended with `result`, or with errno if the result is negative. */
void ledger_transferred(
	const void *caller, uint64_t handle, enum ledger_transfer transfer, ssize_t result);

/*
 * ledger_opened: the end of a call that makes a descriptor: records the descriptor, if there is one, with these flags
 * (an enum ctp_descriptor_type, CTP_DESCRIPTOR_IS_SECOND_END); returns fd.
 */
int ledger_opened(const void *caller, int fd, unsigned flags);

/*
 * ledger_connecting: a connect on this descriptor is about to begin. Keeps errno.
 * ledger_connected: it has succeeded, or goes on. Keeps errno.
 * ledger_other_end: the handle of the descriptor of this process that is the other end of a connection just accepted;
 * 0: there is none, or that is not known. Keeps errno. Costs five system calls, or one for each of up to 64 notes of
 * connections to a path that the process itself has made, and none in a process that never connected.
 */
void ledger_connecting(int fd);
void ledger_connected(int fd);
uint64_t ledger_other_end(int fd);

/*
 * ledger_received: a datagram has come in on this descriptor, and that is recorded: records, if it is news, which
 * descriptor of the process sent it, or that none did. `from` is the address that the kernel wrote; NULL: none. Keeps
 * errno. Costs nothing for other descriptors, or once somebody else has sent; else a system call if another socket
 * sends than the last time, or if there is no address.
 */
void ledger_received(const void *caller, int fd, const void *from, socklen_t length);

/*
 * ledger_crash_init: installs handlers for fatal signals that the program does not handle. Called once, when attached.
 */
void ledger_crash_init(void);

/* ------------------------------------------------------------ libc's own functions */

enum ledger_function {
#define X(type, name, parameters, arguments, raw) LEDGER_FUNCTION_##name,
#include "wrapped.def"
#undef X
	LEDGER_FUNCTIONS
};

/* P-private: each entry is written by the threads that look first; all of them store the same value. */
extern void *ledger_functions[LEDGER_FUNCTIONS];

/*
 * ledger_find: returns libc's function (or that of the next library that wraps it); NULL if there is none, or if this
 * thread is in the middle of such a look-up. Only calls before the ledger's constructor look anything up.
 */
void *ledger_find(enum ledger_function function);

/* ledger_missing: the result of a call that cannot be forwarded: -1, ENOSYS. */
long ledger_missing(void);

#pragma GCC visibility pop

#endif
