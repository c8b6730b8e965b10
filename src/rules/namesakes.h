/* SPDX-License-Identifier: MIT */
/*
 * Namesakes: threads of one process that have the same name, as the workers of a pool have. A thread for blocking work
 * has mostly the name of the workers, one of which may have taken over its work.
 */
#ifndef RULES_NAMESAKES_H
#define RULES_NAMESAKES_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

struct analysis;

struct namesakes {
	uint32_t nr_working; /* that ran coroutines, or recorded that they sleep */
	bool have_served;
	bool has_newcomer; /* one ran its first coroutine after `since` */
};

/*
 * rules_namesakes_are_named: has the thread a name of its own, and not that of its program?
 *
 * rules_namesakes_of: counts the thread's namesakes.
 *
 * rules_namesakes_have_replaced: has another thread taken over this thread's work, as after tokio's block_in_place?
 * True if more threads have worked than there are workers. rules_namesakes_may_have_replaced: if the number of workers
 * is not known, true if a thread has begun to run coroutines since.
 */
bool rules_namesakes_are_named(const struct analysis *analysis, uint32_t thread);
struct namesakes rules_namesakes_of(
	const struct analysis *analysis, uint32_t thread, ct_time since);
bool rules_namesakes_have_replaced(const struct analysis *analysis, uint32_t thread);
bool rules_namesakes_may_have_replaced(
	const struct analysis *analysis, uint32_t thread, ct_time since);

#endif
