/* SPDX-License-Identifier: MIT */
/*
 * The values of options: an option names the form of its value (options.def), and each form is read here, in the same
 * way for all commands.
 */
#ifndef CLI_VALUE_H
#define CLI_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* The meaning of a value. */
struct meaning {
	/* A number, nanoseconds, or bytes; the index of a word, from 0; the first number of a range. */
	uint64_t number;
	/* The bytes of a window; the last number of a range. */
	uint64_t second;
};

/*
 * value_read: reads a value of this form. `is_older`: by the rules of the older spelling, with 0x10, 0b10 and 010, and
 * without regard to the case of words. False: the value has another form; value_takes then says what the option takes.
 */
bool value_read(const char *form, const char *text, bool is_older, struct meaning *ret_meaning);
const char *value_takes(const char *form);

/* value_is_word: is the text one of "a|b|c"? *ret_place is the word's index, from 0. */
bool value_is_word(const char *words, const char *text, bool is_older, uint64_t *ret_place);

/* value_number: reads a whole number from 1 on, in decimal digits. False: the text is not such a number. */
bool value_number(const char *text, uint64_t *ret_number);

/* value_process: reads the id of a process, as ps and pidof print it; 0: the text is not an id. */
int64_t value_process(const char *text);

#endif
