/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a Go trace: headers of all formats and of other files, numbers of every length, generations and their
 * tables, files cut at each byte, and a file that grows byte by byte.
 */
#include "go_vectors.h"
#include "gotrace/generation.h"

static enum ct_status read_header(const char *text, unsigned *ret_format, struct ct_error *error)
{
	uint8_t bytes[GOTRACE_HEADER_BYTES] = {0};

	memcpy(bytes, text, strlen(text) < sizeof(bytes) ? strlen(text) : sizeof(bytes));
	return gotrace_header_read(bytes, sizeof(bytes), ret_format, error);
}

static void test_headers(void)
{
	static const unsigned formats[] = {22, 23, 25, 26};
	struct ct_error error;
	unsigned format, i;

	for (i = 0; i < 4; i++) {
		char text[32];

		snprintf(text, sizeof(text), "go 1.%u trace", formats[i]);
		CHECK_EQUAL(read_header(text, &format, &error), CT_OK);
		CHECK_EQUAL(format, formats[i]);
	}
	CHECK_EQUAL(read_header("go 1.21 trace", &format, &error), CT_ERR_FORMAT);
	CHECK(strstr(error.text, "older than Go 1.22"));
	CHECK_EQUAL(read_header("go 1.9 trace", &format, &error), CT_ERR_FORMAT);
	CHECK(strstr(error.text, "Go 1.9,"));
	CHECK_EQUAL(read_header("go 1.24 trace", &format, &error), CT_ERR_FORMAT);
	CHECK_EQUAL(read_header("go 1.27 trace", &format, &error), CT_ERR_FORMAT);
	CHECK(strstr(error.text, "cannot read"));
	CHECK_EQUAL(read_header("go 1.26 trace\n", &format, &error), CT_ERR_FORMAT);
	CHECK_EQUAL(read_header("\x1f\x8b", &format, &error), CT_ERR_FORMAT);
	CHECK(strstr(error.text, "no execution trace of Go"));
	CHECK_EQUAL(gotrace_header_read((const uint8_t *)"go 1.26 trace", 13, &format, &error),
		CT_ERR_FORMAT);
}

static void check_number(const char *bytes, size_t nr_bytes, bool is_valid, uint64_t value)
{
	uint8_t room[GOTRACE_SLACK_BYTES * 2] = {0};
	struct gotrace_bytes at = {room, room + nr_bytes, false};
	uint64_t number;

	memcpy(room, bytes, nr_bytes);
	number = gotrace_number(&at);
	CHECK_EQUAL(gotrace_bytes_were_whole(&at), is_valid);
	if (is_valid)
		CHECK(number == value);
}

