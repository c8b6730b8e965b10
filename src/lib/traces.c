/* SPDX-License-Identifier: MIT */
#include <stddef.h>

#include "corotracer/traces.h"
#include "objects/traces.h"

bool ct_traces_are_many(const char *place)
{
	return objects_have_traces(place);
}

bool ct_traces_name_is_one(const char *name)
{
	return objects_name_is_trace(name);
}

enum ct_status ct_traces_list(const char *place, bool (*visit)(void *context, const char *trace),
	void *context, struct ct_error *reterr)
{
	return objects_list_traces(place, NULL, visit, context, reterr);
}
