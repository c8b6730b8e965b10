/* SPDX-License-Identifier: MIT */
/*
 * Writing JSON (RFC 8259) into a text.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"

void json_init(struct json *json, struct text *text, bool is_pretty)
{
	*json = (struct json){.text = text, .is_pretty = is_pretty};
}

static void new_line(struct json *json)
{
	unsigned i;

	if (!json->is_pretty)
		return;
	text_char(json->text, '\n');
	for (i = 0; i < json->depth; i++)
		text_add(json->text, "  ");
}

/* Writes what comes before a key or a value: a comma unless it is the first, and a line of its own. */
static void before_member(struct json *json)
{
	if (json->is_after_key) {
		json->is_after_key = false;
		return;
	}
	if (json->depth == 0)
		return;
	if (json->has_member[json->depth % JSON_DEPTH])
		text_char(json->text, ',');
	json->has_member[json->depth % JSON_DEPTH] = true;
	new_line(json);
}

void json_open(struct json *json, char bracket)
{
	before_member(json);
	text_char(json->text, bracket);
	json->depth++;
	json->has_member[json->depth % JSON_DEPTH] = false;
}

void json_close(struct json *json, char bracket)
{
	bool had_member = json->has_member[json->depth % JSON_DEPTH];

	json->depth--;
	if (had_member)
		new_line(json);
	text_char(json->text, bracket);
	if (json->depth == 0 && json->is_pretty)
		text_char(json->text, '\n');
}

static void escape(struct text *text, unsigned char c)
{
	switch (c) {
	case '"':
		text_add(text, "\\\"");
		return;
	case '\\':
		text_add(text, "\\\\");
		return;
	case '\n':
		text_add(text, "\\n");
		return;
	case '\t':
		text_add(text, "\\t");
		return;
	default:
		text_format(text, "\\u%04x", c);
	}
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* U+0080 to U+009F need no escape in JSON, but control a terminal. */
static bool is_control(const unsigned char *at)
{
	return at[0] == 0xc2 && at[1] < 0xa0;
}

/* Runs of plain characters, which are most of a text, are appended at once. */
static void quoted(struct text *text, const char *value)
{
	const unsigned char *at = (const unsigned char *)value, *from;
	size_t length;

	for (text_char(text, '"');; at += length ? length : 1) {
		for (from = at; is_plain(*at); at++)
			;
		text_append(text, (const char *)from, (size_t)(at - from));
		if (!*at)
			break;
		length = *at < 0x80 ? 0 : text_utf8_length(at);
		if (length && is_control(at))
			escape(text, at[1]);
		else if (length)
			text_append(text, (const char *)at, length);
		else if (*at < 0x80)
			escape(text, *at);
		else
			text_add(text, "\\ufffd");
	}
	text_char(text, '"');
}

void json_key(struct json *json, const char *key)
{
	before_member(json);
	quoted(json->text, key);
	text_add(json->text, json->is_pretty ? ": " : ":");
	json->is_after_key = true;
}

void json_text(struct json *json, const char *value)
{
	before_member(json);
	quoted(json->text, value);
}

void json_number(struct json *json, int64_t value)
{
	before_member(json);
	text_signed(json->text, value);
}

void json_unsigned(struct json *json, uint64_t value)
{
	before_member(json);
	text_digits(json->text, value, 10, 1);
}

void json_real(struct json *json, double value)
{
	char digits[32];

	before_member(json);
	if (!isfinite(value)) {
		text_add(json->text, "null");
		return;
	}
	snprintf(digits, sizeof(digits), "%.15g", value);
	if (strtod(digits, NULL) != value)
		snprintf(digits, sizeof(digits), "%.17g", value);
	text_add(json->text, digits);
}

void json_bool(struct json *json, bool value)
{
	before_member(json);
	text_add(json->text, value ? "true" : "false");
}

void json_null(struct json *json)
{
	before_member(json);
	text_add(json->text, "null");
}

void json_hex(struct json *json, uint64_t value)
{
	before_member(json);
	text_add(json->text, "\"0x");
	text_digits(json->text, value, 16, 16);
	text_char(json->text, '"');
}

void json_key_open(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	json_open(json, bracket);
}

void json_key_text(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json_text(json, value);
}

void json_key_number(struct json *json, const char *key, int64_t value)
{
	json_key(json, key);
	json_number(json, value);
}

void json_key_unsigned(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_unsigned(json, value);
}

void json_key_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}
