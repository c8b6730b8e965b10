/* SPDX-License-Identifier: MIT */
/*
 * Trace files that are cut, damaged, newer or hostile: they are read as far as possible, what is missing is reported,
 * and the reader stays safe. Rules: see docs/spec/trace-format.md.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/crc32c.h"
#include "made_trace.h"
#include "store/definitions.h"
#include "store/events.h"
#include "store/format.h"
#include "opened.h"

#define NR_STREAMS 3u
#define NR_ROUNDS 4u
#define NR_PER_BLOCK 10u
#define NR_EVENTS (NR_STREAMS * NR_ROUNDS * NR_PER_BLOCK)

static char *whole; /* a small trace file */
static size_t nr_whole;

static void make_whole(void)
{
	struct ct_sink *sink = made_sink("whole.ctrace");
	uint32_t round, stream, i;

	made_start(sink, NR_STREAMS);
	for (round = 0; round < NR_ROUNDS; round++) {
		for (stream = 1; stream <= NR_STREAMS; stream++) {
			for (i = 0; i < NR_PER_BLOCK; i++)
				made_put_one(sink, stream, round * 1000 + i * 10 + stream,
					CTP_KIND_RESUME, 1 + i);
		}
		made_heartbeat(sink, MADE_EPOCH + round * 1000 + 999);
	}
	made_end(sink, MADE_EPOCH + NR_ROUNDS * 1000, NR_EVENTS);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	whole = made_read("whole.ctrace", &nr_whole);
}

static struct store_block_header header_at(const char *bytes, size_t offset)
{
	struct store_block_header header;

	memcpy(&header, bytes + offset, sizeof(header));
	return header;
}

/* Counts the events in whole blocks before `nr_bytes`, and returns where the last of these blocks ends. */
static uint64_t count_whole(size_t nr_bytes, size_t *ret_end)
{
	size_t offset = sizeof(struct store_file_header);
	uint64_t count = 0;

	while (offset + sizeof(struct store_block_header) <= nr_bytes) {
		struct store_block_header header = header_at(whole, offset);
		size_t end = offset + sizeof(header) + header.payload_bytes;

		if (end > nr_bytes)
			break;
		count += header.type == STORE_BLOCK_EVENTS ? NR_PER_BLOCK : 0;
		offset = end;
	}
	*ret_end = offset;
	return count;
}

static bool has_note(const struct ct_tables *tables, const char *part)
{
	uint32_t i;

	for (i = 0; i < tables->nr_notes; i++) {
		if (strstr(tables->notes[i].text, part))
			return true;
	}
	return false;
}

/* F-9: whatever came after the last heartbeat is missing, however much that was. */
static void check_open_end(const struct ct_tables *tables)
{
	bool has_beat = tables->observed_until > 0;

	CHECK_EQUAL(tables->nr_losses, !tables->is_complete);
	if (!tables->nr_losses)
		return;
	CHECK_EQUAL(tables->losses[0].reason, CTP_LOSS_OPEN_END);
	CHECK_EQUAL(tables->losses[0].count, 1);
	if (has_beat)
		CHECK_EQUAL(tables->losses[0].first > tables->observed_until ||
				    tables->losses[0].first == CT_NO_TIME,
			true);
	CHECK_EQUAL(tables->losses[0].last, CT_NO_TIME);
}

/* F-2, F-8, F-21: the file is cut at every length there is. */
static void test_cut_anywhere(void)
{
	const uint64_t nr_per_round = NR_STREAMS * NR_PER_BLOCK;
	struct ct_source *source = NULL;
	struct ct_error error;
	size_t nr_bytes, end;
	uint64_t expected;

	for (nr_bytes = 0; nr_bytes <= nr_whole; nr_bytes++) {
		made_write("cut.ctrace", whole, nr_bytes);
		if (nr_bytes < STORE_MAGIC_BYTES) {
			CHECK_EQUAL(open_path(store_source_open, "cut.ctrace", &source, &error),
				CT_ERR_FORMAT);
			continue;
		}
		expected = count_whole(nr_bytes, &end);
		source = made_source("cut.ctrace");
		if (!source)
			continue;
		CHECK_EQUAL(made_count(source), expected);
		CHECK_EQUAL(source->tables->nr_events, expected);
		CHECK_EQUAL(source->tables->is_complete, nr_bytes == nr_whole);
		CHECK(source->tables->observed_until <
			(ct_time)(expected / nr_per_round * 1000 + 999));
		CHECK_EQUAL(has_note(source->tables, "cut, or is still being written"),
			nr_bytes != end);
		check_open_end(source->tables);
		source_close(source);
	}
}

