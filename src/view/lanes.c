/* SPDX-License-Identifier: MIT */
/*
 * Lanes: what coroutines and threads did, and who had an object, no finer than a screen can show.
 *
 * States come in the order of their ends, so that those of one lane are in order. A state that is shorter than the
 * resolution is merged with its neighbours into one slice, until the slice is as long as the resolution. Any number of
 * coroutines wait for one object at once: the ends of waits and holds of it are sorted first.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "view/lane_calls.h"
#include "view/lane_set.h"
#include "view/scan.h"

enum lanes_column {
	LANES_LANE,
	LANES_FROM,
	LANES_UNTIL,
	LANES_STATE,
	LANES_COROUTINE,
	LANES_SITE,
	LANES_NR_STATES,
	LANES_RESOURCE,
	LANES_NR_WAITING,
	LANES_CALL,
	LANES_NR_COLUMNS,
};

static const enum ct_view_type types[LANES_NR_COLUMNS] = {
	[LANES_LANE] = CT_VIEW_TYPE_NUMBER,
	[LANES_FROM] = CT_VIEW_TYPE_TIME,
	[LANES_UNTIL] = CT_VIEW_TYPE_TIME,
	[LANES_STATE] = CT_VIEW_TYPE_STATE,
	[LANES_COROUTINE] = CT_VIEW_TYPE_COROUTINE,
	[LANES_SITE] = CT_VIEW_TYPE_SITE,
	[LANES_NR_STATES] = CT_VIEW_TYPE_NUMBER,
	[LANES_RESOURCE] = CT_VIEW_TYPE_NUMBER,
	[LANES_NR_WAITING] = CT_VIEW_TYPE_NUMBER,
	[LANES_CALL] = CT_VIEW_TYPE_TEXT,
};

struct slice {
	uint32_t lane;
	uint8_t state;
	uint8_t resource;
	uint32_t site;
	uint64_t coro;
	uint64_t nr_states; /* 0: no slice */
	uint64_t nr_waiting;
	int64_t call; /* the text of its name */
	ct_time from;
	ct_time until;
	int64_t longest_ns; /* of the state after which the slice is named */
};

/* A wait for an object, or a hold of it, begins or ends. */
struct edge {
	ct_time time;
	uint32_t lane;
	uint32_t site;
	uint64_t holder; /* 0: the edge of a wait */
	int by;          /* 1, -1 */
};

struct laying {
	const struct ct_view *view;
	const struct ct_view_lanes_request *request;
	struct slice *open; /* by lane: slices being made */
	VEC(struct slice) done;
	VEC(struct edge) edges;
	struct view_lane_set lanes;
};

/* ---------------------------------------------------------------- slices */

static enum ct_status finish(struct laying *laying, struct slice *open, struct ct_error *reterr)
{
	uint64_t most = laying->request->slices_max;

	if (!open->nr_states)
		return CT_OK;
	if (most && laying->done.count == most)
		return ct_fail(reterr, CT_ERR_USAGE,
			"the answer would have more than %" PRIu64
			" slices: ask for fewer lanes, less time, or a coarser resolution",
			most);
	if (!vec_push(&laying->done, *open))
		return ct_fail_memory(reterr);
	open->nr_states = 0;
	return CT_OK;
}

static bool may_join(
	const struct laying *laying, const struct slice *open, const struct slice *slice)
{
	return open->nr_states && laying->request->resolution_ns > 0 &&
	       slice->until - open->from < laying->request->resolution_ns;
}

static void join(struct slice *open, const struct slice *slice)
{
	struct slice longer = slice->longest_ns > open->longest_ns ? *slice : *open;

	longer.nr_states = open->nr_states + 1;
	longer.nr_waiting =
		open->nr_waiting > slice->nr_waiting ? open->nr_waiting : slice->nr_waiting;
	longer.from = open->from < slice->from ? open->from : slice->from;
	longer.until = open->until > slice->until ? open->until : slice->until;
	*open = longer;
}

static enum ct_status put(struct laying *laying, const struct slice *slice, struct ct_error *reterr)
{
	struct slice *open = &laying->open[slice->lane];
	enum ct_status status;

