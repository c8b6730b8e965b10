/* SPDX-License-Identifier: MIT */
/*
 * An area: bytes that are zero until they are written, and take no memory until then, page by page. An area is meant
 * for properties that only a few of many things have. To save memory the user must not write a zero over a zero. Not
 * thread-safe.
 */
#ifndef BASE_AREA_H
#define BASE_AREA_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed: empty. */
struct area {
	unsigned char *at; /* moves when it grows */
	size_t nr_bytes;
};

/*
 * area_reach: makes the area at least this many bytes long. Returns false if out of memory; the area is unchanged then.
 */
bool area_reach(struct area *area, size_t nr_bytes);

/*
 * area_cut: zeroes the bytes after the first nr_bytes, and frees their memory, except for a quarter of a megabyte.
 * Nothing was written after the first nr_used.
 */
void area_cut(struct area *area, size_t nr_bytes, size_t nr_used);

/* area_fini: frees the memory; the area is empty again. */
void area_fini(struct area *area);

#endif
