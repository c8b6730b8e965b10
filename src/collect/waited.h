/* SPDX-License-Identifier: MIT */
/*
 * Since when each coroutine waited, by the events of its probe: how a look into memory is known to be worth it while
 * other coroutines go on, and what it saw to be true still. Times are those at which events were read, never before
 * they happened.
 *
 * A table of fixed size: a coroutine keeps its slot until it goes on. One that finds no slot is not known to wait.
 */
#ifndef COLLECT_WAITED_H
#define COLLECT_WAITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream/stream.h"

struct waited;

/* collect_waited_new: NULL: out of memory. All other functions allow NULL: no coroutine is known to wait. */
struct waited *collect_waited_new(void);
void collect_waited_free(struct waited *waited);

/*
 * collect_waited_note: takes in what a probe of the process wrote. collect_waited_forget: events of the process are
 * missing.
 */
void collect_waited_note(
	struct waited *waited, uint32_t process, const struct ct_batch *batch, uint64_t now_ns);
void collect_waited_forget(struct waited *waited, uint32_t process);

/*
 * collect_waited_since: since when the coroutine waited at that time, if it has not waited again since it went on;
 * UINT64_MAX: it did not, or that is not known.
 */
uint64_t collect_waited_since(
	const struct waited *waited, uint32_t process, uint64_t coro, uint64_t at_ns);

/*
 * collect_waited_count: how many coroutines of the process in which most have begun to wait in this interval, and do so
 * still; *ret_process: its number.
 */
size_t collect_waited_count(
	const struct waited *waited, uint64_t from_ns, uint64_t until_ns, uint32_t *ret_process);

#endif
