/* SPDX-License-Identifier: MIT */
/*
 * The parts of a sampling that need no program: when windows are due, what an hour may use, keys, and the spool, of
 * which each state that a kill can leave is made by hand.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "check.h"
#include "sampling/sampling.h"

#define S UINT64_C(1000000000)
#define MINUTE (60 * S)

/* ---------------------------------------------------------------- times */

static void test_schedule(void)
{
	struct schedule schedule = schedule_begin(100 * S, 10 * S, 2 * S, false, 7);
	uint64_t missed, due;
	int i;

	CHECK_EQUAL(schedule_next(&schedule, 100 * S, &missed) / S, 100);
	CHECK_EQUAL(schedule_next(&schedule, 103 * S, &missed) / S, 110);
	CHECK_EQUAL(missed, 0);
	/* The window lasted until 141: those of 120 and 130 are missed, and that of 140 begins late. */
	CHECK_EQUAL(schedule_next(&schedule, 141 * S, &missed) / S, 141);
	CHECK_EQUAL(missed, 2);
	CHECK_EQUAL(schedule_next(&schedule, 143 * S, &missed) / S, 150);
	for (i = 0; i < 5; i++)
		schedule_back_off(&schedule);
	CHECK_EQUAL(schedule_next(&schedule, 151 * S, &missed) / S, 150 + 10 * SCHEDULE_SLOWEST);
	schedule_speed_up(&schedule);
	CHECK_EQUAL(schedule_next(&schedule, 231 * S, &missed) / S, 240);
	schedule = schedule_begin(0, 10 * S, 2 * S, true, 7);
	for (i = 0; i < 100; i++) {
		due = schedule_next(&schedule, (uint64_t)i * 10 * S, &missed);
		CHECK(due >= (uint64_t)i * 10 * S && due < (uint64_t)i * 10 * S + 8 * S);
		CHECK_EQUAL(missed, 0);
	}
}

static void test_ceiling(void)
{
	struct ceiling none = {.most = 0}, ceiling = {.most = 100};
	uint64_t begin = 1000 * MINUTE;

	ceiling_use(&none, begin, 1 << 30);
	CHECK(ceiling_left(&none, begin) == UINT64_MAX);
	ceiling_use(&ceiling, begin, 60);
	ceiling_use(&ceiling, begin + 30 * MINUTE, 30);
	CHECK_EQUAL(ceiling_left(&ceiling, begin + 59 * MINUTE), 10);
	ceiling_use(&ceiling, begin + 59 * MINUTE, 50);
	CHECK_EQUAL(ceiling_left(&ceiling, begin + 59 * MINUTE), 0);
	CHECK_EQUAL(ceiling_left(&ceiling, begin + 60 * MINUTE), 20);
	CHECK_EQUAL(ceiling_left(&ceiling, begin + 90 * MINUTE), 50);
	CHECK_EQUAL(ceiling_left(&ceiling, begin + 500 * MINUTE), 100);
}

static void test_load(void)
{
	CHECK(!sampling_is_loaded("2.99 1 1 1/1 1", 2, 150));
	CHECK(sampling_is_loaded("3.01 1 1 1/1 1", 2, 150));
	CHECK(!sampling_is_loaded("", 2, 150));
}

/* ---------------------------------------------------------------- keys */

static void test_keys(void)
{
	char name[KEYS_NAME_BYTES], key[KEYS_BYTES], flat[KEYS_BYTES], deep[KEYS_BYTES];

	keys_name("check out/now", name);
	CHECK_TEXT(name, "check_out_now");
	keys_name("..", name);
	CHECK_TEXT(name, "unnamed");
	keys_name("", name);
	CHECK_TEXT(name, "unnamed");
	keys_make("api", "web-3", 4711, 1767323045 * S + 6789000, key);
	CHECK_TEXT(key, "api/web-3/20260102/030405-4711-006789.ctrace");
	CHECK(objects_is_key(key));
	keys_flat(key, flat);
	CHECK_TEXT(flat, "api,web-3,20260102,030405-4711-006789.ctrace");
	CHECK(keys_deep(flat, deep));
	CHECK_TEXT(deep, key);
	CHECK(!keys_deep("api,web-3,20260102,030405-4711-006789.ctrace.partial", deep));
	CHECK(!keys_deep("core", deep));
	CHECK(!keys_deep("api,20260102,030405.ctrace", deep));
	CHECK(!keys_deep(".a,b,c,d.ctrace", deep));
	CHECK(keys_moment("z,h,20260101,000001-1-0.ctrace", "a,h,20260101,000002-1-0.ctrace") < 0);
}

