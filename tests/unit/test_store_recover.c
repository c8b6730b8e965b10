/* SPDX-License-Identifier: MIT */
/*
 * Parts of a recording, cut out, joined and recovered: no complete block gets lost, and missing parts are reported.
 * F-2, F-3, F-60, F-66 and F-67 of docs/spec/trace-format.md.
 *
 * A file is cut at CUTS random bytes (environment; 10,000 by default) and recovered.
 */
#include "made_trace.h"
#include "store/format.h"

#define NR_PARTS 8u
#define NR_PER_PART 250u
#define PART_NS 1000000u

static char *whole;
static size_t nr_whole;

static void make_whole(int pack_level)
{
	struct store_options options = {
		.generation_ns = 1, .generation_bytes = 1, .pack_level = pack_level};
	struct ct_sink *sink = NULL;
	uint64_t state = 3;
	uint32_t part, i;

	CHECK_EQUAL(store_sink_open("whole.ctrace", &options, &sink, NULL), CT_OK);
	made_start(sink, 2);
	made_site(sink, 1, 1, "one.c");
	for (part = 0; part < NR_PARTS; part++) {
		made_heartbeat(sink, MADE_EPOCH + part * PART_NS);
		for (i = 0; i < NR_PER_PART; i++) {
			struct ctp_record record = {
				.time = MADE_EPOCH + part * PART_NS + i * 100,
				.coro = 1 + made_random(&state) % 9,
				.object = made_random(&state),
				.tail = CTP_TAIL(
					1, i % 2 ? CTP_KIND_SUSPEND : CTP_KIND_RESUME, 0, 0),
			};

			CHECK_EQUAL(made_put(sink, 1 + i % 2, &record, 1), CT_OK);
		}
	}
	made_end(sink, MADE_EPOCH + NR_PARTS * PART_NS, NR_PARTS * NR_PER_PART);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	free(whole);
	whole = made_read("whole.ctrace", &nr_whole);
}

static bool has_note(const struct ct_tables *tables, const char *part)
{
	uint32_t i;

	for (i = 0; i < tables->nr_notes; i++)
		if (strstr(tables->notes[i].text, part))
			return true;
	return false;
}

/* ---------------------------------------------------------------- comparing */

static bool next_own(struct ct_source *source, const struct ct_event **ret_event)
{
	while (source_next(source, ret_event, NULL) == CT_OK)
		if (!source_is_carried(source))
			return true;
	return false;
}

/* The part's own events are those of the whole trace from the part's first one on. */
static void check_events(const char *path, uint64_t nr_before, uint64_t nr_expected)
{
	struct ct_source *a = made_source("whole.ctrace"), *b = made_source(path);
	const struct ct_event *from, *event;
	uint64_t count;

	for (count = 0; count < nr_before; count++)
		CHECK(next_own(a, &from));
	for (count = 0; next_own(b, &event) && next_own(a, &from); count++) {
		if (event->time != from->time || event->coro != from->coro ||
			event->object != from->object || event->kind != from->kind ||
			event->thread != from->thread || event->site != from->site)
			break;
	}
	CHECK_EQUAL(count, nr_expected);
	source_close(a);
	source_close(b);
}

/* ---------------------------------------------------------------- cutting and joining */

static void cut(uint32_t first, uint32_t last, const char *path, int pack_level)
{
	struct ct_error error = {0};
	struct ct_part part = {0};

	CHECK_EQUAL(store_cut("whole.ctrace", first * PART_NS, last * PART_NS - 1, pack_level, path,
			    &part, &error),
		CT_OK);
	CHECK_EQUAL(part.first_generation, first + 1);
	CHECK_EQUAL(part.last_generation, last);
	CHECK_EQUAL(part.nr_before, first * NR_PER_PART);
	CHECK_EQUAL(part.nr_events, (last - first) * NR_PER_PART);
	CHECK_EQUAL(part.is_cut, last < NR_PARTS);
}

static void check_part(uint32_t first, uint32_t last)
{
	struct ct_source *source;
	const struct ct_tables *tables;

	cut(first, last, "part.ctrace", 0);
	source = made_source("part.ctrace");
	tables = source->tables;
	CHECK_EQUAL(tables->nr_events, (last - first) * NR_PER_PART);
	CHECK_EQUAL(tables->nr_before, first * NR_PER_PART);
	CHECK_EQUAL(tables->is_cut, last < NR_PARTS);
	CHECK(tables->is_complete);
	CHECK_EQUAL(tables->observed_from, first * PART_NS);
	CHECK_EQUAL(tables->observed_until, last * PART_NS);
	CHECK_EQUAL(tables->epoch_monotonic_ns, MADE_EPOCH);
	CHECK_EQUAL(tables->nr_losses + tables->nr_notes, 0);
	CHECK((tables->nr_carried > 0) == (first > 0));
	CHECK_TEXT(tables->sites[1].file, "one.c");
	source_close(source);
	check_events("part.ctrace", first * NR_PER_PART, (last - first) * NR_PER_PART);
}