/* Checks what the reader says of a bit flipped at `at`: in the file's magic, in its header, or in a block. */
static void check_flipped(size_t at)
{
	struct ct_source *source = NULL;
	struct ct_error error;
	uint64_t count;

	if (at < STORE_MAGIC_BYTES) {
		CHECK_EQUAL(open_path(store_source_open, "flip.ctrace", &source, &error),
			CT_ERR_FORMAT);
		return;
	}
	source = made_source("flip.ctrace");
	if (!source)
		return;
	count = made_count(source);
	if (at < sizeof(struct store_file_header)) {
		CHECK_EQUAL(count, NR_EVENTS);
		CHECK(has_note(source->tables, "header is damaged"));
	} else {
		CHECK(count <= NR_EVENTS);
		CHECK(has_note(source->tables, "damaged") || has_note(source->tables, "cut"));
	}
	source_close(source);
}

/* F-3, F-12: each bit of the file is flipped, one at a time; every flip is noticed. */
static void test_flipped_bits_are_noticed(void)
{
	size_t at;

	for (at = 0; at < nr_whole; at++) {
		unsigned bit = 1u << at % 8;

		whole[at] = (char)(whole[at] ^ bit);
		made_write("flip.ctrace", whole, nr_whole);
		check_flipped(at);
		whole[at] = (char)(whole[at] ^ bit);
	}
}

/* The offset of the n-th block of events; 0: there is none. */
static size_t find_events(unsigned n)
{
	size_t offset = sizeof(struct store_file_header);

	while (offset < nr_whole) {
		struct store_block_header header = header_at(whole, offset);

		if (header.type == STORE_BLOCK_EVENTS && n-- == 0)
			return offset;
		offset += sizeof(header) + header.payload_bytes;
	}
	return 0;
}

/* F-3: the loss is exact, since END says how many events there were, and lies wherever a stream may miss one. */
static void test_damage_is_a_loss(void)
{
	size_t offset = find_events(4) + sizeof(struct store_block_header) + 3;
	struct ct_source *source;

	whole[offset] ^= 1;
	made_write("damage.ctrace", whole, nr_whole);
	whole[offset] ^= 1;
	source = made_source("damage.ctrace");
	CHECK_EQUAL(made_count(source), NR_EVENTS - NR_PER_BLOCK);
	CHECK_EQUAL(source->tables->nr_losses, 1);
	CHECK_EQUAL(source->tables->losses[0].reason, CTP_LOSS_CORRUPT);
	CHECK_EQUAL(source->tables->losses[0].count, NR_PER_BLOCK);
	/*
	 * The block's own stream may miss everything since 92; the heartbeat after the next one vouches for all streams
	 * again.
	 */
	CHECK_EQUAL(source->tables->losses[0].first, 90 + 2);
	CHECK_EQUAL(source->tables->losses[0].last, 2999);
	CHECK_EQUAL(source->tables->notes[0].offset, find_events(4));
	CHECK(source->tables->is_complete);
	source_close(source);
}

/* F-3: without END the number of lost events is a guess, and never 0. */
static void test_damage_without_end_is_guessed(void)
{
	size_t offset = find_events(4) + sizeof(struct store_block_header) + 3;
	size_t last = find_events(NR_STREAMS * NR_ROUNDS - 1), end;
	struct ct_source *source;

	count_whole(last, &end);
	whole[offset] ^= 1;
	made_write("guess.ctrace", whole, end);
	whole[offset] ^= 1;
	source = made_source("guess.ctrace");
	CHECK_EQUAL(source->tables->nr_losses, 2);
	CHECK(source->tables->losses[0].count >= NR_PER_BLOCK);
	CHECK(source->tables->losses[0].count <= 3 * NR_PER_BLOCK);
	CHECK(!source->tables->is_complete);
	source_close(source);
}

