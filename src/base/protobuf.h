/* SPDX-License-Identifier: MIT */
/*
 * Writing messages in the encoding of Protocol Buffers (https://protobuf.dev/programming-guides/encoding) into a text.
 * A message inside of another message is written into a text of its own first, because its length comes before it.
 *
 *	protobuf_number(&part, PART_LINE, 7);
 *	protobuf_part(&whole, WHOLE_PART, &part);
 *
 * No function fails: a text that runs out of memory reports that itself. Not thread-safe.
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/text.h"

/* protobuf_varint: writes a number alone, for packed fields. */
void protobuf_varint(struct text *text, uint64_t value);

/*
 * protobuf_number: writes a field that is a whole number or a boolean; 0, which every reader assumes, is left out.
 * protobuf_number_always: writes 0, too, for optional fields. protobuf_fixed: writes eight bytes.
 */
void protobuf_number(struct text *text, unsigned field, uint64_t value);
void protobuf_number_always(struct text *text, unsigned field, uint64_t value);
void protobuf_fixed(struct text *text, unsigned field, uint64_t value);

/*
 * protobuf_bytes: writes a field of bytes. protobuf_text: writes any bytes, which are made UTF-8 (text_utf8); "" is
 * left out.
 */
void protobuf_bytes(struct text *text, unsigned field, const char *bytes, size_t nr_bytes);
void protobuf_text(struct text *text, unsigned field, const char *value);

/* protobuf_part: writes a message, or packed numbers, inside of another message; the part is empty afterwards. */
void protobuf_part(struct text *text, unsigned field, struct text *part);

#endif
