/* SPDX-License-Identifier: MIT */
/*
 * The content of a struct ct_trace: a source of some kind, and the tables as the user sees them; for a running process
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
	struct arena arena;       /* holds the tables after names were filled in */
	struct analyze_live live; /* set if the process was running when the trace was opened */
	bool is_live_lent;        /* the caller owns it, so it must not be freed here */
};

/* lib_source_open: opens a trace's events and tables as they are, without any stage. */
enum ct_status lib_source_open(const char *path, const struct ct_open_options *options,
	struct ct_source **ret_source, struct ct_error *reterr);

/*
 * lib_trace_of_source: makes a trace of a source, which it takes over, also if that fails, by the stages that `options`
 * ask for.
 */
enum ct_status lib_trace_of_source(struct ct_source *source, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr);

#endif
