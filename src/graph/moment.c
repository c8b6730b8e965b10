/* SPDX-License-Identifier: MIT */
/*
 * Three scans of the view. The first finds the coroutines that wait, and for what. The second follows takings and
 * releases of these objects, and awaits of these coroutines, up to the moment. The third looks up the state of the
 * coroutines that wait for nothing.
 */
#include "graph/moment.h"

#include "base/failure.h"
#include "corotracer/ctp.h"

/* ---------------------------------------------------------------- things by name */

static uint64_t key_of(enum graph_kind kind, uint32_t process, uint64_t id)
{
	return id ^ (uint64_t)process << 40 ^ (uint64_t)kind << 50;
}

/* GRAPH_NONE: there is none. */
static uint32_t find(
	const struct graph_moment *moment, enum graph_kind kind, uint32_t process, uint64_t id)
{
	uint32_t at = GRAPH_NONE;

	map_get(&moment->index, key_of(kind, process, id), &at);
	for (; at != GRAPH_NONE; at = moment->things.at[at].next) {
		const struct graph_thing *thing = &moment->things.at[at];

		if (thing->kind == kind && thing->process == process && thing->id == id)
			break;
	}
	return at;
}

/* The thing, made if there is none yet; GRAPH_NONE: out of memory. */
static uint32_t get(
	struct graph_moment *moment, enum graph_kind kind, uint32_t process, uint64_t id)
{
	struct graph_thing thing = {.kind = kind,
		.process = process,
		.id = id,
		.state = CT_STATE_DONE,
		.since = CT_NO_TIME,
		.to = GRAPH_NONE,
		.next = GRAPH_NONE};
	uint32_t at = find(moment, kind, process, id), number = (uint32_t)moment->things.count;
	uint64_t key = key_of(kind, process, id);

	if (at != GRAPH_NONE)
		return at;
	map_get(&moment->index, key, &thing.next);
	if (!vec_push(&moment->things, thing))
		return GRAPH_NONE;
	return map_put(&moment->index, key, number) ? number : GRAPH_NONE;
}

/* ---------------------------------------------------------------- scanning */

typedef bool take_function(
	struct graph_moment *moment, const struct ct_view_rows *rows, void *context);

static enum ct_status scan(struct graph_moment *moment, struct ct_view *view,
	const struct ct_view_request *request, take_function *take, void *context,
	struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	struct ct_view_scan *scan;
	enum ct_status status = ct_view_scan_open(view, request, &scan, reterr);

	if (status)
		return status;
	while ((status = ct_view_scan_next(scan, &rows, reterr)) == CT_OK)
		if (!take(moment, rows, context)) {
			status = ct_fail_memory(reterr);
			break;
		}
	ct_view_scan_close(scan);
	return status == CT_END ? CT_OK : status;
}

/* ---------------------------------------------------------------- coroutines that wait */

enum state_column {
	STATE_COROUTINE,
	STATE_PROCESS,
	STATE_STATE,
	STATE_FROM,
	STATE_SITE,
	STATE_OBJECT,
	STATE_NR_COLUMNS,
};

static const uint32_t state_columns[STATE_NR_COLUMNS] = {
	[STATE_COROUTINE] = CT_VIEW_STATES_COROUTINE,
	[STATE_PROCESS] = CT_VIEW_STATES_PROCESS,
	[STATE_STATE] = CT_VIEW_STATES_STATE,
	[STATE_FROM] = CT_VIEW_STATES_FROM,
	[STATE_SITE] = CT_VIEW_STATES_SITE,
	[STATE_OBJECT] = CT_VIEW_STATES_OBJECT,
};

static int64_t state_cell(const struct ct_view_rows *rows, enum state_column column, uint64_t row)
{
	return rows->columns[column][row];
}

static void note_state(struct graph_thing *thing, const struct ct_view_rows *rows, uint64_t row)
{
	thing->state = (uint32_t)state_cell(rows, STATE_STATE, row);
	thing->since = state_cell(rows, STATE_FROM, row);
	thing->site = (uint32_t)state_cell(rows, STATE_SITE, row);
}

