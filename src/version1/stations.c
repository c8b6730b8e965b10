/* SPDX-License-Identifier: MIT */
/*
 * Scans stations. A station is read along its sequence: the slot of the next event, then the one after it, until a slot
 * waits for its event. So a station's events come in order, and no event that can still be read counts as lost, however
 * far the writer moves in the meantime.
 */
#include <string.h>

#include "version1/stations.h"

#define EVENTS_A_STATION 64 /* in a scan, so that no writer keeps the reader from other stations */
#define TID_MAX INT32_MAX

struct scan {
	struct stations *stations;
	const struct stations_consumer *consumer;
	uint64_t nr_events;
};

/* Words read after the guard was hit do not come from the target. */
static void tell(struct scan *scan, struct station *station, const struct stations_news *news)
{
	const struct guard *guard = scan->stations->guard;

	if (guard && version1_guard_was_hit(guard))
		return;
	scan->consumer->take(scan->consumer->context, station, news);
}

/* ------------------------------------------------------------------ births and ends */

/* A coroutine is reported with its first event, because its station's words are written before that. */
static void be_born(struct scan *scan, struct station *station, const struct version1_event *first)
{
	const struct stations_news news = {.what = STATIONS_BORN, .event = first};
	uint64_t until_ns = first ? first->time : scan->stations->until_ns;

	if (station->is_born)
		return;
	station->is_born = true;
	station->last_ns = station->identity.birth_ns;
	if (station->last_ns < scan->stations->from_ns || station->last_ns > until_ns)
		station->last_ns = until_ns;
	tell(scan, station, &news);
}

static void tell_gone(
	struct scan *scan, struct station *station, const struct version1_event *behind)
{
	const struct stations_news news = {.what = STATIONS_GONE,
		.event = behind,
		.first = station->gone_first,
		.count = station->nr_gone};

	if (station->nr_gone == 0)
		return;
	be_born(scan, station, behind);
	tell(scan, station, &news);
	station->nr_gone = 0;
}

static void end(struct scan *scan, struct station *station)
{
	const struct stations_news news = {.what = STATIONS_ENDED};

	tell_gone(scan, station, NULL);
	if (station->is_born && !station->has_ended)
		tell(scan, station, &news);
	station->has_ended = true;
}

/*
 * The protocol never uses a station twice. If it happens all the same, another coroutine has the station; its events
 * are numbered from the beginning, or the numbers continue.
 */
static void begin_anew(struct scan *scan, struct station *station,
	const struct version1_station *shared, const struct version1_identity *identity)
{
	struct station fresh = {
		.identity = *identity,
		.owner = station->owner,
		.lane = station->lane,
		.place = station->place,
		.key = station->key,
	};

	end(scan, station);
	if (version1_written(shared, station->discipline) >= station->next) {
		fresh.discipline = station->discipline;
		fresh.next = station->next;
	}
	*station = fresh;
}

static bool is_other(
	const struct version1_identity *identity, const struct version1_identity *before)
{
	return identity->probe_id != before->probe_id || identity->birth_ns != before->birth_ns;
}

/* ------------------------------------------------------------------ events */

static bool is_possible(const struct stations *stations, const struct version1_event *event)
{
	return event->time >= stations->from_ns && event->time <= stations->until_ns &&
	       event->is_active <= 1 && event->tid > 0 && event->tid <= TID_MAX;
}

static void take_event(
	struct scan *scan, struct station *station, const struct version1_event *event)
{
	struct stations_news news = {
		.what = STATIONS_EVENT, .event = event, .first = station->next, .count = 1};

	if (is_possible(scan->stations, event)) {
		be_born(scan, station, event);
		tell_gone(scan, station, event);
	} else {
		news.what = STATIONS_IMPOSSIBLE;
	}
	tell(scan, station, &news);
	station->next++;
	if (news.what == STATIONS_EVENT)
		station->last_ns = event->time;
	scan->nr_events++;
}

static void lose_until(struct scan *scan, struct station *station, uint64_t number)
{
	if (station->nr_gone == 0)
		station->gone_first = station->next;
	station->nr_gone += number - station->next;
	scan->nr_events += number - station->next;
	station->next = number;
}

