/* SPDX-License-Identifier: MIT */
/*
 * The numbers of one column of a chunk, packed. Each number is stored as its difference from a base, as the difference
 * of its step from a base, or as its index among a few distinct numbers, in equally many bits. Differences that take
 * more bits than that are far: their upper part is stored apart, with their place. The smallest of the forms is chosen.
 * Private to src/column.
 */
#ifndef COLUMN_BITS_H
#define COLUMN_BITS_H

#include <stdint.h>

#include "column/column.h"

/* Bytes after the packed numbers that a reader may touch, because it reads eight bytes at a time. */
#define BITS_SLACK 8u

/* The largest width that eight bytes hold, from any bit of the first byte on; wider numbers take whole bytes. */
#define BITS_MOST 56u

#define BITS_MOST_DISTINCT 256u

enum bits_form {
	BITS_PLAIN, /* differences from the base */
	BITS_STEPS, /* differences between neighbours, from the base */
	BITS_TABLE, /* the distinct numbers, from the least one; then each number's index among them */
	BITS_BETWEEN, /* nothing: each number is that of the column before, less that of the one before that */
};

/* How one column of a chunk is packed. */
struct bits_plan {
	int64_t least;
	int64_t most;
	int64_t first; /* for STEPS */
	int64_t base;
	uint16_t nr_bytes;
	uint16_t nr_apart; /* the distinct numbers of TABLE; otherwise far ones */
	uint8_t form;
	uint8_t bits;
	uint8_t width; /* bytes of each number that is stored apart */
};

/* ---------------------------------------------------------------- far.c */

/* The least and the greatest of the differences that a form packs. */
struct bits_range {
	int64_t least;
	int64_t most;
};

/*
 * column_bits_far: chooses base, bits, far numbers and their width for a plan that has its form, if that takes fewer
 * bytes than `plan->nr_bytes`. The differences are all of `count` but, for STEPS, the first.
 */
void column_bits_far(struct bits_plan *plan, const int64_t *values, uint32_t count,
	const struct bits_range *range);

/*
 * column_bits_write_far: writes places and upper parts of far numbers. column_bits_read_far: adds the upper parts to
 * the differences read.
 */
void column_bits_write_far(
	const struct bits_plan *plan, const uint64_t *differences, uint32_t count, uint8_t *to);
void column_bits_read_far(const struct bits_plan *plan, const uint8_t *from, int64_t *values);

/* ---------------------------------------------------------------- bits.c */

/*
 * column_bits_plan: returns the smallest form for these numbers; `count` is 1 to COLUMN_ROWS. `ret_distinct` is filled
 * for the form TABLE.
 */
struct bits_plan column_bits_plan(
	const int64_t *values, uint32_t count, int64_t ret_distinct[BITS_MOST_DISTINCT]);

/* column_bits_plan_between: the plan of numbers that the two columns before give. */
struct bits_plan column_bits_plan_between(const int64_t *values, uint32_t count);

/*
 * column_bits_write: writes plan.nr_bytes bytes, which must be zeroed before. column_bits_read: reads the numbers
 * again.
 */
void column_bits_write(const struct bits_plan *plan, const int64_t *distinct, const int64_t *values,
	uint32_t count, uint8_t *to);
void column_bits_read(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values);

#endif
