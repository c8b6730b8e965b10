/* SPDX-License-Identifier: MIT */
/*
 * Parses one row. Nearly all rows look exactly as the writers of this format write them: those are compared key by key,
 * up to the end of the six keys. A row that differs is parsed again as a general JSON object.
 */
#include <string.h>

#include "jsonl/row.h"

/* The rest of the line. */
struct cursor {
	const char *at;
	const char *end;
};

enum key {
	KEY_PROBE_ID,
	KEY_TID,
	KEY_ADDR,
	KEY_SEQ,
	KEY_IS_ACTIVE,
	KEY_TS,
	NR_NEEDED,
	KEY_EVENT = NR_NEEDED,
	KEY_FURTHER,
};

static const char *const key_names[] = {
	"probe_id", "tid", "addr", "seq", "is_active", "ts", "event"};

/* --------------------------------------------------------------------- digits */

static bool add_digit(uint64_t *number, unsigned digit, unsigned base)
{
	return !__builtin_mul_overflow(*number, base, number) &&
	       !__builtin_add_overflow(*number, digit, number);
}

/* One digit or more, without a sign; the number must fit into 64 bits. */
static bool take_decimal(struct cursor *cursor, uint64_t *ret_number)
{
	const char *from = cursor->at, *at = from;
	uint64_t number = 0;

	/* 19 digits always fit into 64 bits. */
	for (; at < cursor->end && at - from < 19 && (unsigned)(*at - '0') < 10; at++)
		number = number * 10 + (unsigned)(*at - '0');
	for (; at < cursor->end && (unsigned)(*at - '0') < 10; at++) {
		if (!add_digit(&number, (unsigned)(*at - '0'), 10))
			return false;
	}
	cursor->at = at;
	*ret_number = number;
	return at > from;
}

static int hex_digit(char c)
{
	if ((unsigned)(c - '0') < 10)
		return c - '0';
	c |= 0x20;
	return (unsigned)(c - 'a') < 6 ? c - 'a' + 10 : -1;
}

static bool take_hexadecimal(struct cursor *cursor, uint64_t *ret_number)
{
	const char *from = cursor->at;
	uint64_t number = 0;
	int digit;

	while (cursor->at < cursor->end && (digit = hex_digit(*cursor->at)) >= 0) {
		if (number >> 60)
			return false;
		number = number << 4 | (unsigned)digit;
		cursor->at++;
	}
	*ret_number = number;
	return cursor->at > from;
}

/* ------------------------------------------------------------ as writers write */

#define TAKE(cursor, text) take_text((cursor), (text), sizeof(text) - 1)

/* When this is inlined, the lengths are constants and a comparison takes an instruction or two. */
__attribute__((always_inline)) static inline bool take_text(
	struct cursor *cursor, const char *text, size_t nr_bytes)
{
	if ((size_t)(cursor->end - cursor->at) < nr_bytes ||
		memcmp(cursor->at, text, nr_bytes) != 0)
		return false;
	cursor->at += nr_bytes;
	return true;
}

static bool take_bool(struct cursor *cursor, bool *ret_value)
{
	*ret_value = TAKE(cursor, "true");
	return *ret_value || TAKE(cursor, "false");
}

/* Takes the six keys in their usual order. */
static bool take_usual(struct cursor *cursor, struct jsonl_row *row)
{
	return TAKE(cursor, "{\"probe_id\":") && take_decimal(cursor, &row->probe_id) &&
	       TAKE(cursor, ",\"tid\":") && take_decimal(cursor, &row->tid) &&
	       TAKE(cursor, ",\"addr\":\"0x") && take_hexadecimal(cursor, &row->address) &&
	       TAKE(cursor, "\",\"seq\":") && take_decimal(cursor, &row->seq) &&
	       TAKE(cursor, ",\"is_active\":") && take_bool(cursor, &row->is_active) &&
	       TAKE(cursor, ",\"ts\":") && take_decimal(cursor, &row->ts);
}

/* ---------------------------------------------------------------- any JSON */

