/* SPDX-License-Identifier: MIT */
/*
 * Annotations, as ctp_probe_annotate.h names them: the content of each record, texts interned once, a message's text in
 * details that never stand behind another event (P-60 to P-66); categories that the engine switches off (P-70, P-71);
 * an engine that wants no more events (P-29).
 */
#include <errno.h>
#include <string.h>

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define RECORDS_MAX 8192

struct kept {
	struct ctp_record records[RECORDS_MAX];
	unsigned count;
};

static struct kept kept;

static void keep(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	struct kept *to = context;

	(void)ring;
	(void)position;
	if (to->count < RECORDS_MAX && CTP_TAIL_KIND(record.tail) != CTP_KIND_THREAD_START)
		to->records[to->count++] = record;
}

static unsigned drain(struct reader *reader)
{
	kept.count = 0;
	reader_drain_all(reader, keep, &kept);
	return kept.count;
}

static void attach(struct reader *reader)
{
	CHECK(ctp_attach());
	CHECK(reader_take(reader));
}

static void check_record(
	unsigned index, unsigned kind, uint64_t coro, uint64_t object, uint32_t site)
{
	struct ctp_record record = kept.records[index];

	CHECK_EQUAL(CTP_TAIL_KIND(record.tail), kind);
	CHECK_EQUAL(record.coro, coro);
	CHECK_EQUAL(record.object, object);
	CHECK_EQUAL(CTP_TAIL_SITE(record.tail), site);
}

/* P-60, P-61, P-62, P-65. */
static void tasks_and_regions(void)
{
	struct reader reader;
	uint32_t site;

	attach(&reader);
	site = CTP_SITE("request");
	errno = EXDEV;
	ctp_task_begin(5, 4711, site);
	ctp_task_set(6, 4711);
	ctp_region_begin(5, 0, site);
	ctp_region_end(5, site);
	ctp_task_end(0, 4711);
	ctp_counter(-3, site);
	ctp_name_coro(5, site);
	ctp_name_thread(site);
	ctp_name_resource(CTP_HANDLE(CTP_RESOURCE_LOCK, 99), site);
	CHECK_EQUAL(errno, EXDEV);
	CHECK_EQUAL(drain(&reader), 9);
	check_record(0, CTP_KIND_TASK_BEGIN, 5, 4711, site);
	check_record(1, CTP_KIND_TASK_SET, 6, 4711, 0);
	check_record(2, CTP_KIND_REGION_BEGIN, 5, 0, site);
	check_record(3, CTP_KIND_REGION_END, 5, 0, site);
	check_record(4, CTP_KIND_TASK_END, 0, 4711, 0);
	check_record(5, CTP_KIND_COUNTER, 0, (uint64_t)INT64_C(-3), site);
	check_record(6, CTP_KIND_NAME, 0, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 5), site);
	check_record(7, CTP_KIND_NAME, 0, 0, site);
	check_record(8, CTP_KIND_NAME, 0, CTP_HANDLE(CTP_RESOURCE_LOCK, 99), site);
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, site)->reason), "request");
}

static void marks(void)
{
	struct reader reader;

	attach(&reader);
	ctp_daemon(5);
	ctp_expect_idle(6);
	ctp_phase("serving");
	ctp_start();
	ctp_stop();
	ctp_dump("slow");
	CHECK_EQUAL(drain(&reader), 6);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[0].tail), CTP_MARK_DAEMON);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[1].tail), CTP_MARK_EXPECT_IDLE);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[2].tail), CTP_MARK_PHASE);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[3].tail), CTP_MARK_START);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[4].tail), CTP_MARK_STOP);
	CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[5].tail), CTP_MARK_DUMP);
	CHECK_TEXT(reader_text(&reader,
			   reader_site(&reader, CTP_TAIL_SITE(kept.records[5].tail))->reason),
		"slow");
}

/*
 * The text of the message at `index`, put together from its details. Returns its length, which the message's flags say.
 */