/* F-10, F-11: what a reader says to each start of a file. */
static void test_starts(void)
{
	static const struct {
		const char *bytes;
		size_t nr_bytes;
		const char *says;
	} starts[] = {
		{"", 0, "'start.ctrace': the file is empty"},
		{"{\"probe_id\":1}", 14, "'start.ctrace': not a trace file"},
		{"\x8b"
		 "CTR\n\x1a\n....",
			11,
			"'start.ctrace': a trace whose line ends were changed in transfer: copy it "
			"as binary"},
	};
	struct ct_source *source = NULL;
	struct ct_error error;
	size_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		made_write("start.ctrace", starts[i].bytes, starts[i].nr_bytes);
		CHECK_EQUAL(open_path(store_source_open, "start.ctrace", &source, &error),
			CT_ERR_FORMAT);
		CHECK_TEXT(error.text, starts[i].says);
	}
	CHECK_EQUAL(
		open_path(store_source_open, "nowhere.ctrace", &source, &error), CT_ERR_NOT_FOUND);
	CHECK_EQUAL(open_path(store_source_open, ".", &source, &error), CT_ERR_FORMAT);
	CHECK(store_is_ours(whole, nr_whole));
	CHECK(store_is_ours(starts[2].bytes, starts[2].nr_bytes));
	CHECK(!store_is_ours(starts[1].bytes, starts[1].nr_bytes));
	CHECK(!store_is_ours(whole, 3));
}

static void write_with_header(const char *path, const struct store_file_header *changed)
{
	struct store_file_header header = *changed;

	header.crc = 0;
	header.crc = crc32c(0, &header, sizeof(header)); /* F-13 */
	memcpy(whole, &header, sizeof(header));
	made_write(path, whole, nr_whole);
}

/* F-4: features that a later version may add, and features that it may not. */
static void test_features(void)
{
	struct store_file_header original, header;
	struct ct_source *source = NULL;
	struct ct_error error;

	memcpy(&original, whole, sizeof(original));
	header = original;
	header.features_compatible = UINT64_MAX;
	header.reserved = 77;
	write_with_header("feature.ctrace", &header);
	source = made_source("feature.ctrace");
	CHECK_EQUAL(made_count(source), NR_EVENTS);
	CHECK_EQUAL(source->tables->nr_notes, 0);
	source_close(source);
	header = original;
	header.features_incompatible = 4;
	write_with_header("feature.ctrace", &header);
	CHECK_EQUAL(open_path(store_source_open, "feature.ctrace", &source, &error), CT_ERR_FORMAT);
	CHECK(strstr(error.text, "0x4") != NULL);
	header = original;
	header.version = 2;
	write_with_header("feature.ctrace", &header);
	CHECK_EQUAL(open_path(store_source_open, "feature.ctrace", &source, &error), CT_ERR_FORMAT);
	CHECK(strstr(error.text, "format 2") != NULL);
	memcpy(whole, &original, sizeof(original));
}

static uint64_t count_blocks(const char *bytes, size_t nr_bytes)
{
	size_t offset = sizeof(struct store_file_header);
	uint64_t count = 0;

	for (; offset < nr_bytes; count++)
		offset +=
			sizeof(struct store_block_header) + header_at(bytes, offset).payload_bytes;
	return count;
}

/* Appends a block of any type and content to a file's bytes; the block's number is the next one. */
static size_t add_block(
	char *bytes, size_t at, unsigned type, unsigned flags, const void *payload, size_t nr_bytes)
{
	struct store_block_header header = {
		.number = count_blocks(bytes, at),
		.marker = STORE_MARKER,
		.type = (uint16_t)type,
		.flags = (uint16_t)flags,
		.payload_bytes = (uint32_t)nr_bytes,
		.raw_bytes = (uint32_t)nr_bytes,
	};

	header.crc = crc32c(crc32c(0, &header, sizeof(header)), payload, nr_bytes);
	memcpy(bytes + at, &header, sizeof(header));
	memcpy(bytes + at + sizeof(header), payload, nr_bytes);
	return at + sizeof(header) + nr_bytes;
}

/* F-4, F-20: a reader steps over blocks and definitions of unknown types. */
static void test_unknown_blocks_are_stepped_over(void)
{
	static const uint8_t definitions[] = {99, 3, 1, 2, 3, 99, 0};
	char *bytes = malloc(nr_whole + 1000);
	struct ct_source *source;
	size_t at = nr_whole;

	memcpy(bytes, whole, nr_whole);
	at = add_block(bytes, at, 77, 0, "anything", 8);
	at = add_block(bytes, at, STORE_BLOCK_EVENTS, 2, "folded", 6);
	at = add_block(bytes, at, STORE_BLOCK_DEFINITIONS, 0, definitions, sizeof(definitions));
	made_write("unknown.ctrace", bytes, at);
	source = made_source("unknown.ctrace");
	CHECK_EQUAL(made_count(source), NR_EVENTS);
	CHECK_EQUAL(source->tables->nr_notes, 2);
	CHECK_EQUAL(source->tables->notes[0].count, 2);
	CHECK_EQUAL(source->tables->notes[0].offset, nr_whole);
	CHECK_EQUAL(source->tables->notes[1].count, 2);
	source_close(source);
	free(bytes);
}

