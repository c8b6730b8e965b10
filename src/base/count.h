/* SPDX-License-Identifier: MIT */
/*
 * Sums of counts that come from outside.
 */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

#include <stdint.h>

/* count_add: adds to a sum, which stays at UINT64_MAX when it would exceed that: text_count then prints "at least". */
static inline void count_add(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

/* count_times: multiplies, and returns UINT64_MAX if the product is greater. */
static inline uint64_t count_times(uint64_t count, uint64_t each)
{
	uint64_t product;

	return __builtin_mul_overflow(count, each, &product) ? UINT64_MAX : product;
}

/* count_signed: converts a count for columns of signed numbers; greater counts become INT64_MAX. */
static inline int64_t count_signed(uint64_t count)
{
	return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

#endif
