/* SPDX-License-Identifier: MIT */
/*
 * Folds many things into few nodes.
 *
 * Things that look alike and wait for the same node are folded into one node, and then, in turn, the things that wait
 * for that node. Groups of alike things wait in a queue to become nodes. The group with the most coroutines behind it
 * always comes next; the things that wait for it are then divided into further groups. So the nodes show the most
 * coroutines that this number of nodes can show.
 */
#include "graph/nodes.h"

#include <stdlib.h>

#include "corotracer/ctp.h"

/* Outweighs everything else: for what is in a circle, or waits for one. */
#define CIRCLE_WEIGHT (UINT64_C(1) << 62)

/* Alike things, which are consecutive in `members`. */
struct group {
	uint32_t first;
	uint32_t count;
	uint32_t to; /* a node */
	uint64_t weight;
};

/* The key by which things are sorted and divided into groups. */
struct look {
	uint64_t kind;
	uint64_t place;
	uint32_t thing;
	bool is_alone; /* a group of its own, even if others look alike */
};

struct folding {
	struct graph *graph;
	const struct graph_moment *moment;
	uint32_t most_alike;
	uint32_t nr_things;
	uint32_t *circles; /* by thing: number of its circle; 0: in no circle */
	uint32_t *heads;   /* by thing: 1 if its circle is cut open there */
	/* by thing: number of coroutines that wait for it, directly or not, including itself */
	uint64_t *weights;
	uint32_t *
		firsts; /* by thing, and one more: where the things that wait for it begin in `waiters` */
	uint32_t *waiters;
	VEC(uint32_t) members;
	VEC(struct group) groups; /* that wait to become nodes */
};

static const struct graph_thing *thing_at(const struct folding *folding, uint32_t thing)
{
	return &folding->moment->things.at[thing];
}

/* The next thing towards the root of the tree; GRAPH_NONE at the root. */
static uint32_t parent_of(const struct folding *folding, uint32_t thing)
{
	return folding->heads[thing] ? GRAPH_NONE : thing_at(folding, thing)->to;
}

/* ---------------------------------------------------------------- circles */

static void number_circle(struct folding *folding, uint32_t head)
{
	uint32_t at = head, number = ++folding->graph->nr_circles;

	do {
		folding->circles[at] = number;
		at = thing_at(folding, at)->to;
	} while (at != head);
	/* A circle is cut open at a coroutine rather than at a lock. */
	while (thing_at(folding, head)->kind != GRAPH_COROUTINE &&
		thing_at(folding, thing_at(folding, head)->to)->kind == GRAPH_COROUTINE)
		head = thing_at(folding, head)->to;
	folding->heads[head] = 1;
}

/* Each thing waits for at most one other: a thing that is met again on the same walk is in a circle. */
static void find_circles(struct folding *folding, uint32_t *walks)
{
	uint32_t i, at;

	for (i = 0; i < folding->nr_things; i++) {
		for (at = i; at != GRAPH_NONE && !walks[at]; at = thing_at(folding, at)->to)
			walks[at] = i + 1;
		if (at != GRAPH_NONE && walks[at] == i + 1 && !folding->circles[at])
			number_circle(folding, at);
	}
}

/* ---------------------------------------------------------------- trees */

/* First counts the waiters of each thing, then turns the counts into ends, and finally into beginnings of stretches. */
static void list_waiters(struct folding *folding)
{
	uint32_t *firsts = folding->firsts, sum = 0, i, to;

	for (i = 0; i < folding->nr_things; i++) {
		to = parent_of(folding, i);
		if (to != GRAPH_NONE)
			firsts[to]++;
	}
	for (i = 0; i <= folding->nr_things; i++)
		firsts[i] = sum += firsts[i];
	for (i = folding->nr_things; i-- > 0;) {
		to = parent_of(folding, i);
		if (to != GRAPH_NONE)
			folding->waiters[--firsts[to]] = i;
	}
}

static uint32_t nr_waiters(const struct folding *folding, uint32_t thing)
{
	return folding->firsts[thing + 1] - folding->firsts[thing];
}

/* From the leaves on: a thing is weighed once all things that wait for it are. */
static void weigh(struct folding *folding, uint32_t *queue, uint32_t *left)
{
	uint32_t i, at, to, nr_queued = 0;

	for (i = 0; i < folding->nr_things; i++) {
		const struct graph_thing *thing = thing_at(folding, i);

		folding->weights[i] = folding->circles[i] ? CIRCLE_WEIGHT / folding->nr_things : 0;
		folding->weights[i] +=
			thing->kind == GRAPH_COROUTINE && thing->state == CT_STATE_WAITING;
		left[i] = nr_waiters(folding, i);
		if (!left[i])
			queue[nr_queued++] = i;
	}
	for (at = 0; at < nr_queued; at++) {
		to = parent_of(folding, queue[at]);
		if (to == GRAPH_NONE)
			continue;
		folding->weights[to] += folding->weights[queue[at]];
		if (--left[to] == 0)
			queue[nr_queued++] = to;
	}
}

