/* SPDX-License-Identifier: MIT */
/*
 * The memory that a hostile program can make the snapshot use is bounded, and what found no room is counted; a
 * senseless record changes nothing else. Rules F-65 and F-69 of docs/spec/trace-format.md; P-62 of
 * docs/spec/protocol.md.
 */
#include "check.h"
#include "snapshot/known.h"

static uint64_t now;

static bool fold(
	struct snapshot *snapshot, uint32_t origin, unsigned kind, uint64_t coro, uint64_t object)
{
	struct ctp_record record = {
		.time = ++now, .coro = coro, .object = object, .tail = CTP_TAIL(1, kind, 1, 0)};

	return snapshot_fold(snapshot, origin, &record);
}

static struct snapshot *start(uint32_t *ret_origin)
{
	struct snapshot *snapshot = snapshot_new();

	*ret_origin = snapshot_origin(snapshot, (struct snapshot_origin){1, 1, 1});
	CHECK(*ret_origin != 0);
	return snapshot;
}

static size_t count_told(struct snapshot *snapshot, unsigned kind)
{
	const struct snapshot_record *records;
	size_t count, found = 0, all = 0, nr_back = 0, i;
	uint64_t last[8] = {0};

	CHECK(snapshot_tell(snapshot));
	do {
		CHECK(snapshot_tell_next(snapshot, &records, &count));
		for (i = 0; i < count; i++) {
			uint64_t *before = &last[records[i].origin % 8];

			found += CTP_TAIL_KIND(records[i].record.tail) == kind;
			nr_back += records[i].record.time < *before;
			*before = records[i].record.time;
		}
		all += count;
	} while (count);
	CHECK(all <= snapshot_nr_told_at_most(snapshot));
	CHECK_EQUAL(nr_back, 0);
	return found;
}

/*
 * F-69: the snapshot keeps so many coroutines at most; the events of further ones are refused, and counted as
 * forgotten.
 */
static void test_coroutines(void)
{
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);

	snapshot->max_coros = 10;
	for (i = 1; i <= 10; i++)
		CHECK(fold(snapshot, origin, CTP_KIND_CREATE, i, 0));
	CHECK(!fold(snapshot, origin, CTP_KIND_CREATE, 11, 0));
	CHECK(!fold(snapshot, origin, CTP_KIND_RESUME, 12, 0));
	CHECK_EQUAL(snapshot_nr_forgotten(snapshot), 2);
	CHECK_EQUAL(snapshot_nr_live(snapshot), 10);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_CREATE), 10);
	CHECK(fold(snapshot, origin, CTP_KIND_RESUME, 10, 0));
	snapshot_free(snapshot);
}

/* F-66: a generation tells of the coroutines within it, with those that were alive when it began. */
static void test_most_live(void)
{
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);

	for (i = 1; i <= 30; i++)
		CHECK(fold(snapshot, origin, CTP_KIND_CREATE, i, 0));
	for (i = 3; i <= 30; i++)
		CHECK(fold(snapshot, origin, CTP_KIND_DESTROY, i, 0));
	CHECK_EQUAL(snapshot_take_most_live(snapshot), 30);
	CHECK_EQUAL(snapshot_take_most_live(snapshot), 2);
	CHECK(fold(snapshot, origin, CTP_KIND_CREATE, 31, 0));
	CHECK(fold(snapshot, origin, CTP_KIND_DESTROY, 31, 0));
	CHECK_EQUAL(snapshot_take_most_live(snapshot), 3);
	snapshot_free(snapshot);
}

