/* SPDX-License-Identifier: MIT */
/*
 * Turns the news of stations into records. Facts that version 1 does not have are left out, never guessed: a wait has
 * no object, a birth and an end have no thread, and no wake is recorded.
 */
#include <stdlib.h>

#include "version1/station_trace.h"

#define WAITING_MAX 16384u
#define RECORDS_A_PIECE 4 /* the most records that one piece of news becomes */
#define BATCH_RECORDS 512u
#define FURTHER_IDS (UINT64_C(1) << 47) /* addresses and counters of programs are smaller */
#define SITES_MAX 65536u

bool version1_station_trace_init(struct station_trace *trace, const struct version1_engine *engine,
	struct stations *stations)
{
	const struct station_lane none = {0};

	trace->engine = *engine;
	trace->stations = stations;
	trace->waiting = calloc(WAITING_MAX, sizeof(*trace->waiting));
	return trace->waiting && vec_push(&trace->lanes, none);
}

void version1_station_trace_fini(struct station_trace *trace)
{
	size_t i;

	for (i = 0; i < STATION_TRACE_OWNERS; i++) {
		map_fini(&trace->owners[i].ids);
		map_fini(&trace->owners[i].sites);
		map_fini(&trace->owners[i].lanes);
	}
	vec_fini(&trace->lanes);
	free(trace->waiting);
}

/* ----------------------------------------------------------------------- owners */

static uint32_t find_owner(const struct station_trace *trace, const struct process *process)
{
	uint32_t i;

	for (i = 1; i < STATION_TRACE_OWNERS; i++)
		if (trace->owners[i].segment && trace->owners[i].process == process)
			return i;
	return 0;
}

bool version1_station_trace_own(struct station_trace *trace, struct process *process)
{
	struct station_owner *owner;
	uint32_t i;

	if (find_owner(trace, process))
		return true;
	for (i = 1; i < STATION_TRACE_OWNERS && trace->owners[i].segment; i++)
		;
	if (i == STATION_TRACE_OWNERS)
		return false;
	owner = &trace->owners[i];
	owner->process = process;
	owner->segment = trace->engine.ops->segment(trace->engine.context, process);
	return true;
}

/* The entry stays in use, because stations refer to it. */
void version1_station_trace_disown(struct station_trace *trace, const struct process *process)
{
	uint32_t owner = find_owner(trace, process);

	if (owner)
		trace->owners[owner].process = NULL;
}

/*
 * A station does not name its process. If several processes share the file, the thread of the first event decides; if
 * that thread is unknown, the process that came last. If no process has come, the owner is the target.
 */
static uint32_t choose_owner(struct station_trace *trace, const struct version1_event *first)
{
	uint32_t latest = 0;
	unsigned nr_alive = 0;
	struct process *process;
	uint32_t i;

	for (i = 1; i < STATION_TRACE_OWNERS; i++) {
		if (!trace->owners[i].segment || !trace->owners[i].process)
			continue;
		latest = i;
		nr_alive++;
	}
	if (nr_alive == 1 || (nr_alive > 1 && !first))
		return latest;
	process = trace->engine.ops->process_of(trace->engine.context, nr_alive ? first->tid : 0);
	if (nr_alive == 0)
		return process && version1_station_trace_own(trace, process)
			       ? find_owner(trace, process)
			       : 0;
	i = process ? find_owner(trace, process) : 0;
	return i ? i : latest;
}

/* ------------------------------------------------------------------ numbers */

/*
 * The protocol never uses a station twice; a program with more coroutines than stations cannot make us remember more
 * ids.
 */
static uint64_t choose_id(
	const struct station_trace *trace, struct station_owner *owner, uint64_t probe_id)
{
	bool is_fit = probe_id > 0 && probe_id < FURTHER_IDS &&
		      owner->ids.count < trace->stations->max_stations;
	uint32_t unused;

	if (is_fit && !map_get(&owner->ids, probe_id, &unused) && map_put(&owner->ids, probe_id, 1))
		return probe_id;
	return FURTHER_IDS + ++owner->nr_further_ids;
}

static uint32_t make_lane(struct station_trace *trace, struct station_owner *owner, uint32_t thread)
{
	const struct station_lane none = {0};
	uint32_t index = (uint32_t)trace->lanes.count;

	if (!vec_push(&trace->lanes, none))
		return 0;
	if (!map_put(&owner->lanes, thread, index)) {
		trace->lanes.count--;
		return 0;
	}
	trace->lanes.at[index].stream =
		trace->engine.ops->stream(trace->engine.context, owner->segment);
	return index;
}

