/* SPDX-License-Identifier: MIT */
/*
 * A growing text buffer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void text_fini(struct text *text)
{
	free(text->at);
	*text = (struct text){0};
}

void text_clear(struct text *text)
{
	text->length = 0;
	if (text->at)
		text->at[0] = '\0';
}

void text_pass_on(struct text *text, size_t at_least)
{
	if (!text->drain || text->is_broken || text->length < at_least)
		return;
	if (text->length && !text->drain(text->drain_context, text->at, text->length))
		text->is_broken = true;
	text_clear(text);
}

/* Makes room for `more` bytes and the NUL after them. */
static bool reserve(struct text *text, size_t more)
{
	size_t capacity = text->capacity ? text->capacity : 128;
	char *grown;

	if (text->is_broken)
		return false;
	if (text->capacity - text->length > more)
		return true;
	if (more >= SIZE_MAX / 4 - text->length)
		return !(text->is_broken = true);
	while (capacity < text->length + more + 1)
		capacity *= 2;
	if (capacity == text->capacity)
		return true;
	grown = realloc(text->at, capacity);
	if (!grown)
		return !(text->is_broken = true);
	text->at = grown;
	text->capacity = capacity;
	return true;
}

void text_append(struct text *text, const char *bytes, size_t nr_bytes)
{
	if (!reserve(text, nr_bytes))
		return;
	if (nr_bytes)
		memcpy(text->at + text->length, bytes, nr_bytes);
	text->length += nr_bytes;
	text->at[text->length] = '\0';
}

void text_add(struct text *text, const char *terminated)
{
	text_append(text, terminated, strlen(terminated));
}

void text_char(struct text *text, char c)
{
	if (!reserve(text, 1))
		return;
	text->at[text->length++] = c;
	text->at[text->length] = '\0';
}

void text_little_endian(struct text *text, uint64_t value, unsigned nr_bytes)
{
	char bytes[8];
	unsigned i;

	for (i = 0; i < nr_bytes; i++)
		bytes[i] = (char)(value >> 8 * i);
	text_append(text, bytes, nr_bytes);
}

void text_format(struct text *text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0 || !reserve(text, (size_t)length))
		return;
	va_start(arguments, format);
	vsnprintf(text->at + text->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	text->length += (size_t)length;
}

/* Both functions write digits before `at`; a division by a constant compiles to no division. */
static char *put_decimal(char *at, uint64_t value)
{
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	return at;
}

static char *put_hexadecimal(char *at, uint64_t value)
{
	do
		*--at = "0123456789abcdef"[value % 16];
	while (value /= 16);
	return at;
}

void text_digits(struct text *text, uint64_t value, unsigned base, unsigned nr_least)
{
	char digits[24], *end = digits + sizeof(digits);
	char *at = base == 16 ? put_hexadecimal(end, value) : put_decimal(end, value);

	while (at > end - nr_least)
		*--at = '0';
	text_append(text, at, (size_t)(end - at));
}

void text_signed(struct text *text, int64_t value)
{
	if (value < 0)
		text_char(text, '-');
	text_digits(text, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
}

size_t text_utf8_length(const unsigned char *at)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high, length;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2},
		{0xe0, 0xe0, 0xa0, 0xbf, 3},
		{0xe1, 0xec, 0x80, 0xbf, 3},
		{0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3},
		{0xf0, 0xf0, 0x90, 0xbf, 4},
		{0xf1, 0xf3, 0x80, 0xbf, 4},
		{0xf4, 0xf4, 0x80, 0x8f, 4},
	};
	size_t i, k;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (at[0] < forms[i].first_low || at[0] > forms[i].first_high)
			continue;
		if (at[1] < forms[i].second_low || at[1] > forms[i].second_high)
			return 0;
		for (k = 2; k < forms[i].length; k++) {
			if ((at[k] & 0xc0) != 0x80)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}

/* U+0080 to U+009F are controls, too. */
static bool is_control(const unsigned char *at)
{
	return (*at < 0x20 && *at != '\t' && *at != '\n') || *at == 0x7f ||
	       (at[0] == 0xc2 && at[1] < 0xa0);
}

/* Returns how many bytes of UTF-8 begin at `at`; `is_plain`: up to the first control character. */
static size_t count_bytes(const char *at, bool is_plain)
{
	const unsigned char *end = (const unsigned char *)at;
	size_t length;

	while (*end && !(is_plain && is_control(end))) {
		length = *end < 0x80 ? 1 : text_utf8_length(end);
		if (length == 0)
			break;
		end += length;
	}
	return (size_t)((const char *)end - at);
}

size_t text_plain_bytes(const char *at)
{
	return count_bytes(at, true);
}

static void add_replaced(struct text *text, const char *value, bool is_plain)
{
	size_t nr_bytes;

	for (;; value += nr_bytes + 1) {
		nr_bytes = count_bytes(value, is_plain);
		text_append(text, value, nr_bytes);
		if (!value[nr_bytes])
			return;
		text_add(text, TEXT_REPLACEMENT);
	}
}

void text_utf8(struct text *text, const char *value)
{
	add_replaced(text, value, false);
}

void text_plain(struct text *text, const char *value)
{
	add_replaced(text, value, true);
}

void text_duration(struct text *text, int64_t ns)
{
	static const struct {
		double size;
		const char *name;
	} units[] = {{3600e9, "h"}, {60e9, "min"}, {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
	double value = (double)ns;
	double size = value < 0 ? -value : value;
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		/* 0.9995: a value that would round to 1,000 of one unit is 1.00 of the next. */
		if (size < units[i].size * 0.9995)
			continue;
		value /= units[i].size;
		size /= units[i].size;
		text_format(text, "%.*f %s",
			size < 9.995   ? 2
			: size < 99.95 ? 1
				       : 0,
			value, units[i].name);
		return;
	}
	text_format(text, "%" PRId64 " ns", ns);
}

void text_count(struct text *text, uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	int i;

	if (count == UINT64_MAX)
		text_add(text, "at least ");
	for (i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text_char(text, ',');
		text_char(text, digits[i]);
	}
}

const char *text_peek(const struct text *text)
{
	return text->at ? text->at : "";
}

enum ct_status text_status(const struct text *text, struct ct_error *reterr)
{
	return text->is_broken ? ct_fail_memory(reterr) : CT_OK;
}