/* F-1, F-40: heads of blocks that make no sense, although the block's checksum holds. */
static void test_heads_that_make_no_sense(void)
{
	static const struct {
		uint8_t bytes[16];
		size_t nr_bytes;
	} payloads[] = {
		{{0}, 0},                                     /* nothing */
		{{1, 1, 0, 0, 0, 0, 0}, 7},                   /* no record */
		{{1, 1, 3, 0, 0, 1, 2, 3, 4, 5}, 10},         /* more records than bytes */
		{{1, 1, 0xff, 0xff, 0x7f, 0, 0, 0, 0}, 9},    /* very many records */
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1}, 7}, /* a stream beyond 32 bits */
		{{0x80, 0x80, 0x80}, 3},                      /* a number without end */
	};
	char *bytes = malloc(nr_whole + 1000);
	struct ct_source *source;
	size_t i, at;

	memcpy(bytes, whole, nr_whole);
	for (i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		at = add_block(bytes, nr_whole, STORE_BLOCK_EVENTS, 0, payloads[i].bytes,
			payloads[i].nr_bytes);
		made_write("head.ctrace", bytes, at);
		source = made_source("head.ctrace");
		CHECK_EQUAL(made_count(source), NR_EVENTS);
		CHECK(has_note(source->tables, "damaged"));
		source_close(source);
	}
	free(bytes);
}

/* F-3: records that make no sense cause no crash and no failure but a loss, told once they were read. */
static void test_records_that_make_no_sense(void)
{
	static const uint8_t payload[] = {1, 1, 2, 0, 0, 0, 3, 2, 5, 200, 5};
	char *bytes = malloc(nr_whole + 1000);
	struct ct_source *source;
	struct ct_part part = {0};
	size_t at;
	int i;

	memcpy(bytes, whole, nr_whole);
	at = add_block(bytes, nr_whole, STORE_BLOCK_EVENTS, 0, payload, sizeof(payload));
	made_write("record.ctrace", bytes, at);
	source = made_source("record.ctrace");
	for (i = 0; i < 2; i++) {
		CHECK_EQUAL(made_count(source), NR_EVENTS);
		CHECK_EQUAL(source->tables->nr_losses, 1);
		CHECK_EQUAL(source->tables->losses[0].count, 2);
		CHECK_EQUAL(source->tables->losses[0].reason, CTP_LOSS_CORRUPT);
		CHECK(has_note(source->tables, "records that make no sense"));
		CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	}
	source_close(source);
	CHECK_EQUAL(store_recover("record.ctrace", 0, "again.ctrace", &part, NULL), CT_OK);
	CHECK(part.nr_missing > 0);
	source = made_source("again.ctrace");
	CHECK_EQUAL(made_count(source), NR_EVENTS);
	CHECK_EQUAL(source->tables->nr_losses, 1);
	CHECK_EQUAL(source->tables->losses[0].count, part.nr_missing);
	source_close(source);
	free(bytes);
}

/* F-6: the events of a stream that no definition names are a loss. */
static void test_orphans_are_a_loss(void)
{
	static const uint8_t payload[] = {50, 1, 2, 0, 0, 0, 3, 2, 5, 1, 5};
	char *bytes = malloc(nr_whole + 1000);
	struct ct_source *source;
	size_t at;

	memcpy(bytes, whole, nr_whole);
	at = add_block(bytes, nr_whole, STORE_BLOCK_EVENTS, 0, payload, sizeof(payload));
	made_write("orphan.ctrace", bytes, at);
	source = made_source("orphan.ctrace");
	CHECK_EQUAL(made_count(source), NR_EVENTS);
	CHECK_EQUAL(source->tables->nr_events, NR_EVENTS);
	CHECK_EQUAL(source->tables->nr_losses, 1);
	CHECK_EQUAL(source->tables->losses[0].count, 2);
	CHECK(has_note(source->tables, "not defined"));
	source_close(source);
	free(bytes);
}

