/* SPDX-License-Identifier: MIT */
/*
 * Packed blocks, and files of generations in which a part is missing: names come back with their repetition, and
 * missing parts are a loss. Rules F-22 to F-24 and F-60 to F-68 of docs/spec/trace-format.md.
 */
#include "base/crc32c.h"
#include "made_trace.h"
#include "store/definitions.h"
#include "store/format.h"
#include "store/pack.h"
#include "store/repeated.h"

#define NR_PARTS 6u
#define NR_PER_PART 400u
#define STREAMS 2u

static char *whole;
static size_t nr_whole;

static void put_part(struct ct_sink *sink, uint32_t part)
{
	struct ctp_record records[NR_PER_PART];
	uint64_t state = 1 + part;
	uint32_t i;

	for (i = 0; i < NR_PER_PART; i++)
		records[i] = (struct ctp_record){
			.time = MADE_EPOCH + part * 1000000 + i * 100,
			.coro = 1 + i % 7,
			.object = made_random(&state),
			.tail = CTP_TAIL(
				1 + i % 2, i % 2 ? CTP_KIND_SUSPEND : CTP_KIND_RESUME, 0, 0),
		};
	CHECK_EQUAL(made_put(sink, 1 + part % STREAMS, records, NR_PER_PART), CT_OK);
}

static void record(const char *path, const struct store_options *options)
{
	struct ct_sink *sink = NULL;
	uint32_t part;

	CHECK_EQUAL(store_sink_open(path, options, &sink, NULL), CT_OK);
	made_start(sink, STREAMS);
	made_site(sink, 1, 1, "one.c");
	made_site(sink, 1, 2, "two.c");
	for (part = 0; part < NR_PARTS; part++) {
		made_heartbeat(sink, MADE_EPOCH + part * 1000000);
		put_part(sink, part);
	}
	made_end(sink, MADE_EPOCH + NR_PARTS * 1000000, NR_PARTS * NR_PER_PART);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
}

static void make_file(const char *path, int pack_level)
{
	struct store_options options = {
		.generation_ns = 1, .generation_bytes = 1, .pack_level = pack_level};

	record(path, &options);
	free(whole);
	whole = made_read(path, &nr_whole);
}

/* ---------------------------------------------------------------- blocks */

struct block {
	struct store_block_header header;
	size_t offset;
	size_t end;
};

static bool next_block(const char *bytes, size_t nr_bytes, struct block *block)
{
	block->offset = block->end ? block->end : sizeof(struct store_file_header);
	if (block->offset + sizeof(block->header) > nr_bytes)
		return false;
	memcpy(&block->header, bytes + block->offset, sizeof(block->header));
	block->end = block->offset + sizeof(block->header) + block->header.payload_bytes;
	return true;
}

/* The first block of this type in this generation; 0: any. */
static struct block find_block(unsigned type, uint32_t generation)
{
	struct block block = {0};

	while (next_block(whole, nr_whole, &block))
		if (block.header.type == type &&
			(!generation || block.header.generation == generation))
			return block;
	CHECK(false);
	return block;
}

static void put_header(char *bytes, const struct block *block, struct store_block_header header)
{
	header.crc = 0;
	header.crc = crc32c(crc32c(0, &header, sizeof(header)),
		bytes + block->offset + sizeof(header), header.payload_bytes);
	memcpy(bytes + block->offset, &header, sizeof(header));
}

static struct ct_source *open_changed(const char *bytes, size_t nr_bytes)
{
	made_write("changed.ctrace", bytes, nr_bytes);
	return made_source("changed.ctrace");
}

static char *copy_whole(void)
{
	char *copy = malloc(nr_whole);

	memcpy(copy, whole, nr_whole);
	return copy;
}

static const struct ct_loss *find_loss(const struct ct_tables *tables, enum ctp_loss reason)
{
	uint32_t i;

	for (i = 0; i < tables->nr_losses; i++)
		if (tables->losses[i].reason == reason)
			return &tables->losses[i];
	return NULL;
}