/*
 * The next event cannot be read. If the writer has passed it, events are lost up to the oldest one that may still be
 * there. Returns false if the writer has not. A writer that has moved since the last try (*written is its position
 * then) would overwrite that event as well, so the reader skips ahead to the middle of the slots.
 */
static bool skip_gone(struct scan *scan, struct station *station,
	const struct version1_station *shared, uint64_t *written)
{
	uint64_t present = version1_written(shared, station->discipline);
	uint64_t nr_kept = VERSION1_SLOTS;
	uint64_t oldest;

	if (*written && *written != present)
		nr_kept = VERSION1_SLOTS / 2;
	*written = present;
	oldest = present > nr_kept ? present - nr_kept : 0;
	if (present <= station->next)
		return false;
	lose_until(scan, station, oldest > station->next ? oldest : station->next + 1);
	return true;
}

static void read_events(
	struct scan *scan, struct station *station, const struct version1_station *shared)
{
	struct version1_event event;
	uint64_t written = 0;
	int i;

	for (i = 0; i < EVENTS_A_STATION; i++) {
		switch (version1_read(shared, station->discipline, station->next, &event)) {
		case VERSION1_TAKEN:
			take_event(scan, station, &event);
			break;
		case VERSION1_NOT_YET:
			return;
		case VERSION1_GONE:
			if (!skip_gone(scan, station, shared, &written))
				return;
			break;
		}
	}
}

/* ------------------------------------------------------------------ stations */

static void scan_station(struct scan *scan, uint32_t index)
{
	const struct version1_station *shared = version1_station(scan->stations->base, index);
	struct station *station = &scan->stations->all.at[index];
	struct version1_identity identity;

	version1_identify(shared, &identity);
	if (is_other(&identity, &station->identity)) {
		if (station->is_born)
			begin_anew(scan, station, shared, &identity);
		station->identity = identity;
	}
	if (station->discipline == VERSION1_UNDECIDED)
		station->discipline = version1_decide(shared);
	if (station->discipline != VERSION1_UNDECIDED)
		read_events(scan, station, shared);
	/* The station was dead before its events were read, so none follows. */
	if (identity.is_dead)
		end(scan, station);
}

static void scan_live(struct scan *scan)
{
	struct stations *stations = scan->stations;
	size_t kept = 0;
	size_t i;

	for (i = 0; i < stations->live.count; i++) {
		uint32_t index = stations->live.at[i];

		scan_station(scan, index);
		if (!stations->all.at[index].has_ended)
			stations->live.at[kept++] = index;
	}
	stations->live.count = kept;
}

static void scan_all(struct scan *scan)
{
	struct stations *stations = scan->stations;
	uint32_t i;

	stations->live.count = 0;
	for (i = 0; i < stations->all.count; i++) {
		scan_station(scan, i);
		if (!stations->all.at[i].has_ended)
			stations->live.at[stations->live.count++] = i;
	}
}

/* The count decreases only if a program cheats; a smaller count is ignored. */
bool version1_stations_take_up(struct stations *stations)
{
	uint32_t allocated = version1_allocated(stations->base);
	uint32_t count = allocated;

	if (allocated > stations->max_stations) {
		count = stations->max_stations;
		if (allocated - count > stations->nr_untraced)
			stations->nr_untraced = allocated - count;
	}
	if (count <= stations->all.count || !vec_reserve(&stations->all, count) ||
		!vec_reserve(&stations->live, count))
		return false;
	memset(&stations->all.at[stations->all.count], 0,
		(count - stations->all.count) * sizeof(*stations->all.at));
	while (stations->all.count < count)
		stations->live.at[stations->live.count++] = (uint32_t)stations->all.count++;
	return true;
}

uint64_t version1_stations_scan(
	struct stations *stations, const struct stations_consumer *consumer, bool is_thorough)
{
	struct scan scan = {stations, consumer, 0};

	if (is_thorough)
		scan_all(&scan);
	else
		scan_live(&scan);
	return scan.nr_events;
}

void version1_stations_finish(struct stations *stations, const struct stations_consumer *consumer)
{
	struct scan scan = {stations, consumer, 0};
	size_t i;

	for (i = 0; i < stations->all.count; i++)
		tell_gone(&scan, &stations->all.at[i], NULL);
}

void version1_stations_fini(struct stations *stations)
{
	vec_fini(&stations->all);
	vec_fini(&stations->live);
}
