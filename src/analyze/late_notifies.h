/* SPDX-License-Identifier: MIT */
/*
 * Late notifies: a notify finds nobody, and the last one that had waited for the object went on by another way, as a
 * time-out or a cancellation has it. What the notify announces may have been handed to that one, and be gone: a
 * connection of a pool, given to a client that has given up.
 */
#ifndef ANALYZE_LATE_NOTIFIES_H
#define ANALYZE_LATE_NOTIFIES_H

#include "model/watcher.h"

struct analysis;
struct story;

/* Objects that are looked after at a time; what came for further ones is not known. */
#define LATE_NOTIFIES_OBJECTS 65536u

/* analyze_late_notifies_watcher: looks on, and counts the above by place; the judgement lets it watch. */
extern const struct model_watcher analyze_late_notifies_watcher;

/* analyze_late_notifies_tell: evidence, where there were such in this process: of the place of the last one. */
void analyze_late_notifies_tell(struct analysis *analysis, struct story *story, uint32_t process);

#endif
