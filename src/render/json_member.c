/* SPDX-License-Identifier: MIT */
/*
 * One member of an object of the report as JSON: a key and its value.
 */
#include <inttypes.h>
#include <stdio.h>

#include "json_member.h"
#include "report.h"

/* An element of a list that may be long. */
void end_element(struct json *json)
{
	json_close(json, '}');
	text_pass_on(json->text, REPORT_PIECE_BYTES);
}

void text_member(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	json_text(json, value ? value : "");
}

void count_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_unsigned(json, value);
}

void bool_member(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	json_bool(json, value);
}

void time_member(struct json *json, const char *key, ct_time value)
{
	json_key(json, key);
	if (value == CT_NO_TIME)
		json_null(json);
	else
		json_number(json, value);
}

/* An index into one of the tables; 0 is none. */
void index_member(struct json *json, const char *key, uint32_t value)
{
	json_key(json, key);
	if (value == 0)
		json_null(json);
	else
		json_unsigned(json, value);
}

void hex_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	json_hex(json, value);
}

void decimal_member(struct json *json, const char *key, int64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRId64, value);
	text_member(json, key, digits);
}

void sequence_member(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	if (value == UINT64_MAX)
		json_null(json);
	else
		json_unsigned(json, value);
}
