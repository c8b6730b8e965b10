/* SPDX-License-Identifier: MIT */
/*
 * Writing messages in the encoding of Protocol Buffers (https://protobuf.dev/programming-guides/encoding) into a text.
 * A message inside of another one is written into a text of its own first, since its length stands before it.
 *
 *	protobuf_number(&part, PART_LINE, 7);
 *	protobuf_part(&whole, WHOLE_PART, &part);
 *
 * Nothing fails: a text that runs out of memory says so itself. Not thread-safe.
 */
#ifndef BASE_PROTOBUF_H
#define BASE_PROTOBUF_H

#include "base/text.h"

/* protobuf_varint: a number alone, as packed fields have them. */
void protobuf_varint(struct text *text, uint64_t value);

/*
 * protobuf_number: a field that is a whole number or a boolean; 0, which every reader takes for granted, is left out.
 * protobuf_number_always: 0 is written, too, for fields that are there or not. protobuf_fixed: eight bytes.
 */
void protobuf_number(struct text *text, unsigned field, uint64_t value);
void protobuf_number_always(struct text *text, unsigned field, uint64_t value);
void protobuf_fixed(struct text *text, unsigned field, uint64_t value);

/* protobuf_bytes: a field of bytes. protobuf_text: any bytes, which are made UTF-8 (text_utf8); "" is left out. */
void protobuf_bytes(struct text *text, unsigned field, const char *bytes, size_t nr_bytes);
void protobuf_text(struct text *text, unsigned field, const char *value);

/* protobuf_part: a message, or packed numbers, inside of another one; the part is empty again. */
void protobuf_part(struct text *text, unsigned field, struct text *part);

#endif