/* ---------------------------------------------------------------- packed */

/* F-22: a packed file has the same events in fewer bytes, and says that it is packed. */
static void test_packed(void)
{
	struct store_file_header header;
	struct ct_source *source;
	size_t nr_plain = nr_whole;

	make_file("packed.ctrace", 3);
	memcpy(&header, whole, sizeof(header));
	CHECK_EQUAL(header.features_incompatible, STORE_FEATURE_PACKED);
	CHECK_EQUAL(find_block(STORE_BLOCK_EVENTS, 1).header.flags, STORE_BLOCK_PACKED);
	CHECK(nr_whole < nr_plain);
	source = made_source("packed.ctrace");
	CHECK_EQUAL(made_count(source), NR_PARTS * NR_PER_PART);
	CHECK_EQUAL(source->tables->nr_notes, 0);
	source_close(source);
}

/* The reader takes the block for damaged: its events are lost, all others are there. */
static void check_refused(const struct block *block, struct store_block_header header)
{
	char *copy = copy_whole();
	struct ct_source *source;

	put_header(copy, block, header);
	source = open_changed(copy, nr_whole);
	CHECK_EQUAL(made_count(source), (NR_PARTS - 1) * NR_PER_PART);
	CHECK(find_loss(source->tables, CTP_LOSS_CORRUPT) != NULL);
	source_close(source);
	free(copy);
}

/* F-23, F-24: sizes to which a block claims to unpack. */
static void test_claims(void)
{
	struct block block = find_block(STORE_BLOCK_EVENTS, 3);
	const uint32_t claims[] = {block.header.raw_bytes - 1, block.header.raw_bytes + 1, 0, 1,
		block.header.payload_bytes * STORE_PACKED_RATIO,
		block.header.payload_bytes * STORE_PACKED_RATIO + 1, STORE_PAYLOAD_MAX + 1,
		UINT32_MAX};
	struct store_block_header header;
	size_t i;

	for (i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
		header = block.header;
		header.raw_bytes = claims[i];
		check_refused(&block, header);
	}
	header = block.header;
	header.flags = 0;
	check_refused(&block, header);
}

/* F-24: a writer does not pack what no reader would believe. */
static void test_ratio(void)
{
	static uint8_t zeros[sizeof(struct store_block_header) + 65536];
	uint32_t payload_bytes = 65536;
	struct store_packer *packer = NULL;
	uint8_t *block = zeros;

	CHECK_EQUAL(store_packer_new(1, &packer, NULL), CT_OK);
	CHECK(!store_pack(packer, &block, &payload_bytes));
	CHECK(block == zeros && payload_bytes == 65536);
	store_packer_free(packer);
}

/* F-22: a build without zstd says so in one sentence. */
static void test_no_zstd(void)
{
	struct store_options options = {.pack_level = 1};
	struct ct_sink *sink = NULL;
	struct ct_error error = {0};

	CHECK_EQUAL(store_sink_open("never.ctrace", &options, &sink, &error), CT_ERR_UNSUPPORTED);
	CHECK(strstr(error.text, "zstd") != NULL);
	CHECK(access("never.ctrace", F_OK) < 0 && access("never.ctrace.partial", F_OK) < 0);
}

/* ---------------------------------------------------------------- something is missing */

/* F-61, F-62: the blocks that each generation is made of. */
static void test_order_of_blocks(void)
{
	struct block block = {0};
	unsigned nr_repeated = 0, nr_carried = 0, last = 0;
	uint32_t generation = 0;

	while (next_block(whole, nr_whole, &block)) {
		if (block.header.generation != generation) {
			CHECK_EQUAL(block.header.generation, generation + 1);
			CHECK_EQUAL(block.header.type,
				generation ? STORE_BLOCK_REPEATED : STORE_BLOCK_DEFINITIONS);
			generation = block.header.generation;
		} else if (block.header.type == STORE_BLOCK_REPEATED) {
			CHECK_EQUAL(last, STORE_BLOCK_REPEATED);
		} else if (block.header.type == STORE_BLOCK_CARRIED) {
			CHECK(last == STORE_BLOCK_REPEATED || last == STORE_BLOCK_CARRIED);
		}
		last = block.header.type;
		nr_repeated += last == STORE_BLOCK_REPEATED;
		nr_carried += last == STORE_BLOCK_CARRIED;
	}
	CHECK_EQUAL(generation, NR_PARTS);
	CHECK(nr_repeated >= NR_PARTS - 1 && nr_carried >= NR_PARTS - 1);
}