/* The trace is cut at each boundary, and joined again in the other order: the events are the same. */
static void check_joined(uint32_t at, int pack_level)
{
	const char *paths[] = {"right.ctrace", "left.ctrace", "left.ctrace"};
	struct ct_part part = {0};
	struct ct_source *source;

	cut(0, at, "left.ctrace", pack_level);
	cut(at, NR_PARTS, "right.ctrace", 0);
	CHECK_EQUAL(store_merge(paths, 3, 0, "joined.ctrace", &part, NULL), CT_OK);
	CHECK_EQUAL(part.nr_generations, NR_PARTS);
	CHECK_EQUAL(part.nr_twice, at);
	CHECK_EQUAL(part.nr_gaps, 0);
	CHECK(!part.is_cut);
	source = made_source("joined.ctrace");
	CHECK_EQUAL(source->tables->nr_losses + source->tables->nr_notes, 0);
	CHECK_EQUAL(source->tables->nr_carried, 0);
	CHECK(source->tables->is_complete && !source->tables->is_cut);
	source_close(source);
	check_events("joined.ctrace", 0, NR_PARTS * NR_PER_PART);
}

/* F-66: what lies between two parts is a loss, in the trace that joins them and in a part cut out of that. */
static void test_gap(void)
{
	const char *paths[] = {"left.ctrace", "right.ctrace"};
	struct ct_part part = {0};
	struct ct_source *source;

	cut(0, 2, "left.ctrace", 0);
	cut(5, 7, "right.ctrace", 0);
	CHECK_EQUAL(store_merge(paths, 2, 0, "joined.ctrace", &part, NULL), CT_OK);
	CHECK_EQUAL(part.nr_gaps, 1);
	CHECK_EQUAL(part.nr_missing, 3 * NR_PER_PART);
	CHECK(part.is_cut);
	source = made_source("joined.ctrace");
	CHECK_EQUAL(source->tables->nr_losses, 1);
	CHECK_EQUAL(source->tables->losses[0].count, 3 * NR_PER_PART);
	CHECK_EQUAL(source->tables->losses[0].reason, CTP_LOSS_PART);
	CHECK(source->tables->is_cut);
	source_close(source);
	CHECK_EQUAL(store_recover("joined.ctrace", 0, "again.ctrace", &part, NULL), CT_OK);
	source = made_source("again.ctrace");
	CHECK_EQUAL(source->tables->nr_losses, 1);
	CHECK(source->tables->is_cut);
	source_close(source);
}

static void test_refusals(void)
{
	const char *strangers[] = {"whole.ctrace", "other.ctrace"};
	struct ct_error error = {0};
	struct ct_part part;
	struct ct_sink *sink = made_sink("other.ctrace");

	made_heartbeat(sink, MADE_EPOCH);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	CHECK_EQUAL(store_merge(strangers, 2, 0, "x.ctrace", &part, &error), CT_ERR_USAGE);
	CHECK_TEXT(
		error.text, "'whole.ctrace' and 'other.ctrace' are parts of different recordings");
	CHECK_EQUAL(store_cut("whole.ctrace", INT64_C(7200000000000), INT64_MAX, 0, "x.ctrace",
			    &part, &error),
		CT_ERR_USAGE);
	CHECK_TEXT(error.text, "'whole.ctrace' holds nothing of that time: it was observed from "
			       "0.000 s to 0.008 s");
	CHECK_EQUAL(store_cut("whole.ctrace", 5, 4, 0, "x.ctrace", &part, &error), CT_ERR_USAGE);
	made_write("text.ctrace", "no trace", 8);
	CHECK_EQUAL(store_recover("text.ctrace", 0, "x.ctrace", &part, &error), CT_ERR_FORMAT);
	made_write("head.ctrace", whole, sizeof(struct store_file_header));
	CHECK_EQUAL(store_recover("head.ctrace", 0, "x.ctrace", &part, &error), CT_ERR_FORMAT);
	CHECK_TEXT(error.text, "'head.ctrace' holds no whole block");
	CHECK(access("x.ctrace", F_OK) < 0);
}

/* ---------------------------------------------------------------- recovering */

