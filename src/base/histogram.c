/* SPDX-License-Identifier: MIT */
/* The first buckets are one number wide; after that each power of two has 32 buckets. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/histogram.h"

#define STEPS (1u << HISTOGRAM_STEP_BITS)
#define CELLS_AT_FIRST 8u
#define GROWTH 4u

static unsigned bucket_of(uint64_t value)
{
	unsigned power;

	if (value < STEPS)
		return (unsigned)value;
	power = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_STEP_BITS;
	return ((power + 1) << HISTOGRAM_STEP_BITS) + (unsigned)(value >> power) - STEPS;
}

/* Returns the greatest value that falls into a bucket. */
static uint64_t top_of(unsigned bucket)
{
	unsigned power = bucket >> HISTOGRAM_STEP_BITS;
	uint64_t step = bucket & (STEPS - 1);

	if (power == 0)
		return bucket;
	return ((step + STEPS + 1) << (power - 1)) - 1;
}

void histogram_add_times(struct histogram *histogram, uint64_t value, uint64_t times)
{
	histogram->count += times;
	histogram->sum += value * times;
	if (value > histogram->max)
		histogram->max = value;
	histogram->buckets[bucket_of(value)] += times;
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram_add_times(histogram, value, 1);
}

/* ---------------------------------------------------------------- small histograms */

static size_t bytes_of(uint32_t nr_cells)
{
	return nr_cells ? offsetof(struct histogram, cells) +
				  nr_cells * sizeof(struct histogram_cell)
			: sizeof(struct histogram);
}

/* Returns the bucket's cell, or the free cell that it would get: there is always one. */
static struct histogram_cell *cell_of(struct histogram *histogram, unsigned bucket)
{
	uint32_t mask = histogram->nr_cells - 1, at = bucket * 0x9e3779b1u >> 16 & mask;

	while (histogram->cells[at].bucket && histogram->cells[at].bucket != bucket + 1)
		at = (at + 1) & mask;
	return &histogram->cells[at];
}

static void put(struct histogram *histogram, unsigned bucket, uint64_t count)
{
	struct histogram_cell *cell;

	if (histogram->nr_cells == 0) {
		histogram->buckets[bucket] += count;
		return;
	}
	cell = cell_of(histogram, bucket);
	histogram->nr_used += cell->bucket == 0;
	cell->bucket = bucket + 1;
	cell->count += count;
}

static void add_up(struct histogram *histogram, const struct histogram *other)
{
	histogram->count += other->count;
	histogram->sum += other->sum;
	if (other->max > histogram->max)
		histogram->max = other->max;
}

/* Adds all counts of `other`, which is a small histogram. */
static void put_all(struct histogram *histogram, const struct histogram *other)
{
	uint32_t i;

	for (i = 0; i < other->nr_cells; i++)
		if (other->cells[i].bucket)
			put(histogram, (unsigned)other->cells[i].bucket - 1, other->cells[i].count);
	add_up(histogram, other);
}

/* Grows the histogram so that a further bucket fits. */
static bool grow(struct histogram **histogram, uint64_t *room)
{
	struct histogram *old = *histogram, *larger;
	uint32_t nr_cells = old ? old->nr_cells * GROWTH : CELLS_AT_FIRST;
	uint64_t given_back = old ? bytes_of(old->nr_cells) : 0, bytes;

	nr_cells = nr_cells > HISTOGRAM_CELLS ? 0 : nr_cells;
	bytes = bytes_of(nr_cells);
	larger = bytes - given_back <= *room ? calloc(1, bytes) : NULL;
	if (!larger)
		return false;
	larger->nr_cells = nr_cells;
	if (old)
		put_all(larger, old);
	free(old);
	*room -= bytes - given_back;
	*histogram = larger;
	return true;
}

static void count_one(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->sum += value;
	histogram->max = value > histogram->max ? value : histogram->max;
}

/* Counts a value in a bucket of a small histogram. Returns false if there is no room for a further bucket. */
static bool count_small(struct histogram *histogram, unsigned bucket, uint64_t value)
{
	struct histogram_cell *cell = cell_of(histogram, bucket);

	if (!cell->bucket) {
		if (histogram->nr_used >= histogram->nr_cells / 4 * 3)
			return false;
		cell->bucket = bucket + 1;
		histogram->nr_used++;
	}
	cell->count++;
	count_one(histogram, value);
	return true;
}

/* Counts a value for which there is no room yet; apart, so that others save no registers for it. */
static __attribute__((noinline)) bool count_larger(
	struct histogram **histogram, uint64_t value, uint64_t *room)
{
	if (!grow(histogram, room))
		return false;
	put(*histogram, bucket_of(value), 1);
	count_one(*histogram, value);
	return true;
}

bool histogram_count(struct histogram **histogram, uint64_t value, uint64_t *room)
{
	struct histogram *present = *histogram;
	unsigned bucket = bucket_of(value);

	if (!present || (present->nr_cells && !count_small(present, bucket, value)))
		return count_larger(histogram, value, room);
	if (present->nr_cells == 0) {
		present->buckets[bucket]++;
		count_one(present, value);
	}
	return true;
}

/* ---------------------------------------------------------------- histograms of both kinds */

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	unsigned i;

	if (other->nr_cells) {
		put_all(histogram, other);
		return;
	}
	add_up(histogram, other);
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		histogram->buckets[i] += other->buckets[i];
}

void histogram_each(const struct histogram *histogram, const double *shares, unsigned nr_shares,
	uint64_t *ret_values)
{
	unsigned last = bucket_of(histogram->max), next = 0, i;
	struct histogram whole;
	uint64_t seen = 0;

	if (histogram->nr_cells) {
		memset(&whole, 0, sizeof(whole));
		put_all(&whole, histogram);
		histogram = &whole;
	}
	for (i = 0; i < last && next < nr_shares; i++) {
		seen += histogram->buckets[i];
		for (; next < nr_shares && seen; next++) {
			if ((double)seen < shares[next] * (double)histogram->count)
				break;
			ret_values[next] = top_of(i);
		}
	}
	for (; next < nr_shares; next++)
		ret_values[next] = histogram->max;
}

uint64_t histogram_at(const struct histogram *histogram, double share)
{
	uint64_t value;

	histogram_each(histogram, &share, 1, &value);
	return value;
}
