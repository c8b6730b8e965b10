/* SPDX-License-Identifier: MIT */
/*
 * Watchdogs that are coroutines: such a one sleeps, wakes nobody and starts nobody, and at last ends the program by a
 * signal that it raises itself.
 */
#ifndef RULES_WATCHDOG_H
#define RULES_WATCHDOG_H

#include <stdbool.h>

struct analysis;
struct model_crash;
struct model_sight;
struct model_watch;

/* Callbacks of the crash rule's watcher: a coroutine does something, wakes one, starts one, or begins to wait. */
bool rules_watchdog_look(struct model_watch *watch, const struct model_sight *sight);
bool rules_watchdog_look_by(struct model_watch *watch, const struct model_sight *sight);
bool rules_watchdog_look_at_begin(struct model_watch *watch, const struct model_sight *sight);
bool rules_watchdog_look_at_wait(struct model_watch *watch, const struct model_sight *sight);

/*
 * rules_watchdog_is: did a coroutine raise the signal that has only slept since its creation, or had not begun, just
 * before that for half a second at least, and ten times longer than it ran then?
 */
bool rules_watchdog_is(const struct analysis *analysis, const struct model_crash *crash);

#endif
