/* SPDX-License-Identifier: MIT */
/* Which traces a folder or a bucket has. */
#ifndef OBJECTS_TRACES_H
#define OBJECTS_TRACES_H

#include "objects/objects.h"

/*
 * objects_have_traces, objects_name_is_trace, objects_list_traces: do what ct_traces_are_many, ct_traces_name_is_one
 * and ct_traces_list do (corotracer/traces.h). `options` are those of objects_open, and may be NULL.
 */
bool objects_have_traces(const char *place);
bool objects_name_is_trace(const char *name);
enum ct_status objects_list_traces(const char *place, const struct objects_options *options,
	bool (*visit)(void *context, const char *trace), void *context, struct ct_error *reterr);

#endif
