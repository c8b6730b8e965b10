/* SPDX-License-Identifier: MIT */
/*
 * A growing text buffer, for everything that is printed: reports, JSON, one event as one line.
 *
 * Appending never returns a failure: the first failed allocation sets `is_broken`, later calls do nothing, and the
 * text's user asks text_status once at the end. Not thread-safe.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

/* Takes a piece of the text; returns false if it cannot, which breaks the text. */
typedef bool text_drain(void *context, const char *bytes, size_t nr_bytes);

/* Zeroed: empty. `at` is NUL-terminated once anything was appended. */
struct text {
	char *at;
	size_t length;
	size_t capacity;
	bool is_broken;
	text_drain *drain; /* NULL: the text is kept whole */
	void *drain_context;
};

/* text_fini: frees the memory; the text is empty again. */
void text_fini(struct text *text);

/* text_clear: empties the text and keeps its memory. */
void text_clear(struct text *text);

void text_append(struct text *text, const char *bytes, size_t nr_bytes);
void text_add(struct text *text, const char *terminated);
void text_char(struct text *text, char c);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * text_digits: appends a number faster than printf does, for numbers that are written by the million; base 10 or 16,
 * with zeros in front up to nr_least digits (at most 20). text_signed: appends a decimal number, with a sign if it is
 * negative.
 */
void text_digits(struct text *text, uint64_t value, unsigned base, unsigned nr_least);
void text_signed(struct text *text, int64_t value);

/* text_little_endian: appends the lowest bytes of a number, 1 to 8 of them, the lowest first. */
void text_little_endian(struct text *text, uint64_t value, unsigned nr_bytes);

/*
 * text_utf8_length: returns the length of the well-formed UTF-8 sequence of more than one byte at `at` (RFC 3629), or
 * 0; reads no byte after a NUL. text_utf8: appends a text with U+FFFD for each byte that is not UTF-8.
 * text_plain: does the same, and also replaces each byte of a control character other than tab and line feed: the
 * result may be sent to a terminal or a reader of lines. text_plain_bytes: returns how many bytes from `at` on need no
 * U+FFFD.
 */
size_t text_utf8_length(const unsigned char *at);
void text_utf8(struct text *text, const char *value);
void text_plain(struct text *text, const char *value);
size_t text_plain_bytes(const char *at);

#define TEXT_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * text_duration: appends nanoseconds with three significant digits and a suitable unit: "412 ns", "3.21 ms", "1.20 s".
 * text_count: appends a whole number with thousands separated: "1,234,567"; with "at least" before UINT64_MAX, at which
 * sums stop.
 */
void text_duration(struct text *text, int64_t ns);
void text_count(struct text *text, uint64_t count);

/*
 * text_pass_on: passes the text to its drain, if it has one, and empties it, once it has `at_least` bytes. A long
 * output calls this between its pieces, so that it need not fit into memory.
 */
void text_pass_on(struct text *text, size_t at_least);

/* text_peek: returns the text so far, never NULL; valid until the next append. */
const char *text_peek(const struct text *text);

/* text_status: returns CT_OK, or the failure that made the text incomplete. */
enum ct_status text_status(const struct text *text, struct ct_error *reterr);

#endif