/* F-69: whatever ids a target invents, and facts about them, the memory has a bound; what is known stays known. */
static void test_invented_ids(void)
{
	uint32_t origin;
	uint64_t i, spread = UINT64_C(0x9e3779b97f4b);
	struct snapshot *snapshot = start(&origin);

	snapshot->max_bytes = 8u << 20;
	for (i = 1; i <= 200000; i++) {
		fold(snapshot, origin, CTP_KIND_CREATE, i * spread & SNAPSHOT_ID_MASK, 0);
		fold(snapshot, origin, CTP_KIND_DESCRIPTOR_OPEN, 0, CTP_DESCRIPTOR(i, 1));
		fold(snapshot, origin, CTP_KIND_AWAIT, 0, i);
	}
	CHECK(snapshot_nr_bytes(snapshot) <= snapshot->max_bytes);
	CHECK(snapshot_nr_bytes(snapshot) > snapshot->max_bytes / 4);
	CHECK(snapshot_nr_live(snapshot) > 10000);
	CHECK(snapshot_nr_forgotten(snapshot) > 200000);
	CHECK(fold(snapshot, origin, CTP_KIND_RESUME, spread, 0));
	CHECK(!fold(snapshot, origin, CTP_KIND_RESUME, 3, 0));
	snapshot_free(snapshot);
}

/* F-69: destroyed coroutines are forgotten after a while, however many there are. */
static void test_graves(void)
{
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);

	snapshot->max_coros = SNAPSHOT_GRAVES + 2;
	for (i = 1; i <= 3 * SNAPSHOT_GRAVES; i++) {
		CHECK(fold(snapshot, origin, CTP_KIND_CREATE, i, 0));
		CHECK(fold(snapshot, origin, CTP_KIND_DESTROY, i, 0));
	}
	CHECK_EQUAL(snapshot_nr_live(snapshot), 0);
	CHECK_EQUAL(snapshot_nr_forgotten(snapshot), 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_CREATE), 0);
	snapshot_free(snapshot);
}

/*
 * F-65: of very many records that are told over time none is missing, and each stream is in order of time, with long
 * gaps in it, too.
 */
static void test_many(void)
{
	enum { MANY = 140000 };
	uint32_t origin, other, i;
	struct snapshot *snapshot = start(&origin);

	other = snapshot_origin(snapshot, (struct snapshot_origin){1, 2, 2});
	for (i = 1; i <= MANY; i++) {
		fold(snapshot, i % 3 ? origin : other, CTP_KIND_CREATE, i, 0);
		now += i % 50000 ? 0 : UINT64_C(1) << 50;
	}
	for (i = MANY; i > 0; i--)
		fold(snapshot, i % 5 ? origin : other, CTP_KIND_SUSPEND, i, 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_CREATE), MANY);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_SUSPEND), MANY);
	snapshot_free(snapshot);
}

/* F-69: the bounds on the facts of one coroutine, on the details of one fact, and on all facts. */
static void test_facts(void)
{
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);

	for (i = 0; i < 2 * SNAPSHOT_CHAIN; i++)
		fold(snapshot, origin, CTP_KIND_ACQUIRE, 5, CTP_HANDLE(CTP_RESOURCE_LOCK, 8 + i));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_ACQUIRE), SNAPSHOT_CHAIN);
	CHECK_EQUAL(snapshot_nr_forgotten(snapshot), SNAPSHOT_CHAIN);
	fold(snapshot, origin, CTP_KIND_NOTIFY, 0, CTP_HANDLE(CTP_RESOURCE_LOCK, 8));
	for (i = 0; i < 2 * SNAPSHOT_CHAIN; i++)
		fold(snapshot, origin, CTP_KIND_DETAIL, 0, i);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_DETAIL), SNAPSHOT_CHAIN);
	CHECK_EQUAL(snapshot_nr_forgotten(snapshot), 2 * SNAPSHOT_CHAIN);
	snapshot->max_facts = snapshot->facts.count - 1;
	CHECK(!fold(snapshot, origin, CTP_KIND_DESCRIPTOR_OPEN, 0, CTP_DESCRIPTOR(7, 1)));
	snapshot_free(snapshot);
}

/* The only record of this kind that the snapshot tells; where there is none the kind is 0. */
static struct ctp_record told_of(struct snapshot *snapshot, unsigned kind)
{
	const struct snapshot_record *records;
	struct ctp_record found = {0};
	size_t count, nr_found = 0, i;

