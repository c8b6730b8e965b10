/* SPDX-License-Identifier: MIT */
/*
 * The lowest layer: errors as a path, arenas, areas, texts, JSON, maps, checksums, outputs that appear complete or not
 * at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/area.h"
#include "base/arena.h"
#include "check.h"
#include "base/crc32c.h"
#include "base/duration.h"
#include "base/failure.h"
#include "base/io.h"
#include "base/json_write.h"
#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"
#include "write_output.h"

static void test_failures_read_as_a_path(void)
{
	struct ct_error error;
	enum ct_status status = ct_fail_at(&error, CT_ERR_CORRUPT, 4096, "block is damaged");

	status = ct_context(&error, status, "reading '%s'", "run.ctrace");
	CHECK_EQUAL(status, CT_ERR_CORRUPT);
	CHECK_EQUAL(error.offset, 4096);
	CHECK_TEXT(error.text, "reading 'run.ctrace': block is damaged");
	errno = ENOENT;
	CHECK_EQUAL(ct_fail_errno(&error, "opening '%s'", "x"), CT_ERR_NOT_FOUND);
	CHECK_TEXT(error.text, "opening 'x': No such file or directory");
	CHECK_EQUAL(error.system_errno, ENOENT);
	CHECK_EQUAL(ct_fail(NULL, CT_ERR_USAGE, "nobody listens"), CT_ERR_USAGE);
	CHECK_TEXT(ct_status_name(CT_ERR_NOT_FOUND), "not-found");
	CHECK_EQUAL(ct_status_exit_code(CT_OK), 0);
	CHECK(ct_status_exit_code(CT_ERR_FORMAT) != 0);
}

static void test_failures_are_cut_not_overrun(void)
{
	struct ct_error error;
	char name[2 * sizeof(error.text)];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ct_fail(&error, CT_ERR_USAGE, "%s", name);
	CHECK_EQUAL(strlen(error.text), sizeof(error.text) - 1);
	CHECK_TEXT(error.text + sizeof(error.text) - 5, "x...");
	ct_fail(&error, CT_ERR_USAGE, "short");
	ct_context(&error, CT_ERR_USAGE, "%.*s", (int)sizeof(error.text) - 4, name);
	CHECK_EQUAL(strlen(error.text), sizeof(error.text) - 1);
	CHECK_TEXT(error.text + sizeof(error.text) - 5, "x...");
}

static void test_arena_pieces(void)
{
	struct arena arena;
	struct arena_mark mark;
	char *first, *piece;
	size_t i;

	arena_init(&arena);
	first = arena_text(&arena, "kept", 4);
	mark = arena_mark(&arena);
	for (i = 1; i < 3000; i++) {
		piece = arena_alloc(&arena, i);
		CHECK(piece && (uintptr_t)piece % 16 == 0 && piece[0] == 0 && piece[i - 1] == 0);
		memset(piece, 0xff, i);
	}
	CHECK(arena.total_bytes > 3000u * 1000u);
	arena_reset(&arena, mark);
	CHECK(arena.total_bytes < 10000);
	CHECK_TEXT(first, "kept");
	piece = arena_alloc(&arena, 64);
	CHECK(piece && piece[0] == 0);
	CHECK(arena_array(&arena, SIZE_MAX / 2, 4) == NULL);
	CHECK(arena_alloc(&arena, SIZE_MAX) == NULL);
	CHECK_TEXT(arena_format(&arena, "%d of %d", 47, 50), "47 of 50");
	arena_fini(&arena);
	CHECK_EQUAL(arena.total_bytes, 0);
}

static void check_duration(int64_t ns, const char *expected)
{
	struct text text = {0};

	text_duration(&text, ns);
	CHECK_TEXT(text_peek(&text), expected);
	text_fini(&text);
}

static size_t nr_pages_there(const struct area *area)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), nr = 0, i;
	unsigned char *is_there = calloc(area->nr_bytes / page, 1);

	CHECK(mincore(area->at, area->nr_bytes, is_there) == 0);
	for (i = 0; i < area->nr_bytes / page; i++)
		nr += is_there[i] & 1;
	free(is_there);
	return nr;
}

/* Unwritten memory is zero, and takes no physical memory, however large the area is. */
static void test_area(void)
{
	size_t large = (size_t)256 << 20, i;
	struct area area = {0};

	CHECK(area_reach(&area, 10));
	area.at[9] = 6;
	area_cut(&area, 9, 10);
	CHECK_EQUAL(area.at[9], 0);
	area.at[9] = 7;
	for (i = 1000; i <= large; i *= 3)
		CHECK(area_reach(&area, i));
	area.at[large / 5] = 8;
	CHECK(area.nr_bytes >= large / 3);
	CHECK_EQUAL(area.at[9], 7);
	CHECK(nr_pages_there(&area) <= 2);
	area.at[100000] = 9; /* the cut clears this byte's page, and keeps it */
	area_cut(&area, 9, large / 5 + 1);
	CHECK_EQUAL(area.at[9], 0);
	CHECK_EQUAL(area.at[100000], 0);
	CHECK_EQUAL(area.at[large / 5], 0);
	CHECK(!area_reach(&area, SIZE_MAX / 2 + 1));
	area_fini(&area);
	CHECK_EQUAL(area.nr_bytes, 0);
}