static void skip_blanks(struct cursor *cursor)
{
	while (cursor->at < cursor->end &&
		(*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r'))
		cursor->at++;
}

static bool take_char(struct cursor *cursor, char c)
{
	skip_blanks(cursor);
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* Skips an escape sequence, behind its backslash. */
static bool skip_escape(struct cursor *cursor)
{
	unsigned i;

	if (cursor->at == cursor->end)
		return false;
	if (*cursor->at != 'u')
		return strchr("\"\\/bfnrt", *cursor->at) != NULL && *cursor->at++ != '\0';
	cursor->at++;
	for (i = 0; i < 4; i++, cursor->at++) {
		if (cursor->at == cursor->end || hex_digit(*cursor->at) < 0)
			return false;
	}
	return true;
}

/* Takes a string; the bytes between the quotes are returned as they are written. */
static bool take_quoted(struct cursor *cursor, struct cursor *ret_inside)
{
	if (!take_char(cursor, '"'))
		return false;
	ret_inside->at = cursor->at;
	while (cursor->at < cursor->end && *cursor->at != '"') {
		char c = *cursor->at++;

		if ((unsigned char)c < 0x20 || (c == '\\' && !skip_escape(cursor)))
			return false;
	}
	ret_inside->end = cursor->at;
	return take_char(cursor, '"');
}

/* Skips a number such as -1.5e+9; our own keys do not accept it, other keys do. */
static bool skip_number(struct cursor *cursor)
{
	const char *from;
	uint64_t ignored;

	if (*cursor->at == '-')
		cursor->at++;
	if (!take_decimal(cursor, &ignored)) {
		from = cursor->at;
		while (cursor->at < cursor->end && (unsigned)(*cursor->at - '0') < 10)
			cursor->at++;
		if (cursor->at == from)
			return false;
	}
	while (cursor->at < cursor->end &&
		((unsigned)(*cursor->at - '0') < 10 || memchr(".eE+-", *cursor->at, 5)))
		cursor->at++;
	return true;
}

static bool skip_scalar(struct cursor *cursor)
{
	struct cursor inside;

	skip_blanks(cursor);
	if (cursor->at == cursor->end)
		return false;
	if (*cursor->at == '"')
		return take_quoted(cursor, &inside);
	return TAKE(cursor, "true") || TAKE(cursor, "false") || TAKE(cursor, "null") ||
	       skip_number(cursor);
}

/* Skips a key behind an opening bracket or a comma, if the bracket belongs to an object. */
static bool skip_key(struct cursor *cursor, char closing)
{
	struct cursor inside;

	return closing == ']' || (take_quoted(cursor, &inside) && take_char(cursor, ':'));
}

/* Skips any value. The closing brackets still needed are kept on a stack, so that depth takes no recursion. */
static bool skip_value(struct cursor *cursor)
{
	char closing[JSONL_DEPTH_MAX];
	unsigned depth = 0;
	char opened;

	for (;;) {
		opened = take_char(cursor, '{') ? '}' : take_char(cursor, '[') ? ']' : '\0';
		if (opened) {
			if (depth == JSONL_DEPTH_MAX)
				return false;
			closing[depth++] = opened;
			if (!take_char(cursor, opened)) {
				if (!skip_key(cursor, opened))
					return false;
				continue;
			}
			depth--;
		} else if (!skip_scalar(cursor)) {
			return false;
		}
		while (depth && take_char(cursor, closing[depth - 1]))
			depth--;
		if (depth == 0)
			return true;
		if (!take_char(cursor, ',') || !skip_key(cursor, closing[depth - 1]))
			return false;
	}
}

/* ------------------------------------------------------------------ our keys */

static bool is_name(struct cursor inside, const char *name)
{
	size_t length = (size_t)(inside.end - inside.at);

	return strlen(name) == length && memcmp(inside.at, name, length) == 0;
}

static enum key key_of(struct cursor inside)
{
	unsigned key;

	for (key = 0; key < sizeof(key_names) / sizeof(*key_names); key++) {
		if (is_name(inside, key_names[key]))
			return (enum key)key;
	}
	return KEY_FURTHER;
}

static bool read_whole_number(struct cursor cursor, uint64_t *ret_number)
{
	if (!TAKE(&cursor, "0x") && !TAKE(&cursor, "0X"))
		return take_decimal(&cursor, ret_number) && cursor.at == cursor.end;
	return take_hexadecimal(&cursor, ret_number) && cursor.at == cursor.end;
}

/* Takes a number, or a string that contains a number, decimal or hexadecimal. */
static bool take_number(struct cursor *cursor, uint64_t *ret_number)
{
	struct cursor inside;

	skip_blanks(cursor);
	if (cursor->at < cursor->end && *cursor->at == '"')
		return take_quoted(cursor, &inside) && read_whole_number(inside, ret_number);
	if (!take_decimal(cursor, ret_number))
		return false;
	return cursor->at == cursor->end || !memchr(".eExX", *cursor->at, 5);
}

static bool take_flag(struct cursor *cursor, bool *ret_value)
{
	uint64_t number;

	skip_blanks(cursor);
	if (take_bool(cursor, ret_value))
		return true;
	if (!take_number(cursor, &number) || number > 1)
		return false;
	*ret_value = number != 0;
	return true;
}

/* "wake", or "kind-200" for a kind without a name. */
static uint8_t kind_of(struct cursor inside)
{
	size_t length = (size_t)(inside.end - inside.at);
	uint64_t number;

#define X(name, number, text, category, object, argument, meaning)                        \
	if (length == sizeof(text) - 1 && memcmp(inside.at, text, sizeof(text) - 1) == 0) \
		return number;
#include "corotracer/def/kinds.def"
#undef X
	if (TAKE(&inside, "kind-") && take_decimal(&inside, &number) && inside.at == inside.end &&
		number <= UINT8_MAX)
		return (uint8_t)number;
	return JSONL_KIND_UNKNOWN;
}

static bool take_event(struct cursor *cursor, struct jsonl_row *row)
{
	struct cursor inside;

	if (!take_quoted(cursor, &inside))
		return false;
	row->has_event = true;
	row->kind = kind_of(inside);
	return true;
}

static bool take_further(struct cursor *cursor, struct cursor name, const struct jsonl_keys *keys,
	struct jsonl_row *row)
{
	row->has_further = true;
	if (keys)
		keys->take(keys->context, name.at, (size_t)(name.end - name.at));
	return skip_value(cursor);
}

static bool take_value(struct cursor *cursor, enum key key, struct jsonl_row *row)
{
	switch (key) {
	case KEY_PROBE_ID:
		return take_number(cursor, &row->probe_id);
	case KEY_TID:
		return take_number(cursor, &row->tid);
	case KEY_ADDR:
		return take_number(cursor, &row->address);
	case KEY_SEQ:
		return take_number(cursor, &row->seq);
	case KEY_IS_ACTIVE:
		return take_flag(cursor, &row->is_active);
	case KEY_TS:
		return take_number(cursor, &row->ts);
	default:
		return take_event(cursor, row);
	}
}

static const char *const missing[NR_NEEDED] = {"'probe_id' is missing", "'tid' is missing",
	"'addr' is missing", "'seq' is missing", "'is_active' is missing", "'ts' is missing"};
static const char *const wrong[] = {"'probe_id' is no number of 64 bits",
	"'tid' is no number of 64 bits", "'addr' is no number of 64 bits",
	"'seq' is no number of 64 bits", "'is_active' is neither true nor false",
	"'ts' is no number of 64 bits", "'event' is no text"};

static const char *check_keys(unsigned found)
{
	unsigned key;

	for (key = 0; key < NR_NEEDED; key++) {
		if (!(found & 1u << key))
			return missing[key];
	}
	return NULL;
}

/* Parses one member, behind the brace or a comma; `found` has a bit for each key before it. */
static const char *parse_members(
	struct cursor *cursor, unsigned found, const struct jsonl_keys *keys, struct jsonl_row *row)
{
	struct cursor name;
	enum key key;

	do {
		if (!take_quoted(cursor, &name) || !take_char(cursor, ':'))
			return "it is no JSON object";
		key = key_of(name);
		if (key == KEY_FURTHER && !take_further(cursor, name, keys, row))
			return "the value of a further key is no JSON, or nested too deep";
		if (key != KEY_FURTHER && !take_value(cursor, key, row))
			return wrong[key];
		found |= 1u << key;
	} while (take_char(cursor, ','));
	if (!take_char(cursor, '}'))
		return "it is no JSON object";
	skip_blanks(cursor);
	return cursor->at == cursor->end ? check_keys(found) : "something stands behind the object";
}

static const char *parse(struct cursor cursor, const struct jsonl_keys *keys, struct jsonl_row *row)
{
	struct cursor behind = cursor;

	row->has_event = row->has_further = false;
	if (take_usual(&behind, row)) {
		if (behind.end - behind.at == 1 && *behind.at == '}')
			return NULL;
		if (TAKE(&behind, ","))
			return parse_members(&behind, (1u << NR_NEEDED) - 1, keys, row);
	}
	if (!take_char(&cursor, '{'))
		return "it is no JSON object";
	return parse_members(&cursor, 0, keys, row);
}

const char *jsonl_row_parse(const char *line, size_t nr_bytes, struct jsonl_row *ret_row)
{
	struct cursor cursor = {line, line + nr_bytes};
	const char *trouble = parse(cursor, NULL, ret_row);

	ret_row->hint = 0;
	if (!trouble && !ret_row->has_event)
		ret_row->kind = ret_row->is_active ? CTP_KIND_RESUME : CTP_KIND_SUSPEND;
	return trouble;
}

void jsonl_row_keys(const char *line, size_t nr_bytes, const struct jsonl_keys *keys)
{
	struct cursor cursor = {line, line + nr_bytes};
	struct jsonl_row row;

	parse(cursor, keys, &row);
}
