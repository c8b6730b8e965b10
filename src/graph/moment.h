/* SPDX-License-Identifier: MIT */
/*
 * Everything that waits at a moment, and for what, before folding. Private to src/graph.
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
	uint32_t to;      /* index of a thing; GRAPH_NONE */
	uint32_t next;    /* index of a thing with the same key in `index`; GRAPH_NONE */
	bool is_by_await; /* the coroutine's wait names no other coroutine, but its await does */
};

struct graph_moment {
	ct_time at;
	VEC(struct graph_thing) things;
	struct map index;
	uint64_t nr_waiting;
};

/*
 * graph_moment_init: collects the waits from the view, and the holders of what is waited for from the events up to
 * the moment. Incomplete information makes no edge. graph_moment_fini: frees the moment, also after a failure.
 */
enum ct_status graph_moment_init(
	struct graph_moment *moment, struct ct_view *view, ct_time at, struct ct_error *reterr);
void graph_moment_fini(struct graph_moment *moment);

#endif
