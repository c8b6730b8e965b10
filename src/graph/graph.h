/* SPDX-License-Identifier: MIT */
/*
 * The waits of a moment as a picture shows them: coroutines, what they wait for, who has that, and so on to what waits
 * for nothing more. Alike ones are one node, so that a million coroutines have room on a screen.
 *
 * Each node waits for one other at most. The nodes therefore are trees, whose roots are the causes; a circle is cut
 * open at one of its nodes, which becomes a root.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "base/vec.h"
#include "corotracer/view.h"

#define GRAPH_NODES_MAX 400u
#define GRAPH_FOLD \
	4u /* more alike ones than that are one node, where the caller has no other wish */
#define GRAPH_NONE UINT32_MAX

enum graph_kind {
	GRAPH_COROUTINE,
	GRAPH_OBJECT,
	GRAPH_THREAD, /* that has an object, outside of any coroutine */
	GRAPH_NR_KINDS,
};

/* A node stands for one, or for `count` that are alike: of coroutines those with the same place, state and cause. */
struct graph_node {
	enum graph_kind kind;
	uint32_t process;
	uint64_t
		id; /* a coroutine's id, a resource handle, a row of threads; of several the first one's */
	uint32_t site;  /* of coroutines: where they wait, or waited last */
	uint32_t state; /* of coroutines: enum ct_state at that moment */
	uint64_t count;
	ct_time since; /* of coroutines: since when they are so; of several the earliest; CT_NO_TIME: not known */
	uint32_t
		to; /* the node that they wait for, or that has the object; GRAPH_NONE: there is none */
	uint32_t circle; /* its number, from 1; 0: it is in none */
	uint32_t layer;  /* how far from the root */
	uint32_t row;    /* one below the other; a node stands beside the first that waits for it */
};

struct graph {
	ct_time at;
	VEC(struct graph_node)
	nodes; /* the one that is waited for comes before those that wait for it */
	uint32_t nr_rows;
	uint32_t nr_circles;
	uint64_t nr_waiting;  /* coroutines that wait at that moment */
	uint64_t nr_left_out; /* of these, for which there were no nodes left */
};

/*
 * graph_init: the graph of the moment `at`, which counts as just before the end of the observation where it is later;
 * more than `fold` alike ones (from 1) are one node. One GRAPH_NODES_MAX is enough of them; circles have theirs first,
 * and then what most coroutines wait for. Fails as the view does. graph_fini: also of a zeroed one.
 */
enum ct_status graph_init(struct graph *graph, struct ct_view *view, ct_time at, uint32_t fold,
	struct ct_error *reterr);
void graph_fini(struct graph *graph);

/* graph_kind_name: "coroutine", "object", "thread". */
const char *graph_kind_name(enum graph_kind kind);

#endif
