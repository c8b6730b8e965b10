/* SPDX-License-Identifier: MIT */
/*
 * One member of an object of the report as JSON: a key and its value.
 */
#include <inttypes.h>
#include <stdio.h>

#include "render/json_member.h"
#include "render/report.h"

/* An element of a list that may be long. */
void render_end_element(struct json *json)
{
	json_close(json, '}');
	text_pass_on(json->text, REPORT_PIECE_BYTES);
}

void render_text_member(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json_text(json, value ? value : "");
}

void render_count_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_unsigned(json, value);
}

void render_bool_member(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

void render_time_member(struct json *json, const char *key, ct_time value)
{
	json_key(json, key);
	if (value == CT_NO_TIME)
		json_null(json);
	else
		json_number(json, value);
}

/* An index into one of the tables; 0 is none. */
void render_index_member(struct json *json, const char *key, uint32_t value)
{
	json_key(json, key);
	if (value == 0)
		json_null(json);
	else
		json_unsigned(json, value);
}

void render_hex_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_hex(json, value);
}

void render_decimal_member(struct json *json, const char *key, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	render_text_member(json, key, digits);
}

void render_sequence_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	if (value == UINT64_MAX)
		json_null(json);
	else
		json_unsigned(json, value);
}
