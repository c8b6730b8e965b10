/* SPDX-License-Identifier: MIT */
/* Values in memory that can be said in a word: numbers, truth values, enumerations and pointers. */
#ifndef FRAMES_VALUE_H
#define FRAMES_VALUE_H

#include <elfutils/libdw.h>

#include "base/text.h"
#include "frames/code.h"

/* value_take: fills in form and size by the type; size 0: values of this type are not said. False: out of memory. */
bool value_take(struct arena *arena, Dwarf_Die *type, struct code_value *value);

/* value_add: appends a value, whose bytes are the first ones of the word: "-2", "true", "0x7f30". */
void value_add(struct text *text, const struct code_value *value, uint64_t word);

#endif
