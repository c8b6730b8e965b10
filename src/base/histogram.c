/* SPDX-License-Identifier: MIT */
/*
 * Buckets of one in the first steps, then 32 to each power of two.
 */
#include "histogram.h"

#define STEPS (1u << HISTOGRAM_STEP_BITS)

static unsigned bucket_of(uint64_t value)
{
	unsigned power;

	if (value < STEPS)
		return (unsigned)value;
	power = 63u - (unsigned)__builtin_clzll(value) - HISTOGRAM_STEP_BITS;
	return ((power + 1) << HISTOGRAM_STEP_BITS) + (unsigned)(value >> power) - STEPS;
}

/* The greatest value that falls into a bucket. */
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

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	unsigned i;

	histogram->count += other->count;
	histogram->sum += other->sum;
	if (other->max > histogram->max)
		histogram->max = other->max;
	for (i = 0; i < HISTOGRAM_BUCKETS; i++)
		histogram->buckets[i] += other->buckets[i];
}

void histogram_each(const struct histogram *histogram, const double *shares, unsigned nr_shares,
	uint64_t *ret_values)
{
	unsigned last = bucket_of(histogram->max), next = 0, i;
	uint64_t seen = 0;

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
