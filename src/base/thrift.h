/* SPDX-License-Identifier: MIT */
/*
 * Writing structs in the compact protocol of Apache Thrift into a text
 * (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). The fields of a struct are
 * written in the order of their numbers.
 *
 *	thrift_open(&thrift, 0);
 *	thrift_i32(&thrift, PAGE_TYPE, 2);
 *	thrift_list(&thrift, PAGE_NAMES, THRIFT_BINARY, 1);
 *	thrift_text(&thrift, 0, "name");
 *	thrift_close(&thrift);
 *
 * Field 0 means no field: an element of the list that was begun before, or the outermost struct. No function fails: a
 * text that runs out of memory reports that itself. Not thread-safe.
 */
#ifndef BASE_THRIFT_H
#define BASE_THRIFT_H

#include "base/text.h"

#define THRIFT_DEPTH 8u

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I8 = 3,
	THRIFT_I16 = 4,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

/* Zeroed except for `text`. */
struct thrift {
	struct text *text;
	unsigned depth;              /* number of open structs */
	unsigned last[THRIFT_DEPTH]; /* the last field of each open struct */
};

/* thrift_open: begins a struct. thrift_close: ends the struct that was begun last. */
void thrift_open(struct thrift *thrift, unsigned field);
void thrift_close(struct thrift *thrift);

/* thrift_list: begins a list of `count` elements, which are written next. */
void thrift_list(struct thrift *thrift, unsigned field, enum thrift_type type, uint32_t count);

void thrift_i8(struct thrift *thrift, unsigned field, int8_t value);
void thrift_i32(struct thrift *thrift, unsigned field, int32_t value);
void thrift_i64(struct thrift *thrift, unsigned field, int64_t value);

/*
 * thrift_bool: writes a boolean field, not an element. thrift_bytes: writes any bytes. thrift_text: writes the bytes of
 * a text.
 */
void thrift_bool(struct thrift *thrift, unsigned field, bool value);
void thrift_bytes(struct thrift *thrift, unsigned field, const void *bytes, size_t nr_bytes);
void thrift_text(struct thrift *thrift, unsigned field, const char *value);

#endif
