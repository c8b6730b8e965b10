/* SPDX-License-Identifier: MIT */
/*
 * A growing Go trace: whatever part of the file exists, its reader returns the events of complete generations, asks to
 * be called again, and in the end has returned the same events as for the whole file. If the file is cut anywhere, the
 * events are a beginning of those.
 */
#include "base/vec.h"
#include "go_vectors.h"
#include "gotrace/gotrace.h"

#define ROOM_EVENTS 16u

struct told {
	VEC(struct gotrace_event) events;
};

static bool is_same(const struct gotrace_event *a, const struct gotrace_event *b)
{
	return a->time == b->time && a->thread == b->thread && a->proc == b->proc &&
	       a->goroutine == b->goroutine && a->resource == b->resource && a->kind == b->kind &&
	       a->from == b->from && a->to == b->to && a->name == b->name && a->stack == b->stack;
}

static enum ct_status read_all(struct gotrace_reader *reader, struct told *told)
{
	struct gotrace_event room[ROOM_EVENTS];
	enum ct_status status;
	size_t count, i;

	while ((status = gotrace_reader_next(reader, room, ROOM_EVENTS, &count, NULL)) == CT_OK) {
		for (i = 0; i < count; i++)
			CHECK(vec_push(&told->events, room[i]));
	}
	return status;
}

/* The same generation twice: the goroutine that it creates ends in it, and can be created again. */
static size_t make_two(uint8_t *bytes)
{
	size_t nr_first = sizeof(go_vector_26), nr_behind = nr_first - GOTRACE_HEADER_BYTES;

	memcpy(bytes, go_vector_26, nr_first);
	memcpy(bytes + nr_first, go_vector_26 + GOTRACE_HEADER_BYTES, nr_behind);
	return nr_first + nr_behind;
}

static void read_whole(
	const uint8_t *bytes, size_t nr_bytes, struct told *told, enum ct_status ends)
{
	struct input input = go_input_open(bytes, nr_bytes);
	struct gotrace_reader *reader;

	CHECK_EQUAL(gotrace_reader_open(&input, &reader, NULL), CT_OK);
	CHECK_EQUAL(read_all(reader, told), ends);
	gotrace_reader_close(reader);
	go_input_close(&input);
}

static void check_begins(const struct told *told, const struct told *whole, size_t nr_left_out)
{
	size_t i;

	CHECK(told->events.count <= whole->events.count + 1);
	for (i = 0; i + nr_left_out < told->events.count; i++)
		CHECK(is_same(&told->events.at[i], &whole->events.at[i]));
}

static void test_growing(const uint8_t *bytes, size_t nr_bytes, const struct told *whole)
{
	struct input input = go_input_open(bytes, GOTRACE_HEADER_BYTES);
	struct gotrace_reader *reader;
	struct told told = {0};
	size_t i;

	CHECK_EQUAL(gotrace_reader_open(&input, &reader, NULL), CT_OK);
	gotrace_reader_set_growing(reader, true);
	for (i = GOTRACE_HEADER_BYTES; i < nr_bytes; i++) {
		CHECK_EQUAL(read_all(reader, &told), CT_AGAIN);
		CHECK_EQUAL(write(input.descriptor, bytes + i, 1), 1);
	}
	CHECK_EQUAL(read_all(reader, &told), CT_AGAIN);
	gotrace_reader_set_growing(reader, false);
	CHECK_EQUAL(read_all(reader, &told), CT_END);
	CHECK_EQUAL(told.events.count, whole->events.count);
	check_begins(&told, whole, 0);
	vec_fini(&told.events);
	gotrace_reader_close(reader);
	go_input_close(&input);
}

/* The last event of a cut trace is the sync up to which it is sound. */
static void test_cut(const uint8_t *bytes, size_t nr_bytes, const struct told *whole)
{
	size_t i;

	for (i = GOTRACE_HEADER_BYTES + 1; i < nr_bytes; i++) {
		bool is_whole = i == sizeof(go_vector_26);
		struct told told = {0};

		read_whole(bytes, i, &told, is_whole ? CT_END : CT_ERR_CORRUPT);
		check_begins(&told, whole, 1);
		CHECK_EQUAL(told.events.at[told.events.count - 1].kind, GOTRACE_KIND_SYNC);
		CHECK_EQUAL(told.events.count > 1, i >= sizeof(go_vector_26));
		vec_fini(&told.events);
	}
}

int main(void)
{
	uint8_t bytes[2 * sizeof(go_vector_26)];
	size_t nr_bytes = make_two(bytes);
	struct told whole = {0};

	read_whole(bytes, nr_bytes, &whole, CT_END);
	CHECK_EQUAL(whole.events.count, 19);
	test_growing(bytes, nr_bytes, &whole);
	test_cut(bytes, nr_bytes, &whole);
	vec_fini(&whole.events);
	return check_result();
}
