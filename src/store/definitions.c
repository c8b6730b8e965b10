/* SPDX-License-Identifier: MIT */
/* Converts definitions to bytes and back; both directions use the one list of fields. */
#include <string.h>

#include "store/definitions.h"
#include "store/format.h"

enum form { FORM_U32, FORM_U64, FORM_I32, FORM_FLAG, FORM_TEXT, FORM_ID };

struct field {
	enum ct_define_type type;
	enum form form;
	size_t offset; /* in struct ct_definition */
};

static const struct field fields[] = {
#define X(type, member, field, form) \
	{CT_DEFINE_##type, FORM_##form, offsetof(struct ct_definition, member.field)},
#include "store/fields.def"
#undef X
};

#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))
#define ID_BYTES 16

static void add_number(struct text *text, uint64_t value)
{
	uint8_t bytes[STORE_VARINT_MAX];

	text_append(text, (const char *)bytes, (size_t)(store_varint_put(bytes, value) - bytes));
}

static void add_text(struct text *text, const char *value)
{
	size_t length = value ? strlen(value) : 0;

	if (length <= STORE_TEXT_MAX) {
		add_number(text, length);
		text_append(text, value ? value : "", length);
		return;
	}
	add_number(text, STORE_TEXT_MAX);
	text_append(text, value, STORE_TEXT_MAX - 3);
	text_append(text, "...", 3);
}

static void add_field(struct text *text, enum form form, const void *value)
{
	switch (form) {
	case FORM_U32:
		add_number(text, *(const uint32_t *)value);
		break;
	case FORM_U64:
		add_number(text, *(const uint64_t *)value);
		break;
	case FORM_I32:
		add_number(text, store_zigzag((uint64_t)(int64_t) * (const int32_t *)value));
		break;
	case FORM_FLAG:
		text_char(text, *(const bool *)value ? 1 : 0);
		break;
	case FORM_TEXT:
		add_text(text, *(const char *const *)value);
		break;
	case FORM_ID:
		text_append(text, value, ID_BYTES);
		break;
	}
}

void store_definition_add(struct text *text, const struct ct_definition *definition)
{
	struct text body = {0};
	size_t i;

	for (i = 0; i < NR_FIELDS; i++) {
		if (fields[i].type == definition->type)
			add_field(
				&body, fields[i].form, (const char *)definition + fields[i].offset);
	}
	add_number(text, definition->type);
	add_number(text, body.length);
	text_append(text, text_peek(&body), body.length);
	text->is_broken = text->is_broken || body.is_broken;
	text_fini(&body);
}

/* A number that is too large for its field cannot be true. */
static uint32_t take_u32(struct store_bytes *bytes)
{
	uint64_t value = store_varint_take(bytes);

	return value > UINT32_MAX ? (uint32_t)store_break(bytes) : (uint32_t)value;
}

static int32_t take_i32(struct store_bytes *bytes)
{
	int64_t value = (int64_t)store_unzigzag(store_varint_take(bytes));

	return value < INT32_MIN || value > INT32_MAX ? (int32_t)store_break(bytes)
						      : (int32_t)value;
}

static const char *take_text(struct store_bytes *bytes, struct arena *arena)
{
	uint64_t length = store_varint_take(bytes);
	const uint8_t *at = store_bytes_take(bytes, length);

	return length && at ? arena_text(arena, (const char *)at, length) : "";
}

/* A missing field is 0 or "": an older version wrote the definition. */
static bool take_field(
	struct store_bytes *bytes, struct arena *arena, const struct field *field, void *ret_value)
{
	const uint8_t *at;

	if (field->form == FORM_TEXT) {
		*(const char **)ret_value = bytes->at < bytes->end ? take_text(bytes, arena) : "";
		return *(const char **)ret_value != NULL;
	}
	if (bytes->at == bytes->end)
		return true;
	switch (field->form) {
	case FORM_U32:
		*(uint32_t *)ret_value = take_u32(bytes);
		break;
	case FORM_U64:
		*(uint64_t *)ret_value = store_varint_take(bytes);
		break;
	case FORM_I32:
		*(int32_t *)ret_value = take_i32(bytes);
		break;
	case FORM_FLAG:
		*(bool *)ret_value = store_byte_take(bytes) != 0;
		break;
	case FORM_ID:
		at = store_bytes_take(bytes, ID_BYTES);
		if (at)
			memcpy(ret_value, at, ID_BYTES);
		break;
	case FORM_TEXT:
		break;
	}
	return true;
}

enum ct_status store_definition_take(
	struct store_bytes *bytes, struct arena *arena, struct ct_definition *ret_definition)
{
	struct store_bytes body = {0};
	uint64_t type, length;
	size_t i;
	bool is_known = false;

	if (bytes->at == bytes->end)
		return bytes->is_broken ? CT_ERR_CORRUPT : CT_END;
	type = store_varint_take(bytes);
	length = store_varint_take(bytes);
	body.at = store_bytes_take(bytes, length);
	if (!body.at)
		return CT_ERR_CORRUPT;
	body.end = bytes->at;
	memset(ret_definition, 0, sizeof(*ret_definition));
	for (i = 0; i < NR_FIELDS; i++) {
		if (fields[i].type != type)
			continue;
		if (!take_field(
			    &body, arena, &fields[i], (char *)ret_definition + fields[i].offset))
			return CT_ERR_NO_MEMORY;
		is_known = true;
	}
	ret_definition->type = (enum ct_define_type)type;
	if (body.is_broken)
		return CT_ERR_CORRUPT;
	return is_known ? CT_OK : CT_AGAIN;
}