/* ---------------------------------------------------------------- groups */

static struct look look_at(const struct folding *folding, uint32_t number)
{
	const struct graph_thing *thing = thing_at(folding, number);
	struct look look = {.thing = number,
		.kind = (uint64_t)thing->kind << 40 | (uint64_t)thing->state << 32 | thing->process,
		.place = thing->site,
		.is_alone = folding->circles[number] || thing->kind == GRAPH_THREAD};

	if (thing->kind == GRAPH_OBJECT)
		look.place = thing->id >> 56;
	return look;
}

static int compare_looks(const void *a, const void *b)
{
	const struct look *one = a, *other = b;

	if (one->is_alone != other->is_alone)
		return one->is_alone ? -1 : 1;
	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	if (one->place != other->place)
		return one->place < other->place ? -1 : 1;
	return one->thing < other->thing ? -1 : one->thing > other->thing;
}

static bool are_alike(const struct look *one, const struct look *other)
{
	return !one->is_alone && !other->is_alone && one->kind == other->kind &&
	       one->place == other->place;
}

/* Makes one group of the looks from `first` on, and appends their things to `members`. */
static bool add_group(
	struct folding *folding, const struct look *looks, uint32_t count, uint32_t to)
{
	struct group group = {.first = (uint32_t)folding->members.count, .count = count, .to = to};
	uint32_t i;

	for (i = 0; i < count; i++) {
		if (!vec_push(&folding->members, looks[i].thing))
			return false;
		group.weight += folding->weights[looks[i].thing];
	}
	return vec_push(&folding->groups, group);
}

/* `is_one`: they all wait for one thing, so that each of a few of them can be a node of its own. */
static bool add_groups(
	struct folding *folding, struct look *looks, uint32_t count, uint32_t to, bool is_one)
{
	uint32_t first = 0, nr, i;

	qsort(looks, count, sizeof(*looks), compare_looks);
	while (first < count) {
		for (nr = 1; first + nr < count && are_alike(&looks[first], &looks[first + nr]);
			nr++)
			;
		if (!is_one || nr > folding->most_alike) {
			if (!add_group(folding, &looks[first], nr, to))
				return false;
		} else {
			for (i = 0; i < nr; i++)
				if (!add_group(folding, &looks[first + i], 1, to))
					return false;
		}
		first += nr;
	}
	return true;
}

static bool add_roots(struct folding *folding)
{
	struct look *looks = calloc(folding->nr_things + 1u, sizeof(*looks));
	uint32_t i, count = 0;
	bool is_added;

	if (!looks)
		return false;
	for (i = 0; i < folding->nr_things; i++)
		if (parent_of(folding, i) == GRAPH_NONE && folding->weights[i])
			looks[count++] = look_at(folding, i);
	is_added = add_groups(folding, looks, count, GRAPH_NONE, true);
	free(looks);
	return is_added;
}

static bool add_waiters(struct folding *folding, struct group group, uint32_t node)
{
	struct look *looks;
	uint32_t i, k, count = 0;
	bool is_added;

	for (i = 0; i < group.count; i++)
		count += nr_waiters(folding, folding->members.at[group.first + i]);
	looks = calloc(count + 1u, sizeof(*looks));
	if (!looks)
		return false;
	for (i = count = 0; i < group.count; i++) {
		uint32_t thing = folding->members.at[group.first + i];

		for (k = folding->firsts[thing]; k < folding->firsts[thing + 1]; k++)
			looks[count++] = look_at(folding, folding->waiters[k]);
	}
	is_added = add_groups(folding, looks, count, node, group.count == 1);
	free(looks);
	return is_added;
}

/* ---------------------------------------------------------------- nodes */

/* The heavier group comes first; of equally heavy groups, the one that was split off first. */
static bool goes_first(const struct group *one, const struct group *other)
{
	return one->weight != other->weight ? one->weight > other->weight
					    : one->first < other->first;
}

static uint32_t heaviest(const struct folding *folding)
{
	uint32_t best = 0, i;

	for (i = 1; i < folding->groups.count; i++)
		if (goes_first(&folding->groups.at[i], &folding->groups.at[best]))
			best = i;
	return best;
}

/* Links the head of a circle to the node that it waits for, which is made after the head. */
static void close_circle(
	struct folding *folding, struct graph_node *nodes, uint32_t node, const uint32_t *shown)
{
	uint32_t to = thing_at(folding, shown[node])->to, i;

	for (i = 0; i < folding->graph->nodes.count; i++)
		if (shown[i] == to && nodes[i].count == 1)
			nodes[node].to = i;
}

