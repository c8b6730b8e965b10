/* SPDX-License-Identifier: MIT */
/*
 * A mapped file that others may shorten: touching what is gone finds zeros, where the kernel would end
 * the process by SIGBUS.
 *
 * The first guard puts a handler on SIGBUS, the last one gives the signal back to who had it before. A
 * fault outside of every guarded mapping goes to that one, as if there were no guard. All functions may be
 * called on any thread.
 */
#ifndef VERSION1_GUARD_H
#define VERSION1_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define GUARDS_MAX 16

struct guard;

/*
 * version1_guard_open: guards a mapping of its own until version1_guard_close. NULL: GUARDS_MAX mappings are guarded
 * already, or the handler cannot be installed.
 */
struct guard *version1_guard_open(void *base, size_t nr_bytes);

/*
 * version1_guard_was_hit: whether something was touched that is gone. From then on the whole mapping is memory of
 * this process alone, zero at first: nothing that is read there comes from the file.
 */
bool version1_guard_was_hit(const struct guard *guard);

/* version1_guard_close: before the mapping is unmapped. NULL is allowed. */
void version1_guard_close(struct guard *guard);

#endif
