/* SPDX-License-Identifier: MIT */
/*
 * What a struct ct_trace is inside: a source of some kind, and the tables as the user sees them.
 */
#ifndef LIB_TRACE_H
#define LIB_TRACE_H

#include "arena.h"
#include "corotracer/ct.h"
#include "stream.h"

struct ct_trace {
	struct ct_source *source;
	struct arena arena; /* the tables with names filled in */
};

#endif
