/* SPDX-License-Identifier: MIT */
/*
 * Scanning stations of version 1: a writer that stops between any two stores, in both disciplines, at every distance to
 * the reader; stations that are used twice, stations that do not exist, and nonsense.
 */
#include "check.h"
#include "made_stations.h"

static const enum version1_discipline disciplines[] = {VERSION1_COUNTER, VERSION1_SEQUENCE_LOCK};

/*
 * Every event that was told is whole, and comes in order; told, gone and impossible ones together make up the number of
 * events.
 */
static void check_account(struct made_stations *made, uint32_t index, uint64_t nr_told,
	uint64_t nr_gone, uint64_t next)
{
	uint64_t at = 0, told = 0, gone = 0;
	size_t i;

	for (i = 0; i < made->told.count; i++) {
		const struct made_told *one = &made->told.at[i];

		if (one->station != index || one->what == STATIONS_BORN ||
			one->what == STATIONS_ENDED)
			continue;
		CHECK_EQUAL(one->first, at);
		at += one->count;
		if (one->what == STATIONS_GONE) {
			gone += one->count;
			continue;
		}
		CHECK_EQUAL(one->what, STATIONS_EVENT);
		CHECK_EQUAL(one->event.time, 3000 + 10 * one->first);
		CHECK_EQUAL(one->event.addr, 0x1000 + one->first);
		CHECK_EQUAL(one->event.is_active, one->first % 2);
		told++;
	}
	CHECK_EQUAL(at, next);
	CHECK_EQUAL(told, nr_told);
	CHECK_EQUAL(gone, nr_gone);
}

/*
 * The writer has `nr_whole` events behind it and stops in the next one; the reader has seen those up to `nr_seen`. The
 * reader can have the last eight events, less the one whose slot is being written.
 */
static void stop_between(
	enum version1_discipline discipline, uint64_t nr_seen, uint64_t nr_whole, int nr_stores)
{
	struct made_stations made;
	bool is_broken = nr_whole >= 8 && nr_stores > (discipline == VERSION1_COUNTER);
	uint64_t oldest = nr_whole > 8 ? nr_whole - 8 : 0;
	uint64_t i;
	int j;

	made_open(&made);
	made_allocate(&made, 77);
	for (i = 0; i < nr_whole; i++) {
		if (i == nr_seen)
			made_scan(&made, false);
		made_write(&made, 0, discipline, i);
	}
	for (j = 0; j < nr_stores; j++)
		made_store(&made, 0, discipline, nr_whole, j);
	if (is_broken)
		oldest++;
	if (oldest < nr_seen)
		oldest = nr_seen;
	made_scan(&made, false);
	made_finish(&made);
	check_account(&made, 0, nr_whole - (oldest - nr_seen), oldest - nr_seen, nr_whole);
	if (nr_whole > 0)
		CHECK_EQUAL(made.stations.all.at[0].discipline, discipline);
	/*
	 * The writer stores the rest of that event, and the reader scans once more: no event was taken twice, and none
	 * passed over.
	 */
	for (; j < MADE_STORES; j++)
		made_store(&made, 0, discipline, nr_whole, j);
	made_scan(&made, false);
	check_account(&made, 0, nr_whole + 1 - (oldest - nr_seen), oldest - nr_seen, nr_whole + 1);
	made_close(&made);
}

static void test_stopped_writers(void)
{
	uint64_t seen, whole;
	int stores;
	size_t i;

	/* At most eight events wait at the first scan, so that none is gone by then. */
	for (i = 0; i < 2; i++)
		for (whole = 0; whole < 28; whole++)
			for (seen = 0; seen <= 8 && (seen == 0 || seen < whole); seen++)
				for (stores = 0; stores < MADE_STORES; stores++)
					stop_between(disciplines[i], seen, whole, stores);
}

/* A sequence lock at its very first event does not yet show which discipline it is. */
static void test_first_mark_decides_nothing_wrong(void)
{
	struct made_stations made;

	made_open(&made);
	made_allocate(&made, 77);
	made_store(&made, 0, VERSION1_SEQUENCE_LOCK, 0, 0);
	made_scan(&made, false);
	CHECK(made.stations.all.at[0].discipline != VERSION1_COUNTER);
	CHECK_EQUAL(made.told.count, 0);
	made_close(&made);
}