	if (may_join(laying, open, slice)) {
		join(open, slice);
		return CT_OK;
	}
	status = finish(laying, open, reterr);
	if (status == CT_OK)
		*open = *slice;
	return status;
}

static enum ct_status put_all(struct laying *laying, enum ct_view_lane_kind kind, uint64_t process,
	uint64_t id, struct slice slice, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	uint32_t at = 0;

	while (status == CT_OK &&
		(at = view_lane_set_find(&laying->lanes, at, kind, process, id)) != 0) {
		slice.lane = at - 1;
		status = put(laying, &slice, reterr);
	}
	return status;
}

/* ---------------------------------------------------------------- objects */

static enum ct_status put_edges(struct laying *laying, uint64_t process, uint64_t handle,
	ct_time from, ct_time until, struct edge edge, struct ct_error *reterr)
{
	uint32_t at = 0;

	while ((at = view_lane_set_find(
			&laying->lanes, at, CT_VIEW_LANE_OBJECT, process, handle)) != 0) {
		edge.lane = at - 1;
		edge.time = from;
		edge.by = 1;
		if (!vec_push(&laying->edges, edge))
			return ct_fail_memory(reterr);
		edge.time = until;
		edge.by = -1;
		if (!vec_push(&laying->edges, edge))
			return ct_fail_memory(reterr);
	}
	return CT_OK;
}

/* What ends goes before what begins at the same time. */
static int compare_edges(const void *left, const void *right)
{
	const struct edge *one = left, *other = right;

	if (one->lane != other->lane)
		return one->lane < other->lane ? -1 : 1;
	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return one->by - other->by;
}

static void take_edge(struct slice *now, const struct edge *edge)
{
	if (!edge->holder) {
		now->nr_waiting += (uint64_t)(int64_t)edge->by;
	} else if (edge->by > 0) {
		now->coro = edge->holder;
		now->site = edge->site;
	} else if (now->coro == edge->holder) {
		now->coro = 0;
		now->site = 0;
	}
	now->state = now->coro ? CT_STATE_RUNNING : CT_STATE_WAITING;
}

/* From each edge to the next one of its lane. */
static enum ct_status put_objects(struct laying *laying, struct ct_error *reterr)
{
	struct slice now = {.nr_states = 1};
	enum ct_status status = CT_OK;
	size_t i;

	if (laying->edges.count)
		qsort(laying->edges.at, laying->edges.count, sizeof(*laying->edges.at),
			compare_edges);
	for (i = 0; i + 1 < laying->edges.count && status == CT_OK; i++) {
		const struct edge *edge = &laying->edges.at[i];

		if (!i || edge[-1].lane != edge->lane)
			now = (struct slice){.lane = edge->lane,
				.nr_states = 1,
				.resource = (uint8_t)(laying->request->lanes[edge->lane].id >> 56)};
		take_edge(&now, edge);
		now.from = edge->time;
		now.until = edge[1].time;
		now.longest_ns = now.until - now.from;
		if (edge[1].lane == edge->lane && now.longest_ns && (now.coro || now.nr_waiting))
			status = put(laying, &now, reterr);
	}
	return status;
}

/* ---------------------------------------------------------------- reading */

static const uint32_t read_columns[] = {CT_VIEW_STATES_COROUTINE, CT_VIEW_STATES_PROCESS,
	CT_VIEW_STATES_STATE, CT_VIEW_STATES_FROM, CT_VIEW_STATES_UNTIL, CT_VIEW_STATES_THREAD,
	CT_VIEW_STATES_SITE, CT_VIEW_STATES_OBJECT};

/* Whose state it is. */
struct of_state {
	uint64_t process;
	uint64_t thread;
};

static enum ct_status put_state(struct laying *laying, const struct of_state *of,
	struct slice slice, struct ct_error *reterr)
{
	enum ct_status status;

	slice.longest_ns = slice.until - slice.from;
	status = put_all(laying, CT_VIEW_LANE_COROUTINE, of->process, slice.coro, slice, reterr);
	if (status == CT_OK && (slice.state == CT_STATE_RUNNING || slice.state == CT_STATE_SYSCALL))
		status = put_all(laying, CT_VIEW_LANE_THREAD, 0, of->thread, slice, reterr);
	return status;
}

