/* SPDX-License-Identifier: MIT */
/*
 * The window of the past: its content, its limit, and that its dumps can be joined. Rules F-61, F-66, F-67 and F-68 of
 * docs/spec/trace-format.md.
 */
#include "made_trace.h"
#include "store/window.h"

#define MS UINT64_C(1000000)
#define NR_PER_BEAT 2000u
#define WINDOW_BYTES (256u << 10)

static uint64_t now;

static struct ct_sink *open_window(uint64_t ns, uint64_t bytes)
{
	struct store_window_options options = {.ns = ns, .bytes = bytes};
	struct ct_sink *sink = NULL;

	now = MADE_EPOCH;
	CHECK_EQUAL(store_window_open(&options, &sink, NULL), CT_OK);
	made_start(sink, 1);
	made_site(sink, 1, 1, "one.c");
	made_heartbeat(sink, now);
	return sink;
}

/* What 200 ms brings, and the heartbeat behind it. */
static void beat(struct ct_sink *sink)
{
	static struct ctp_record records[NR_PER_BEAT];
	static uint64_t state = 1;
	uint32_t i;

	for (i = 0; i < NR_PER_BEAT; i++)
		records[i] = (struct ctp_record){
			.time = now + 100 + i * 50000,
			.coro = 1 + i % 7,
			.object = made_random(&state),
			.tail = CTP_TAIL(1, i % 2 ? CTP_KIND_SUSPEND : CTP_KIND_RESUME, 0, 0),
		};
	CHECK_EQUAL(made_put(sink, 1, records, NR_PER_BEAT), CT_OK);
	now += 200 * MS;
	made_heartbeat(sink, now);
}

static void dump(struct ct_sink *sink, const char *path)
{
	CHECK_EQUAL(store_window_dump(sink, path, "why", now, NULL), CT_OK);
}

/* F-67, F-68: the time that was asked for at least, the reason, and where it ends. */
static void test_time(void)
{
	struct ct_sink *sink = open_window(2000 * MS, 0);
	struct store_window_state state;
	struct ct_source *source;
	unsigned i;

	for (i = 0; i < 50; i++)
		beat(sink);
	dump(sink, "time.ctrace");
	store_window_look(sink, now, &state);
	CHECK(state.ns >= 2000 * MS && state.ns <= 2000 * MS + 700 * MS &&
		!state.is_short_of_bytes);
	source = made_source("time.ctrace");
	CHECK(source->tables->is_cut && source->tables->first_generation > 1);
	CHECK(strcmp(source->tables->reason, "why") == 0);
	CHECK_EQUAL(source->tables->nr_before + source->tables->nr_events, 50 * NR_PER_BEAT);
	CHECK_EQUAL(source->tables->nr_losses, 0);
	CHECK_EQUAL(source->tables->nr_notes, 0);
	source_close(source);
	CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
}

/* A dump reaches beyond the last heartbeat, and what is said of it does so, too. */
static void test_between_heartbeats(void)
{
	struct ct_sink *sink = open_window(2000 * MS, 0);
	struct store_window_state state;
	struct ct_source *source;

	store_window_look(sink, now, &state);
	CHECK_EQUAL(state.ns, 0);
	beat(sink);
	now += 43 * MS;
	dump(sink, "between.ctrace");
	store_window_look(sink, now, &state);
	source = made_source("between.ctrace");
	CHECK_EQUAL(state.ns, 243 * MS);
	CHECK_EQUAL(source->tables->observed_until - source->tables->observed_from, 243 * MS);
	source_close(source);
	CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
}

/* No more than the bytes, and what comes between two heartbeats. */
static void test_bytes(void)
{
	struct ct_sink *sink = open_window(1000000 * MS, WINDOW_BYTES);
	struct store_window_state state;
	uint64_t largest = 0;
	unsigned i;

	for (i = 0; i < 200; i++) {
		beat(sink);
		store_window_look(sink, now, &state);
		largest = state.bytes > largest ? state.bytes : largest;
	}
	CHECK(state.is_short_of_bytes && state.nr_generations > 1);
	CHECK(largest > WINDOW_BYTES / 2 && largest <= WINDOW_BYTES);
	CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
}

/* F-66: dumps with nothing in common leave a gap, and only the last end counts. */
static void test_joining(void)
{
	struct ct_sink *sink = open_window(400 * MS, 0);
	static const char *const dumps[] = {"two.ctrace", "one.ctrace"};
	struct ct_source *source;
	struct ct_part part;
	unsigned i;

	for (i = 0; i < 40; i++) {
		beat(sink);
		if (i == 9)
			dump(sink, "one.ctrace");
	}
	dump(sink, "two.ctrace");
	CHECK_EQUAL(store_merge(dumps, 2, 0, "both.ctrace", &part, NULL), CT_OK);
	CHECK_EQUAL(part.nr_gaps, 1);
	source = made_source("both.ctrace");
	CHECK(source->tables->is_cut);
	CHECK_EQUAL(source->tables->nr_losses, 1);
	if (source->tables->nr_losses == 1) {
		CHECK_EQUAL(source->tables->losses[0].reason, CTP_LOSS_PART);
		CHECK_EQUAL(source->tables->losses[0].count, part.nr_missing);
	}
	CHECK_EQUAL(source->tables->nr_before + source->tables->nr_events + part.nr_missing,
		40 * NR_PER_BEAT);
	source_close(source);
	CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
}

/* F-67: the end of a dump is none of a recording that was killed later. */
static void test_joining_what_has_no_end(void)
{
	struct ct_sink *sink = open_window(400 * MS, 0);
	static const char *const dumps[] = {"one.ctrace", "killed.ctrace"};
	struct ct_source *source;
	struct ct_part part;
	size_t nr_bytes;
	char *bytes;
	unsigned i;

	for (i = 0; i < 40; i++) {
		beat(sink);
		if (i == 9)
			dump(sink, "one.ctrace");
	}
	dump(sink, "two.ctrace");
	bytes = made_read("two.ctrace", &nr_bytes);
	made_write("killed.ctrace", bytes, nr_bytes - 1);
	free(bytes);
	CHECK_EQUAL(store_merge(dumps, 2, 0, "both.ctrace", &part, NULL), CT_OK);
	source = made_source("both.ctrace");
	CHECK(!source->tables->is_complete && !source->tables->is_cut);
	source_close(source);
	CHECK_EQUAL(store_merge(dumps, 0, 0, "none.ctrace", &part, NULL), CT_ERR_USAGE);
	CHECK_EQUAL(sink_close(sink, false, NULL), CT_OK);
}

int main(void)
{
	made_enter();
	test_time();
	test_between_heartbeats();
	test_bytes();
	test_joining();
	test_joining_what_has_no_end();
	return check_result();
}