/* The thing that a wait is for: a coroutine that it names by its id, or an object. */
static uint32_t get_object(struct graph_moment *moment, uint32_t process, uint64_t handle)
{
	uint64_t identity = handle & ~(UINT64_C(0xff) << 56);

	if (handle >> 56 == CTP_RESOURCE_COROUTINE)
		return get(moment, GRAPH_COROUTINE, process, identity);
	return get(moment, GRAPH_OBJECT, process, handle);
}

static bool take_wait(struct graph_moment *moment, const struct ct_view_rows *rows, uint64_t row)
{
	uint32_t process = (uint32_t)state_cell(rows, STATE_PROCESS, row), to = GRAPH_NONE;
	uint64_t handle = (uint64_t)state_cell(rows, STATE_OBJECT, row);
	uint32_t waiting = get(
		moment, GRAPH_COROUTINE, process, (uint64_t)state_cell(rows, STATE_COROUTINE, row));

	if (waiting == GRAPH_NONE)
		return false;
	if (handle) {
		to = get_object(moment, process, handle);
		if (to == GRAPH_NONE)
			return false;
	}
	note_state(&moment->things.at[waiting], rows, row);
	moment->things.at[waiting].to = to;
	moment->things.at[waiting].is_by_await = !handle || handle >> 56 == CTP_RESOURCE_FRAME;
	moment->nr_waiting++;
	return true;
}

static bool take_waits(struct graph_moment *moment, const struct ct_view_rows *rows, void *context)
{
	uint64_t row;

	(void)context;
	for (row = 0; row < rows->nr_rows; row++)
		if (!take_wait(moment, rows, row))
			return false;
	return true;
}

static bool take_states(struct graph_moment *moment, const struct ct_view_rows *rows, void *context)
{
	uint64_t row;

	(void)context;
	for (row = 0; row < rows->nr_rows; row++) {
		uint32_t thing = find(moment, GRAPH_COROUTINE,
			(uint32_t)state_cell(rows, STATE_PROCESS, row),
			(uint64_t)state_cell(rows, STATE_COROUTINE, row));

		if (thing != GRAPH_NONE)
			note_state(&moment->things.at[thing], rows, row);
	}
	return true;
}

/* Scans the states at the moment for which `compare` with waiting holds: those that end later, and those that go on. */
static enum ct_status scan_states(struct graph_moment *moment, struct ct_view *view,
	enum ct_view_compare compare, take_function *take, struct ct_error *reterr)
{
	struct ct_view_term terms[] = {
		{.column = CT_VIEW_STATES_FROM, .compare = CT_VIEW_AT_MOST, .number = moment->at},
		{.column = CT_VIEW_STATES_STATE, .compare = compare, .number = CT_STATE_WAITING},
		{.column = CT_VIEW_STATES_IS_OPEN, .compare = CT_VIEW_EQUAL, .number = 1},
		{.column = CT_VIEW_STATES_UNTIL, .compare = CT_VIEW_MORE, .number = moment->at}};
	struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_STATES,
		.columns = state_columns,
		.nr_columns = STATE_NR_COLUMNS,
		.terms = terms,
		.nr_terms = 3};
	enum ct_status status = scan(moment, view, &request, take, NULL, reterr);

	if (status)
		return status;
	terms[2].number = 0;
	request.nr_terms = 4;
	return scan(moment, view, &request, take, NULL, reterr);
}

/* ---------------------------------------------------------------- destroyed coroutines */

static const uint32_t life_columns[] = {
	CT_VIEW_COROUTINES_COROUTINE, CT_VIEW_COROUTINES_PROCESS, CT_VIEW_COROUTINES_DESTROYED};

static bool take_destroyed(
	struct graph_moment *moment, const struct ct_view_rows *rows, void *context)
{
	const int64_t *const *at = rows->columns;
	uint64_t row;

