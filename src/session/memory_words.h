/* SPDX-License-Identifier: MIT */
/* What is said of a look into memory as a whole: when it was, and how the program was then (memory_look.h). */
#ifndef SESSION_MEMORY_WORDS_H
#define SESSION_MEMORY_WORDS_H

#include <stdint.h>

#include "base/text.h"
#include "session/memory_reading.h"

/*
 * memory_words_still: adds what is said of a program that stood still; memory_words_moving: of one that went on
 * meanwhile, and nr_dropped sights of coroutines that have moved since are left out.
 */
void memory_words_still(const struct memory_reading *look, uint64_t now_ns, struct text *words);
void memory_words_moving(const struct memory_reading *look, uint64_t nr_dropped, uint64_t now_ns,
	struct text *words);

#endif
