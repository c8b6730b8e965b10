/* SPDX-License-Identifier: MIT */
/*
 * The compact protocol of Thrift: a field is identified by its distance from the previous field, and numbers have
 * variable length.
 */
#include <assert.h>
#include <string.h>

#include "base/protobuf.h"
#include "base/thrift.h"

#define NEAR_MOST 15u /* largest distance, or count, in the same byte as the type */

static void put_field(struct thrift *thrift, unsigned field, enum thrift_type type)
{
	unsigned *last;

	if (!field)
		return;
	assert(thrift->depth);
	last = &thrift->last[thrift->depth - 1];
	assert(field > *last && field - *last <= NEAR_MOST);
	text_char(thrift->text, (char)((field - *last) << 4 | type));
	*last = field;
}

/* Numbers near 0 are short, whatever their sign. */
static void put_signed(struct thrift *thrift, int64_t value)
{
	protobuf_varint(thrift->text, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void thrift_open(struct thrift *thrift, unsigned field)
{
	put_field(thrift, field, THRIFT_STRUCT);
	assert(thrift->depth < THRIFT_DEPTH);
	thrift->last[thrift->depth++] = 0;
}

void thrift_close(struct thrift *thrift)
{
	assert(thrift->depth);
	thrift->depth--;
	text_char(thrift->text, 0);
}

void thrift_list(struct thrift *thrift, unsigned field, enum thrift_type type, uint32_t count)
{
	put_field(thrift, field, THRIFT_LIST);
	if (count < NEAR_MOST) {
		text_char(thrift->text, (char)(count << 4 | type));
		return;
	}
	text_char(thrift->text, (char)(NEAR_MOST << 4 | type));
	protobuf_varint(thrift->text, count);
}

void thrift_i8(struct thrift *thrift, unsigned field, int8_t value)
{
	put_field(thrift, field, THRIFT_I8);
	text_char(thrift->text, (char)value);
}

void thrift_i32(struct thrift *thrift, unsigned field, int32_t value)
{
	put_field(thrift, field, THRIFT_I32);
	put_signed(thrift, value);
}

void thrift_i64(struct thrift *thrift, unsigned field, int64_t value)
{
	put_field(thrift, field, THRIFT_I64);
	put_signed(thrift, value);
}

void thrift_bool(struct thrift *thrift, unsigned field, bool value)
{
	put_field(thrift, field, value ? THRIFT_TRUE : THRIFT_FALSE);
}

void thrift_bytes(struct thrift *thrift, unsigned field, const void *bytes, size_t nr_bytes)
{
	put_field(thrift, field, THRIFT_BINARY);
	protobuf_varint(thrift->text, nr_bytes);
	text_append(thrift->text, bytes, nr_bytes);
}

void thrift_text(struct thrift *thrift, unsigned field, const char *value)
{
	thrift_bytes(thrift, field, value, strlen(value));
}
