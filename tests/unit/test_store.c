/* SPDX-License-Identifier: MIT */
/*
 * The trace file, written and read back unchanged and in order. Rules: see docs/spec/trace-format.md.
 */
#include <stdint.h>
#include <stdlib.h>

#include "made_trace.h"
#include "store/events.h"
#include "store/format.h"

#define NR_RANDOM 20000u

/* ---------------------------------------------------------------------- records */

static struct ctp_record odd_record(uint64_t *state)
{
	return (struct ctp_record){.time = made_odd(state),
		.coro = made_odd(state),
		.object = made_odd(state),
		.tail = made_random(state) & made_random(state)};
}

static bool is_same(const struct ctp_record *a, const struct ctp_record *b)
{
	return a->time == b->time && a->coro == b->coro && a->object == b->object &&
	       a->tail == b->tail;
}

/* F-40 to F-47: records come back unchanged, whatever their words are. */
static void test_any_record_comes_back(void)
{
	static struct store_encoder encoder;
	static struct store_decoder decoder;
	static struct ctp_record records[1000];
	static uint8_t bytes[1000 * STORE_RECORD_BYTES_MAX];
	struct ctp_record back;
	uint64_t state = 1;
	size_t round, i, nr_wrong = 0;
	uint8_t *at, *before;

	for (round = 0; round < 50; round++) {
		for (i = 0; i < 1000; i++)
			records[i] = odd_record(&state);
		store_encoder_start(&encoder, records[0].time);
		for (i = 0, at = bytes; i < 1000; i++) {
			before = at;
			at = store_encode(&encoder, at, &records[i], 1);
			nr_wrong += at - before > STORE_RECORD_BYTES_MAX;
		}
		store_decoder_start(&decoder, records[0].time, bytes, at);
		for (i = 0; i < 1000; i++)
			nr_wrong +=
				!store_decode(&decoder, &back, 1) || !is_same(&back, &records[i]);
		nr_wrong += store_decode(&decoder, &back, 1) != 0;
	}
	CHECK_EQUAL(nr_wrong, 0);
}

/* The file does not show in what processors differ. */
static void test_all_processors_write_the_same(void)
{
	static struct store_encoder encoder, portable;
	static struct ctp_record records[1000];
	static uint8_t bytes[1000 * STORE_RECORD_BYTES_MAX], other[sizeof(bytes)];
	uint64_t state = 7, time = MADE_EPOCH;
	size_t round, i, nr_bytes;

	for (round = 0; round < 50; round++) {
		for (i = 0; i < 1000; i++) {
			records[i] = odd_record(&state);
			/* The numbers have all lengths, not only the long ones. */
			records[i].coro >>= made_random(&state) % 64;
			records[i].object >>= made_random(&state) % 64;
			records[i].time = time += made_random(&state) >> made_random(&state) % 64;
		}
		store_encoder_start(&encoder, records[0].time);
		store_encoder_start(&portable, records[0].time);
		nr_bytes = (size_t)(store_encode(&encoder, bytes, records, 1000) - bytes);
		CHECK_EQUAL(
			store_encode_portable(&portable, other, records, 1000) - other, nr_bytes);
		CHECK(memcmp(bytes, other, nr_bytes) == 0);
		CHECK_EQUAL(encoder.latest, portable.latest);
	}
}

/* F-41: a pair of kind and mask costs three bytes once, and one from then on. */
static void test_codes(void)
{
	static struct store_encoder encoder;
	struct ctp_record record = {.time = 100, .tail = CTP_TAIL(0, CTP_KIND_RESUME, 0, 0)};
	uint8_t bytes[2 * STORE_RECORD_BYTES_MAX];
	uint8_t *first, *second;

	store_encoder_start(&encoder, 100);
	first = store_encode(&encoder, bytes, &record, 1);
	CHECK_EQUAL(first - bytes, 4);
	CHECK_EQUAL(bytes[0], 0);
	CHECK_EQUAL(bytes[1], CTP_KIND_RESUME);
	record.time = 101;
	second = store_encode(&encoder, first, &record, 1);
	CHECK_EQUAL(second - first, 2);
	CHECK_EQUAL(first[0], 1);
	CHECK_EQUAL(first[1], 1);
}

