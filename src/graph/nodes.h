/* SPDX-License-Identifier: MIT */
/*
 * Things of a moment as nodes of a graph. Private to src/graph.
 */
#ifndef GRAPH_NODES_H
#define GRAPH_NODES_H

#include "graph/moment.h"

/* graph_nodes_make: makes the graph's nodes, with rows and layers; false: out of memory. */
bool graph_nodes_make(struct graph *graph, const struct graph_moment *moment, uint32_t fold);

#endif
