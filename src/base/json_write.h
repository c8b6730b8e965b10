/* SPDX-License-Identifier: MIT */
/*
 * Writing JSON into a text: commas and escapes are looked after, nesting is the caller's.
 *
 *	json_open(&json, '{');
 *	json_key(&json, "lost"); json_number(&json, 3);
 *	json_close(&json, '}');
 *
 * Texts may be any bytes: what is not UTF-8 is written as U+FFFD, so that the output always parses, and control
 * characters are escaped, those above U+007F, too.
 */
#ifndef BASE_JSON_WRITE_H
#define BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define JSON_DEPTH 32

struct json {
	struct text *text; /* the caller's */
	bool is_pretty;    /* one member a line, indented by two blanks */
	unsigned depth;
	bool has_member[JSON_DEPTH];
	bool is_after_key;
};

/* json_init: starts a value at the end of `text`. */
void json_init(struct json *json, struct text *text, bool is_pretty);

/* json_open, json_close: '{' and '}', or '[' and ']'. */
void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);

void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *value);
void json_number(struct json *json, int64_t value);
void json_unsigned(struct json *json, uint64_t value);
/* json_real: with the digits by which it reads back as it was, 15 or 17; null where JSON has no such number. */
void json_real(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
/* json_hex: the number as a text "0x" and 16 digits: larger than what readers keep exactly. */
void json_hex(struct json *json, uint64_t value);

#endif