/* F-42, F-43, F-44, F-45, F-46, byte by byte: a file of this version must never be read otherwise. */
static void test_bytes_of_records(void)
{
	static struct store_encoder encoder;
	const struct ctp_record records[] = {
		{1000, 7, CTP_DESCRIPTOR(5, 1), CTP_TAIL(3, CTP_KIND_SUSPEND, 1, 0)},
		{1010, 9, CTP_HANDLE(CTP_RESOURCE_COROUTINE, 7), CTP_TAIL(4, CTP_KIND_WAKE, 0, 2)},
		{1005, 7, 0, CTP_TAIL(0, CTP_KIND_RESUME, 0, 0)},
		{1020, 7, CTP_DESCRIPTOR(5, 1), CTP_TAIL(3, CTP_KIND_SUSPEND, 1, 0)},
		{1020, 0, CTP_DESCRIPTOR(5, 1), CTP_TAIL(0, CTP_KIND_DESCRIPTOR_CLOSE, 0, 0)},
	};
	static const uint8_t expected[] = {/* suspend: coroutine, object, site and argument told */
		0, 4, 0x01 | 0x08 | 0x10 | 0x20, 0, 14, 0x8a, 0x80, 0x80, 0x80, 0xa0, 0x80, 0x80,
		0x80, 0x02, 6, 1,
		/* wake: coroutine, object, site, flags told */
		0, 6, 0x01 | 0x08 | 0x10 | 0x40, 10, 4, 0x8e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x0e, 8, 2,
		/* resume: the time goes back; the coroutine is the last object's */
		0, 3, 0x03 | 0x80, 5,
		/* suspend: all as before */
		0, 4, 0x00 | 0x04, 15,
		/* close: no coroutine; the object is in a slot */
		0, 25, 0x02 | 0x0c, 0, 0};
	uint8_t bytes[5 * STORE_RECORD_BYTES_MAX], *at = bytes;
	size_t i;

	store_encoder_start(&encoder, 1000);
	for (i = 0; i < 5; i++)
		at = store_encode(&encoder, at, &records[i], 1);
	CHECK_EQUAL(at - bytes, sizeof(expected));
	bytes[sizeof(expected) - 1] = 0; /* the slot's number is the hash's business */
	CHECK(memcmp(bytes, expected, sizeof(expected)) == 0);
}

/* ------------------------------------------------------------------------ files */

static struct ctp_record *random_records(size_t count, uint64_t *state)
{
	struct ctp_record *records = calloc(count, sizeof(*records));
	uint64_t time = MADE_EPOCH;
	size_t i;

	for (i = 0; records && i < count; i++) {
		records[i] = odd_record(state);
		time += made_random(state) % 5000;
		records[i].time = time;
		if (made_random(state) % 50 == 0)
			records[i].time -= made_random(state) % 100000;
		/* The sites are defined ones, and a LOST record takes the form that keeps its words as they are. */
		records[i].tail =
			(records[i].tail & ~(uint64_t)UINT32_MAX) | (made_random(state) % 4);
		if (CTP_TAIL_KIND(records[i].tail) == CTP_KIND_LOST)
			records[i].tail |= UINT64_C(1) << 32;
	}
	return records;
}

static void check_event(
	const struct ct_event *event, const struct ctp_record *record, size_t *nr_wrong)
{
	*nr_wrong += event->time != (ct_time)(record->time - MADE_EPOCH) ||
		     event->coro != record->coro || event->object != record->object ||
		     event->kind != CTP_TAIL_KIND(record->tail) ||
		     event->argument != CTP_TAIL_ARGUMENT(record->tail) ||
		     event->flags != CTP_TAIL_FLAGS(record->tail) ||
		     event->site != CTP_TAIL_SITE(record->tail) || event->process != 1;
}

