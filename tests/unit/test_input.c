/* SPDX-License-Identifier: MIT */
/*
 * One opened input: another file that takes over its name is never read, whatever the format of the first one; a pipe
 * is read once and can then be read at any position; each error names the input, once.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/input.h"
#include "check.h"
#include "corotracer/ct.h"
#include "jsonl/jsonl.h"
#include "made_trace.h"
#include "opened.h"
#include "textrace/textrace.h"

static const char text[] = "trace from=0\nprocess 1 pid=1\nthread 1 tid=2\n1ms t1 resume c1\n";
static const char row[] =
	"{\"probe_id\":1,\"tid\":1,\"addr\":\"0x0\",\"seq\":1,\"is_active\":true,\"ts\":5}\n";

static uint64_t count_and_close(struct ct_source *source)
{
	uint64_t count = made_count(source);

	source_close(source);
	return count;
}

/* The input is opened; then another file gets its name. */
static void check_replaced(const char *path, open_function *open, uint64_t nr_events)
{
	struct ct_source *source;
	struct input *input;

	CHECK_EQUAL(input_open(path, &input, NULL), CT_OK);
	made_write("other", "this is no trace", 16);
	CHECK_EQUAL(rename("other", path), 0);
	CHECK_EQUAL(open(input, &source, NULL), CT_OK);
	CHECK_EQUAL(count_and_close(source), nr_events);
}

static void test_replaced(void)
{
	struct ct_sink *sink = made_sink("input.ctrace");

	made_start(sink, 1);
	made_put_one(sink, 1, 1000, CTP_KIND_RESUME, 1);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	check_replaced("input.ctrace", store_source_open, 1);
	made_write("input.txt", text, strlen(text));
	check_replaced("input.txt", textrace_source_open, 1);
	made_write("input.jsonl", row, strlen(row));
	check_replaced("input.jsonl", jsonl_source_open, 1);
}

/* Makes a pipe that contains exactly these bytes, and its path. */
static void fill_pipe(int ends[2], const char *bytes, char *ret_path)
{
	CHECK_EQUAL(pipe(ends), 0);
	CHECK_EQUAL(write(ends[1], bytes, strlen(bytes)), (ssize_t)strlen(bytes));
	close(ends[1]);
	snprintf(ret_path, 64, "/proc/self/fd/%d", ends[0]);
}

static void test_pipe(void)
{
	char path[64], bytes[8];
	struct input *input;
	const uint8_t *at;
	size_t nr_read;
	int ends[2];

	fill_pipe(ends, "0123456789", path);
	CHECK_EQUAL(input_open(path, &input, NULL), CT_OK);
	close(ends[0]);
	CHECK_TEXT(input->name, path);
	CHECK_EQUAL(input->nr_bytes, 10);
	CHECK_EQUAL(input_read(input, 7, bytes, sizeof(bytes), &nr_read, NULL), CT_OK);
	CHECK_EQUAL(nr_read, 3);
	CHECK(memcmp(bytes, "789", 3) == 0);
	CHECK_EQUAL(input_peek(input, 2, 3, &at, NULL), CT_OK);
	CHECK(memcmp(at, "234", 3) == 0);
	CHECK_EQUAL(input_peek(input, 8, 3, &at, NULL), CT_END);
	input_close(input);
}

/* A file may have been read in part before it became standard input. */
static void test_standard_input(void)
{
	int before = dup(STDIN_FILENO), file;
	const uint8_t *at;
	struct input *input;

	made_write("begun", "0123456789", 10);
	file = open("begun", O_RDONLY | O_CLOEXEC);
	CHECK_EQUAL(lseek(file, 4, SEEK_SET), 4);
	dup2(file, STDIN_FILENO);
	CHECK_EQUAL(input_open("-", &input, NULL), CT_OK);
	CHECK_TEXT(input->name, "standard input");
	CHECK_EQUAL(input->nr_bytes, 6);
	CHECK_EQUAL(input_peek(input, 0, 6, &at, NULL), CT_OK);
	CHECK(memcmp(at, "456789", 6) == 0);
	input_close(input);
	dup2(before, STDIN_FILENO);
	close(before);
	close(file);
}

/* Writes other bytes into the same file. */
static void write_in_place(const char *path, const char *bytes)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK_EQUAL(write(file, bytes, strlen(bytes)), (ssize_t)strlen(bytes));
	close(file);
}

