/* SPDX-License-Identifier: MIT */
/*
 * Finding the segments of a process that nobody handed over: its probes keep them open, so that they are
 * among its descriptors.
 */
#ifndef COLLECT_SEEK_H
#define COLLECT_SEEK_H

#include <sys/types.h>

#include "corotracer/error.h"

struct collect;

/*
 * collect_seek_process: opens the process, and makes it the target. CT_ERR_NOT_FOUND: there is none of this id.
 */
enum ct_status collect_seek_process(struct collect *collect, pid_t pid, struct ct_error *reterr);

/*
 * collect_seek_past: when the target's own flight recorder began, into collect->past: what it still holds is part of
 * the recording. Where it has none that can be read, nothing is noted.
 */
void collect_seek_past(struct collect *collect);

/*
 * collect_seek_segments: takes the target's segments that are not taken yet. CT_OK: there is at least one now.
 * CT_ERR_REFUSED: its descriptors may not be looked at; CT_ERR_BUSY: another recording has them;
 * CT_ERR_NO_PROBE: it has none.
 */
enum ct_status collect_seek_segments(struct collect *collect, struct ct_error *reterr);

#endif
