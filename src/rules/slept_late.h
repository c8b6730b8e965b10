/* SPDX-License-Identifier: MIT */
/*
 * A part of the rule missed-wake: coroutines that were ready for a tenth of a second, again and again, while every
 * worker slept through that time, and that ran when something else woke a worker. By the kernel's account no worker
 * waited for a processor meanwhile: a thread that was woken, and got none, is not asleep.
 */
#ifndef RULES_SLEPT_LATE_H
#define RULES_SLEPT_LATE_H

#include "rules/parts.h"

/* Kept for each place: the coroutines that had waited there. */
struct slept_late {
	uint32_t coro; /* of the longest time; 0: none */
	struct model_waking wake;
	ct_time since, until; /* that time */
	uint64_t count;
	int64_t total_ns;
};

/*
 * rules_slept_late_look, rules_slept_late_visit: callbacks of the rule's watcher. rules_slept_late_find: adds the
 * candidates, of this variant. rules_slept_late_describe: tells one.
 */
bool rules_slept_late_look(struct model_watch *watch, const struct model_sight *sight);
void rules_slept_late_visit(
	struct model_watch *watch, struct release *release, model_visitor *visit_coro);
void rules_slept_late_find(struct analysis *analysis, unsigned variant);
void rules_slept_late_describe(struct analysis *analysis, const struct candidate *first,
	struct story *story, struct ct_finding *finding);

#endif
