/* SPDX-License-Identifier: MIT */
/*
 * A histogram of whole numbers over all of 64 bits: each power of two in 32 equal steps, so that what it tells
 * is at most 1/32 too high (the layout of HdrHistogram with two significant digits; Debian has no package
 * of a C library for it). 15 KiB, whatever is counted; adding costs a few instructions.
 *
 * Where there may be very many of them, most of which count little, they are made small: cells for those buckets only
 * that were met, in a table that grows, and at last becomes one of all buckets.
 */
#ifndef BASE_HISTOGRAM_H
#define BASE_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_STEP_BITS 5
#define HISTOGRAM_BUCKETS ((64 - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS)

#define HISTOGRAM_CELLS 512u /* more buckets than fit into these are worth all of them */

struct histogram_cell {
	uint64_t bucket; /* from 1; 0: none yet */
	uint64_t count;
};

/* Zeroed is empty, with all buckets. */
struct histogram {
	uint64_t count;
	uint64_t sum; /* modulo 2^64 */
	uint64_t max;
	/* 0: all buckets are there; else a power of two, and the memory ends behind these */
	uint32_t nr_cells;
	uint32_t nr_used;
	union {
		uint64_t buckets[HISTOGRAM_BUCKETS];
		struct histogram_cell cells[HISTOGRAM_CELLS];
	};
};

/* histogram_add: one more; of one with all buckets. */
void histogram_add(struct histogram *histogram, uint64_t value);

/*
 * histogram_count: one more in a histogram that is made small, and grows as it needs to; NULL: it is not made yet.
 * `room`: bytes that are left for all of the caller's. free() gives it back. False: no memory, or no room; nothing has
 * changed then.
 */
bool histogram_count(struct histogram **histogram, uint64_t value, uint64_t *room);

/* histogram_add_times: the same so many times; `sum` wraps round sooner then. */
void histogram_add_times(struct histogram *histogram, uint64_t value, uint64_t times);

/* histogram_merge: adds all of `other` to one with all buckets. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

/*
 * histogram_at: the smallest number that `share` of all (0.99 for p99) do not exceed, at most 1/32 too high and never
 * above the greatest; 0 where it is empty.
 */
uint64_t histogram_at(const struct histogram *histogram, double share);

/* histogram_each: histogram_at of several shares, which rise, in one go. */
void histogram_each(const struct histogram *histogram, const double *shares, unsigned nr_shares,
	uint64_t *ret_values);

#endif