/* Writes batches of random length into alternating streams. */
static void put_random(struct ct_sink *sink, const struct ctp_record *records, size_t count,
	uint8_t *ret_stream, uint64_t *state)
{
	size_t i = 0, n;
	uint32_t stream = 1;

	while (i < count) {
		n = made_random(state) % 700;
		n = n < count - i ? n : count - i;
		CHECK_EQUAL(made_put(sink, stream, records + i, n), CT_OK);
		memset(ret_stream + i, (int)stream, n);
		i += n;
		stream = 3 - stream;
		if (made_random(state) % 10 == 0)
			CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	}
}

/* F-47 through encoder, file and decoder; F-50 within each stream. */
static void test_random_batches_come_back(void)
{
	uint64_t state = 7;
	struct ctp_record *records = random_records(NR_RANDOM, &state);
	static uint8_t stream_of[NR_RANDOM];
	struct ct_sink *sink = made_sink("random.ctrace");
	struct ct_source *source;
	const struct ct_event *event;
	size_t next[3] = {0}, nr_wrong = 0, nr_read = 0, round;

	made_start(sink, 2);
	made_site(sink, 1, 1, "a.c");
	made_site(sink, 1, 2, "b.c");
	made_site(sink, 1, 3, "c.c");
	put_random(sink, records, NR_RANDOM, stream_of, &state);
	made_end(sink, MADE_EPOCH + UINT64_C(1000000000), NR_RANDOM);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("random.ctrace");
	CHECK_EQUAL(source->tables->nr_events, NR_RANDOM);
	for (round = 0; round < 2; round++) {
		memset(next, 0, sizeof(next));
		for (nr_read = 0; source_next(source, &event, NULL) == CT_OK; nr_read++) {
			size_t *at = &next[event->thread];

			while (*at < NR_RANDOM && stream_of[*at] != event->thread)
				++*at;
			check_event(event, &records[(*at)++], &nr_wrong);
			nr_wrong += event->sequence != nr_read;
		}
		CHECK_EQUAL(nr_read, NR_RANDOM);
		CHECK_EQUAL(nr_wrong, 0);
		CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	}
	source_close(source);
	free(records);
}

/* F-50, F-51. */
static void test_streams_are_merged_by_time(void)
{
	static const struct {
		uint32_t thread;
		ct_time time;
	} expected[] = {
		{2, 5}, {1, 10}, {2, 11}, {2, 8}, {1, 20}, {1, 15}, {1, 20}, {2, 20}, {1, 30}};
	struct ct_sink *sink = made_sink("merge.ctrace");
	struct ct_source *source;
	const struct ct_event *event;
	size_t i;

	made_start(sink, 2);
	made_put_one(sink, 2, 5, CTP_KIND_RESUME, 1);
	made_put_one(sink, 2, 11, CTP_KIND_RESUME, 1);
	made_put_one(sink, 2, 8, CTP_KIND_RESUME, 1);
	made_put_one(sink, 2, 20, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, 10, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, 20, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, 15, CTP_KIND_RESUME, 1);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	made_put_one(sink, 1, 20, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, 30, CTP_KIND_RESUME, 1);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("merge.ctrace");
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
		CHECK_EQUAL(event->time, expected[i].time);
		CHECK_EQUAL(event->thread, expected[i].thread);
	}
	CHECK_EQUAL(source_next(source, &event, NULL), CT_END);
	source_close(source);
}

/* F-50: a row of impossible records keeps its time, and does not move the records behind it. */
static void test_impossible_time_moves_nothing(void)
{
	struct ct_sink *sink = made_sink("impossible.ctrace");
	struct ct_source *source;
	const struct ct_event *event;

	made_start(sink, 2);
	made_put_one(sink, 1, 10, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, UINT64_C(1) << 56, CTP_KIND_RESUME, 1);
	made_put_one(sink, 1, 20, CTP_KIND_SUSPEND, 1);
	made_put_one(sink, 2, 30, CTP_KIND_RESUME, 2);
	made_heartbeat(sink, MADE_EPOCH + 1000);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("impossible.ctrace");
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->time, INT64_C(1) << 56);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->time, 20);
	CHECK_EQUAL(source_next(source, &event, NULL), CT_OK);
	CHECK_EQUAL(event->thread, 2);
	CHECK_EQUAL(source->tables->observed_until, 1000);
	source_close(source);
}

