/* SPDX-License-Identifier: MIT */
/*
 * A growing text buffer, for everything that is printed: reports, JSON, one event as one line.
 *
 * Appending never fails loudly: the first failed allocation sets `is_broken`, later calls do
 * nothing, and the text's user asks text_status once at the end. Not thread-safe.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

/* Takes a piece of a text away; false where it cannot, which breaks the text. */
typedef bool text_drain(void *context, const char *bytes, size_t nr_bytes);

/* Zeroed is empty. `at` is NUL-terminated once anything was appended. */
struct text {
	char *at;
	size_t length;
	size_t capacity;
	bool is_broken;
	text_drain *drain; /* NULL: the text is kept whole */
	void *drain_context;
};

/* text_fini: gives the memory back; the text is empty again. */
void text_fini(struct text *text);

/* text_clear: empty, memory kept. */
void text_clear(struct text *text);

void text_append(struct text *text, const char *bytes, size_t nr_bytes);
void text_add(struct text *text, const char *terminated);
void text_char(struct text *text, char c);
void text_format(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * text_digits: a number without printf's price, for what is written by the million; base 10 or 16, with
 * zeros in front up to nr_least digits (at most 20). text_signed: decimal, with a sign where it is negative.
 */
void text_digits(struct text *text, uint64_t value, unsigned base, unsigned nr_least);
void text_signed(struct text *text, int64_t value);

/* text_little_endian: the lowest bytes of a number, 1 to 8 of them, the lowest first. */
void text_little_endian(struct text *text, uint64_t value, unsigned nr_bytes);

/*
 * text_utf8_length: the bytes of the well-formed UTF-8 sequence of more than one byte at `at` (RFC 3629), or
 * 0; reads no byte behind a NUL. text_utf8: appends a text with U+FFFD for each byte that is no UTF-8.
 *
 * text_plain: likewise, and for each byte of a control character but tab and line feed: what a terminal or a reader of
 * lines may be given. text_plain_bytes: how many bytes from `at` on need no U+FFFD.
 */
size_t text_utf8_length(const unsigned char *at);
void text_utf8(struct text *text, const char *value);
void text_plain(struct text *text, const char *value);
size_t text_plain_bytes(const char *at);

#define TEXT_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/*
 * text_duration: nanoseconds with three significant digits and a unit that fits: "412 ns", "3.21
 * ms", "1.20 s". text_count: a whole number with thousands separated: "1,234,567"; with "at least" before UINT64_MAX,
 * at which sums stop.
 */
void text_duration(struct text *text, int64_t ns);
void text_count(struct text *text, uint64_t count);

/*
 * text_pass_on: a point at which a text with a drain may be handed on: does so, and empties it, once it holds
 * `at_least` bytes. A long output calls it between its pieces, so that it need not fit into memory.
 */
void text_pass_on(struct text *text, size_t at_least);

/* text_peek: the text so far, never NULL; valid until the next append. */
const char *text_peek(const struct text *text);

/* text_status: CT_OK, or the failure that made the text incomplete. */
enum ct_status text_status(const struct text *text, struct ct_error *reterr);

#endif