static void test_texts(void)
{
	struct text text = {0};

	CHECK_TEXT(text_peek(&text), "");
	text_count(&text, 0);
	text_char(&text, ' ');
	text_count(&text, 1234567);
	text_format(&text, " %s", "events");
	CHECK_TEXT(text_peek(&text), "0 1,234,567 events");
	CHECK_EQUAL(text_status(&text, NULL), CT_OK);
	text_fini(&text);
	check_duration(0, "0 ns");
	check_duration(412, "412 ns");
	check_duration(999, "999 ns");
	check_duration(1000, "1.00 us");
	check_duration(3210000, "3.21 ms");
	check_duration(45678901, "45.7 ms");
	check_duration(999999999, "1.00 s");
	check_duration(-1500, "-1.50 us");
	check_duration(INT64_C(90000000000), "1.50 min");
	check_duration(INT64_MIN, "-2562048 h");
}

/* J-7: invalid UTF-8 is replaced, and the output always parses. */
static void test_utf8(void)
{
	static const struct {
		const char *bytes, *expected;
	} rows[] = {
		{"", ""},
		{"plain", "plain"},
		{"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
			"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xff"
		 "a\xc3",
			"\xef\xbf\xbd"
			"a\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	};
	struct text text = {0};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text_clear(&text);
		text_utf8(&text, rows[i].bytes);
		CHECK_TEXT(text_peek(&text), rows[i].expected);
	}
	text_fini(&text);
}

static void test_json(void)
{
	struct text text = {0};
	struct json json;

	json_init(&json, &text, false);
	json_open(&json, '{');
	json_key(&json, "a\"b");
	json_open(&json, '[');
	json_number(&json, -1);
	json_unsigned(&json, UINT64_MAX);
	json_bool(&json, true);
	json_null(&json);
	json_real(&json, 0.5);
	json_close(&json, ']');
	json_key(&json, "text");
	json_text(&json, "line\n\x1b[31m \xc3\xa9 \xff \xed\xa0\x80 \xc3");
	json_key(&json, "empty");
	json_open(&json, '{');
	json_close(&json, '}');
	json_close(&json, '}');
	CHECK_TEXT(text_peek(&text),
		"{\"a\\\"b\":[-1,18446744073709551615,true,null,0.5],\"text\":\"line\\n\\u001b[31m "
		"\xc3\xa9 \\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\",\"empty\":{}}");
	text_fini(&text);
}

static void test_map_against_an_array(void)
{
	static uint32_t expected[4096];
	struct map map = {0};
	uint32_t value, state = 1;
	int i;

	for (i = 0; i < 100000; i++) {
		uint32_t key = (state = state * 1664525u + 1013904223u) >> 20;

		if (state & 0x400) {
			CHECK(map_put(&map, key, key + 1));
			expected[key] = key + 1;
		} else {
			CHECK(map_remove(&map, key) == (expected[key] != 0));
			expected[key] = 0;
		}
	}
	for (i = 0; i < 4096; i++) {
		value = 0;
		CHECK(map_get(&map, (uint64_t)i, &value) == (expected[i] != 0));
		CHECK_EQUAL(value, expected[i]);
	}
	map_fini(&map);
	CHECK(!map_get(&map, 1, &value));
}

static void test_checksum(void)
{
	unsigned char zeros[32] = {0}, bytes[1000];
	size_t i, cut;

	/* RFC 3720, B.4: 32 bytes of zeros; and the usual check value of the polynomial. */
	CHECK_EQUAL(crc32c(0, zeros, sizeof(zeros)), 0x8a9136aa);
	CHECK_EQUAL(crc32c(0, "123456789", 9), 0xe3069283);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 7);
	for (cut = 0; cut < 40; cut++) {
		CHECK(crc32c(crc32c(0, bytes, cut), bytes + cut, sizeof(bytes) - cut) ==
			crc32c_portable(0, bytes, sizeof(bytes)));
	}
}

