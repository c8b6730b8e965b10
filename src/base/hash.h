/* SPDX-License-Identifier: MIT */
/*
 * Hashes of bytes and texts, for maps of things that were seen before. FNV-1a, 64 bits:
 * http://www.isthe.com/chongo/tech/comp/fnv
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HASH_START UINT64_C(14695981039346656037)

/* hash_bytes: continues `hash` with these bytes; begin with HASH_START. */
static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t nr_bytes)
{
	const unsigned char *byte = bytes;
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
	return hash;
}

/* hash_text: continues `hash` with the text and its terminating zero, which separates two texts in a row. */
static inline uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

#endif