/* F-7: very many candidates for a block, each of the largest size, take bounded work. */
static void test_search_is_bounded(void)
{
	size_t nr_bytes = 40u << 20, at;
	char *bytes = calloc(1, nr_bytes);
	struct store_block_header header = {
		.marker = STORE_MARKER, .payload_bytes = STORE_PAYLOAD_MAX - 64};
	struct ct_source *source;

	memcpy(bytes, whole, nr_whole);
	for (at = nr_whole; at + sizeof(header) <= nr_bytes; at += sizeof(header))
		memcpy(bytes + at, &header, sizeof(header));
	made_write("search.ctrace", bytes, nr_bytes);
	source = made_source("search.ctrace");
	CHECK_EQUAL(made_count(source), NR_EVENTS);
	CHECK(has_note(source->tables, "cut"));
	source_close(source);
	free(bytes);
}

/* A file that shrinks while it is read is a failure, not a crash. */
static void test_shrinking_file(void)
{
	struct ct_sink *sink = made_sink("shrink.ctrace");
	struct ct_source *source;
	uint64_t i;

	made_start(sink, 1);
	for (i = 0; i < 400000; i++)
		made_put_one(sink, 1, i * 3000000 % 100000000000, CTP_KIND_RESUME,
			i * 2654435761 % 1000003);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	source = made_source("shrink.ctrace");
	CHECK(truncate("shrink.ctrace", 100) == 0);
	CHECK_EQUAL(made_count(source), UINT64_MAX);
	source_close(source);
}

/* F-2 through a pipe, which has no size. */
static void test_standard_input(void)
{
	int ends[2], saved = dup(STDIN_FILENO);
	struct ct_source *source;
	pid_t child;

	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		_exit(io_write(ends[1], whole, nr_whole - 3, NULL) != CT_OK);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	source = made_source("-");
	CHECK_EQUAL(made_count(source), NR_EVENTS);
	CHECK(has_note(source->tables, "cut"));
	source_close(source);
	dup2(saved, STDIN_FILENO);
	close(saved);
	close(ends[0]);
	waitpid(child, NULL, 0);
}

/* ---------------------------------------------------------------- bytes alone */

/* The bytes, a page at most, end where a page begins that must not be touched. */
static uint8_t *place_before_forbidden(const uint8_t *bytes, size_t nr_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), room = page;
	uint8_t *area =
		mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED || mprotect(area + room, page, PROT_NONE) < 0)
		exit(1);
	if (nr_bytes)
		memcpy(area + room - nr_bytes, bytes, nr_bytes);
	return area + room - nr_bytes;
}

static void give_back(uint8_t *placed, size_t nr_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	munmap(placed + nr_bytes - page, 2 * page);
}

static void decode_all(const uint8_t *bytes, size_t nr_bytes)
{
	static struct store_decoder decoder;
	struct ctp_record record;
	size_t count = 0;

	store_decoder_start(&decoder, 0, bytes, bytes + nr_bytes);
	while (store_decode(&decoder, &record, 1))
		count++;
	CHECK(count <= nr_bytes);
}

static void define_all(const uint8_t *bytes, size_t nr_bytes)
{
	struct store_bytes left = {bytes, bytes + nr_bytes, false};
	struct ct_definition definition;
	struct arena arena;
	enum ct_status status;

	arena_init(&arena);
	do {
		status = store_definition_take(&left, &arena, &definition);
	} while (status == CT_OK || status == CT_AGAIN);
	CHECK(status == CT_END || status == CT_ERR_CORRUPT);
	arena_fini(&arena);
}

/* F-1: both parsers, on random bytes and on what they know, never touch what lies behind. */
static void test_parsers_stay_inside(void)
{
	uint8_t bytes[300], *placed;
	uint64_t state = 3;
	unsigned round;
	size_t nr_bytes, i;

	for (round = 0; round < 3000; round++) {
		nr_bytes = made_random(&state) % sizeof(bytes);
		for (i = 0; i < nr_bytes; i++)
			bytes[i] = (uint8_t)(made_random(&state) % (round % 2 ? 256 : 14));
		placed = place_before_forbidden(bytes, nr_bytes);
		decode_all(placed, nr_bytes);
		define_all(placed, nr_bytes);
		give_back(placed, nr_bytes);
	}
}

int main(void)
{
	made_enter();
	make_whole();
	test_cut_anywhere();
	test_flipped_bits_are_noticed();
	test_damage_is_a_loss();
	test_damage_without_end_is_guessed();
	test_starts();
	test_features();
	test_unknown_blocks_are_stepped_over();
	test_heads_that_make_no_sense();
	test_records_that_make_no_sense();
	test_orphans_are_a_loss();
	test_search_is_bounded();
	test_shrinking_file();
	test_standard_input();
	test_parsers_stay_inside();
	free(whole);
	return check_result();
}
