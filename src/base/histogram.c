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

void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count++;
	histogram->sum += value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->buckets[bucket_of(value)]++;
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

uint64_t histogram_at(const struct histogram *histogram, double share)
{
	double wanted = share * (double)histogram->count;
	uint64_t seen = 0;
	unsigned i;

	for (i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen && (double)seen >= wanted)
			return top_of(i) < histogram->max ? top_of(i) : histogram->max;
	}
	return histogram->max;
}
