/* SPDX-License-Identifier: MIT */
/*
 * One line of a JSONL trace, read into a row. The bytes come from outside and are not trusted: nothing
 * behind the end of the line is looked at, and nesting has a limit.
 */
#ifndef JSONL_ROW_H
#define JSONL_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/event.h"

/* Values inside a key that is not ours may be nested this deep. */
#define JSONL_DEPTH_MAX 64u

/* The kind of a row whose `event` names a kind that this version does not know. */
#define JSONL_KIND_UNKNOWN 0u

struct jsonl_row {
	uint64_t probe_id;
	uint64_t tid;
	uint64_t address;
	uint64_t seq;
	uint64_t ts;
	bool is_active;
	bool has_event;   /* its kind comes from the key `event` */
	uint8_t kind;     /* enum ctp_kind, JSONL_KIND_UNKNOWN */
	bool has_further; /* keys that are not ours: jsonl_row_keys has them */
	uint32_t hint;    /* the tracker's own: where it keeps the coroutine, perhaps */
	uint64_t line;    /* from 1 */
	uint64_t offset;  /* of the line's first byte */
};

/*
 * jsonl_row_parse: one line without its newline. NULL and *ret_row, or what is wrong with it, a few
 * words that end a sentence. `line` and `offset` are left alone.
 */
const char *jsonl_row_parse(const char *line, size_t nr_bytes, struct jsonl_row *ret_row);

/* Told of keys, as they are written between their quotes: any bytes, and as many as a line has room for. */
struct jsonl_keys {
	void *context;
	void (*take)(void *context, const char *key, size_t nr_bytes);
};

/* jsonl_row_keys: the keys that are not ours, in order, of a line that is a row. */
void jsonl_row_keys(const char *line, size_t nr_bytes, const struct jsonl_keys *keys);

#endif
