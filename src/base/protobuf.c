/* SPDX-License-Identifier: MIT */
/* The encoding of Protocol Buffers: a tag and a value for each field. */
#include "base/protobuf.h"

enum wire {
	WIRE_VARINT = 0,
	WIRE_FIXED = 1,
	WIRE_BYTES = 2,
};

static void put_tag(struct text *text, unsigned field, enum wire wire)
{
	protobuf_varint(text, (uint64_t)field << 3 | wire);
}

void protobuf_varint(struct text *text, uint64_t value)
{
	char bytes[10];
	size_t count = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[count++] = (char)(value | 0x80);
	bytes[count++] = (char)value;
	text_append(text, bytes, count);
}

void protobuf_number_always(struct text *text, unsigned field, uint64_t value)
{
	put_tag(text, field, WIRE_VARINT);
	protobuf_varint(text, value);
}

void protobuf_number(struct text *text, unsigned field, uint64_t value)
{
	if (value)
		protobuf_number_always(text, field, value);
}

void protobuf_fixed(struct text *text, unsigned field, uint64_t value)
{
	put_tag(text, field, WIRE_FIXED);
	text_little_endian(text, value, sizeof(value));
}

void protobuf_bytes(struct text *text, unsigned field, const char *bytes, size_t nr_bytes)
{
	put_tag(text, field, WIRE_BYTES);
	protobuf_varint(text, nr_bytes);
	text_append(text, bytes, nr_bytes);
}

void protobuf_text(struct text *text, unsigned field, const char *value)
{
	struct text clean = {0};

	if (!*value)
		return;
	text_utf8(&clean, value);
	protobuf_part(text, field, &clean);
	text_fini(&clean);
}

void protobuf_part(struct text *text, unsigned field, struct text *part)
{
	protobuf_bytes(text, field, text_peek(part), part->length);
	text->is_broken |= part->is_broken;
	text_clear(part);
}