static void test_output_appears_whole_or_not_at_all(void)
{
	char folder[] = "/tmp/corotracer-base-XXXXXX";
	char path[64], partial[80];
	struct io_output output;
	struct ct_error error;
	char *bytes;
	size_t nr_bytes;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/out", folder);
	snprintf(partial, sizeof(partial), "%s.partial", path);
	CHECK_EQUAL(write_output(path, "old", 3, &error), CT_OK);
	CHECK_EQUAL(io_output_open(&output, path, &error), CT_OK);
	CHECK_EQUAL(io_write(output.descriptor, "new text", 8, &error), CT_OK);
	CHECK_EQUAL(io_output_close(&output, false, &error), CT_OK);
	CHECK_EQUAL(access(partial, F_OK), -1);
	CHECK_EQUAL(io_read_file(path, 100, &bytes, &nr_bytes, &error), CT_OK);
	CHECK_TEXT(bytes, "old");
	free(bytes);
	CHECK_EQUAL(write_output(path, "new text", 8, &error), CT_OK);
	CHECK_EQUAL(io_read_file(path, 100, &bytes, &nr_bytes, &error), CT_OK);
	CHECK_TEXT(bytes, "new text");
	free(bytes);
	CHECK_EQUAL(io_read_file(path, 3, &bytes, &nr_bytes, &error), CT_ERR_FORMAT);
	CHECK_EQUAL(write_output("/dev/full", "x", 1, &error), CT_ERR_SYSTEM);
	CHECK_TEXT(error.text, "'/dev/full': writing 1 bytes: No space left on device");
	CHECK_EQUAL(write_output("/nowhere/out", "x", 1, &error), CT_ERR_NOT_FOUND);
	CHECK_TEXT(error.text, "cannot write '/nowhere/out': No such file or directory");
	unlink(path);
	rmdir(folder);
}

/* The first writer is not disturbed by a second one; a file that a killed writer left does not hinder the next one. */
static void test_two_writers(void)
{
	char folder[] = "/tmp/corotracer-base-XXXXXX";
	char path[64], partial[80];
	struct io_output first, second;
	struct ct_error error;
	size_t nr_bytes;
	char *bytes;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/out", folder);
	snprintf(partial, sizeof(partial), "%s.partial", path);
	CHECK_EQUAL(write_output(partial, "left behind", 11, &error), CT_OK);
	CHECK_EQUAL(io_output_open(&first, path, &error), CT_OK);
	CHECK_EQUAL(io_write(first.descriptor, "first", 5, &error), CT_OK);
	CHECK_EQUAL(io_output_open(&second, path, &error), CT_ERR_SYSTEM);
	CHECK(strstr(error.text, "another process is writing it") != NULL);
	CHECK_EQUAL(second.descriptor, -1);
	CHECK_EQUAL(io_output_close(&first, true, &error), CT_OK);
	CHECK_EQUAL(io_read_file(path, 100, &bytes, &nr_bytes, &error), CT_OK);
	CHECK_TEXT(bytes, "first");
	free(bytes);
	CHECK_EQUAL(write_output(path, "second", 6, &error), CT_OK);
	CHECK_EQUAL(access(partial, F_OK), -1);
	unlink(path);
	rmdir(folder);
}

static void test_vec(void)
{
	VEC(uint32_t) numbers = {0};
	uint32_t i;

	for (i = 0; i < 1000; i++)
		CHECK(vec_push(&numbers, i));
	CHECK_EQUAL(numbers.count, 1000);
	CHECK_EQUAL(numbers.at[999], 999);
	CHECK(!vec_reserve(&numbers, SIZE_MAX / 2));
	CHECK_EQUAL(numbers.count, 1000);
	vec_fini(&numbers);
}

static void check_duration_read(const char *text, int64_t expected)
{
	int64_t ns = -1;

	CHECK_EQUAL(duration_read(text, &ns), expected >= 0);
	CHECK_EQUAL(ns, expected >= 0 ? expected : -1);
}

static void test_duration_read(void)
{
	check_duration_read("0ns", 0);
	check_duration_read("300ms", 300000000);
	check_duration_read("12.5s", 12500000000);
	check_duration_read("1.000000001s", 1000000001);
	check_duration_read("0.5min", 30000000000);
	check_duration_read("2562047h", INT64_C(2562047) * 3600 * 1000000000);
	check_duration_read("9223372036854775807ns", INT64_MAX);
	check_duration_read("9223372036854775808ns", -1);
	check_duration_read("2562048h", -1);
	check_duration_read("18446744073709551616ns", -1);
	check_duration_read("1.5ns", -1);
	check_duration_read("1.s", -1);
	check_duration_read(".5s", -1);
	check_duration_read("5", -1);
	check_duration_read("5 s", -1);
	check_duration_read("-5s", -1);
	check_duration_read("5sec", -1);
	check_duration_read("1e3s", -1);
	check_duration_read("", -1);
}

static void test_vec_count_while(void)
{
	static const int numbers[] = {1, 3, 3, 3, 8};
	static const size_t nr_below[] = {0, 0, 1, 1, 4, 4, 4, 4, 4, 5};
	size_t nr, below;

	for (nr = 0; nr <= 5; nr++) {
		for (below = 0; below < 10; below++) {
			size_t found = vec_count_while(nr, i, numbers[i] < (int)below);

			CHECK_EQUAL(found, nr < nr_below[below] ? nr : nr_below[below]);
		}
	}
}

int main(void)
{
	test_failures_read_as_a_path();
	test_failures_are_cut_not_overrun();
	test_arena_pieces();
	test_area();
	test_texts();
	test_utf8();
	test_json();
	test_map_against_an_array();
	test_checksum();
	test_output_appears_whole_or_not_at_all();
	test_two_writers();
	test_vec();
	test_vec_count_while();
	test_duration_read();
	return check_result();
}
