/* SPDX-License-Identifier: MIT */
/*
 * One member of an object of the report as JSON: a key and its value. docs/spec/report-json.md has the rules: times
 * are nanoseconds, what is not known is null, and what needs more than 53 bits is a text.
 */
#ifndef RENDER_JSON_MEMBER_H
#define RENDER_JSON_MEMBER_H

#include "corotracer/ct.h"
#include "json_write.h"

/* end_element: closes an object of a list that may be long, and passes on what is written so far. */
void end_element(struct json *json);

/* text_member: NULL is "". */
void text_member(struct json *json, const char *key, const char *value);
void count_member(struct json *json, const char *key, uint64_t value);
void bool_member(struct json *json, const char *key, bool value);

/* time_member: CT_NO_TIME is null. index_member: of a table; 0 is null. sequence_member: UINT64_MAX is null. */
void time_member(struct json *json, const char *key, ct_time value);
void index_member(struct json *json, const char *key, uint32_t value);
void sequence_member(struct json *json, const char *key, uint64_t value);

/* hex_member, decimal_member: as texts. */
void hex_member(struct json *json, const char *key, uint64_t value);
void decimal_member(struct json *json, const char *key, int64_t value);

#endif
