/* SPDX-License-Identifier: MIT */
/*
 * Writing JSON into a text. Commas and escapes are written by these functions; the caller is responsible for nesting.
 *
 *	json_open(&json, '{');
 *	json_key_number(&json, "lost", 3);
 *	json_close(&json, '}');
 *
 * Texts may be any bytes: bytes that are not UTF-8 are written as U+FFFD, so that the output always parses; control
 * characters are escaped, including those above U+007F.
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

/* json_init: begins a value at the end of `text`. */
void json_init(struct json *json, struct text *text, bool is_pretty);

/* json_open, json_close: write '{' and '}', or '[' and ']'. */
void json_open(struct json *json, char bracket);
void json_close(struct json *json, char bracket);

void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *value);
void json_number(struct json *json, int64_t value);
void json_unsigned(struct json *json, uint64_t value);
/* json_key_text and the like: write a key and its value; json_key_open: a key, and the bracket of its value. */
void json_key_open(struct json *json, const char *key, char bracket);
void json_key_text(struct json *json, const char *key, const char *value);
void json_key_number(struct json *json, const char *key, int64_t value);
void json_key_unsigned(struct json *json, const char *key, uint64_t value);
void json_key_bool(struct json *json, const char *key, bool value);
/*
 * json_real: writes a number with as many digits, 15 or 17, as are needed to read it back unchanged; null if JSON has
 * no such number.
 */
void json_real(struct json *json, double value);
void json_bool(struct json *json, bool value);
void json_null(struct json *json);
/* json_hex: writes the number as a text of "0x" and 16 digits, because it is larger than what readers keep exactly. */
void json_hex(struct json *json, uint64_t value);

#endif
