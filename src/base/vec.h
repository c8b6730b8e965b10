/* SPDX-License-Identifier: MIT */
/*
 * A growing array of any type, as macros over three fields:
 *
 *	struct { struct thing *at; size_t count, capacity; } things;
 *
 * Zeroed: empty. Elements are addressed by index; pointers to elements are valid until the next growth.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* VEC(type): declares the three fields. */
#define VEC(type)                \
	struct {                 \
		type *at;        \
		size_t count;    \
		size_t capacity; \
	}

/* `at` is the address of a pointer of any type, which is read and written as bytes to obey the aliasing rules. */
static inline bool vec_grow(void *at, size_t *capacity, size_t wanted, size_t size)
{
	size_t next = *capacity ? *capacity : 8;
	size_t bytes;
	void *present, *grown;

	if (wanted <= *capacity)
		return true;
	while (next < wanted) {
		if (next > SIZE_MAX / 2)
			return false;
		next *= 2;
	}
	if (__builtin_mul_overflow(next, size, &bytes))
		return false;
	memcpy(&present, at, sizeof(present));
	grown = realloc(present, bytes);
	if (!grown)
		return false;
	memcpy(at, &grown, sizeof(grown));
	*capacity = next;
	return true;
}

/* vec_reserve: makes room for `wanted` elements in total; false: out of memory, the array is unchanged. */
#define vec_reserve(vec, wanted) \
	vec_grow(&(vec)->at, &(vec)->capacity, (wanted), sizeof(*(vec)->at))

/* vec_push: appends a value; false: out of memory, the array is unchanged. */
#define vec_push(vec, value) \
	(vec_reserve((vec), (vec)->count + 1) && ((vec)->at[(vec)->count++] = (value), true))

static inline bool vec_lengthen(
	void *at, size_t *count, size_t *capacity, size_t wanted, size_t size)
{
	char *elements;

	if (!vec_grow(at, capacity, wanted, size))
		return false;
	memcpy(&elements, at, sizeof(elements));
	memset(elements + *count * size, 0, (wanted - *count) * size);
	*count = wanted;
	return true;
}

/*
 * vec_reach: makes the array long enough for this index; new elements are zeroed. False: out of memory, the array is
 * unchanged.
 */
#define vec_reach(vec, index)                                                                \
	((vec)->count > (index) || vec_lengthen(&(vec)->at, &(vec)->count, &(vec)->capacity, \
					   (size_t)(index) + 1, sizeof(*(vec)->at)))

/*
 * vec_count_while: returns for how many of `nr` elements, from the first one on, a condition on the element's index
 * holds. After the first element for which the condition does not hold it must hold for none. A binary search:
 *
 *	nr_before = vec_count_while(times->count, i, times->at[i] < time);
 */
#define vec_count_while(nr, index, condition)                           \
	__extension__({                                                 \
		size_t low_ = 0, high_ = (nr);                          \
		while (low_ < high_) {                                  \
			const size_t index = low_ + (high_ - low_) / 2; \
			if (condition)                                  \
				low_ = index + 1;                       \
			else                                            \
				high_ = index;                          \
		}                                                       \
		low_;                                                   \
	})

/* vec_fini: frees the memory; the array is empty again. */
#define vec_fini(vec) (free((vec)->at), (vec)->at = NULL, (vec)->count = (vec)->capacity = 0)

#endif
