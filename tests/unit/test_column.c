/* SPDX-License-Identifier: MIT */
/*
 * Rows that were put into a log come out unchanged, whatever their numbers are.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "column/column.h"

#define NR_COLUMNS 14u
#define NR_ROWS (3u * COLUMN_ROWS + 77u)

static int64_t rows[NR_ROWS][NR_COLUMNS];

static uint64_t next_number(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/*
 * A column for each pattern of numbers: equal, rising, few, small, any, extremes, falling, all but one equal,
 * near each other but for a few, on either side; a beginning, an end, what is between, and nearly that.
 */
static void make_rows(void)
{
	static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1};
	uint64_t state = 88172645463325252u;
	uint32_t i;

	for (i = 0; i < NR_ROWS; i++) {
		uint64_t number = next_number(&state);

		rows[i][0] = -7;
		rows[i][1] = (i ? rows[i - 1][1] : INT64_C(1) << 50) + (int64_t)(number % 900);
		rows[i][2] = (int64_t)((number % 5) << 56 | 0x7f0012345678);
		rows[i][3] = (int64_t)(number % 3) - 1;
		rows[i][4] = (int64_t)number;
		rows[i][5] = extremes[number % 5];
		rows[i][6] = -(INT64_C(1) << 40) - (int64_t)i * 1000;
		rows[i][7] = i == 1500 ? INT64_MIN : 3;
		rows[i][8] = (int64_t)(number % 500) + (number % 97 == 0 ? INT64_C(1) << 40 : 0);
		rows[i][9] = (int64_t)(number % 500) - (number % 89 == 0 ? INT64_C(1) << 60 : 0);
		rows[i][10] = (int64_t)(number >> 20);
		rows[i][11] = rows[i][1];
		rows[i][12] = (int64_t)((uint64_t)rows[i][11] - (uint64_t)rows[i][10]);
		rows[i][13] = rows[i][12] - rows[i][11] + (i == 5);
	}
}

