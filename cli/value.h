/* SPDX-License-Identifier: MIT */
/*
 * The values of options: an option names the form of its value (options.def), and each form is read here, in one way
 * for all commands.
 */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* The meaning of a value. */
struct meaning {
	/* A number, nanoseconds, or bytes; which of the words, from 0; the first of a range. */
	uint64_t number;
	/* The bytes of a window, the last of a range. */
	uint64_t second;
};

/*
 * value_read: reads a value of this form. `is_older`: as the older spelling has it, with 0x10, 0b10 and 010, and
 * without regard to the case of words. False: it has another form; value_takes then says what the option takes.
 */
bool value_read(const char *form, const char *text, bool is_older, struct meaning *ret_meaning);
const char *value_takes(const char *form);

/* value_is_word: is it one of "a|b|c"? *ret_place is which one, from 0. */
bool value_is_word(const char *words, const char *text, bool is_older, uint64_t *ret_place);

/* value_number: a whole number from 1 on, in decimal digits. False: it is none. */
bool value_number(const char *text, uint64_t *ret_number);

/* value_process: the number of a process, as ps and pidof print it; 0: it is none. */
int64_t value_process(const char *text);

#endif
