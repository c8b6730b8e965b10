/* SPDX-License-Identifier: MIT */
/*
 * A histogram of whole numbers of 64 bits: each power of two is divided into 32 equal steps, so that percentiles are at
 * most 1/32 too high (the layout of HdrHistogram with two significant digits; Debian has no package of a C library for
 * it). A histogram takes 15 KiB, whatever is counted; adding a number takes a few instructions.
 *
 * If there may be very many histograms, most of which count little, the histograms are made small: a small histogram
 * has cells only for the buckets that occur, in a table that grows and finally contains all buckets.
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS)

#define HISTOGRAM_CELLS 512u /* above this number of buckets a histogram has all buckets */

struct histogram_cell {
	uint64_t bucket; /* number of the bucket, from 1; 0: the cell is free */
	uint64_t count;
};

/* Zeroed: empty, with all buckets. */
struct histogram {
	uint64_t count;
	uint64_t sum; /* modulo 2^64 */
	uint64_t max;
	/* 0: all buckets are there; else a power of two, and the memory ends after that many cells */
	uint32_t nr_cells;
	uint32_t nr_used;
	union {
		uint64_t buckets[HISTOGRAM_BUCKETS];
		struct histogram_cell cells[HISTOGRAM_CELLS];
	};
};

/* histogram_add: counts one value, in a histogram with all buckets. */
void histogram_add(struct histogram *histogram, uint64_t value);

/*
 * histogram_count: counts one value in a histogram that begins small and grows as needed; NULL: it is not made yet.
 * `room`: bytes that are left for all histograms of the caller. Free the histogram with free(). Returns false if there
 * is no memory, or no room; nothing has changed then.
 */
bool histogram_count(struct histogram **histogram, uint64_t value, uint64_t *room);

/* histogram_add_times: counts a value many times; `sum` wraps round sooner then. */
void histogram_add_times(struct histogram *histogram, uint64_t value, uint64_t times);

/* histogram_merge: adds all counts of `other` to a histogram with all buckets. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/*
 * histogram_at: returns the smallest number that `share` of all values (0.99 for p99) do not exceed, at most 1/32 too
 * high and never above the greatest value; 0 if the histogram is empty.
 */
uint64_t histogram_at(const struct histogram *histogram, double share);

/* histogram_each: does what histogram_at does for several shares, which must increase, in one pass. */
void histogram_each(const struct histogram *histogram, const double *shares, unsigned nr_shares,
	uint64_t *ret_values);

#endif
