/* SPDX-License-Identifier: MIT */
/*
 * System calls, by the numbers in traces. Each kind of machine has its own numbers; a trace has those of x86-64,
 * wherever it was recorded, and is read alike everywhere.
 */
#ifndef BASE_SYSTEM_CALLS_H
#define BASE_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum system_call {
#define X(number, name) SYSTEM_CALL_##name = (number),
#include "base/system_calls.def"
#undef X
};

/* From this number on, Linux numbers system calls alike on all machines. */
#define SYSTEM_CALLS_ALIKE 424

/* A system call as the headers of some machine number it. */
struct system_call_there {
	int32_t number;
	const char *name;
};

/* system_call_is_epoll: returns whether the call waits for the events of an epoll instance. */
static inline bool system_call_is_epoll(uint64_t call)
{
	return call == SYSTEM_CALL_epoll_wait || call == SYSTEM_CALL_epoll_pwait ||
	       call == SYSTEM_CALL_epoll_pwait2;
}

/* system_call_name: "read"; NULL: the number is unknown. */
const char *system_call_name(int64_t call);

/*
 * system_call_of: translates a number of the machine with these system calls into the number in traces; -1: x86-64 has
 * no such system call, or nobody knows the number.
 */
int32_t system_call_of(int32_t number, const struct system_call_there *there, size_t nr_there);

#endif