	CHECK(snapshot_tell(snapshot));
	do {
		CHECK(snapshot_tell_next(snapshot, &records, &count));
		for (i = 0; i < count; i++)
			if (CTP_TAIL_KIND(records[i].record.tail) == kind) {
				found = records[i].record;
				nr_found++;
			}
	} while (count);
	CHECK(nr_found <= 1);
	return found;
}

/* F-65: the last frame is told, whatever came between it and the creation, and whichever ring told of it. */
static void test_frames(void)
{
	uint32_t origin, other, i;
	struct snapshot *snapshot = start(&origin);
	const struct {
		uint32_t is_other, flags;
		uint64_t after;
	} frames[] = {{0, 0, 0}, {0, 0, 5}, {1, 0, 7}, {0, 0, 8}, {0, 3, 9}, {0, 0, 10},
		{0, 0, UINT64_C(1) << 40}, {0, 0, UINT64_C(1) << 41}};

	other = snapshot_origin(snapshot, (struct snapshot_origin){1, 2, 2});
	CHECK(fold(snapshot, origin, CTP_KIND_CREATE, 5, 99));
	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		struct ctp_record record = {now + frames[i].after, 5, 1000 + i,
			CTP_TAIL(3 + i, CTP_KIND_FRAME, 0, frames[i].flags)};
		struct ctp_record told;

		CHECK(snapshot_fold(snapshot, frames[i].is_other ? other : origin, &record));
		told = told_of(snapshot, CTP_KIND_FRAME);
		CHECK(memcmp(&told, &record, sizeof(told)) == 0);
	}
	CHECK_EQUAL(told_of(snapshot, CTP_KIND_CREATE).object, 99);
	CHECK(fold(snapshot, origin, CTP_KIND_DESTROY, 5, 0));
	CHECK(fold(snapshot, origin, CTP_KIND_CREATE, 6, 0));
	CHECK_EQUAL(told_of(snapshot, CTP_KIND_FRAME).tail, 0);
	snapshot_free(snapshot);
}

/*
 * F-65: a wake-up, and a place in a queue, are told until a resume has used them up, in whatever order the rings tell
 * of them.
 */
static void test_used_up(void)
{
	static const unsigned kinds[] = {CTP_KIND_WAKE, CTP_KIND_ENQUEUE};
	uint32_t origin, other, i;
	struct snapshot *snapshot = start(&origin);
	uint64_t handle = CTP_HANDLE(CTP_RESOURCE_COROUTINE, 5);

	other = snapshot_origin(snapshot, (struct snapshot_origin){1, 2, 2});
	for (i = 0; i < 2; i++) {
		struct ctp_record late = {now + 1, i ? 5 : 8, i ? 77 : handle,
			CTP_TAIL(1, kinds[i], CTP_OUTCOME_QUEUED, 0)};

		now += 5;
		CHECK(fold(snapshot, origin, CTP_KIND_RESUME, 5, 0));
		CHECK(snapshot_fold(snapshot, other, &late));
		CHECK_EQUAL(told_of(snapshot, kinds[i]).tail, 0);
		late.time = now + 1;
		CHECK(snapshot_fold(snapshot, other, &late));
		late.time = now + 2;
		CHECK(snapshot_fold(snapshot, other, &late));
		CHECK_EQUAL(told_of(snapshot, kinds[i]).time, now + 2);
		CHECK(fold(snapshot, origin, CTP_KIND_SUSPEND, 5, 0));
		CHECK_EQUAL(told_of(snapshot, kinds[i]).time, now + 1);
		now += 5;
		CHECK(fold(snapshot, origin, CTP_KIND_RESUME, 5, 0));
		CHECK_EQUAL(told_of(snapshot, kinds[i]).tail, 0);
	}
	snapshot_free(snapshot);
}