static unsigned message_text(unsigned index, char *ret_text)
{
	unsigned bytes = CTP_LOG_TEXT_BYTES(CTP_TAIL_FLAGS(kept.records[index].tail));
	unsigned i;

	for (i = 0; i < bytes; i++) {
		struct ctp_record detail = kept.records[index + 1 + i / CTP_TEXT_DETAIL_BYTES];

		CHECK_EQUAL(CTP_TAIL_KIND(detail.tail), CTP_KIND_DETAIL);
		CHECK_EQUAL(CTP_TAIL_ARGUMENT(detail.tail), CTP_DETAIL_TEXT);
		CHECK_EQUAL(detail.time, kept.records[index].time);
		ret_text[i] = (char)(detail.object >> (8 * (i % CTP_TEXT_DETAIL_BYTES)));
	}
	ret_text[bytes] = '\0';
	return bytes;
}

/* P-63, P-64. */
static void messages(void)
{
	static const char path[] = "/index.html?of=everything";
	char text[CTP_LOG_TEXT_MAX + 1];
	char longest[1000];
	struct reader reader;
	uint32_t site, used;

	attach(&reader);
	memset(longest, 'x', sizeof(longest));
	site = CTP_SITE("GET {}");
	errno = EXDEV;
	ctp_log(5, site);
	ctp_log_number(5, -42, site);
	ctp_log_text(5, path, sizeof(path) - 1, site);
	ctp_log_text(5, longest, sizeof(longest), site);
	ctp_log_text(5, "", 0, site);
	CHECK_EQUAL(errno, EXDEV);
	CHECK_EQUAL(drain(&reader), 5 + 4 + CTP_LOG_TEXT_MAX / CTP_TEXT_DETAIL_BYTES);
	check_record(0, CTP_KIND_LOG, 5, 0, site);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[0].tail), 0);
	check_record(1, CTP_KIND_LOG, 5, (uint64_t)INT64_C(-42), site);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[1].tail), CTP_LOG_HAS_NUMBER);
	CHECK_EQUAL(message_text(2, text), sizeof(path) - 1);
	CHECK_TEXT(text, path);
	CHECK_EQUAL(message_text(7, text), CTP_LOG_TEXT_MAX);
	CHECK(memcmp(text, longest, CTP_LOG_TEXT_MAX) == 0);
	CHECK_EQUAL(CTP_TAIL_FLAGS(kept.records[kept.count - 1].tail), 0);
	/* No event interns its text. */
	used = reader.header->names_used;
	ctp_log_text(5, longest, sizeof(longest), site);
	CHECK_EQUAL(reader.header->names_used, used);
}

/* P-64: where the message finds no room in the ring, its text finds none either; P-28 holds. */
static void message_without_room(void)
{
	static char text[CTP_LOG_TEXT_MAX];
	struct reader reader;
	struct ctp_ring *ring;
	unsigned i, nr_logs = 0;

	attach(&reader);
	ctp_store_relaxed(&reader.orders->chunks_per_ring, 1);
	for (i = 0; i < 1000; i++)
		ctp_log_text(1, text, sizeof(text), 0);
	ring = reader_ring(&reader, 0);
	CHECK_EQUAL(drain(&reader), CTP_CHUNK_RECORDS - 1);
	for (i = 0; i < kept.count; i++)
		if (CTP_TAIL_KIND(kept.records[i].tail) == CTP_KIND_LOG)
			nr_logs++;
		else
			CHECK_EQUAL(CTP_TAIL_ARGUMENT(kept.records[i].tail), CTP_DETAIL_TEXT);
	/* The probe gives up one record for each message that came later, and one for a text cut short. */
	CHECK_EQUAL(ring->dropped, 1000 - nr_logs + 1);
}

/* P-27: a message written in the middle of another event is counted, and leaves nothing in the ring. */
static void message_within_an_event(void)
{
	struct ctp_thread *thread = ctp_thread_self();
	struct reader reader;

	attach(&reader);
	ctp_log(1, 0);
	thread->busy = ctp_stack_pointer() + 8192;
	ctp_log_text(1, "abc", 3, 0);
	thread->busy = 0;
	CHECK_EQUAL(drain(&reader), 1);
	CHECK_EQUAL(reader_ring(&reader, 0)->nested, 1);
}

