/* SPDX-License-Identifier: MIT */
/*
 * The numbers of one column of a chunk, packed: each as its difference from the least one, from what the number before
 * it lets expect, or as its place among the few that there are, in as many bits as the furthest of them takes. Which of
 * the three takes least is tried. Private to src/column.
 */
#ifndef COLUMN_BITS_H
#define COLUMN_BITS_H

#include <stdbool.h>
#include <stdint.h>

#include "column/column.h"

/* Bytes behind the packed numbers that a reader may touch, since eight are taken at a time. */
#define BITS_SLACK 8u

#define BITS_MOST_DISTINCT 256u

enum bits_form {
	BITS_PLAIN, /* differences from the least one */
	BITS_STEPS, /* differences of neighbours, from the least difference */
	BITS_TABLE, /* the distinct numbers, then each one's place among them */
};

/* How one column of a chunk lies. */
struct bits_plan {
	int64_t least;
	int64_t most;
	int64_t first; /* STEPS */
	int64_t base;  /* the least difference, of STEPS */
	uint32_t nr_bytes;
	uint16_t nr_distinct; /* TABLE */
	uint8_t form;
	uint8_t bits;
};

/*
 * column_bits_plan: the smallest form for these numbers; `count` is 1 to COLUMN_ROWS. `ret_distinct` is filled for the
 * form TABLE.
 */
struct bits_plan column_bits_plan(
	const int64_t *values, uint32_t count, int64_t ret_distinct[BITS_MOST_DISTINCT]);

/* column_bits_write: plan.nr_bytes bytes, zeroed before. column_bits_read: the numbers again. */
void column_bits_write(const struct bits_plan *plan, const int64_t *distinct, const int64_t *values,
	uint32_t count, uint8_t *to);
void column_bits_read(
	const struct bits_plan *plan, const uint8_t *from, uint32_t count, int64_t *ret_values);

#endif