/* F-63: where one block of definitions is damaged, names are missing until the next generation only. */
static void test_names_come_back(void)
{
	struct block first = find_block(STORE_BLOCK_DEFINITIONS, 1);
	char *copy = copy_whole();
	const struct ct_tables *tables;
	struct ct_source *source, *intact = made_source("whole.ctrace");

	copy[first.offset + 40] ^= 1;
	source = open_changed(copy, nr_whole);
	tables = source->tables;
	CHECK_EQUAL(made_count(source), NR_PARTS * NR_PER_PART);
	CHECK_EQUAL(tables->nr_sites, 3);
	CHECK_EQUAL(tables->nr_threads, STREAMS + 1);
	CHECK_TEXT(tables->sites[1].file, "one.c");
	CHECK_TEXT(tables->host, "host");
	CHECK_EQUAL(tables->epoch_monotonic_ns, MADE_EPOCH);
	CHECK_EQUAL(tables->epoch_realtime_ns, intact->tables->epoch_realtime_ns);
	CHECK_EQUAL(tables->observed_until, intact->tables->observed_until);
	source_close(source);
	source_close(intact);
	free(copy);
}

/* F-63: where the repeated definitions are damaged themselves, the next generation repeats them again. */
static void test_damaged_repeated(void)
{
	struct block first = find_block(STORE_BLOCK_DEFINITIONS, 1);
	struct block repeated = find_block(STORE_BLOCK_REPEATED, 2);
	char *copy = copy_whole();
	struct ct_source *source;

	copy[first.offset + 40] ^= 1;
	copy[repeated.offset + 40] ^= 1;
	source = open_changed(copy, nr_whole);
	CHECK_EQUAL(made_count(source), NR_PARTS * NR_PER_PART);
	CHECK_EQUAL(source->tables->nr_sites, 3);
	source_close(source);
	free(copy);
}

/* F-63, F-66: the middle of the recording is missing. */
static void test_gap(void)
{
	struct block from = find_block(STORE_BLOCK_REPEATED, 3);
	struct block to = find_block(STORE_BLOCK_REPEATED, 5);
	char *copy = copy_whole();
	const struct ct_loss *loss;
	struct ct_source *source;

	memmove(copy + from.offset, copy + to.offset, nr_whole - to.offset);
	source = open_changed(copy, nr_whole - (to.offset - from.offset));
	loss = find_loss(source->tables, CTP_LOSS_PART);
	CHECK_EQUAL(source->tables->nr_losses, 1);
	CHECK(loss != NULL);
	if (loss) {
		CHECK_EQUAL(loss->count, 2 * NR_PER_PART);
		CHECK_EQUAL(loss->first, 2 * 1000000);
		CHECK_EQUAL(loss->last, 4 * 1000000);
	}
	CHECK_EQUAL(made_count(source), (NR_PARTS - 2) * NR_PER_PART);
	CHECK_EQUAL(source->tables->first_generation, 1);
	CHECK_EQUAL(source->tables->last_generation, NR_PARTS);
	CHECK_EQUAL(source->tables->nr_carried, 0);
	source_close(source);
	free(copy);
}

static void define_end(struct ct_sink *sink, uint64_t ns, bool is_cut)
{
	made_define(sink, (struct ct_definition){.type = CT_DEFINE_END,
				  .end = {.monotonic_ns = ns, .nr_events = 0, .is_cut = is_cut}});
}