static void write_all_categories(void)
{
	ctp_suspend(1, 0, 0, CTP_POINT_AWAIT);
	ctp_acquire(1, 7, 0);
	ctp_hand_over(1, 7, 2, 0);
	ctp_descriptor_open(CTP_DESCRIPTOR(3, 1), 0);
	ctp_task_begin(1, 9, 0);
	ctp_region_begin(1, 0, 0);
	ctp_log_text(1, "abc", 3, 0);
	ctp_counter(1, 0);
	ctp_daemon(1);
}

static bool has_kind(unsigned kind)
{
	unsigned i;

	for (i = 0; i < kept.count; i++)
		if (CTP_TAIL_KIND(kept.records[i].tail) == kind)
			return true;
	return false;
}

/* P-70, P-71 */
static void categories(void)
{
	struct reader reader;
	uint32_t all_off = ~UINT32_C(0);

	attach(&reader);
	CHECK(reader.header->features_compatible & CTP_FEATURE_CATEGORIES);
	write_all_categories();
	CHECK_EQUAL(drain(&reader), 11);
	ctp_store_relaxed(&reader.orders->categories_off, UINT32_C(1) << CTP_CATEGORY_RESOURCES);
	write_all_categories();
	CHECK_EQUAL(drain(&reader), 8);
	CHECK(!has_kind(CTP_KIND_ACQUIRE) && !has_kind(CTP_KIND_HAND_OVER));
	ctp_store_relaxed(&reader.orders->categories_off, UINT32_C(1) << CTP_CATEGORY_LOGS);
	write_all_categories();
	CHECK_EQUAL(drain(&reader), 9);
	CHECK(!has_kind(CTP_KIND_LOG));
	/* Scheduling, and marks with it, cannot be switched off. */
	ctp_store_relaxed(&reader.orders->categories_off, all_off);
	write_all_categories();
	CHECK_EQUAL(drain(&reader), 2);
	CHECK(has_kind(CTP_KIND_SUSPEND) && has_kind(CTP_KIND_MARK));
	ctp_store_relaxed(&reader.orders->categories_off, 0);
	write_all_categories();
	CHECK_EQUAL(drain(&reader), 11);
}

/* P-29: after the release the probe writes nothing from the next event on, until a reader wants events again. */
static void released(void)
{
	struct reader reader;
	unsigned i;

	attach(&reader);
	CHECK(reader.header->features_compatible & CTP_FEATURE_WANTED);
	ctp_log(1, 0);
	CHECK_EQUAL(drain(&reader), 1);
	ctp_store_relaxed(&reader.orders->wanted, 0);
	CHECK(!ctp_is_attached());
	for (i = 0; i < 2 * CTP_CHUNK_RECORDS; i++)
		ctp_log(1, 0);
	CHECK_EQUAL(drain(&reader), 0);
	ctp_store_relaxed(&reader.orders->wanted, CTP_WANTED_ENGINE);
	ctp_log(1, 0);
	CHECK_EQUAL(drain(&reader), 1);
	CHECK_EQUAL(reader.header->untraced_events, 0);
	CHECK_EQUAL(reader_ring(&reader, 0)->dropped, 0);
}

static void not_attached(void)
{
	unsetenv(CTP_ENVIRONMENT);
	CHECK_EQUAL(ctp_intern("name", 0), 0);
	CHECK_EQUAL(ctp_task_new(), 0);
	errno = EXDEV;
	write_all_categories();
	CHECK_EQUAL(errno, EXDEV);
}

static void interned(void)
{
	struct reader reader;
	uint32_t whole, part;

	attach(&reader);
	whole = ctp_intern("worker 7", 0);
	part = ctp_intern("worker 7", 6);
	CHECK(whole != 0 && part != 0 && whole != part);
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, whole)->reason), "worker 7");
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, part)->reason), "worker");
	CHECK_EQUAL(reader_site(&reader, whole)->ready, CTP_SITE_NAME);
}

int main(void)
{
	static void (*const scenarios[])(void) = {tasks_and_regions, marks, messages,
		message_without_room, message_within_an_event, categories, released, not_attached,
		interned};
	size_t i;

	reader_listen();
	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		CHECK_EQUAL(in_child(scenarios[i]), 0);
	return check_result();
}