static enum ct_status put_call(struct laying *laying, const struct of_state *of, struct slice slice,
	const struct view_call *call, struct ct_error *reterr)
{
	slice.state = CT_STATE_SYSCALL;
	slice.call = call->name;
	slice.site = call->site ? call->site : slice.site;
	return put_state(laying, of, slice, reterr);
}

/* A run, parted by the calls in it that held the thread. */
static enum ct_status put_run(struct laying *laying, const struct of_state *of, struct slice rest,
	struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	const struct view_call *call;
	struct slice part;

	while (status == CT_OK &&
		(call = view_calls_next(laying->view, (uint32_t)of->thread, rest.from)) != NULL &&
		call->from < rest.until) {
		part = rest;
		part.until = call->from;
		if (part.until > part.from)
			status = put_state(laying, of, part, reterr);
		part.from = call->from > rest.from ? call->from : rest.from;
		part.until = call->until < rest.until ? call->until : rest.until;
		if (status == CT_OK)
			status = put_call(laying, of, part, call, reterr);
		rest.from = part.until;
		if (rest.from >= rest.until)
			return status;
	}
	return status == CT_OK ? put_state(laying, of, rest, reterr) : status;
}

static enum ct_status take_rows(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct laying *laying = context;
	const int64_t *const *at = rows->columns;
	enum ct_status status = CT_OK;
	uint64_t i;

	for (i = 0; i < rows->nr_rows && status == CT_OK; i++) {
		struct slice slice = {.coro = (uint64_t)at[0][i],
			.state = (uint8_t)at[2][i],
			.from = at[3][i],
			.until = at[4][i],
			.site = (uint32_t)at[6][i],
			.resource = at[2][i] == CT_STATE_WAITING
					    ? (uint8_t)((uint64_t)at[7][i] >> 56)
					    : 0,
			.longest_ns = at[4][i] - at[3][i],
			.nr_states = 1};
		const struct of_state of = {(uint64_t)at[1][i], (uint64_t)at[5][i]};

		status = slice.state == CT_STATE_RUNNING ? put_run(laying, &of, slice, reterr)
							 : put_state(laying, &of, slice, reterr);
		if (status == CT_OK && slice.state == CT_STATE_WAITING && at[7][i])
			status = put_edges(laying, (uint64_t)at[1][i], (uint64_t)at[7][i],
				slice.from, slice.until, (struct edge){0}, reterr);
	}
	return status;
}

static const uint32_t hold_columns[] = {CT_VIEW_HOLDS_OBJECT, CT_VIEW_HOLDS_PROCESS,
	CT_VIEW_HOLDS_COROUTINE, CT_VIEW_HOLDS_FROM, CT_VIEW_HOLDS_UNTIL, CT_VIEW_HOLDS_SITE};

static enum ct_status take_holds(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr)
{
	struct laying *laying = context;
	const int64_t *const *at = rows->columns;
	enum ct_status status = CT_OK;
	uint64_t i;

	for (i = 0; i < rows->nr_rows && status == CT_OK; i++)
		status = put_edges(laying, (uint64_t)at[1][i], (uint64_t)at[0][i], at[3][i],
			at[4][i],
			(struct edge){.holder = (uint64_t)at[2][i], .site = (uint32_t)at[5][i]},
			reterr);
	return status;
}

static bool has_objects(const struct ct_view_lanes_request *request)
{
	uint32_t i = 0;

	while (i < request->nr_lanes && request->lanes[i].kind != CT_VIEW_LANE_OBJECT)
		i++;
	return i < request->nr_lanes;
}

static enum ct_status read_objects(
	struct laying *laying, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_view_term terms[2] = {{.column = CT_VIEW_HOLDS_UNTIL,
						      .compare = CT_VIEW_AT_LEAST,
						      .number = laying->request->from},
		{.column = CT_VIEW_HOLDS_FROM,
			.compare = CT_VIEW_LESS,
			.number = laying->request->until}};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_HOLDS,
		.columns = hold_columns,
		.nr_columns = sizeof(hold_columns) / sizeof(*hold_columns),
		.terms = terms,
		.nr_terms = 2};
	enum ct_status status;

	if (!has_objects(laying->request))
		return CT_OK;
	status = view_scan_each(view, &request, take_holds, laying, reterr);
	return status == CT_OK ? put_objects(laying, reterr) : status;
}

