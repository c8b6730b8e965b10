/* SPDX-License-Identifier: MIT */
/*
 * Texts that outlive their generation: equal texts have the same number in the whole trace.
 */
#ifndef GOTRACE_TEXTS_H
#define GOTRACE_TEXTS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct gotrace_name {
	const char *at; /* ended by a zero byte */
	size_t nr_bytes;
};

struct gotrace_texts {
	struct arena arena;
	struct map by_hash;
	VEC(struct gotrace_name) names; /* from index 1; 0 is the empty text */
};

/* gotrace_texts_init: false if memory is out. */
bool gotrace_texts_init(struct gotrace_texts *names);
void gotrace_texts_fini(struct gotrace_texts *names);

/* gotrace_texts_add: returns the text's number; a new text gets a new number. False: out of memory. */
bool gotrace_texts_add(
	struct gotrace_texts *names, const char *text, size_t nr_bytes, uint32_t *ret_name);

#endif
