/* SPDX-License-Identifier: MIT */
/*
 * Writes the nodes one by one, each with the name that the program gave it.
 */
#include "ask/waits.h"

#include "base/failure.h"
#include "base/json_write.h"
#include "base/map.h"

/* ---------------------------------------------------------------- names */

struct names {
	const struct graph *graph;
	struct map nodes;                 /* nodes that represent one thing each */
	int64_t of_node[GRAPH_NODES_MAX]; /* index of a text of the view; 0: none */
};

static uint64_t key_of(enum graph_kind kind, int64_t process, uint64_t id)
{
	return id ^ (uint64_t)process << 40 ^ (uint64_t)kind << 50;
}

static bool list_nodes(struct names *names)
{
	uint32_t i;

	for (i = 0; i < names->graph->nodes.count; i++) {
		const struct graph_node *node = &names->graph->nodes.at[i];

		if (node->count == 1 &&
			!map_put(&names->nodes, key_of(node->kind, node->process, node->id), i))
			return false;
	}
	return true;
}

/* `rows` has the columns process, id and name. */
static void take_names(struct names *names, enum graph_kind kind, const struct ct_view_rows *rows)
{
	uint64_t row;
	uint32_t at;

	for (row = 0; row < rows->nr_rows; row++) {
		int64_t process = rows->columns[0][row];
		uint64_t id = (uint64_t)rows->columns[1][row];

		if (map_get(&names->nodes, key_of(kind, process, id), &at) &&
			names->graph->nodes.at[at].id == id)
			names->of_node[at] = rows->columns[2][row];
	}
}

static enum ct_status find_names(struct names *names, struct ct_view *view, enum graph_kind kind,
	struct ct_view_request request, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status = ct_view_scan_open(view, &request, &scan, reterr);

	if (status)
		return status;
	while ((status = ct_view_scan_next(scan, &rows, reterr)) == CT_OK)
		take_names(names, kind, rows);
	ct_view_scan_close(scan);
	return status == CT_END ? CT_OK : status;
}

static enum ct_status find_all_names(
	struct names *names, struct ct_view *view, struct ct_error *reterr)
{
	static const uint32_t coroutines[] = {
		CT_VIEW_COROUTINES_PROCESS, CT_VIEW_COROUTINES_COROUTINE, CT_VIEW_COROUTINES_NAME};
	static const uint32_t objects[] = {
		CT_VIEW_OBJECTS_PROCESS, CT_VIEW_OBJECTS_OBJECT, CT_VIEW_OBJECTS_NAME};
	struct ct_view_request request = {.size = sizeof(request), .nr_columns = 3};
	enum ct_status status = list_nodes(names) ? CT_OK : ct_fail_memory(reterr);

	request.table = CT_VIEW_COROUTINES;
	request.columns = coroutines;
	if (status == CT_OK)
		status = find_names(names, view, GRAPH_COROUTINE, request, reterr);
	request.table = CT_VIEW_OBJECTS;
	request.columns = objects;
	if (status == CT_OK)
		status = find_names(names, view, GRAPH_OBJECT, request, reterr);
	return status;
}

/* ---------------------------------------------------------------- nodes */

static void tell_place(struct json *json, const struct graph_node *node)
{
	json_key(json, "site");
	if (node->site)
		json_unsigned(json, node->site);
	else
		json_null(json);
	json_key_text(json, "state", ct_state_name((enum ct_state)node->state));
	json_key(json, "since_ns");
	if (node->since == CT_NO_TIME)
		json_null(json);
	else
		json_number(json, node->since);
}

static void tell_object(
	struct json *json, const struct ct_view *view, const struct graph_node *node)
{
	char words[256];

	json_key_text(json, "type", ct_resource_name((unsigned)(node->id >> 56)));
	if (node->count > 1)
		return;
	ct_view_say(view, CT_VIEW_TYPE_HANDLE, (int64_t)node->id, 0, words, sizeof(words));
	json_key_text(json, "words", words);
}

static void tell_node(struct json *json, const struct ct_view *view, const struct graph_node *node,
	const char *name)
{
	json_open(json, '{');
	json_key_text(json, "kind", graph_kind_name(node->kind));
	json_key_unsigned(json, "count", node->count);
	json_key_unsigned(json, "process", node->process);
	if (node->kind == GRAPH_OBJECT)
		tell_object(json, view, node);
	else
		json_key_unsigned(json, "id", node->id);
	if (node->kind == GRAPH_COROUTINE)
		tell_place(json, node);
	json_key_text(json, "name", name);
	json_key(json, "to");
	if (node->to == GRAPH_NONE)
		json_null(json);
	else
		json_unsigned(json, node->to);
	json_key_unsigned(json, "circle", node->circle);
	json_key_unsigned(json, "layer", node->layer);
	json_key_unsigned(json, "row", node->row);
	json_close(json, '}');
}

static void tell(struct text *text, const struct ct_view *view, const struct names *names)
{
	const struct graph *graph = names->graph;
	struct json json;
	uint32_t i;

	json_init(&json, text, false);
	json_open(&json, '{');
	json_key_number(&json, "at_ns", graph->at);
	json_key_unsigned(&json, "nr_waiting", graph->nr_waiting);
	json_key_unsigned(&json, "nr_left_out", graph->nr_left_out);
	json_key_unsigned(&json, "nr_circles", graph->nr_circles);
	json_key_unsigned(&json, "nr_rows", graph->nr_rows);
	json_key_open(&json, "nodes", '[');
	for (i = 0; i < graph->nodes.count; i++)
		tell_node(&json, view, &graph->nodes.at[i], ct_view_text(view, names->of_node[i]));
	json_close(&json, ']');
	json_close(&json, '}');
}

enum ct_status ask_waits_tell(
	struct text *text, struct ct_view *view, const struct graph *graph, struct ct_error *reterr)
{
	struct names names = {.graph = graph};
	enum ct_status status = find_all_names(&names, view, reterr);

	if (status == CT_OK)
		tell(text, view, &names);
	map_fini(&names.nodes);
	return status;
}