	(void)context;
	for (row = 0; row < rows->nr_rows; row++) {
		uint32_t thing =
			find(moment, GRAPH_COROUTINE, (uint32_t)at[1][row], (uint64_t)at[0][row]);

		if (thing == GRAPH_NONE)
			continue;
		moment->things.at[thing].state = CT_STATE_DESTROYED;
		moment->things.at[thing].since = at[2][row];
	}
	return true;
}

/* A destroyed coroutine has no state any more. */
static enum ct_status scan_destroyed(
	struct graph_moment *moment, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_view_term terms[] = {
		{.column = CT_VIEW_COROUTINES_DESTROYED, .compare = CT_VIEW_AT_LEAST, .number = 0},
		{.column = CT_VIEW_COROUTINES_DESTROYED,
			.compare = CT_VIEW_AT_MOST,
			.number = moment->at}};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_COROUTINES,
		.columns = life_columns,
		.nr_columns = sizeof(life_columns) / sizeof(life_columns[0]),
		.terms = terms,
		.nr_terms = sizeof(terms) / sizeof(terms[0])};

	return scan(moment, view, &request, take_destroyed, NULL, reterr);
}

/* ---------------------------------------------------------------- holders of what is waited for */

enum event_column {
	EVENT_KIND,
	EVENT_PROCESS,
	EVENT_THREAD,
	EVENT_COROUTINE,
	EVENT_OBJECT,
	EVENT_ARGUMENT,
	EVENT_NR_COLUMNS,
};

static const uint32_t event_columns[EVENT_NR_COLUMNS] = {
	[EVENT_KIND] = CT_VIEW_EVENTS_KIND,
	[EVENT_PROCESS] = CT_VIEW_EVENTS_PROCESS,
	[EVENT_THREAD] = CT_VIEW_EVENTS_THREAD,
	[EVENT_COROUTINE] = CT_VIEW_EVENTS_COROUTINE,
	[EVENT_OBJECT] = CT_VIEW_EVENTS_OBJECT,
	[EVENT_ARGUMENT] = CT_VIEW_EVENTS_ARGUMENT,
};

/* One event; and, by thread, the object that it handed over last, plus 1: the detail after that names the receiver. */
struct event {
	uint32_t process;
	uint32_t thread;
	uint64_t coro;
	uint64_t object;
	int64_t argument;
	struct map *handed;
};

static bool take_await(struct graph_moment *moment, const struct event *event)
{
	uint32_t parent = find(moment, GRAPH_COROUTINE, event->process, event->coro), child;

	if (parent == GRAPH_NONE || !moment->things.at[parent].is_by_await)
		return true;
	child = get(moment, GRAPH_COROUTINE, event->process, event->object);
	if (child == GRAPH_NONE)
		return false;
	moment->things.at[parent].to = child;
	return true;
}

static void end_await(struct graph_moment *moment, const struct event *event)
{
	uint32_t parent = find(moment, GRAPH_COROUTINE, event->process, event->coro);
	uint32_t child = find(moment, GRAPH_COROUTINE, event->process, event->object);

	if (parent != GRAPH_NONE && child != GRAPH_NONE && moment->things.at[parent].is_by_await &&
		moment->things.at[parent].to == child)
		moment->things.at[parent].to = GRAPH_NONE;
}

static bool own(
	struct graph_moment *moment, uint32_t object, const struct event *event, uint64_t coro)
{
	uint32_t owner = coro ? get(moment, GRAPH_COROUTINE, event->process, coro)
			      : get(moment, GRAPH_THREAD, event->process, event->thread);

	if (owner == GRAPH_NONE)
		return false;
	moment->things.at[object].to = owner;
	return true;
}

/* If several may hold an object, it counts as held by the last taker until that one releases it. */
static void disown(struct graph_moment *moment, uint32_t object, const struct event *event)
{
	uint32_t owner = event->coro ? find(moment, GRAPH_COROUTINE, event->process, event->coro)
				     : find(moment, GRAPH_THREAD, event->process, event->thread);

	if (owner == moment->things.at[object].to)
		moment->things.at[object].to = GRAPH_NONE;
}

