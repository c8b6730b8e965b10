/* SPDX-License-Identifier: MIT */
/*
 * Options of a caller that was compiled with another version, which may have fewer members or more. Each option struct
 * begins with its size, and zero means the default.
 */
#ifndef BASE_KNOWN_OPTIONS_H
#define BASE_KNOWN_OPTIONS_H

#include <stddef.h>
#include <string.h>

/*
 * known_options: copies the members that are known here into `ret_known`, which has nr_bytes; members that the caller
 * does not know are zero. NULL: all are zero.
 */
static inline void known_options(void *ret_known, size_t nr_bytes, const void *given)
{
	size_t size = 0;

	memset(ret_known, 0, nr_bytes);
	if (given)
		memcpy(&size, given, sizeof(size));
	if (size >= sizeof(size))
		memcpy(ret_known, given, size < nr_bytes ? size : nr_bytes);
	memcpy(ret_known, &nr_bytes, sizeof(nr_bytes));
}

#endif