/* ---------------------------------------------------------------- the spool */

static char folder[64];
static char heard[2048];

static void hear(void *context, enum spool_fate fate, const char *key, uint64_t nr_bytes)
{
	static const char *const words[] = {"recovered", "lost", "dropped"};
	size_t length = strlen(heard);

	(void)context;
	snprintf(heard + length, sizeof(heard) - length, "%s %s %d;", words[fate], key,
		(int)nr_bytes);
}

static struct spool *open_spool(const char *destination, uint64_t most_bytes)
{
	struct spool_options options = {.folder = folder,
		.destination = destination,
		.most_bytes = most_bytes,
		.tell = hear};
	struct ct_error error = {.text = ""};
	struct spool *spool = NULL;

	*heard = '\0';
	CHECK_EQUAL(spool_open(&options, &spool, &error), CT_OK);
	CHECK_TEXT(error.text, "");
	return spool;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CHECK(file != NULL && fputs(text, file) >= 0);
	fclose(file);
}

static void keep(struct spool *spool, const char *key, const char *text)
{
	char *path = spool_path(spool, key);
	uint64_t nr_bytes;
	enum ct_status status;

	write_file(path, text);
	status = spool_keep(spool, key, &nr_bytes, NULL);
	CHECK(status == CT_OK || status == CT_END);
	CHECK_EQUAL(nr_bytes, strlen(text));
	free(path);
}

/* Takes all windows out; returns their keys. */
static const char *drain(struct spool *spool)
{
	static char keys[1024];
	struct spool_window window;

	*keys = '\0';
	while (spool_take(spool, &window, NULL) == CT_OK) {
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys), "%s;", window.key);
		spool_return(spool, &window, true);
	}
	return keys;
}

#define KEY(n) "s/h/20260101/00000" #n "-1-0.ctrace"

static void test_order(void)
{
	struct spool *spool = open_spool("there", 100);
	struct spool_window window;

	CHECK_EQUAL(spool_take(spool, &window, NULL), CT_AGAIN);
	keep(spool, KEY(2), "22");
	keep(spool, KEY(1), "1");
	keep(spool, KEY(3), "333");
	CHECK_EQUAL(spool_state(spool).nr_bytes, 6);
	CHECK_EQUAL(spool_take(spool, &window, NULL), CT_OK);
	CHECK_TEXT(window.key, KEY(1));
	spool_return(spool, &window, false);
	CHECK_TEXT(drain(spool), KEY(1) ";" KEY(2) ";" KEY(3) ";");
	CHECK_EQUAL(spool_state(spool).nr_windows, 0);
	spool_close(spool);
	CHECK_TEXT(heard, "");
}

/* The oldest is dropped, but not while it is being stored; what is larger than the spool is dropped itself. */
static void test_full(void)
{
	struct spool *spool = open_spool("there", 10);
	struct spool_window window;

	keep(spool, KEY(1), "4444");
	keep(spool, KEY(2), "4444");
	CHECK_EQUAL(spool_take(spool, &window, NULL), CT_OK);
	keep(spool, KEY(3), "4444");
	CHECK_TEXT(heard, "dropped " KEY(2) " 4;");
	spool_return(spool, &window, true);
	keep(spool, KEY(4), "far too much");
	CHECK_TEXT(heard, "dropped " KEY(2) " 4;dropped " KEY(3) " 4;dropped " KEY(4) " 12;");
	CHECK_TEXT(drain(spool), "");
	spool_close(spool);
}