/* Counts the events in whole blocks that end before this byte, and tells whether anything follows them. */
static uint64_t count_whole(size_t nr_bytes, bool *ret_has_blocks, bool *ret_has_rest)
{
	size_t at = sizeof(struct store_file_header);
	struct store_block_header header;
	uint64_t count = 0;

	*ret_has_blocks = false;
	while (at + sizeof(header) <= nr_bytes) {
		memcpy(&header, whole + at, sizeof(header));
		if (at + sizeof(header) + header.payload_bytes > nr_bytes)
			break;
		at += sizeof(header) + header.payload_bytes;
		*ret_has_blocks = true;
		/* Both threads have half of each part. */
		count += header.type == STORE_BLOCK_EVENTS ? NR_PER_PART / 2 : 0;
	}
	*ret_has_rest = at < nr_bytes;
	return count;
}

static void check_cut_at(size_t nr_bytes)
{
	struct ct_part part = {0};
	bool has_blocks, has_rest;
	uint64_t expected = count_whole(nr_bytes, &has_blocks, &has_rest);
	struct ct_source *source;
	enum ct_status status;

	made_write("cut.ctrace", whole, nr_bytes);
	status = store_recover("cut.ctrace", 0, "saved.ctrace", &part, NULL);
	if (!has_blocks) {
		CHECK_EQUAL(status, CT_ERR_FORMAT);
		return;
	}
	CHECK_EQUAL(status, CT_OK);
	CHECK_EQUAL(part.nr_events, expected);
	CHECK_EQUAL(part.nr_cut_bytes > 0, has_rest);
	CHECK_EQUAL(part.had_end, nr_bytes == nr_whole);
	source = made_source("saved.ctrace");
	CHECK_EQUAL(source->tables->nr_events, expected);
	CHECK(source->tables->is_complete);
	CHECK_EQUAL(has_note(source->tables, "its end was missing"), nr_bytes != nr_whole);
	CHECK(!has_note(source->tables, "being written"));
	source_close(source);
}

static void test_cut_anywhere(void)
{
	const char *wanted = getenv("CUTS");
	unsigned long cuts = wanted ? strtoul(wanted, NULL, 10) : 10000, i;
	uint64_t state = 9;

	check_cut_at(nr_whole);
	for (i = 0; i < cuts && !check_failures; i++)
		check_cut_at(made_random(&state) % (nr_whole + 1));
}

/* A recovered file still shows what is missing, so names are found where they are repeated. */
static void check_again(const struct ct_tables *saved)
{
	struct ct_source *again;
	struct ct_part part;

	CHECK_EQUAL(store_recover("saved.ctrace", 0, "again.ctrace", &part, NULL), CT_OK);
	again = made_source("again.ctrace");
	CHECK_EQUAL(again->tables->nr_events, saved->nr_events);
	CHECK_EQUAL(again->tables->nr_threads, saved->nr_threads);
	CHECK_EQUAL(again->tables->nr_notes, saved->nr_notes);
	source_close(again);
}

/* One byte is changed anywhere: all other blocks are kept, and the loss is the one that the whole file's END gives. */
static void test_damaged_anywhere(void)
{
	uint64_t state = 4;
	unsigned round;

	for (round = 0; round < 300 && !check_failures; round++) {
		size_t at = sizeof(struct store_file_header) +
			    made_random(&state) % (nr_whole - sizeof(struct store_file_header));
		struct ct_source *source, *saved;
		struct ct_part part;

		whole[at] ^= 0x55;
		made_write("damaged.ctrace", whole, nr_whole);
		whole[at] ^= 0x55;
		CHECK_EQUAL(store_recover("damaged.ctrace", 0, "saved.ctrace", &part, NULL), CT_OK);
		source = made_source("damaged.ctrace");
		saved = made_source("saved.ctrace");
		CHECK_EQUAL(saved->tables->nr_events, source->tables->nr_events);
		CHECK_EQUAL(saved->tables->nr_losses, source->tables->nr_losses);
		if (source->tables->nr_losses && saved->tables->nr_losses)
			CHECK_EQUAL(
				saved->tables->losses[0].count, source->tables->losses[0].count);
		CHECK(saved->tables->is_complete);
		CHECK(has_note(saved->tables, "the file was recovered"));
		check_again(saved->tables);
		source_close(source);
		source_close(saved);
	}
}

/* ---------------------------------------------------------------- block by block */

static uint64_t count_lost(const char *path)
{
	struct ct_source *source = made_source(path);
	uint64_t count = 0;
	uint32_t i;

	CHECK(made_count(source) != UINT64_MAX);
	for (i = 0; i < source->tables->nr_losses; i++)
		count += source->tables->losses[i].count;
	source_close(source);
	return count;
}

