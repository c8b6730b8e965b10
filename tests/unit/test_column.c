/* SPDX-License-Identifier: MIT */
/*
 * Rows that were put into a log come out as they were, whatever their numbers are.
 */
#include <string.h>

#include "check.h"
#include "column/column.h"

#define NR_COLUMNS 8u
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
 * One column for each way in which numbers come: alike, rising, few, small, any, extremes, falling, all but one alike.
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
	}
}

static void check_chunk(const struct column_log *log, uint32_t chunk, uint32_t column)
{
	int64_t values[COLUMN_ROWS], least = INT64_MAX, most = INT64_MIN;
	uint32_t i, first = chunk * COLUMN_ROWS;

	column_log_read(log, chunk, column, values);
	for (i = 0; i < column_log_rows(log, chunk); i++) {
		CHECK_EQUAL(values[i], rows[first + i][column]);
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	CHECK_EQUAL(column_log_least(log, chunk, column), least);
	CHECK_EQUAL(column_log_most(log, chunk, column), most);
}

static void test_rows_come_out_as_they_were(void)
{
	static const uint32_t counts[] = {1, 2, COLUMN_ROWS, COLUMN_ROWS + 1, NR_ROWS};
	struct column_log log;
	uint32_t i, k, chunk;

	make_rows();
	for (k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
		CHECK(column_log_init(&log, NR_COLUMNS));
		for (i = 0; i < counts[k]; i++)
			CHECK(column_log_add(&log, rows[i]));
		CHECK(column_log_seal(&log));
		CHECK_EQUAL(log.nr_rows, counts[k]);
		CHECK_EQUAL(log.chunks.count, (counts[k] + COLUMN_ROWS - 1) / COLUMN_ROWS);
		for (chunk = 0; chunk < log.chunks.count; chunk++)
			for (i = 0; i < NR_COLUMNS; i++)
				check_chunk(&log, chunk, i);
		column_log_fini(&log);
	}
}

static void test_rows_are_small(void)
{
	struct column_log log;
	uint32_t i;

	make_rows();
	CHECK(column_log_init(&log, 4));
	for (i = 0; i < NR_ROWS; i++)
		CHECK(column_log_add(&log, rows[i]));
	CHECK(column_log_seal(&log));
	/* Bits: none of what is alike, ten of what rises by less than 1,024, three of five numbers, two of three. */
	CHECK(log.nr_bytes < (uint64_t)NR_ROWS * 15 / 8 + log.chunks.count * 512);
	column_log_fini(&log);
}

static void test_an_empty_log_has_no_chunk(void)
{
	struct column_log log;

	CHECK(column_log_init(&log, 1));
	CHECK(column_log_seal(&log));
	CHECK_EQUAL(log.chunks.count, 0);
	column_log_fini(&log);
	column_log_fini(&log);
}

int main(void)
{
	test_rows_come_out_as_they_were();
	test_rows_are_small();
	test_an_empty_log_has_no_chunk();
	return check_result();
}