static void path_in(char path[256], unsigned number, const char *sub, const char *name)
{
	snprintf(path, 256, "%s/%08x-%u/%s/%s", folder, crc32c(0, "there", 5), number, sub, name);
}

/* What kills leave: a window that is whole, ones of which nothing or a Go trace was written, and ones in "ready". */
static void test_left(void)
{
	struct spool *spool = open_spool("there", 100), *second, *other;
	char path[256];

	keep(spool, KEY(5), "ready");
	path_in(path, 1, "making", "s,h,20260101,000006-1-0.ctrace");
	write_file(path, "whole");
	path_in(path, 1, "making", "s,h,20260101,000007-1-0.ctrace.partial");
	write_file(path, "");
	path_in(path, 1, "making", "s,h,20260101,000008-1-0.ctrace.partial");
	write_file(path, "go 1.22 trace, the beginning");
	path_in(path, 1, "making", "s,h,20260101,000009-1-0.ctrace.left");
	write_file(path, "no trace");
	path_in(path, 1, "making", "something else");
	write_file(path, "?");
	second = open_spool("there", 100); /* as another process does: the first one lives */
	CHECK_EQUAL(spool_state(second).nr_windows, 0);
	keep(second, KEY(4), "of the second");
	spool_close(spool);
	spool_close(second);
	other = open_spool("elsewhere", 100);
	CHECK_EQUAL(spool_state(other).nr_windows, 0);
	spool_close(other);
	spool = open_spool("there", 100);
	CHECK(strstr(heard, "recovered " KEY(8) " 28;") != NULL);
	CHECK(strstr(heard, "lost " KEY(7) " 0;") != NULL);
	CHECK(strstr(heard, "lost " KEY(9) " 0;") != NULL);
	CHECK_TEXT(drain(spool), KEY(4) ";" KEY(5) ";" KEY(6) ";" KEY(8) ";");
	spool_close(spool);
}

/* A folder that cannot be made is said. */
static void test_nowhere(void)
{
	struct spool_options options = {
		.folder = "/proc/nowhere", .destination = "there", .most_bytes = 1};
	struct ct_error error = {.text = ""};
	struct spool *spool;

	CHECK(spool_open(&options, &spool, &error) < 0);
	CHECK(strstr(error.text, "making a spool in '/proc/nowhere'") != NULL);
}

static void test_counts(void)
{
	struct ct_sampling_counts counts = {.nr_windows = 3, .nr_skipped_load = 2};
	char text[16384];

	CHECK(ct_sampling_write_counts(&counts, text, sizeof(text)) < sizeof(text));
	CHECK(strstr(text, "# TYPE corotracer_agent_windows_total "
			   "counter\ncorotracer_agent_windows_total 3\n") != NULL);
	CHECK(strstr(text, "corotracer_agent_skipped_windows_total{cause=\"load\"} 2\n") != NULL);
	CHECK(strstr(text,
		      "# TYPE corotracer_agent_programs gauge\ncorotracer_agent_programs 0\n") !=
		NULL);
}

static void test_events(void)
{
	struct ct_sampling_event event = {.size = sizeof(event),
		.kind = CT_SAMPLING_FAILED,
		.service = "a\"b",
		.pid = 7,
		.text = "why\n"};
	char line[512];

	CHECK(ct_sampling_event_write(&event, line, sizeof(line)) == strlen(line));
	CHECK(strncmp(line, "{\"time\":\"2", 10) == 0);
	CHECK(strstr(line, "\"event\":\"failed\",\"service\":\"a\\\"b\",\"pid\":7,\"text\":"
			   "\"why\\n\"}") != NULL);
}

int main(void)
{
	char command[128];

	snprintf(folder, sizeof(folder), "/tmp/corotracer-spool-XXXXXX");
	CHECK(mkdtemp(folder) != NULL);
	test_schedule();
	test_ceiling();
	test_load();
	test_keys();
	test_order();
	test_full();
	test_left();
	test_nowhere();
	test_counts();
	test_events();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_EQUAL(system(command), 0);
	return check_result();
}