/* F-67, F-68: a part says that it is one, and why it was written. */
static void test_cut_and_reason(void)
{
	unsigned nr_ends;

	for (nr_ends = 1; nr_ends <= 2; nr_ends++) {
		struct ct_sink *sink = made_sink("cut.ctrace");
		struct ct_source *source;

		made_start(sink, 1);
		made_define(sink,
			(struct ct_definition){.type = CT_DEFINE_REASON,
				.reason = {.monotonic_ns = MADE_EPOCH + 7, .text = "asked for"}});
		define_end(sink, MADE_EPOCH + 10, true);
		if (nr_ends == 2)
			define_end(sink, MADE_EPOCH + 20, false);
		CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
		source = made_source("cut.ctrace");
		CHECK_EQUAL(source->tables->is_cut, nr_ends == 1);
		CHECK(source->tables->is_complete);
		CHECK_EQUAL(source->tables->observed_until, nr_ends * 10);
		CHECK_TEXT(source->tables->reason, "asked for");
		CHECK_EQUAL(source->tables->reason_time, 7);
		source_close(source);
	}
}

/* F-60: generations that another writer made of the same recording are not joined: events would count twice. */
static void test_other_generations(void)
{
	static const char *const same[] = {"whole.ctrace", "whole.ctrace"};
	static const char *const other[] = {"whole.ctrace", "coarse.ctrace"};
	struct ct_error error = {0};
	struct ct_part part;

	record("coarse.ctrace", NULL);
	CHECK_EQUAL(store_merge(same, 2, 0, "joined.ctrace", &part, &error), CT_OK);
	CHECK_EQUAL(part.nr_twice, NR_PARTS);
	CHECK_EQUAL(part.nr_events, NR_PARTS * NR_PER_PART);
	CHECK_EQUAL(store_merge(other, 2, 0, "joined.ctrace", &part, &error), CT_ERR_USAGE);
	CHECK(strstr(error.text, "overlap") && strstr(error.text, "coarse.ctrace"));
}

static void keep_name(struct store_repeated *repeated, const char *name)
{
	struct ct_definition definition = {
		.type = CT_DEFINE_THREAD, .thread = {.thread = 1, .process = 1, .name = name}};

	CHECK(store_repeated_keep(repeated, &definition));
}

/*
 * F-33, F-62: the repeated definitions end with the last name of a thread, also where the thread had that name before.
 */
static void test_last_name(void)
{
	static const char *const names[] = {"idle", "busy", "idle", "idle"};
	struct store_repeated repeated = {0};
	struct ct_definition definition;
	struct store_bytes bytes;
	char last[8] = "";
	struct arena arena;
	size_t i, count = 0;

	arena_init(&arena);
	for (i = 0; i < 4; i++)
		keep_name(&repeated, names[i]);
	CHECK_EQUAL(repeated.blocks.count, 1);
	bytes.at = (const uint8_t *)repeated.blocks.at[0].at + sizeof(struct store_block_header);
	bytes.end = (const uint8_t *)repeated.blocks.at[0].at + repeated.blocks.at[0].length;
	bytes.is_broken = false;
	for (; store_definition_take(&bytes, &arena, &definition) == CT_OK; count++)
		snprintf(last, sizeof(last), "%s", definition.thread.name);
	CHECK_EQUAL(count, 3);
	CHECK(strcmp(last, "idle") == 0);
	arena_fini(&arena);
	store_repeated_fini(&repeated);
}

int main(void)
{
	made_enter();
	test_last_name();
	make_file("whole.ctrace", 0);
	test_other_generations();
	test_order_of_blocks();
	test_names_come_back();
	test_damaged_repeated();
	test_gap();
	test_cut_and_reason();
	if (HAS_ZSTD) {
		test_packed();
		test_claims();
		test_ratio();
	} else {
		test_no_zstd();
	}
	free(whole);
	return check_result();
}