static struct graph_node node_of(const struct folding *folding, const struct group *group)
{
	uint32_t first = folding->members.at[group->first], i;
	const struct graph_thing *thing = thing_at(folding, first);
	struct graph_node node = {.kind = thing->kind,
		.process = thing->process,
		.id = thing->id,
		.site = thing->site,
		.state = thing->state,
		.count = group->count,
		.since = thing->since,
		.to = group->to,
		.circle = folding->circles[first]};

	if (group->to != GRAPH_NONE)
		node.layer = folding->graph->nodes.at[group->to].layer + 1;
	for (i = 1; i < group->count; i++) {
		ct_time since = thing_at(folding, folding->members.at[group->first + i])->since;

		if (since < node.since && since != CT_NO_TIME)
			node.since = since;
	}
	return node;
}

/* Turns groups into nodes, as many as allowed. `shown`: by node, its first thing. */
static bool make_nodes(struct folding *folding, uint32_t *shown)
{
	struct graph *graph = folding->graph;
	uint64_t nr_shown = 0;

	while (folding->groups.count && graph->nodes.count < GRAPH_NODES_MAX) {
		uint32_t at = heaviest(folding), node = (uint32_t)graph->nodes.count;
		struct group group = folding->groups.at[at];
		struct graph_node made = node_of(folding, &group);

		folding->groups.at[at] = folding->groups.at[--folding->groups.count];
		if (!vec_push(&graph->nodes, made) || !add_waiters(folding, group, node))
			return false;
		shown[node] = folding->members.at[group.first];
		if (made.kind == GRAPH_COROUTINE && made.state == CT_STATE_WAITING)
			nr_shown += made.count;
	}
	graph->nr_left_out = graph->nr_waiting - nr_shown;
	return true;
}

/* ---------------------------------------------------------------- rows */

/*
 * Rows follow the order in which the nodes were made: a node after the node that it waits for, and the heaviest of
 * its waiters first.
 */
static void add_rows(struct graph *graph, uint32_t *first, uint32_t *next, uint32_t *open)
{
	uint32_t nr_open = 0, row = 0, node, i;
	bool is_first = true;

	for (i = (uint32_t)graph->nodes.count; i-- > 0;) {
		uint32_t to = graph->nodes.at[i].layer ? graph->nodes.at[i].to
						       : (uint32_t)graph->nodes.count;

		next[i] = first[to];
		first[to] = i;
	}
	open[nr_open++] = first[graph->nodes.count];
	while (nr_open) {
		node = open[--nr_open];
		if (node == GRAPH_NONE) {
			is_first = false;
			continue;
		}
		row += !is_first;
		is_first = true;
		graph->nodes.at[node].row = row;
		open[nr_open++] = next[node];
		open[nr_open++] = first[node];
	}
	graph->nr_rows = graph->nodes.count ? row + 1 : 0;
}

static void lay_rows(struct graph *graph)
{
	uint32_t first[GRAPH_NODES_MAX + 1], next[GRAPH_NODES_MAX], open[2 * GRAPH_NODES_MAX + 2],
		i;

	for (i = 0; i <= GRAPH_NODES_MAX; i++)
		first[i] = GRAPH_NONE;
	if (graph->nodes.count)
		add_rows(graph, first, next, open);
}

/* ---------------------------------------------------------------- the whole */

static bool fold_things(struct folding *folding, uint32_t *scratch)
{
	struct graph *graph = folding->graph;
	uint32_t shown[GRAPH_NODES_MAX], i;

	find_circles(folding, scratch);
	list_waiters(folding);
	weigh(folding, scratch, scratch + folding->nr_things);
	if (!add_roots(folding) || !make_nodes(folding, shown))
		return false;
	lay_rows(graph);
	for (i = 0; i < graph->nodes.count; i++)
		if (folding->heads[shown[i]])
			close_circle(folding, graph->nodes.at, i, shown);
	return true;
}

bool graph_nodes_make(struct graph *graph, const struct graph_moment *moment, uint32_t fold)
{
	size_t count = moment->things.count;
	struct folding folding = {.graph = graph,
		.moment = moment,
		.most_alike = fold,
		.nr_things = (uint32_t)count,
		.circles = calloc(count + 1, sizeof(uint32_t)),
		.heads = calloc(count + 1, sizeof(uint32_t)),
		.weights = calloc(count + 1, sizeof(uint64_t)),
		.firsts = calloc(count + 1, sizeof(uint32_t)),
		.waiters = calloc(count + 1, sizeof(uint32_t))};
	uint32_t *scratch = calloc(2 * count + 1, sizeof(*scratch));
	bool is_done = folding.circles && folding.heads && folding.weights && folding.firsts &&
		       folding.waiters && scratch && fold_things(&folding, scratch);

	free(folding.circles);
	free(folding.heads);
	free(folding.weights);
	free(folding.firsts);
	free(folding.waiters);
	vec_fini(&folding.members);
	vec_fini(&folding.groups);
	free(scratch);
	return is_done;
}