/* The file grows, and shrinks. */
static void test_size(void)
{
	const uint8_t *at;
	struct input *input;
	size_t nr_read;
	char bytes[8];

	write_in_place("size", "01234");
	CHECK_EQUAL(input_open("size", &input, NULL), CT_OK);
	CHECK_EQUAL(input_peek(input, 0, 6, &at, NULL), CT_END);
	write_in_place("size", "0123456789");
	CHECK_EQUAL(input_peek(input, 0, 6, &at, NULL), CT_END);
	CHECK_EQUAL(input_look(input, NULL), CT_OK);
	CHECK_EQUAL(input_peek(input, 0, 6, &at, NULL), CT_OK);
	write_in_place("size", "01");
	CHECK_EQUAL(input_read(input, 1, bytes, sizeof(bytes), &nr_read, NULL), CT_OK);
	CHECK_EQUAL(nr_read, 1);
	input_close(input);
}

static void test_failures(void)
{
	static const struct {
		const char *path;
		const char *bytes; /* NULL: not written */
		const char *says;
	} failures[] = {
		{"missing", NULL, "'missing': cannot open it: No such file or directory"},
		{".", NULL, "'.': a directory, not a trace"},
		{"empty", "", "'empty': the file is empty"},
		{"garbage", "\1\2\3",
			"'garbage': not a trace: its first bytes are of no form that is known; a "
			"trace is what 'corotracer run' writes, its text form, JSON lines of one, "
			"or an execution trace of Go"},
		{"sent.ctrace",
			"\x8b"
			"CTR\n\x1a\n....",
			"'sent.ctrace': a trace whose line ends were changed in transfer: copy it "
			"as binary"},
		{"wrong.txt", "trace from=0\nnothing\n",
			"wrong.txt:2: 'nothing' begins no line that is known"},
		{"wrong.jsonl", "{}\n",
			"wrong.jsonl:1: no line is a row of a trace; of this one, it is no JSON "
			"object"},
	};
	struct ct_trace *trace;
	struct ct_error error;
	size_t i;

	for (i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
		if (failures[i].bytes)
			made_write(failures[i].path, failures[i].bytes, strlen(failures[i].bytes));
		CHECK(ct_trace_open(failures[i].path, NULL, &trace, &error) < 0);
		CHECK_TEXT(error.text, failures[i].says);
	}
}

/* What is there at each look; released bytes need no room, and the rest can be read at any position. */
static void test_growing_stream(void)
{
	int kept = dup(STDIN_FILENO), ends[2];
	struct input *input;
	const uint8_t *bytes;

	CHECK_EQUAL(pipe(ends), 0);
	CHECK_EQUAL(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	CHECK_EQUAL(input_open_growing("-", &input, NULL), CT_OK);
	CHECK(input_is_written(input) && input->nr_bytes == 0);
	CHECK_EQUAL(write(ends[1], "0123456789", 10), 10);
	CHECK_EQUAL(input_look(input, NULL), CT_OK);
	CHECK_EQUAL(input->nr_bytes, 10);
	CHECK_EQUAL(input_peek(input, 7, 3, &bytes, NULL), CT_OK);
	CHECK(memcmp(bytes, "789", 3) == 0);
	input_give_back(input, 5);
	CHECK_EQUAL(write(ends[1], "abc", 3), 3);
	CHECK_EQUAL(input_look(input, NULL), CT_OK);
	CHECK(input_is_written(input));
	close(ends[1]);
	CHECK_EQUAL(input_look(input, NULL), CT_OK);
	CHECK(!input_is_written(input));
	CHECK_EQUAL(input->nr_bytes, 13);
	CHECK_EQUAL(input_peek(input, 9, 4, &bytes, NULL), CT_OK);
	CHECK(memcmp(bytes, "9abc", 4) == 0);
	input_close(input);
	CHECK_EQUAL(dup2(kept, STDIN_FILENO), STDIN_FILENO);
	close(kept);
}

/* No writer holds a lock, so the system is asked which process has the file open for writing. */
static void test_growing_file(void)
{
	int writer = open("growing", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct input *input;

	CHECK_EQUAL(input_open_growing("growing", &input, NULL), CT_OK);
	CHECK(input_is_written(input));
	CHECK_EQUAL(write(writer, "12", 2), 2);
	CHECK_EQUAL(input_look(input, NULL), CT_OK);
	CHECK_EQUAL(input->nr_bytes, 2);
	close(writer);
	CHECK(!input_is_written(input));
	input_close(input);
	unlink("growing");
}

int main(void)
{
	made_enter();
	test_growing_stream();
	test_growing_file();
	test_replaced();
	test_pipe();
	test_standard_input();
	test_size();
	test_failures();
	return check_result();
}