static uint32_t column_of(enum ct_view_lane_kind kind)
{
	return kind == CT_VIEW_LANE_THREAD   ? CT_VIEW_STATES_THREAD
	       : kind == CT_VIEW_LANE_OBJECT ? CT_VIEW_STATES_OBJECT
					     : CT_VIEW_STATES_COROUTINE;
}

static enum ct_status read_states(
	struct laying *laying, struct ct_view *view, struct ct_error *reterr)
{
	struct ct_view_term terms[3] = {{.column = CT_VIEW_STATES_UNTIL,
						.compare = CT_VIEW_AT_LEAST,
						.number = laying->request->from},
		{.column = CT_VIEW_STATES_FROM,
			.compare = CT_VIEW_LESS,
			.number = laying->request->until}};
	struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_STATES,
		.columns = read_columns,
		.nr_columns = sizeof(read_columns) / sizeof(*read_columns),
		.terms = terms,
		.nr_terms = 2};
	const struct ct_view_lane *lane = laying->request->lanes;

	/* A request is most often for one lane: most chunks then know that they have no row of it. */
	if (laying->request->nr_lanes == 1)
		terms[request.nr_terms++] = (struct ct_view_term){
			.column = column_of(lane->kind), .number = (int64_t)lane->id};
	return view_scan_each(view, &request, take_rows, laying, reterr);
}

static int compare_slices(const void *left, const void *right)
{
	const struct slice *one = left, *other = right;

	if (one->lane != other->lane)
		return one->lane < other->lane ? -1 : 1;
	return one->from < other->from ? -1 : one->from > other->from;
}

static struct ct_view_rows *rows_of(struct laying *laying)
{
	struct ct_view_rows *rows = view_rows_new(types, LANES_NR_COLUMNS, laying->done.count);
	size_t i;

	if (!rows)
		return NULL;
	if (laying->done.count)
		qsort(laying->done.at, laying->done.count, sizeof(*laying->done.at),
			compare_slices);
	for (i = 0; i < laying->done.count; i++) {
		const struct slice *slice = &laying->done.at[i];

		view_rows_column(rows, LANES_LANE)[i] = slice->lane;
		view_rows_column(rows, LANES_FROM)[i] = slice->from;
		view_rows_column(rows, LANES_UNTIL)[i] = slice->until;
		view_rows_column(rows, LANES_STATE)[i] = slice->state;
		view_rows_column(rows, LANES_COROUTINE)[i] = (int64_t)slice->coro;
		view_rows_column(rows, LANES_SITE)[i] = slice->site;
		view_rows_column(rows, LANES_NR_STATES)[i] = (int64_t)slice->nr_states;
		view_rows_column(rows, LANES_RESOURCE)[i] = slice->resource;
		view_rows_column(rows, LANES_NR_WAITING)[i] = (int64_t)slice->nr_waiting;
		view_rows_column(rows, LANES_CALL)[i] = slice->call;
	}
	return rows;
}

static enum ct_status lay(struct laying *laying, struct ct_view *view,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	enum ct_status status;
	uint32_t i;

	laying->open = calloc(laying->request->nr_lanes + 1u, sizeof(*laying->open));
	if (!laying->open || !view_lane_set_init(&laying->lanes, laying->request->lanes,
				     laying->request->nr_lanes))
		return ct_fail_memory(reterr);
	status = read_states(laying, view, reterr);
	if (status == CT_OK)
		status = read_objects(laying, view, reterr);
	for (i = 0; status == CT_OK && i < laying->request->nr_lanes; i++)
		status = finish(laying, &laying->open[i], reterr);
	if (status)
		return status;
	*ret_rows = rows_of(laying);
	return *ret_rows ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status ct_view_lanes(struct ct_view *view, const struct ct_view_lanes_request *given,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr)
{
	struct ct_view_lanes_request request;
	struct laying laying = {.view = view, .request = &request};
	enum ct_status status;

	known_options(&request, sizeof(request), given);
	status = lay(&laying, view, ret_rows, reterr);
	free(laying.open);
	vec_fini(&laying.done);
	vec_fini(&laying.edges);
	view_lane_set_fini(&laying.lanes);
	return status;
}
