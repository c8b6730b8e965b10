/* SPDX-License-Identifier: MIT */
/*
 * Recognises files that are not traces, and says what can be done with them.
 */
#ifndef LIB_STRANGER_H
#define LIB_STRANGER_H

#include <stddef.h>

/*
 * lib_stranger_words: says what a file with these first bytes is, as the end of a sentence; never NULL. The file must
 * not be a trace.
 */
const char *lib_stranger_words(const void *first_bytes, size_t nr_bytes);

#endif
