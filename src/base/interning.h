/* SPDX-License-Identifier: MIT */
/* Interning: equal byte strings get one number, counted from 0 in the order in which they came. Not thread-safe. */
#ifndef BASE_INTERNING_H
#define BASE_INTERNING_H

#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vec.h"

#define INTERNING_NONE UINT32_MAX

/* Zeroed: empty. */
struct interning {
	struct text bytes;  /* all strings, without separators */
	VEC(uint32_t) ends; /* the end of each string in `bytes` */
	struct map by_hash;
};

/*
 * interning_number: returns the number of these bytes, which are copied if they are new: then the number is what the
 * count of `ends` was. INTERNING_NONE: out of memory.
 */
uint32_t interning_number(struct interning *interning, const void *bytes, size_t nr_bytes);

/* interning_bytes: returns the bytes with this number, without a terminating zero; valid until the next new string. */
const char *interning_bytes(
	const struct interning *interning, uint32_t number, uint32_t *ret_nr_bytes);

/* interning_clear: forgets all strings, and keeps the memory for further ones. interning_fini: frees the memory. */
void interning_clear(struct interning *interning);
void interning_fini(struct interning *interning);

#endif
