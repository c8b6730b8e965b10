/* SPDX-License-Identifier: MIT */
/*
 * Late notifies: a notify reaches no waiter, and the last coroutine that had waited for the object was woken by
 * something else, as by a time-out or a cancellation. What the notify announces may have been handed to that
 * coroutine, and be lost: a connection of a pool, given to a client that has given up.
 */
#ifndef ANALYZE_LATE_NOTIFIES_H
#define ANALYZE_LATE_NOTIFIES_H

#include "model/watcher.h"

struct analysis;
struct story;

/* Number of objects that are followed; late notifies of further objects are not noticed. */
#define LATE_NOTIFIES_OBJECTS 65536u

/* analyze_late_notifies_watcher: the watcher that counts late notifies by place; the judgement registers it. */
extern const struct model_watcher analyze_late_notifies_watcher;

/* analyze_late_notifies_tell: adds evidence for the place of the last late notify, if there was one in this process. */
void analyze_late_notifies_tell(struct analysis *analysis, struct story *story, uint32_t process);

#endif
