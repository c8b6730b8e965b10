/* SPDX-License-Identifier: MIT */
/*
 * The numbers of one column of a chunk, packed. Each number is stored as its difference from the least one, as its
 * difference from what the previous number suggests, or as its index among a few distinct numbers, in as many bits as
 * the largest of them takes. The smallest of the three forms is chosen. Private to src/column.
 */
#ifndef COLUMN_BITS_H
#define COLUMN_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "column/column.h"

/* Bytes after the packed numbers that a reader may touch, because it reads eight bytes at a time. */
#define BITS_SLACK 8u

#define BITS_MOST_DISTINCT 256u

enum bits_form {
	BITS_PLAIN, /* differences from the least number */
	BITS_STEPS, /* differences between neighbours, from the least such difference */
	BITS_TABLE, /* the distinct numbers, then each number's index among them */
};

/* How one column of a chunk is packed. */
struct bits_plan {
	int64_t least;
	int64_t most;
	int64_t first; /* for STEPS */
	int64_t base;  /* for STEPS: the least difference */
	uint32_t nr_bytes;
	uint16_t nr_distinct; /* for TABLE */
	uint8_t form;
	uint8_t bits;
};

/*
 * column_bits_plan: returns the smallest form for these numbers; `count` is 1 to COLUMN_ROWS. `ret_distinct` is filled
 * for the form TABLE.
 */
struct bits_plan column_bits_plan(
	const int64_t *values, uint32_t count, int64_t ret_distinct[BITS_MOST_DISTINCT]);

/*
 * column_bits_write: writes plan.nr_bytes bytes, which must be zeroed before. column_bits_read: reads the numbers
 * again.
 */
void column_bits_write(const struct bits_plan *plan, const int64_t *distinct, const int64_t *values,
	uint32_t count, uint8_t *to);
void column_bits_read(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values);

#endif