static bool take_detail(struct graph_moment *moment, const struct event *event)
{
	uint32_t object = 0;

	map_get(event->handed, event->thread, &object);
	if (!object || event->argument != CTP_DETAIL_RECEIVER)
		return true;
	return own(moment, object - 1, event, event->object);
}

static bool take_event(struct graph_moment *moment, int64_t kind, const struct event *event)
{
	uint32_t object = find(moment, GRAPH_OBJECT, event->process, event->object);

	if (kind == CTP_KIND_DETAIL)
		return take_detail(moment, event);
	if (kind == CTP_KIND_AWAIT)
		return take_await(moment, event);
	if (kind == CTP_KIND_AWAIT_DONE)
		end_await(moment, event);
	if (!map_put(event->handed, event->thread, 0))
		return false;
	if (object == GRAPH_NONE)
		return true;
	if (kind == CTP_KIND_ACQUIRE)
		return own(moment, object, event, event->coro);
	if (kind == CTP_KIND_RELEASE)
		disown(moment, object, event);
	if (kind != CTP_KIND_HAND_OVER)
		return true;
	moment->things.at[object].to = GRAPH_NONE;
	return map_put(event->handed, event->thread, object + 1);
}

static bool take_events(struct graph_moment *moment, const struct ct_view_rows *rows, void *handed)
{
	const int64_t *const *at = rows->columns;
	uint64_t row;

	for (row = 0; row < rows->nr_rows; row++) {
		const struct event event = {.process = (uint32_t)at[EVENT_PROCESS][row],
			.thread = (uint32_t)at[EVENT_THREAD][row],
			.coro = (uint64_t)at[EVENT_COROUTINE][row],
			.object = (uint64_t)at[EVENT_OBJECT][row],
			.argument = at[EVENT_ARGUMENT][row],
			.handed = handed};

		if (!take_event(moment, at[EVENT_KIND][row], &event))
			return false;
	}
	return true;
}

static enum ct_status scan_events(
	struct graph_moment *moment, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_view_term terms[] = {
		{.column = CT_VIEW_EVENTS_TIME, .compare = CT_VIEW_AT_MOST, .number = moment->at},
		{.column = CT_VIEW_EVENTS_KIND,
			.compare = CT_VIEW_AT_LEAST,
			.number = CTP_KIND_AWAIT},
		{.column = CT_VIEW_EVENTS_KIND,
			.compare = CT_VIEW_AT_MOST,
			.number = CTP_KIND_DETAIL}};
	const struct ct_view_request request = {.size = sizeof(request),
		.table = CT_VIEW_EVENTS,
		.columns = event_columns,
		.nr_columns = EVENT_NR_COLUMNS,
		.terms = terms,
		.nr_terms = sizeof(terms) / sizeof(terms[0])};
	struct map handed = {0};
	enum ct_status status = scan(moment, view, &request, take_events, &handed, reterr);

	map_fini(&handed);
	return status;
}

/* ---------------------------------------------------------------- the whole */

enum ct_status graph_moment_init(
	struct graph_moment *moment, struct ct_view *view, ct_time at, struct ct_error *reterr)
{
	enum ct_status status;

	*moment = (struct graph_moment){.at = at};
	status = scan_states(moment, view, CT_VIEW_EQUAL, take_waits, reterr);
	if (status == CT_OK && moment->nr_waiting)
		status = scan_events(moment, view, reterr);
	if (status == CT_OK && moment->nr_waiting)
		status = scan_states(moment, view, CT_VIEW_UNEQUAL, take_states, reterr);
	if (status == CT_OK && moment->nr_waiting)
		status = scan_destroyed(moment, view, reterr);
	return status;
}

void graph_moment_fini(struct graph_moment *moment)
{
	vec_fini(&moment->things);
	map_fini(&moment->index);
}