/* F-40: a file of many small blocks and many streams; the index holds all blocks. */
static void test_many_blocks(void)
{
	struct ct_sink *sink = made_sink("blocks.ctrace");
	struct ct_source *source;
	const struct ct_event *event;
	uint64_t i;
	size_t nr_wrong = 0;

	made_start(sink, 100);
	for (i = 0; i < 20000; i++) {
		made_put_one(sink, (uint32_t)(1 + i % 100), i, CTP_KIND_RESUME, i + 1);
		if (i % 100 == 99)
			CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	}
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("blocks.ctrace");
	for (i = 0; source_next(source, &event, NULL) == CT_OK; i++)
		nr_wrong += event->coro != i + 1 || event->time != (ct_time)i;
	CHECK_EQUAL(i, 20000);
	CHECK_EQUAL(nr_wrong, 0);
	source_close(source);
}

/* A batch longer than a block, and a stream whose thread changes (F-40). */
static void test_batches_longer_than_a_block(void)
{
	static struct ctp_record records[3 * STORE_BLOCK_RECORDS + 5];
	struct ct_sink *sink = made_sink("long.ctrace");
	struct ct_batch other = {.stream = 1, .thread = 2, .records = records, .nr_records = 3};
	struct ct_source *source;
	const struct ct_event *event;
	size_t i, count = sizeof(records) / sizeof(records[0]), nr_second = 0;

	for (i = 0; i < count; i++)
		records[i] = (struct ctp_record){
			.time = MADE_EPOCH + i, .tail = CTP_TAIL(0, CTP_KIND_PARK, 0, 0)};
	made_start(sink, 2);
	CHECK_EQUAL(made_put(sink, 1, records, count), CT_OK);
	CHECK_EQUAL(sink_put(sink, &other, NULL), CT_OK);
	CHECK_EQUAL(made_put(sink, 1, records, 0), CT_OK);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("long.ctrace");
	for (i = 0; source_next(source, &event, NULL) == CT_OK; i++)
		nr_second += event->thread == 2;
	CHECK_EQUAL(i, count + 3);
	CHECK_EQUAL(nr_second, 3);
	source_close(source);
}

/* A call that a producer must not make is refused, and harms nothing. */
static void test_undefined_stream_is_refused(void)
{
	struct ct_sink *sink = made_sink("undefined.ctrace");
	struct ct_batch batch = {.stream = 9};
	struct ct_error error = {0};

	made_start(sink, 1);
	CHECK_EQUAL(sink_put(sink, &batch, &error), CT_ERR_USAGE);
	CHECK_TEXT(error.text, "stream 9 was not defined");
	made_put_one(sink, 1, 1, CTP_KIND_PARK, 0);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
}

static void test_no_output_without_being_wanted(void)
{
	struct ct_sink *sink = made_sink("unwanted.ctrace");

	made_start(sink, 1);
	CHECK(access("unwanted.ctrace.partial", F_OK) == 0);
	CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
	CHECK(access("unwanted.ctrace.partial", F_OK) < 0);
	CHECK(access("unwanted.ctrace", F_OK) < 0);
}

int main(void)
{
	made_enter();
	test_any_record_comes_back();
	test_all_processors_write_the_same();
	test_codes();
	test_bytes_of_records();
	test_random_batches_come_back();
	test_streams_are_merged_by_time();
	test_impossible_time_moves_nothing();
	test_many_blocks();
	test_batches_longer_than_a_block();
	test_undefined_stream_is_refused();
	test_no_output_without_being_wanted();
	return check_result();
}