/* 0: out of memory. */
static uint32_t lane_of(struct station_trace *trace, uint32_t owner, uint32_t thread)
{
	uint32_t lane;

	if (map_get(&trace->owners[owner].lanes, thread, &lane))
		return lane;
	return make_lane(trace, &trace->owners[owner], thread);
}

/* If the address lies in code, it is the place of a suspend, and becomes a site. */
static uint32_t site_of(struct station_trace *trace, struct station_owner *owner, uint64_t address)
{
	uint32_t id;

	if (map_get(&owner->sites, address, &id))
		return id;
	id = owner->nr_sites + 1;
	if (id > SITES_MAX || !trace->engine.ops->site(trace->engine.context, owner->process,
				      owner->segment, id, address))
		return 0;
	owner->nr_sites = id;
	map_put(&owner->sites, address, id);
	return id;
}

/* ------------------------------------------------------------------ records */

static uint32_t thread_of(
	struct station_trace *trace, const struct station *station, uint64_t tid, uint64_t time)
{
	return trace->engine.ops->thread(
		trace->engine.context, trace->owners[station->owner].process, tid, time);
}

static void add(struct station_trace *trace, struct station *station, uint32_t thread,
	const struct ctp_record *record)
{
	struct station_record *waiting = &trace->waiting[trace->nr_waiting];

	if (record->time > station->key)
		station->key = record->time;
	*waiting = (struct station_record){
		.record = *record,
		.key = station->key,
		.order = (uint32_t)trace->nr_waiting++,
		.station = (uint32_t)(station - trace->stations->all.at),
		.owner = station->owner,
		.thread = thread,
	};
}

static void take_birth(struct station_trace *trace, struct station *station)
{
	struct station_owner *owner = &trace->owners[station->owner];
	uint32_t thread = thread_of(trace, station, 0, 0);
	struct ctp_record record = {.time = station->last_ns,
		.object = station->identity.probe_id,
		.tail = CTP_TAIL(0, CTP_KIND_CREATE, 0, 0)};

	station->coro = record.coro = choose_id(trace, owner, station->identity.probe_id);
	add(trace, station, thread, &record);
	record.object = station->discipline;
	record.tail = CTP_TAIL(0, CTP_KIND_DETAIL, CTP_DETAIL_NUMBERING, 0);
	add(trace, station, thread, &record);
}

/*
 * The word `addr` of a suspend is a place in code, the coroutine's frame, or anything else. Only an address in code can
 * be recognised; it becomes a site, and other values are kept without interpretation.
 */
static void take_addr(struct station_trace *trace, struct station *station,
	const struct version1_event *event, uint32_t thread)
{
	struct ctp_record record = {.time = event->time,
		.coro = station->coro,
		.object = event->addr,
		.tail = CTP_TAIL(0, CTP_KIND_DETAIL, CTP_DETAIL_ADDRESS, 0)};

	if (event->addr == station->addr)
		return;
	station->addr = event->addr;
	station->site = site_of(trace, &trace->owners[station->owner], event->addr);
	add(trace, station, thread, &record);
}

static void take_event(
	struct station_trace *trace, struct station *station, const struct version1_event *event)
{
	uint32_t thread = thread_of(trace, station, event->tid, event->time);
	struct ctp_record record = {.time = event->time, .coro = station->coro};

	trace->engine.ops->moved(trace->engine.context, trace->owners[station->owner].process);
	if (event->is_active) {
		record.tail = CTP_TAIL(0, CTP_KIND_RESUME, CTP_POINT_AWAIT, 0);
	} else {
		take_addr(trace, station, event, thread);
		record.tail = CTP_TAIL(station->site, CTP_KIND_SUSPEND, CTP_POINT_AWAIT, 0);
	}
	add(trace, station, thread, &record);
}

/* Records a gap in a coroutine's events. */
static void take_gap(
	struct station_trace *trace, struct station *station, const struct stations_news *news)
{
	uint64_t time = news->event ? news->event->time : trace->stations->until_ns;
	uint32_t thread = thread_of(trace, station, news->event ? news->event->tid : 0, time);
	struct ctp_record record = {.time = time,
		.coro = station->last_ns,
		.object = news->count,
		.tail = CTP_TAIL(0, CTP_KIND_LOST, CTP_LOSS_SEQUENCE, 0)};

	add(trace, station, thread, &record);
	record.coro = station->coro;
	record.object = news->first + news->count;
	record.tail = CTP_TAIL(0, CTP_KIND_DETAIL, CTP_DETAIL_MISSING, 0);
	add(trace, station, thread, &record);
	trace->engine.ops->count_lost(trace->engine.context, news->count);
}

