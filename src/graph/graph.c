/* SPDX-License-Identifier: MIT */
/*
 * A graph as a whole: everything that waits at the moment, folded.
 */
#include "graph/graph.h"

#include "base/failure.h"
#include "graph/nodes.h"

/* What lasts until the end of observation exists just before that end. */
static enum ct_status bound(
	struct ct_view *view, ct_time at, ct_time *ret_at, struct ct_error *reterr)
{
	const struct ct_report *report;
	enum ct_status status = ct_view_report(view, &report, reterr);

	if (status)
		return status;
	*ret_at = at >= report->quality.observed_until ? report->quality.observed_until - 1 : at;
	return CT_OK;
}

enum ct_status graph_init(struct graph *graph, struct ct_view *view, ct_time at, uint32_t fold,
	struct ct_error *reterr)
{
	struct graph_moment moment = {0};
	enum ct_status status;

	*graph = (struct graph){0};
	status = bound(view, at, &graph->at, reterr);
	if (status)
		return status;
	status = graph_moment_init(&moment, view, graph->at, reterr);
	graph->nr_waiting = moment.nr_waiting;
	if (status == CT_OK && !graph_nodes_make(graph, &moment, fold))
		status = ct_fail_memory(reterr);
	graph_moment_fini(&moment);
	if (status)
		graph_fini(graph);
	return status;
}

void graph_fini(struct graph *graph)
{
	vec_fini(&graph->nodes);
}

const char *graph_kind_name(enum graph_kind kind)
{
	static const char *const names[GRAPH_NR_KINDS] = {
		[GRAPH_COROUTINE] = "coroutine",
		[GRAPH_OBJECT] = "object",
		[GRAPH_THREAD] = "thread",
	};

	return (unsigned)kind < GRAPH_NR_KINDS ? names[kind] : "unknown";
}