static void check_chunk(const struct column_log *log, uint32_t chunk, uint32_t column)
{
	int64_t values[COLUMN_ROWS], least = INT64_MAX, most = INT64_MIN;
	uint32_t i, first = chunk * COLUMN_ROWS;

	CHECK(column_log_read(log, chunk, column, values));
	for (i = 0; i < column_log_rows(log, chunk); i++) {
		CHECK_EQUAL(values[i], rows[first + i][column]);
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	CHECK_EQUAL(column_log_least(log, chunk, column), least);
	CHECK_EQUAL(column_log_most(log, chunk, column), most);
}

static void fill(
	struct column_log *log, uint32_t nr_columns, uint32_t nr_rows, struct column_room *room)
{
	uint32_t i;

	CHECK(column_log_init(log, nr_columns, room));
	for (i = 0; i < nr_rows; i++)
		CHECK(column_log_add(log, rows[i]));
	CHECK(column_log_seal(log));
}

static void check_rows(const struct column_log *log, uint32_t nr_rows)
{
	uint32_t i, chunk;

	CHECK_EQUAL(log->nr_rows, nr_rows);
	CHECK_EQUAL(log->chunks.count, (nr_rows + COLUMN_ROWS - 1) / COLUMN_ROWS);
	for (chunk = 0; chunk < log->chunks.count; chunk++)
		for (i = 0; i < NR_COLUMNS; i++)
			check_chunk(log, chunk, i);
}

static void test_rows_come_out_as_they_were(void)
{
	static const uint32_t counts[] = {1, 2, COLUMN_ROWS, COLUMN_ROWS + 1, NR_ROWS};
	struct column_room room;
	struct column_log log;
	uint32_t k;

	column_room_init(&room, 0);
	for (k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		fill(&log, NR_COLUMNS, counts[k], &room);
		check_rows(&log, counts[k]);
		CHECK_EQUAL(room.spill.nr_bytes, 0);
		column_log_fini(&log);
	}
	column_room_empty(&room);
}

/* Two logs with one memory limit: rows that do not fit into memory, a part or all, are read back from the file. */
static void test_rows_beyond_the_bound_are_in_a_file(void)
{
	static const uint64_t bounds[] = {1, 20000, 50000};
	struct column_room room;
	struct column_log logs[2];
	uint64_t all;
	uint32_t k;

	column_room_init(&room, 0);
	fill(&logs[0], NR_COLUMNS, NR_ROWS, &room);
	fill(&logs[1], NR_COLUMNS, NR_ROWS, &room);
	all = room.nr_bytes;
	column_log_fini(&logs[0]);
	column_log_fini(&logs[1]);
	for (k = 0; k < sizeof(bounds) / sizeof(*bounds); k++) {
		column_room_init(&room, bounds[k]);
		fill(&logs[0], NR_COLUMNS, NR_ROWS, &room);
		fill(&logs[1], NR_COLUMNS, NR_ROWS, &room);
		check_rows(&logs[0], NR_ROWS);
		check_rows(&logs[1], NR_ROWS);
		CHECK(room.nr_bytes < all && room.spill.nr_bytes > 0);
		CHECK(room.nr_bytes < bounds[k] + logs[0].chunks.count * 2 * 1024);
		column_log_fini(&logs[0]);
		column_log_fini(&logs[1]);
		column_room_empty(&room);
		CHECK_EQUAL(room.spill.descriptor, -1);
	}
}

static void test_rows_stay_in_memory_where_there_is_no_file(void)
{
	struct column_room room;
	struct column_log log;

	setenv("TMPDIR", "/nothing/of/this/name", 1);
	column_room_init(&room, 1);
	fill(&log, NR_COLUMNS, NR_ROWS, &room);
	unsetenv("TMPDIR");
	check_rows(&log, NR_ROWS);
	CHECK_EQUAL(room.spill.nr_bytes, 0);
	column_log_fini(&log);
	column_room_empty(&room);
}

/* No number comes out that was not put in. */
static void test_rows_that_cannot_be_read_back(void)
{
	int64_t values[COLUMN_ROWS];
	struct column_room room;
	struct column_log log;

	column_room_init(&room, 1);
	fill(&log, NR_COLUMNS, NR_ROWS, &room);
	CHECK(ftruncate(room.spill.descriptor, 100) == 0);
	CHECK(!column_log_read(&log, 1, 4, values));
	column_log_fini(&log);
	column_room_empty(&room);
}

static void test_rows_are_small(void)
{
	struct column_room room;
	struct column_log log;

	column_room_init(&room, 0);
	fill(&log, 4, NR_ROWS, &room);
	/* Bits per number: none for equal ones, ten for steps below 1,024, three for five values, two for three. */
	CHECK(room.nr_bytes < (uint64_t)NR_ROWS * 15 / 8 + log.chunks.count * 512);
	column_log_fini(&log);
}

/* A few far numbers do not make the others larger, and what two columns give takes no room. */
static void test_far_numbers_and_differences_are_small(void)
{
	struct column_room room;
	struct column_log log;
	uint32_t i;

	column_room_init(&room, 0);
	CHECK(column_log_init(&log, 5, &room));
	for (i = 0; i < NR_ROWS; i++)
		CHECK(column_log_add(&log, &rows[i][8]));
	CHECK(column_log_seal(&log));
	/* Nine bits, and up to ten bytes for each of the far ones; the beginning takes 44 bits, the end ten. */
	CHECK(room.nr_bytes <
		(uint64_t)NR_ROWS * (9 + 9 + 44 + 10 + 3) / 8 + log.chunks.count * 512);
	column_log_fini(&log);
}

static void test_an_empty_log_has_no_chunk(void)
{
	struct column_room room;
	struct column_log log;

	column_room_init(&room, 0);
	fill(&log, 1, 0, &room);
	CHECK_EQUAL(log.chunks.count, 0);
	column_log_fini(&log);
	column_log_fini(&log);
}

int main(void)
{
	make_rows();
	test_rows_come_out_as_they_were();
	test_rows_beyond_the_bound_are_in_a_file();
	test_rows_stay_in_memory_where_there_is_no_file();
	test_rows_that_cannot_be_read_back();
	test_rows_are_small();
	test_far_numbers_and_differences_are_small();
	test_an_empty_log_has_no_chunk();
	return check_result();
}