static void test_both_disciplines_at_once(void)
{
	struct made_stations made;
	uint64_t i;

	made_open(&made);
	made_allocate(&made, 77);
	made_allocate(&made, 78);
	for (i = 0; i < 400; i++) {
		made_write(&made, 0, VERSION1_COUNTER, i);
		made_write(&made, 1, VERSION1_SEQUENCE_LOCK, i);
		if (i % 8 == 7)
			CHECK_EQUAL(made_scan(&made, false), 16);
	}
	check_account(&made, 0, 400, 0, 400);
	check_account(&made, 1, 400, 0, 400);
	made_close(&made);
}

static void test_end_and_station_that_serves_twice(void)
{
	struct made_stations made;
	struct version1_station *station;

	made_open(&made);
	made_allocate(&made, 77);
	made_write(&made, 0, VERSION1_COUNTER, 0);
	made_scan(&made, false);
	station = made_station(&made, 0);
	station->is_dead = 1;
	made_scan(&made, false);
	CHECK_EQUAL(made.told.at[made.told.count - 1].what, STATIONS_ENDED);
	CHECK_EQUAL(made.stations.live.count, 0);
	/* Only a thorough scan looks at dead stations. */
	memset(station, 0, sizeof(*station));
	station->probe_id = 99;
	station->birth_ts = 2500;
	made_write(&made, 0, VERSION1_SEQUENCE_LOCK, 0);
	CHECK_EQUAL(made_scan(&made, false), 0);
	CHECK_EQUAL(made_scan(&made, true), 1);
	CHECK_EQUAL(made.told.at[made.told.count - 2].what, STATIONS_BORN);
	CHECK_EQUAL(made.stations.all.at[0].identity.probe_id, 99);
	CHECK_EQUAL(made.stations.all.at[0].discipline, VERSION1_SEQUENCE_LOCK);
	made_close(&made);
}

static void test_coroutines_without_a_station(void)
{
	struct made_stations made;
	struct version1_header *header;

	made_open(&made);
	header = made.base;
	header->allocated_count = MADE_STATIONS - 1 + 5;
	made_scan(&made, false);
	CHECK_EQUAL(made.stations.all.count, MADE_STATIONS - 1);
	CHECK_EQUAL(made.stations.nr_untraced, 5);
	header->allocated_count = 0;
	made_scan(&made, false);
	CHECK_EQUAL(made.stations.nr_untraced, 5);
	made_close(&made);
}

static void check_impossible(size_t place, uint64_t value)
{
	struct made_stations made;

	made_open(&made);
	made_allocate(&made, 77);
	made_write(&made, 0, VERSION1_COUNTER, 0);
	memcpy((char *)&made_station(&made, 0)->slots[1] + place, &value,
		place == offsetof(struct version1_slot, is_active) ? 1 : 8);
	made_scan(&made, false);
	CHECK_EQUAL(made.told.count, 1);
	CHECK_EQUAL(made.told.at[0].what, STATIONS_IMPOSSIBLE);
	made_write(&made, 0, VERSION1_COUNTER, 1);
	made_scan(&made, false);
	CHECK_EQUAL(made.told.at[made.told.count - 1].what, STATIONS_EVENT);
	made_close(&made);
}

static void test_rows_that_can_not_be(void)
{
	check_impossible(offsetof(struct version1_slot, timestamp), 0);
	check_impossible(offsetof(struct version1_slot, timestamp), UINT64_C(1) << 56);
	check_impossible(offsetof(struct version1_slot, timestamp), 999);
	check_impossible(offsetof(struct version1_slot, tid), 0);
	check_impossible(offsetof(struct version1_slot, tid), UINT64_MAX);
	check_impossible(offsetof(struct version1_slot, is_active), 2);
}

/* A nonsensical value in one number stops nothing but its own slot. */
static void test_nonsense_in_a_number(void)
{
	struct made_stations made;
	uint64_t i;

	made_open(&made);
	made_allocate(&made, 77);
	for (i = 0; i < 4; i++)
		made_write(&made, 0, VERSION1_COUNTER, i);
	made_scan(&made, false);
	made_station(&made, 0)->slots[5].seq = UINT64_MAX;
	made_scan(&made, false);
	for (i = 5; i < 8; i++)
		made_write(&made, 0, VERSION1_COUNTER, i);
	made_scan(&made, false);
	made_finish(&made);
	check_account(&made, 0, 7, 1, 8);
	made_close(&made);
}

int main(void)
{
	test_stopped_writers();
	test_first_mark_decides_nothing_wrong();
	test_both_disciplines_at_once();
	test_end_and_station_that_serves_twice();
	test_coroutines_without_a_station();
	test_rows_that_can_not_be();
	test_nonsense_in_a_number();
	return check_result();
}
