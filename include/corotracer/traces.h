/* SPDX-License-Identifier: MIT */
/* Which traces a folder or a bucket has. A part of ct.h. */
#ifndef COROTRACER_TRACES_H
#define COROTRACER_TRACES_H

#include <stdbool.h>

#include "corotracer/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/*
 * ct_traces_are_many: returns whether a place may have several traces: a folder; s3://BUCKET/PREFIX/, which ends with
 * '/'; or s3:// with '*', which stands for any part of a name between two '/'. Any other text names one trace.
 */
bool ct_traces_are_many(const char *place);

/* ct_traces_name_is_one: returns whether a file of this name is a trace that is complete: *.ctrace, *.jsonl. */
bool ct_traces_name_is_one(const char *name);

/*
 * ct_traces_list: visits the names of all traces of such a place (ct_traces_name_is_one), also of those in folders
 * below, sorted by the bytes of their names; what is still being written is left out. Each name is one that
 * ct_trace_open takes, and is valid during the visit; false of the visit ends the list. A place of one trace is visited
 * itself, whether the trace is there or not.
 * CT_ERR_NOT_FOUND: there is no trace; else fails as ct_trace_open does with an address. Thread-safe.
 */
enum ct_status ct_traces_list(const char *place, bool (*visit)(void *context, const char *trace),
	void *context, struct ct_error *reterr);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
