/* SPDX-License-Identifier: MIT */
/*
 * One member of an object of the report as JSON: a key and its value. docs/spec/report-json.md has the rules: times
 * are nanoseconds, what is not known is null, and what needs more than 53 bits is a text.
 */
#ifndef RENDER_JSON_MEMBER_H
#define RENDER_JSON_MEMBER_H

#include "corotracer/ct.h"
#include "base/json_write.h"

/* render_end_element: closes an object of a list that may be long, and passes on what is written so far. */
void render_end_element(struct json *json);

/* render_text_member: NULL is "". */
void render_text_member(struct json *json, const char *key, const char *value);
void render_count_member(struct json *json, const char *key, uint64_t value);
void render_bool_member(struct json *json, const char *key, bool value);

/*
 * render_time_member: CT_NO_TIME is null. render_index_member: of a table; 0 is null. render_sequence_member:
 * UINT64_MAX is null.
 */
void render_time_member(struct json *json, const char *key, ct_time value);
void render_index_member(struct json *json, const char *key, uint32_t value);
void render_sequence_member(struct json *json, const char *key, uint64_t value);

/* render_hex_member, render_decimal_member: as texts. */
void render_hex_member(struct json *json, const char *key, uint64_t value);
void render_decimal_member(struct json *json, const char *key, int64_t value);

#endif
