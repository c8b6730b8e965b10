/* SPDX-License-Identifier: MIT */
/*
 * Reads and builds JSON with json-c.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <json-c/printbuf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

static bool is_blank(const char *bytes, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		if (!bytes[i] || !strchr(" \t\r\n", bytes[i]))
			return false;
	return true;
}

bool mcp_json_read(const char *bytes, size_t nr_bytes, struct json_object **ret_value)
{
	struct json_tokener *tokener =
		nr_bytes <= INT32_MAX ? json_tokener_new_ex(MCP_JSON_DEPTH) : NULL;
	struct json_object *value;
	size_t end;

	*ret_value = NULL;
	if (!tokener)
		return false;
	/* The bytes behind the value are checked here, because the library's strict mode would refuse a blank. */
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8 |
						JSON_TOKENER_ALLOW_TRAILING_CHARS);
	value = json_tokener_parse_ex(tokener, bytes, (int)nr_bytes);
	end = json_tokener_get_parse_end(tokener);
	if (json_tokener_get_error(tokener) == json_tokener_success &&
		is_blank(bytes + end, nr_bytes - end))
		*ret_value = value;
	else
		json_object_put(value);
	json_tokener_free(tokener);
	return *ret_value != NULL;
}

struct json_object *mcp_json_get(struct json_object *object, const char *name)
{
	struct json_object *value = NULL;

	if (json_object_is_type(object, json_type_object))
		json_object_object_get_ex(object, name, &value);
	return value;
}

const char *mcp_json_text(struct json_object *object, const char *name)
{
	struct json_object *value = mcp_json_get(object, name);
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

struct json_object *mcp_json_put(
	struct json_object *object, const char *name, struct json_object *value)
{
	const unsigned how = JSON_C_OBJECT_ADD_CONSTANT_KEY;

	if (object && json_object_object_add_ex(object, name, value, how) == 0)
		return value;
	json_object_put(value);
	return NULL;
}

struct json_object *mcp_json_append(struct json_object *array, struct json_object *value)
{
	if (array && json_object_array_add(array, value) == 0)
		return value;
	json_object_put(value);
	return NULL;
}

bool mcp_json_is_whole(struct json_object *value)
{
	size_t i;

	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, name, member)
		{
			(void)name;
			if (!mcp_json_is_whole(member))
				return false;
		}
	} else if (json_object_is_type(value, json_type_array)) {
		for (i = 0; i < json_object_array_length(value); i++)
			if (!mcp_json_is_whole(json_object_array_get_idx(value, i)))
				return false;
	}
	return value != NULL;
}

/* ---------------------------------------------------------------- texts from outside */

/* The character at `at`, and its length in bytes; 0 bytes: not valid UTF-8. */
static uint32_t decode(const unsigned char *at, size_t *ret_nr_bytes)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t nr = *at < 0x80                  ? 1
		    : *at >= 0xc2 && *at < 0xe0 ? 2
		    : (*at & 0xf0) == 0xe0      ? 3
		    : *at >= 0xf0 && *at < 0xf5 ? 4
						: 0;
	uint32_t character = nr == 1 ? *at : *at & (0x7fu >> nr);
	size_t i;

	*ret_nr_bytes = 0;
	for (i = 1; i < nr; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		character = character << 6 | (at[i] & 0x3f);
	}
	if (nr && character >= least[nr] && character <= 0x10ffff &&
		(character < 0xd800 || character > 0xdfff))
		*ret_nr_bytes = nr;
	return character;
}

static bool is_unseen(uint32_t character)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{0x00, 0x1f},
		{0x7f, 0x9f},
		{0xad, 0xad},
		{0x61c, 0x61c},
		{0x180e, 0x180e},
		{0x200b, 0x200f},
		{0x2028, 0x202e},
		{0x2060, 0x206f},
		{0xfe00, 0xfe0f},
		{0xfeff, 0xfeff},
		{0xe0000, 0xe0fff},
	};
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (character >= ranges[i].first && character <= ranges[i].last)
			return true;
	return false;
}

/* Makes one character safe for an answer. Returns how many bytes of the text it took. */
static size_t clean(const unsigned char *at, char piece[16])
{
	size_t nr_bytes;
	uint32_t character = decode(at, &nr_bytes);

	if (!nr_bytes) {
		snprintf(piece, 16, "\\x%02x", *at);
		return 1;
	}
	if (is_unseen(character))
		snprintf(piece, 16, "\\u{%" PRIx32 "}", character);
	else
		snprintf(piece, 16, "%.*s", (int)nr_bytes, (const char *)at);
	return nr_bytes;
}

struct json_object *mcp_json_data(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	char cleaned[MCP_DATA_BYTES + 64], piece[16];
	size_t length = 0;

	cleaned[0] = '\0';
	while (*at && length < MCP_DATA_BYTES) {
		at += clean(at, piece);
		length += (size_t)snprintf(cleaned + length, sizeof(cleaned) - length, "%s", piece);
	}
	if (*at)
		snprintf(cleaned + length, sizeof(cleaned) - length, "... (%zu bytes more)",
			strlen((const char *)at));
	return json_object_new_string(cleaned);
}

struct json_object *mcp_json_page(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	struct json_object *value;
	char *cleaned, piece[16];
	size_t length, nr_bytes;
	FILE *page = open_memstream(&cleaned, &length);

	if (!page)
		return NULL;
	while (*at) {
		nr_bytes = *at == '\n' ? 1 : clean(at, piece);
		fputs(*at == '\n' ? "\n" : piece, page);
		at += nr_bytes;
	}
	if (fclose(page) != 0)
		return NULL;
	value = json_object_new_string_len(cleaned, (int)length);
	free(cleaned);
	return value;
}

static int print_null(struct json_object *value, struct printbuf *text, int level, int flags)
{
	(void)value;
	(void)level;
	(void)flags;
	return printbuf_memappend(text, "null", 4);
}

/* The library's own null is NULL, as is the result of a failed allocation, so another value is printed as null. */
struct json_object *mcp_json_null(void)
{
	struct json_object *value = json_object_new_boolean(false);

	if (value)
		json_object_set_serializer(value, print_null, NULL, NULL);
	return value;
}

struct json_object *mcp_json_word(const char *format, ...)
{
	struct json_object *word;
	char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return NULL;
	word = json_object_new_string(text);
	free(text);
	return word;
}

struct json_object *mcp_json_number(uint64_t number)
{
	return json_object_new_int64(number < INT64_MAX ? (int64_t)number : INT64_MAX);
}
