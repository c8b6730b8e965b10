/* SPDX-License-Identifier: MIT */
/*
 * All that waits at a moment, and what for, before anything is folded. Private to src/graph.
 */
#ifndef GRAPH_MOMENT_H
#define GRAPH_MOMENT_H

#include "base/map.h"
#include "graph/graph.h"

struct graph_thing {
	enum graph_kind kind;
	uint32_t process;
	uint64_t id;
	uint32_t site;
	uint32_t state;
	ct_time since;
	uint32_t to;      /* a thing; GRAPH_NONE */
	uint32_t next;    /* a thing with the same key in `index`; GRAPH_NONE */
	bool is_by_await; /* a coroutine's wait does not say for whom: its await does */
};

struct graph_moment {
	ct_time at;
	VEC(struct graph_thing) things;
	struct map index;
	uint64_t nr_waiting;
};

/*
 * graph_moment_init: waits as the view has them, holders of what is waited for as events up to then tell. What is not
 * wholly told is no edge. graph_moment_fini: after a failure, too.
 */
enum ct_status graph_moment_init(
	struct graph_moment *moment, struct ct_view *view, ct_time at, struct ct_error *reterr);
void graph_moment_fini(struct graph_moment *moment);

#endif
