/* SPDX-License-Identifier: MIT */
/*
 * An area: bytes that are zero until they are written, and take no memory until then, page by page. For what few of
 * many have: who keeps it must not write a zero over a zero. Not thread-safe.
 */
#ifndef BASE_AREA_H
#define BASE_AREA_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed is empty. */
struct area {
	unsigned char *at; /* moves when it grows */
	size_t nr_bytes;
};

/* area_reach: there are so many bytes, or more. False: out of memory, the area is unchanged. */
bool area_reach(struct area *area, size_t nr_bytes);

/* area_cut: what lies behind so many bytes is zero again, and its memory is given back. */
void area_cut(struct area *area, size_t nr_bytes);

/* area_fini: gives the memory back; the area is empty again. */
void area_fini(struct area *area);

#endif
