/* SPDX-License-Identifier: MIT */
/*
 * Things that are watched for a long time, and restated; regions by their names. Rules P-60 and P-62 of
 * docs/spec/protocol.md.
 */
#include "made_trace.h"
#include "stages/watch.h"

#define MS UINT64_C(1000000)
#define NR_TASKS 1200000u /* more than can be known at once */

static uint64_t now;

static struct watch *open_watch(const char *condition)
{
	struct watch *watch = NULL;

	now = MADE_EPOCH;
	CHECK_EQUAL(watch_open(made_sink("watched.ctrace"), &watch, NULL), CT_OK);
	CHECK_EQUAL(watch_add(watch, condition, NULL), CT_OK);
	made_start(watch_sink(watch), 1);
	return watch;
}

static void name(struct watch *watch, uint32_t site, const char *text)
{
	made_define(watch_sink(watch), (struct ct_definition){.type = CT_DEFINE_SITE,
					       .site = {.segment = 1,
						       .id = site,
						       .kind = CTP_SITE_SOURCE,
						       .line = site,
						       .file = "a.c",
						       .function = "",
						       .reason = text,
						       .module = ""}});
}

static void put(struct watch *watch, unsigned kind, uint64_t object, uint32_t site)
{
	struct ctp_record record = {
		.time = now, .coro = 7, .object = object, .tail = CTP_TAIL(site, kind, 0, 0)};

	CHECK_EQUAL(made_put(watch_sink(watch), 1, &record, 1), CT_OK);
}

/* What came before the look before is judged. */
static bool look(struct watch *watch)
{
	struct text reason = {0};
	bool was_wanted;

	now += MS;
	was_wanted = watch_look(watch, now, &reason);
	now += MS;
	was_wanted = watch_look(watch, now, &reason) || was_wanted;
	text_fini(&reason);
	return was_wanted;
}

static void close_watch(struct watch *watch)
{
	CHECK_EQUAL(sink_close(watch_sink(watch), false, NULL), CT_OK);
}

static void region(struct watch *watch, uint64_t ms, uint32_t begin, uint32_t end)
{
	put(watch, CTP_KIND_REGION_BEGIN, 0, begin);
	now += ms * MS;
	put(watch, CTP_KIND_REGION_END, 0, end);
}

/* Silence is calm: what was told once, and did not happen for a while, is told when it happens again. */
static void test_after_silence(void)
{
	struct watch *watch = open_watch("region(slow).max > 50ms");
	unsigned i;

	name(watch, 1, "slow");
	region(watch, 100, 1, 1);
	CHECK(look(watch));
	region(watch, 100, 1, 1);
	CHECK(!look(watch));
	for (i = 0; i < 50; i++) {
		now += 100 * MS;
		CHECK(!look(watch));
	}
	region(watch, 100, 1, 1);
	CHECK(look(watch));
	close_watch(watch);
}

/* P-62: an end closes the innermost region of its name, whichever site names it. */
static void test_names(void)
{
	struct watch *watch = open_watch("region(slow).max > 50ms");

	name(watch, 1, "slow");
	name(watch, 2, "slow");
	name(watch, 3, "other");
	region(watch, 100, 3, 3);
	CHECK(!look(watch));
	region(watch, 100, 1, 2);
	CHECK(look(watch));
	close_watch(watch);
}

static void test_nested(void)
{
	struct watch *watch = open_watch("region(slow).max > 50ms");

	name(watch, 1, "slow");
	put(watch, CTP_KIND_REGION_BEGIN, 0, 1);
	now += 100 * MS;
	region(watch, 1, 1, 1);
	CHECK(!look(watch));
	put(watch, CTP_KIND_REGION_END, 0, 1);
	CHECK(look(watch));
	close_watch(watch);
}

/* Nothing happens, and somebody is left who has not ended. */
static void test_no_progress(void)
{
	struct watch *watch = open_watch("no_progress > 1s");

	now += 5000 * MS;
	CHECK(!look(watch)); /* nobody is there */
	put(watch, CTP_KIND_CREATE, 0, 0);
	put(watch, CTP_KIND_RESUME, 0, 0);
	CHECK(!look(watch));
	now += 900 * MS;
	CHECK(!look(watch));
	now += 200 * MS;
	CHECK(look(watch));
	put(watch, CTP_KIND_SUSPEND, 0, 0);
	now += 2000 * MS;
	CHECK(!look(watch)); /* that was told */
	put(watch, CTP_KIND_RESUME, 0, 0);
	CHECK(!look(watch));
	put(watch, CTP_KIND_RETURN, 0, 0);
	CHECK(!look(watch));
	now += 5000 * MS;
	CHECK(!look(watch)); /* it has ended */
	close_watch(watch);
}

/* Waits at one place, told by the name, function or line of it; a wake ends the wait. */
static void test_waiting(void)
{
	struct watch *watch = open_watch("waiting(a.c:2) > 1s");

	name(watch, 1, "elsewhere");
	name(watch, 2, "here");
	put(watch, CTP_KIND_CREATE, 0, 0);
	put(watch, CTP_KIND_RESUME, 0, 0);
	put(watch, CTP_KIND_SUSPEND, 0, 1);
	now += 5000 * MS;
	CHECK(!look(watch));
	put(watch, CTP_KIND_RESUME, 0, 0);
	put(watch, CTP_KIND_SUSPEND, 0, 2);
	CHECK(!look(watch));
	now += 500 * MS;
	CHECK(!look(watch));
	put(watch, CTP_KIND_RESUME, 0, 0);
	put(watch, CTP_KIND_SUSPEND, 0, 2);
	CHECK(!look(watch));
	now += 800 * MS;
	CHECK(!look(watch));
	now += 400 * MS;
	CHECK(look(watch));
	close_watch(watch);
}

static void test_findings(void)
{
	struct watch *watch = open_watch("finding(lost-*) >= likely");
	enum ct_grade grades[CT_NR_RULES] = {CT_GRADE_NONE};

	CHECK(watch_wants_findings(watch));
	CHECK(!look(watch));
	grades[CT_RULE_CRASH] = CT_GRADE_PROVEN;
	grades[CT_RULE_LOST_WAKEUP] = CT_GRADE_SUSPECT;
	watch_take_findings(watch, grades);
	CHECK(!look(watch));
	grades[CT_RULE_LOST_WAKEUP] = CT_GRADE_LIKELY;
	watch_take_findings(watch, grades);
	CHECK(look(watch));
	CHECK(!look(watch));
	close_watch(watch);
}

/* P-60: tasks that ended are forgotten, however many there are. */
static void test_many_tasks(void)
{
	struct watch *watch = open_watch("task(get).max > 50ms");
	uint32_t i;

	name(watch, 1, "get");
	for (i = 1; i <= NR_TASKS; i++) {
		put(watch, CTP_KIND_TASK_BEGIN, i, 1);
		put(watch, CTP_KIND_TASK_END, i, 0);
		if (i % 50000 == 0)
			CHECK(!look(watch));
	}
	put(watch, CTP_KIND_TASK_BEGIN, i, 1);
	now += 100 * MS;
	put(watch, CTP_KIND_TASK_END, i, 0);
	CHECK(look(watch));
	close_watch(watch);
}

int main(void)
{
	made_enter();
	test_after_silence();
	test_names();
	test_nested();
	test_no_progress();
	test_waiting();
	test_findings();
	test_many_tasks();
	return check_result();
}