/*
 * The time of a coroutine's end is not known exactly: it lies between the previous scan, or the last event, and now.
 * The earlier end is recorded, so that it is before the birth of the next coroutine at the same address.
 */
static void take_end(struct station_trace *trace, struct station *station)
{
	uint64_t alive_ns = trace->stations->alive_ns;
	struct ctp_record record = {
		.time = alive_ns > station->last_ns ? alive_ns : station->last_ns,
		.coro = station->coro,
		.tail = CTP_TAIL(0, CTP_KIND_DESTROY, CTP_LIFE_UNTOLD, 0),
	};

	add(trace, station, thread_of(trace, station, 0, 0), &record);
}

void version1_station_trace_take(
	void *context, struct station *station, const struct stations_news *news)
{
	struct station_trace *trace = context;

	if (trace->nr_waiting + RECORDS_A_PIECE > WAITING_MAX)
		version1_station_trace_put(trace);
	if (station->owner == 0 && news->what != STATIONS_IMPOSSIBLE)
		station->owner = choose_owner(trace, news->event);
	/* The end of its process is already in the trace, so no further record may follow. */
	if (!trace->owners[station->owner].process || news->what == STATIONS_IMPOSSIBLE) {
		trace->nr_impossible += news->count;
		return;
	}
	switch (news->what) {
	case STATIONS_BORN:
		take_birth(trace, station);
		break;
	case STATIONS_EVENT:
		take_event(trace, station, news->event);
		break;
	case STATIONS_GONE:
		take_gap(trace, station, news);
		break;
	default:
		take_end(trace, station);
		break;
	}
}

/* ------------------------------------------------------------------ streams */

static int by_time(const void *left, const void *right)
{
	const struct station_record *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static int by_lane(const void *left, const void *right)
{
	const struct station_record *a = left, *b = right;

	if (a->lane != b->lane)
		return a->lane < b->lane ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static uint64_t place_in(const struct station_lane *lane, uint64_t time)
{
	return time > lane->place ? time : lane->place;
}

/*
 * Chooses the lane of a record: that of its thread if the record's own time is later than the place of its coroutine's
 * last record, else the lane of that record. The lane's latest time is not used instead of the own time, because a
 * reader that leaves out records does not see it.
 */
static void route(struct station_trace *trace, struct station_record *waiting)
{
	struct station *station = &trace->stations->all.at[waiting->station];
	uint32_t lane = lane_of(trace, waiting->owner, waiting->thread);
	uint64_t place = place_in(&trace->lanes.at[lane], waiting->record.time);

	if (station->lane && station->lane != lane && waiting->record.time <= station->place) {
		lane = station->lane;
		place = place_in(&trace->lanes.at[lane], waiting->record.time);
	}
	waiting->lane = lane;
	trace->lanes.at[lane].place = place;
	station->lane = lane;
	station->place = place;
}

/* Passes on the records from *at on that have the same lane and thread. */
static void put_run(struct station_trace *trace, size_t *at)
{
	const struct station_record *first = &trace->waiting[*at];
	struct ctp_record records[BATCH_RECORDS];
	struct ct_batch batch = {.stream = trace->lanes.at[first->lane].stream,
		.thread = first->thread,
		.records = records};
	uint64_t nr_events = 0;

	while (*at < trace->nr_waiting && batch.nr_records < BATCH_RECORDS) {
		const struct station_record *waiting = &trace->waiting[*at];

		if (waiting->lane != first->lane || waiting->thread != first->thread)
			break;
		records[batch.nr_records++] = waiting->record;
		nr_events += CTP_TAIL_KIND(waiting->record.tail) != CTP_KIND_LOST;
		++*at;
	}
	if (first->lane)
		trace->engine.ops->put(trace->engine.context, &batch, nr_events);
	else /* there was no memory for a stream */
		trace->engine.ops->count_lost(trace->engine.context, nr_events);
}

void version1_station_trace_put(struct station_trace *trace)
{
	size_t i;

	if (trace->nr_waiting == 0)
		return;
	qsort(trace->waiting, trace->nr_waiting, sizeof(*trace->waiting), by_time);
	for (i = 0; i < trace->nr_waiting; i++) {
		trace->waiting[i].order = (uint32_t)i;
		route(trace, &trace->waiting[i]);
	}
	qsort(trace->waiting, trace->nr_waiting, sizeof(*trace->waiting), by_lane);
	for (i = 0; i < trace->nr_waiting;)
		put_run(trace, &i);
	trace->nr_waiting = 0;
}
