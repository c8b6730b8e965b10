/* SPDX-License-Identifier: MIT */
/*
 * A thin hand on json-c: requests are read within bounds, answers are put together so that a missing allocation is
 * noticed once, at the end.
 */
#ifndef MCP_JSON_H
#define MCP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Levels of a request; more are refused. */
#define MCP_JSON_DEPTH 32

/* The bytes of one text from the traced program in an answer; the rest is left out, and that is said. */
#define MCP_DATA_BYTES 400

/*
 * mcp_json_read: one object or array, UTF-8 as JSON demands it, with nothing behind it but blanks. True: *ret_value is
 * the caller's. False: *ret_value is NULL; the bytes are no JSON, or too deep, or memory is out.
 */
bool mcp_json_read(const char *bytes, size_t nr_bytes, struct json_object **ret_value);

/* mcp_json_get: the member of an object; NULL: it is no object, has none of this name, or its value is null. */
struct json_object *mcp_json_get(struct json_object *object, const char *name);

/* mcp_json_text: the member's text, borrowed from it; NULL: none, no text, or one with a NUL byte in it. */
const char *mcp_json_text(struct json_object *object, const char *name);

/*
 * mcp_json_put: gives `value` to the object under a name that lives for ever. mcp_json_append: to an array. Both return
 * the value, which is now the object's. NULL, for lack of memory, becomes a null, which mcp_json_is_whole finds.
 */
struct json_object *mcp_json_put(
	struct json_object *object, const char *name, struct json_object *value);
struct json_object *mcp_json_append(struct json_object *array, struct json_object *value);

/* mcp_json_is_whole: was there memory for all of it? A null that is meant is one of mcp_json_null, so NULL tells. */
bool mcp_json_is_whole(struct json_object *value);

/*
 * mcp_json_data: a text from outside, as a JSON string: at most MCP_DATA_BYTES; bytes that are no UTF-8, controls, and
 * characters that cannot be seen or turn the direction of text are written as \xHH or \u{HHHH}.
 */
struct json_object *mcp_json_data(const char *text);

/* mcp_json_page: lines of text that may hold the same: likewise, but of any length, and with their newlines. */
struct json_object *mcp_json_page(const char *text);

/* mcp_json_null: a value that is printed as null, and is whole. NULL: out of memory. */
struct json_object *mcp_json_null(void);

/* mcp_json_word: a text of ours: printf. */
struct json_object *mcp_json_word(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* mcp_json_number: at most INT64_MAX. */
struct json_object *mcp_json_number(uint64_t number);

#endif
