/* SPDX-License-Identifier: MIT */
/*
 * A thin layer over json-c: requests are read within limits, and while an answer is built, a failed allocation need be
 * checked only once, at the end.
 */
#ifndef MCP_JSON_H
#define MCP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* The greatest depth of a request; a deeper one is refused. */
#define MCP_JSON_DEPTH 32

/*
 * The greatest length in bytes of a text from the traced program in an answer; a longer one is cut, and the answer says
 * so.
 */
#define MCP_DATA_BYTES 400

/*
 * mcp_json_read: reads one object or array in UTF-8, as JSON requires; only blanks may follow. True: *ret_value is the
 * caller's. False: *ret_value is NULL, because the bytes are not JSON or nested too deep, or memory is out.
 */
bool mcp_json_read(const char *bytes, size_t nr_bytes, struct json_object **ret_value);

/* mcp_json_get: the member of an object; NULL: not an object, no member of this name, or the value is null. */
struct json_object *mcp_json_get(struct json_object *object, const char *name);

/* mcp_json_text: the text of a member, borrowed; NULL: no member, not a text, or the text contains a NUL byte. */
const char *mcp_json_text(struct json_object *object, const char *name);

/*
 * mcp_json_put: adds `value` to the object under a name that must always stay valid. mcp_json_append: adds `value` to
 * an array. Both return the value, which now belongs to the object or array. NULL, the result of a failed allocation,
 * becomes a null, which mcp_json_is_whole finds.
 */
struct json_object *mcp_json_put(
	struct json_object *object, const char *name, struct json_object *value);
struct json_object *mcp_json_append(struct json_object *array, struct json_object *value);

/*
 * mcp_json_is_whole: did all allocations succeed? Any NULL in the value shows a failure, because intended nulls are
 * made by mcp_json_null.
 */
bool mcp_json_is_whole(struct json_object *value);

/*
 * mcp_json_data: a text from outside as a JSON string of at most MCP_DATA_BYTES. Invalid UTF-8, control characters, and
 * characters that are invisible or change the direction of text are written as \xHH or \u{HHHH}.
 */
struct json_object *mcp_json_data(const char *text);

/*
 * mcp_json_page: several lines of text from outside: escaped in the same way, but of any length, and with their
 * newlines.
 */
struct json_object *mcp_json_page(const char *text);

/* mcp_json_null: an intended null, which does not count as a failure. NULL: out of memory. */
struct json_object *mcp_json_null(void);

/* mcp_json_word: a text of ours, formatted like printf. */
struct json_object *mcp_json_word(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* mcp_json_number: at most INT64_MAX. */
struct json_object *mcp_json_number(uint64_t number);

#endif
