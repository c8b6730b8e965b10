/* SPDX-License-Identifier: MIT */
/*
 * Files that are no trace: what they are, and what could be done with them instead.
 */
#ifndef LIB_STRANGER_H
#define LIB_STRANGER_H

#include <stddef.h>

/* lib_stranger_words: what a file is that begins so and is no trace, as the end of a sentence; never NULL. */
const char *lib_stranger_words(const void *first_bytes, size_t nr_bytes);

#endif
