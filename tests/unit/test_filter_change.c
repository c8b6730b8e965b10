/* SPDX-License-Identifier: MIT */
/*
 * The filter when its settings change while records arrive: the window, categories, samples, places; what it reports
 * about the change, and when.
 */
#include "filtered.h"

static void change(struct ct_sink *sink, enum filter_subject subject, uint32_t number,
	const char *const *patterns, uint64_t now_ns)
{
	struct filter_change change = {subject, number, patterns, now_ns};

	CHECK_EQUAL(filter_change(sink, &change, NULL), CT_OK);
}

static void beat(struct ct_sink *sink, uint64_t now_ns)
{
	struct ct_definition heartbeat = {
		.type = CT_DEFINE_HEARTBEAT, .heartbeat = {.monotonic_ns = now_ns}};

	CHECK_EQUAL(sink_define(sink, &heartbeat, NULL), CT_OK);
}

/* The latest loss with this reason; NULL: there is none. */
static const struct ct_define_loss *last_loss(uint32_t reason)
{
	const struct ct_define_loss *found = NULL;
	size_t i;

	for (i = 0; i < keep.definitions.count; i++)
		if (keep.definitions.at[i].type == CT_DEFINE_LOSS &&
			keep.definitions.at[i].loss.reason == reason)
			found = &keep.definitions.at[i].loss;
	return found;
}

static bool has_note(const char *words)
{
	size_t i;

	for (i = 0; i < keep.definitions.count; i++)
		if (keep.definitions.at[i].type == CT_DEFINE_NOTE &&
			strstr(keep.definitions.at[i].note.text, words))
			return true;
	return false;
}

/*
 * A window that was closed from outside reports its gap while it is closed, because a judgement may come at any time.
 */
static void test_window(void)
{
	struct ct_wanted everything = {.size = sizeof(everything)};
	struct ct_sink *sink = opened(&everything);

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, SITE_OTHER));
	change(sink, FILTER_STOP, 0, NULL, 100);
	CHECK(!filter_is_open(sink) && has_note("stopped by an order"));
	PUT(sink, made(CTP_KIND_RESUME, 1, 0, 0), made(CTP_KIND_SUSPEND, 1, 0, SITE_OTHER));
	CHECK_EQUAL(keep.records.count, 1);
	CHECK(!last_loss(CTP_LOSS_PAUSED));
	beat(sink, 200);
	CHECK(last_loss(CTP_LOSS_PAUSED) && last_loss(CTP_LOSS_PAUSED)->count == 2 &&
		last_loss(CTP_LOSS_PAUSED)->last_monotonic_ns == 200);
	change(sink, FILTER_START, 0, NULL, 300);
	CHECK(filter_is_open(sink));
	PUT(sink, made(CTP_KIND_RESUME, 1, 0, 0));
	check_kept(1, CTP_KIND_RESUME, 1, 0);
	CHECK_EQUAL(filter_nr_left_out(sink), 2);
	closed(sink);
}

/*
 * While a category that is evidence is off, each time between two heartbeats has a loss, because its silence proves
 * nothing.
 */
static void test_categories(void)
{
	struct ct_wanted everything = {.size = sizeof(everything)};
	struct ct_sink *sink = opened(&everything);

	change(sink, FILTER_CATEGORIES, 1u << CTP_CATEGORY_RESOURCES | 1u, NULL, 100);
	CHECK(has_note("left out, as asked while it was recorded: category resources"));
	PUT(sink, made(CTP_KIND_ACQUIRE, 1, 0x10, 0), made(CTP_KIND_CREATE, 1, 0, 0));
	CHECK_EQUAL(keep.records.count, 1);
	beat(sink, 200);
	CHECK(last_loss(CTP_LOSS_CATEGORY) &&
		last_loss(CTP_LOSS_CATEGORY)->first_monotonic_ns == 100);
	beat(sink, 300);
	CHECK_EQUAL(last_loss(CTP_LOSS_CATEGORY)->first_monotonic_ns, 200);
	change(sink, FILTER_CATEGORIES, 0, NULL, 350);
	CHECK_EQUAL(last_loss(CTP_LOSS_CATEGORY)->last_monotonic_ns, 350);
	CHECK(has_note("while it was recorded: nothing"));
	PUT(sink, made(CTP_KIND_ACQUIRE, 1, 0x10, 0));
	CHECK_EQUAL(keep.records.count, 2);
	beat(sink, 400);
	CHECK_EQUAL(last_loss(CTP_LOSS_CATEGORY)->last_monotonic_ns, 350);
	closed(sink);
}