/* P-36: a hook's late record leaves the state that another thread has told since. */
static void test_told_around(void)
{
	uint32_t origin, other;
	struct snapshot *snapshot = start(&origin);
	struct ctp_record late = {
		now + 10, 5, 0, CTP_TAIL(1, CTP_KIND_SUSPEND, CTP_POINT_AWAIT, CTP_TOLD_AROUND)};

	other = snapshot_origin(snapshot, (struct snapshot_origin){1, 2, 2});
	CHECK(fold(snapshot, origin, CTP_KIND_RESUME, 5, 0));
	CHECK(fold(snapshot, other, CTP_KIND_RESUME, 5, 0));
	CHECK(snapshot_fold(snapshot, origin, &late));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_RESUME), 1);
	CHECK(snapshot_fold(snapshot, other, &late));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_SUSPEND), 1);
	snapshot_free(snapshot);
}

/* F-69: the bound on facts that are found by a key. */
static void test_keys(void)
{
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);

	for (i = 0; i < SNAPSHOT_KEYS + 5; i++)
		fold(snapshot, origin, CTP_KIND_TASK_BEGIN, 0, 1 + i);
	CHECK_EQUAL(snapshot_nr_forgotten(snapshot), 5);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_TASK_BEGIN), SNAPSHOT_KEYS);
	snapshot_free(snapshot);
}

/* F-65: a record that is no state is not told, and leaves what is known of the thread as it is. */
static void test_no_state(void)
{
	static const unsigned kinds[] = {CTP_KIND_SAMPLE, CTP_KIND_LOG, CTP_KIND_LOST,
		CTP_KIND_CLOCK, CTP_KIND_THREAD_TIME, 255};
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);

	fold(snapshot, origin, CTP_KIND_THREAD_START, 0, 0);
	fold(snapshot, origin, CTP_KIND_CRASH, 0, 0);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK(fold(snapshot, origin, kinds[i], 0, 0));
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		CHECK_EQUAL(count_told(snapshot, kinds[i]), 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_THREAD_START), 1);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_CRASH), 1);
	snapshot_free(snapshot);
}

/* An id that could be that of another segment's coroutine is refused. */
static void test_impossible_ids(void)
{
	uint32_t origin, other;
	struct snapshot *snapshot = start(&origin);
	uint64_t id = UINT64_C(7) | UINT64_C(3) << SNAPSHOT_ID_BITS;

	other = snapshot_origin(snapshot, (struct snapshot_origin){2, 2, 2});
	CHECK(fold(snapshot, origin, CTP_KIND_CREATE, 7, 0));
	CHECK(!fold(snapshot, other, CTP_KIND_DESTROY, id, 0));
	CHECK(!fold(snapshot, other, CTP_KIND_SUSPEND, UINT64_MAX, UINT64_MAX));
	CHECK_EQUAL(snapshot_nr_live(snapshot), 1);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_CREATE), 1);
	snapshot_free(snapshot);
}

/* F-65: details are told after the record they belong to, in their order. */
static void test_order_of_details(void)
{
	const struct snapshot_record *records;
	uint32_t origin, i;
	struct snapshot *snapshot = start(&origin);
	size_t count;

	fold(snapshot, origin, CTP_KIND_NOTIFY, 0, CTP_HANDLE(CTP_RESOURCE_LOCK, 8));
	for (i = 1; i <= 3; i++)
		fold(snapshot, origin, CTP_KIND_DETAIL, 0, i);
	CHECK(snapshot_tell(snapshot));
	CHECK(snapshot_tell_next(snapshot, &records, &count));
	CHECK_EQUAL(count, 4);
	for (i = 1; i <= 3 && count == 4; i++)
		CHECK_EQUAL(records[i].record.object, i);
	snapshot_free(snapshot);
}

