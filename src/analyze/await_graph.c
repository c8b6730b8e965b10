/* SPDX-License-Identifier: MIT */
/*
 * The graph of who waits for whom around one coroutine.
 *
 * A coroutine waits for at most one other coroutine, so the graph is a tree. Its root is the coroutine that must go
 * on first or, in a circle, the coroutine that was asked about. The tree is walked from the root, and the report
 * lists it in that order. Where many coroutines wait for one, the list is cut, but never on the way from the root to
 * the coroutine that was asked about.
 */
#include "analyze/parts.h"

#define AHEAD_MAX 32u   /* coroutines on the way from the one that was asked about to the root */
#define WAITERS_MAX 10u /* listed for one coroutine */
#define NODES_MAX 200u

struct graph {
	struct analysis *analysis;
	struct ct_await *awaits;
	uint32_t count;
	uint32_t *first; /* by coroutine: the first coroutine that waits for it */
	/* by coroutine: the next coroutine that waits for the same one */
	uint32_t *following;
	uint64_t *nr_waiters;        /* by coroutine: how many wait for it */
	uint32_t way[AHEAD_MAX + 1]; /* from the coroutine that was asked about to the root */
	uint32_t nr_way;
};

static uint32_t waited_for(const struct graph *graph, uint32_t coro)
{
	if (graph->analysis->model->coros.at[coro].state != CT_STATE_WAITING)
		return 0;
	return analyze_ties_next(graph->analysis, coro);
}

static bool is_on_way(const struct graph *graph, uint32_t coro)
{
	uint32_t i;

	for (i = 0; i < graph->nr_way; i++)
		if (graph->way[i] == coro)
			return true;
	return false;
}

/* In a circle the way ends before the first coroutine that is already on it. */
static void find_way(struct graph *graph, uint32_t coro)
{
	while (coro && graph->nr_way <= AHEAD_MAX && !is_on_way(graph, coro)) {
		graph->way[graph->nr_way++] = coro;
		coro = waited_for(graph, coro);
	}
	if (coro == graph->way[0])
		graph->nr_way = 1;
}

static bool find_waiters(struct graph *graph)
{
	struct analysis *analysis = graph->analysis;
	size_t nr_coros = analysis->model->coros.count;
	uint32_t coro, next;

	graph->awaits = analyze_array(analysis, NODES_MAX, sizeof(*graph->awaits));
	graph->first = analyze_scratch(analysis, nr_coros, sizeof(*graph->first));
	graph->following = analyze_scratch(analysis, nr_coros, sizeof(*graph->following));
	graph->nr_waiters = analyze_scratch(analysis, nr_coros, sizeof(*graph->nr_waiters));
	if (!graph->awaits || !graph->first || !graph->following || !graph->nr_waiters)
		return false;
	/* Backwards, so that the oldest waiter comes first in each list. */
	for (coro = (uint32_t)nr_coros - 1; coro > 0; coro--) {
		next = waited_for(graph, coro);
		if (!next)
			continue;
		graph->following[coro] = graph->first[next];
		graph->first[next] = coro;
		graph->nr_waiters[next]++;
	}
	return true;
}

static struct ct_await *add(struct graph *graph, uint32_t index, uint32_t depth)
{
	struct analysis *analysis = graph->analysis;
	const struct model_coro *coro = &analysis->model->coros.at[index];
	bool is_waiting = coro->state == CT_STATE_WAITING;
	struct ct_await *await = &graph->awaits[graph->count++];

	*await = (struct ct_await){
		.id = coro->id,
		.process = coro->process,
		.state = is_ready(coro) ? CT_STATE_READY : coro->state,
		.depth = depth,
		.waits_for = analysis->model->coros.at[waited_for(graph, index)].id,
		.resource = is_waiting ? analyze_words_wait(analysis, coro) : "",
		.site = is_waiting ? coro->wait_site : 0,
		.thread = coro->thread,
		.nr_waiters = graph->nr_waiters[index],
	};
	return await;
}

/* The coroutine on the way that waits for this one; 0: none, or the waiter is the root again. */
static uint32_t waiter_on_way(const struct graph *graph, uint32_t coro)
{
	uint32_t i;

	for (i = 1; i < graph->nr_way; i++)
		if (graph->way[i] == coro)
			return graph->way[i - 1];
	return 0;
}

static void walk(struct graph *graph, uint32_t coro, uint32_t depth)
{
	struct ct_await *await = add(graph, coro, depth);
	uint32_t root = graph->way[graph->nr_way - 1];
	uint32_t ahead = waiter_on_way(graph, coro);
	uint32_t waiter, nr_told = 0;

	if (ahead)
		walk(graph, ahead, depth + 1);
	nr_told += ahead != 0;
	for (waiter = graph->first[coro]; waiter; waiter = graph->following[waiter]) {
		if (waiter == ahead)
			continue;
		/* The waiter is the root: the circle closes, and the root is listed already. */
		if (waiter == root)
			nr_told++;
		else if (nr_told < WAITERS_MAX && graph->count < NODES_MAX) {
			nr_told++;
			walk(graph, waiter, depth + 1);
		}
	}
	await->nr_left_out = await->nr_waiters - nr_told;
}

void analyze_await_graph_tell(struct analysis *analysis, uint32_t coro, struct ct_report *report)
{
	struct graph graph = {.analysis = analysis};

	if (!find_waiters(&graph)) {
		analysis->is_broken = true;
		return;
	}
	find_way(&graph, coro);
	walk(&graph, graph.way[graph.nr_way - 1], 0);
	report->awaits = graph.awaits;
	report->nr_awaits = graph.count;
}
