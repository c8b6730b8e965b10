/* SPDX-License-Identifier: MIT */
/*
 * Protects accesses to a mapped file that other processes may shorten: an access to a lost page reads zeros, where the
 * kernel would otherwise end the process by SIGBUS.
 *
 * The first guard installs a handler of SIGBUS; closing the last one restores the previous handler. A fault outside of
 * every guarded mapping goes to the previous handler, as if there were no guard. All functions may be called on any
 * thread.
 */
#ifndef VERSION1_GUARD_H
#define VERSION1_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define GUARDS_MAX 16

struct guard;

/*
 * version1_guard_open: guards a mapping until version1_guard_close. NULL: GUARDS_MAX mappings are guarded already, or
 * the handler cannot be installed.
 */
struct guard *version1_guard_open(void *base, size_t nr_bytes);

/*
 * version1_guard_was_hit: was a lost page accessed? From then on the whole mapping is private memory of this process,
 * initially zero, so nothing that is read there comes from the file.
 */
bool version1_guard_was_hit(const struct guard *guard);

/* version1_guard_close: must be called before the mapping is unmapped. NULL is allowed. */
void version1_guard_close(struct guard *guard);

#endif