/* Coroutines that lived before stay; each new one is recorded completely or not at all. */
static void test_sample(void)
{
	struct ct_wanted everything = {.size = sizeof(everything)};
	struct ct_sink *sink = opened(&everything);
	uint64_t coro;

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, SITE_OTHER));
	change(sink, FILTER_SAMPLE, UINT32_MAX, NULL, 100);
	for (coro = 2; coro < 50; coro++)
		PUT(sink, made(CTP_KIND_CREATE, coro, 0, SITE_OTHER),
			made(CTP_KIND_RESUME, coro, 0, 0));
	PUT(sink, made(CTP_KIND_RESUME, 1, 0, 0));
	CHECK_EQUAL(keep.records.count, 2);
	check_kept(1, CTP_KIND_RESUME, 1, 0);
	change(sink, FILTER_SAMPLE, 1, NULL, 200);
	CHECK_EQUAL(last_loss(CTP_LOSS_SAMPLE)->count, 96);
	PUT(sink, made(CTP_KIND_SUSPEND, 7, 0, SITE_OTHER), made(CTP_KIND_DESTROY, 7, 0, 0),
		made(CTP_KIND_CREATE, 60, 0, SITE_OTHER));
	CHECK_EQUAL(keep.records.count, 3);
	check_kept(2, CTP_KIND_CREATE, 60, 0);
	closed(sink);
}

/* Sites that were defined before are compared with the new patterns, and a coroutine that leaves gets a mark. */
static void test_places(void)
{
	static const char *const places[] = {"a.c:1", NULL};
	struct ct_wanted everything = {.size = sizeof(everything)};
	struct ct_sink *sink = opened(&everything);

	PUT(sink, made(CTP_KIND_CREATE, 1, 0, SITE_OTHER),
		made(CTP_KIND_SUSPEND, 1, 0, SITE_PLACE));
	change(sink, FILTER_SITES, 0, places, 100);
	CHECK(has_note("places 'a.c:1'"));
	PUT(sink, made(CTP_KIND_RESUME, 1, 0, 0), made(CTP_KIND_SUSPEND, 1, 0, SITE_PLACE),
		made(CTP_KIND_RESUME, 1, 0, 0));
	CHECK_EQUAL(keep.records.count, 4);
	check_kept(3, CTP_KIND_MARK, 1, 0);
	change(sink, FILTER_SITES, 0, NULL, 200);
	PUT(sink, made(CTP_KIND_SUSPEND, 1, 0, SITE_OTHER),
		made(CTP_KIND_CREATE, 2, 0, SITE_PLACE));
	check_kept(4, CTP_KIND_CREATE, 2, 0);
	closed(sink);
}

/* Once the output is complete, settings cannot be changed. */
static void test_over(void)
{
	struct filter_totals totals = {.now_ns = 100};
	struct filter_change stop = {.subject = FILTER_STOP, .now_ns = 200};
	struct ct_wanted everything = {.size = sizeof(everything)};
	struct ct_sink *sink = opened(&everything);

	CHECK_EQUAL(filter_finish(sink, &totals, NULL), CT_OK);
	CHECK_EQUAL(filter_change(sink, &stop, NULL), CT_ERR_USAGE);
	closed(sink);
}

int main(void)
{
	test_window();
	test_categories();
	test_sample();
	test_places();
	test_over();
	return check_result();
}
