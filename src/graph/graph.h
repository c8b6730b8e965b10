/* SPDX-License-Identifier: MIT */
/*
 * The waits at one moment as a picture shows them: coroutines, what they wait for, who has that, and so on to what
 * waits for nothing. Nodes that are alike are folded into one, so that a million coroutines fit on a screen.
 *
 * Each node waits for at most one other. The nodes are therefore trees, whose roots are the causes. A circle is cut
 * open at one of its nodes, which becomes a root.
 */
#ifndef GRAPH_GRAPH_H
#define GRAPH_GRAPH_H

#include "base/vec.h"
#include "corotracer/view.h"

#define GRAPH_NODES_MAX 400u
#define GRAPH_FOLD \
	4u /* more alike nodes than this are folded into one, unless the caller asks otherwise */
#define GRAPH_NONE UINT32_MAX

enum graph_kind {
	GRAPH_COROUTINE,
	GRAPH_OBJECT,
	GRAPH_THREAD, /* a thread that has an object outside of any coroutine */
	GRAPH_NR_KINDS,
};

/*
 * A node represents one thing, or `count` alike things; coroutines are alike if they have the same place, state and
 * cause.
 */
struct graph_node {
	enum graph_kind kind;
	uint32_t process;
	/* a coroutine's id, a resource handle, a row of threads; of several the first one's */
	uint64_t id;
	uint32_t site;  /* of coroutines: where they wait, or waited last */
	uint32_t state; /* of coroutines: enum ct_state at that moment */
	uint64_t count;
	/* of coroutines: since when they are in that state, of several the earliest; CT_NO_TIME: not known */
	ct_time since;
	/* the node that they wait for, or that has the object; GRAPH_NONE: there is none */
	uint32_t to;
	uint32_t circle; /* number of its circle, from 1; 0: in no circle */
	uint32_t layer;  /* distance from the root */
	/* row on the screen; a node is in the row of the first node that waits for it */
	uint32_t row;
};

struct graph {
	ct_time at;
	VEC(struct graph_node)
	nodes; /* a node comes before the nodes that wait for it */
	uint32_t nr_rows;
	uint32_t nr_circles;
	uint64_t nr_waiting;  /* coroutines that wait at that moment */
	uint64_t nr_left_out; /* of these, coroutines for which no node was left */
};

/*
 * graph_init: makes the graph of the moment `at`; if `at` is later than the observation, of the moment just before
 * its end. More than `fold` alike nodes (at least 1) are folded into one. There are at most GRAPH_NODES_MAX nodes:
 * circles get theirs first, then what most coroutines wait for. Fails as the view does. graph_fini: frees the graph;
 * a zeroed one is allowed.
 */
enum ct_status graph_init(struct graph *graph, struct ct_view *view, ct_time at, uint32_t fold,
	struct ct_error *reterr);
void graph_fini(struct graph *graph);

/* graph_kind_name: "coroutine", "object", "thread". */
const char *graph_kind_name(enum graph_kind kind);

#endif