static void test_numbers(void)
{
	check_number("\x00", 1, true, 0);
	check_number("\x7f", 1, true, 127);
	check_number("\x80\x01", 2, true, 128);
	check_number("\x91\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, true, 17);
	check_number("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, true, UINT64_MAX);
	check_number("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, false, 0);
	check_number("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 11, false, 0);
	check_number("\x80", 1, false, 0);
}

static bool is_string(const struct gotrace_tables *tables, uint64_t id, const char *text)
{
	uint32_t index;

	return gotrace_tables_find(&tables->string_ids, id, &index) &&
	       tables->strings.at[index].nr_bytes == strlen(text) &&
	       memcmp(tables->strings.at[index].at, text, strlen(text)) == 0;
}

static void check_tables(const struct gotrace_tables *tables)
{
	const struct gotrace_frame *frame;
	uint32_t index;

	CHECK_EQUAL(tables->strings.count, 5);
	CHECK(is_string(tables, 1, "chan receive"));
	CHECK(is_string(tables, 0, ""));
	CHECK(!gotrace_tables_find(&tables->string_ids, 5, &index));
	CHECK(gotrace_tables_find(&tables->stack_ids, 2, &index));
	CHECK_EQUAL(tables->stacks.at[index].nr_frames, 1);
	frame = &tables->frames.at[tables->stack_frames.at[tables->stacks.at[index].first]];
	CHECK_EQUAL(frame->line, 20);
	CHECK(memcmp(tables->strings.at[frame->function].at, "main.worker", 11) == 0);
}

static void test_generation(void)
{
	struct input input = go_input_open(go_vector_26, sizeof(go_vector_26));
	struct gotrace_loader loader;
	const struct gotrace_generation *generation = &loader.generation;

	CHECK_EQUAL(gotrace_loader_init(&loader, &input, NULL), CT_OK);
	CHECK_EQUAL(gotrace_loader_next(&loader, NULL), CT_OK);
	CHECK_EQUAL(generation->number, 1);
	CHECK_EQUAL(generation->threads.count, 1);
	CHECK_EQUAL(generation->threads.at[0].thread, 101);
	CHECK_EQUAL(generation->frequency, 15625000);
	CHECK_EQUAL(generation->snapshot.time, 64064);
	CHECK_EQUAL(generation->snapshot.realtime_s, 1700000000);
	CHECK_EQUAL(generation->snapshot.realtime_ns, 5);
	CHECK_EQUAL(generation->least_time, 1000);
	check_tables(&generation->tables);
	CHECK_EQUAL(gotrace_loader_next(&loader, NULL), CT_END);
	CHECK_EQUAL(gotrace_loader_next(&loader, NULL), CT_END);
	gotrace_loader_fini(&loader);
	go_input_close(&input);
}

/*
 * If the file is cut anywhere, the header or the only generation is incomplete, and the error names the file's offset.
 */
static void check_cut(const uint8_t *bytes, size_t nr_bytes)
{
	struct input input = go_input_open(bytes, nr_bytes);
	struct gotrace_loader loader;
	struct ct_error error = {0};
	enum ct_status status = gotrace_loader_init(&loader, &input, &error);

	CHECK_EQUAL(status, nr_bytes < GOTRACE_HEADER_BYTES ? CT_ERR_FORMAT : CT_OK);
	if (status == CT_OK && nr_bytes > GOTRACE_HEADER_BYTES) {
		CHECK_EQUAL(gotrace_loader_next(&loader, &error), CT_ERR_CORRUPT);
		CHECK(strstr(error.text, " at offset "));
		CHECK_EQUAL(gotrace_loader_next(&loader, &error), CT_ERR_CORRUPT);
	}
	gotrace_loader_fini(&loader);
	go_input_close(&input);
}

static void test_cut(void)
{
	size_t i;

	for (i = 0; i < sizeof(go_vector_26); i++)
		check_cut(go_vector_26, i);
}

/* No event is returned before the generation is complete; then all are. */
static void check_growing(const uint8_t *bytes, size_t nr_bytes, bool has_marker)
{
	struct input input = go_input_open(bytes, GOTRACE_HEADER_BYTES);
	struct gotrace_loader loader;
	size_t i;

	CHECK_EQUAL(gotrace_loader_init(&loader, &input, NULL), CT_OK);
	loader.is_growing = true;
	for (i = GOTRACE_HEADER_BYTES; i < nr_bytes; i++) {
		CHECK_EQUAL(gotrace_loader_next(&loader, NULL), CT_AGAIN);
		CHECK_EQUAL(write(input.descriptor, bytes + i, 1), 1);
	}
	if (!has_marker) {
		CHECK_EQUAL(gotrace_loader_next(&loader, NULL), CT_AGAIN);
		loader.is_growing = false;
	}
	CHECK_EQUAL(gotrace_loader_next(&loader, NULL), CT_OK);
	CHECK_EQUAL(gotrace_loader_next(&loader, NULL), has_marker ? CT_AGAIN : CT_END);
	gotrace_loader_fini(&loader);
	go_input_close(&input);
}

int main(void)
{
	test_headers();
	test_numbers();
	test_generation();
	test_cut();
	check_growing(go_vector_26, sizeof(go_vector_26), true);
	check_growing(go_vector_25, sizeof(go_vector_25), false);
	check_growing(go_vector_23, sizeof(go_vector_23), false);
	return check_result();
}
