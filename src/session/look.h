/* SPDX-License-Identifier: MIT */
/* The kernel's account of a process, kept for the judgement of its trace (ct_process_look in ct.h). */
#ifndef SESSION_LOOK_H
#define SESSION_LOOK_H

#include "analyze/analyze.h"
#include "corotracer/ct.h"

struct ct_process_look {
	struct analyze_live live;
};

/*
 * look_new: asks the kernel now. `watched_ns`: how long the process was recorded. NULL: the process is gone, or out of
 * memory.
 */
struct ct_process_look *look_new(int64_t pid, int64_t watched_ns);

#endif
