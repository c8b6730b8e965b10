/* SPDX-License-Identifier: MIT */
/*
 * A graph of waits as JSON. Private to src/ask.
 */
#ifndef ASK_WAITS_H
#define ASK_WAITS_H

#include "base/text.h"
#include "graph/graph.h"

/* ask_waits_tell: appends the answer to `waits` (docs/spec/view.md), with the names of what has one. */
enum ct_status ask_waits_tell(struct text *text, struct ct_view *view, const struct graph *graph,
	struct ct_error *reterr);

#endif