/* A copy of the recording, whole or in two pieces, misses the same events as the file itself. */
static void check_copies(uint64_t nr_lost)
{
	const char *pieces[] = {"right.ctrace", "left.ctrace"};
	struct ct_part part = {0};

	CHECK_EQUAL(store_recover("block.ctrace", 0, "saved.ctrace", &part, NULL), CT_OK);
	CHECK_EQUAL(count_lost("saved.ctrace"), nr_lost);
	CHECK_EQUAL(store_cut("block.ctrace", 0, INT64_MAX, 0, "cut.ctrace", &part, NULL), CT_OK);
	CHECK_EQUAL(count_lost("cut.ctrace"), nr_lost);
	if (store_cut("block.ctrace", 0, 3 * PART_NS - 1, 0, pieces[1], &part, NULL) ||
		store_cut("block.ctrace", 3 * PART_NS, INT64_MAX, 0, pieces[0], &part, NULL))
		return;
	CHECK_EQUAL(store_merge(pieces, 2, 0, "joined.ctrace", &part, NULL), CT_OK);
	CHECK_EQUAL(count_lost("joined.ctrace") > 0, nr_lost > 0);
}

/* F-3, F-9: each block is damaged, removed, made the last one, and doubled. */
static void check_block(size_t at, size_t nr_bytes)
{
	char *copy = malloc(nr_whole + nr_bytes);

	memcpy(copy, whole, nr_whole);
	copy[at + nr_bytes - 1] ^= 1;
	made_write("block.ctrace", copy, nr_whole);
	CHECK(count_lost("block.ctrace") > 0);
	check_copies(count_lost("block.ctrace"));
	memmove(copy + at, whole + at + nr_bytes, nr_whole - at - nr_bytes);
	made_write("block.ctrace", copy, nr_whole - nr_bytes);
	CHECK(count_lost("block.ctrace") > 0);
	check_copies(count_lost("block.ctrace"));
	made_write("block.ctrace", whole, at);
	CHECK(count_lost("block.ctrace") > 0);
	memcpy(copy, whole, at + nr_bytes);
	memcpy(copy + at + nr_bytes, whole + at, nr_whole - at);
	made_write("block.ctrace", copy, nr_whole + nr_bytes);
	check_copies(0);
	free(copy);
}

static void test_each_block(void)
{
	size_t at = sizeof(struct store_file_header), nr_bytes;
	struct store_block_header header;

	for (; at < nr_whole && !check_failures; at += nr_bytes) {
		memcpy(&header, whole + at, sizeof(header));
		nr_bytes = sizeof(header) + header.payload_bytes;
		check_block(at, nr_bytes);
	}
}

static void check_ending_unknown(const char *path)
{
	struct ct_source *source = made_source(path);

	CHECK_EQUAL(source->tables->processes[1].ending, CT_ENDING_UNKNOWN);
	CHECK_EQUAL(source->tables->processes[1].ended, CT_NO_TIME);
	CHECK_EQUAL(source->tables->nr_losses, 1);
	source_close(source);
}

/*
 * F-9: that a process ended after the last heartbeat says nothing of what it did before, in a recovered file neither.
 */
static void test_ending_behind_the_last_heartbeat(void)
{
	struct ct_sink *sink = made_sink("ending.ctrace");
	struct ct_definition ending = {.type = CT_DEFINE_ENDING};
	struct ct_part part;

	made_start(sink, 1);
	made_put_one(sink, 1, 10, CTP_KIND_RESUME, 1);
	made_heartbeat(sink, MADE_EPOCH + 100);
	ending.ending = (struct ct_define_ending){
		.process = 1, .ending = CT_ENDING_EXITED, .monotonic_ns = MADE_EPOCH + 200};
	made_define(sink, ending);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	check_ending_unknown("ending.ctrace");
	CHECK_EQUAL(store_recover("ending.ctrace", 0, "again.ctrace", &part, NULL), CT_OK);
	check_ending_unknown("again.ctrace");
}

int main(void)
{
	uint32_t first, last;

	made_enter();
	make_whole(0);
	for (first = 0; first < NR_PARTS; first++)
		for (last = first + 1; last <= NR_PARTS; last++)
			check_part(first, last);
	for (first = 1; first < NR_PARTS; first++)
		check_joined(first, HAS_ZSTD * (first % 2));
	test_gap();
	test_refusals();
	test_cut_anywhere();
	test_damaged_anywhere();
	test_each_block();
	test_ending_behind_the_last_heartbeat();
	if (HAS_ZSTD) {
		make_whole(1);
		check_part(2, 5);
		check_joined(4, 0);
		test_damaged_anywhere();
	}
	free(whole);
	return check_result();
}