static void use_descriptor(struct snapshot *snapshot, uint32_t ledger, uint32_t probe,
	uint32_t generation, uint64_t coro)
{
	fold(snapshot, ledger, CTP_KIND_DESCRIPTOR_OPEN, 0, CTP_DESCRIPTOR(7, generation));
	if (coro)
		fold(snapshot, probe, CTP_KIND_SUSPEND, coro, CTP_DESCRIPTOR(7, 0));
	fold(snapshot, ledger, CTP_KIND_DESCRIPTOR_CLOSE, 0, CTP_DESCRIPTOR(7, generation));
}

/*
 * F-65: a closed descriptor is carried while a coroutine waits for it, also where the probe knows no generation; where
 * a number is used again and again, all its other descriptors are forgotten.
 */
static void test_closed_under_waiter(void)
{
	uint32_t ledger, probe, generation;
	struct snapshot *snapshot = start(&ledger);

	probe = snapshot_origin(snapshot, (struct snapshot_origin){2, 2, 2});
	for (generation = 1; generation <= 50; generation++)
		use_descriptor(
			snapshot, ledger, probe, generation, generation % 10 == 0 ? generation : 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_DESCRIPTOR_CLOSE), 5);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_DESCRIPTOR_OPEN), 5);
	fold(snapshot, probe, CTP_KIND_RESUME, 30, 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_DESCRIPTOR_CLOSE), 4);
	snapshot_free(snapshot);
}

/* P-62: an end closes the innermost region of its name, although another site began the region. */
static void test_regions(void)
{
	struct ctp_record record = {.coro = 7, .tail = CTP_TAIL(1, CTP_KIND_REGION_BEGIN, 0, 0)};
	uint32_t origin;
	struct snapshot *snapshot = start(&origin);

	CHECK(snapshot_name(snapshot, 1, 1, "query") && snapshot_name(snapshot, 1, 2, "query"));
	CHECK(snapshot_name(snapshot, 1, 3, "other") && snapshot_name(snapshot, 2, 4, "query"));
	for (record.time = 1; record.time <= 2; record.time++)
		CHECK(snapshot_fold(snapshot, origin, &record));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_REGION_BEGIN), 2);
	record.tail = CTP_TAIL(2, CTP_KIND_REGION_END, 0, 0);
	CHECK(snapshot_fold(snapshot, origin, &record));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_REGION_BEGIN), 1);
	record.tail = CTP_TAIL(3, CTP_KIND_REGION_END, 0, 0);
	CHECK(snapshot_fold(snapshot, origin, &record));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_REGION_BEGIN), 1);
	record.tail = CTP_TAIL(1, CTP_KIND_REGION_END, 0, 0);
	record.time++;
	CHECK(snapshot_fold(snapshot, origin, &record));
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_REGION_BEGIN), 0);
	snapshot_free(snapshot);
}

/* P-62: a region ends with its coroutine, and is not kept for ever. */
static void test_regions_of_the_dead(void)
{
	uint32_t origin;
	struct snapshot *snapshot = start(&origin);

	fold(snapshot, origin, CTP_KIND_CREATE, 7, 0);
	fold(snapshot, origin, CTP_KIND_CREATE, 8, 0);
	fold(snapshot, origin, CTP_KIND_REGION_BEGIN, 7, 0);
	fold(snapshot, origin, CTP_KIND_REGION_BEGIN, 8, 0);
	fold(snapshot, origin, CTP_KIND_REGION_BEGIN, 0, 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_REGION_BEGIN), 3);
	fold(snapshot, origin, CTP_KIND_DESTROY, 7, 0);
	CHECK_EQUAL(count_told(snapshot, CTP_KIND_REGION_BEGIN), 2);
	snapshot_free(snapshot);
}

int main(void)
{
	test_coroutines();
	test_most_live();
	test_invented_ids();
	test_graves();
	test_many();
	test_facts();
	test_frames();
	test_used_up();
	test_told_around();
	test_keys();
	test_no_state();
	test_impossible_ids();
	test_order_of_details();
	test_closed_under_waiter();
	test_regions();
	test_regions_of_the_dead();
	return check_result();
}
