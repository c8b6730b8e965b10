/* SPDX-License-Identifier: MIT */
/*
 * The inside of a struct ct_trace: a source of some kind, and the tables as the user sees them; for a living process
 * also the kernel's account of it.
 */
#ifndef LIB_TRACE_H
#define LIB_TRACE_H

#include "base/arena.h"
#include "corotracer/ct.h"
#include "analyze/analyze.h"
#include "kernel/live.h"
#include "stream/stream.h"

struct ct_trace {
	struct ct_source *source;
	struct arena arena;       /* the tables with names filled in */
	struct analyze_live live; /* where it is of a process that ran when it was opened */
	bool is_live_lent;        /* by the caller: it is not ours to free */
};

#endif
