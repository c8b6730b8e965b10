/* SPDX-License-Identifier: MIT */
/*
 * Parses one line of a JSONL trace into a row. The bytes come from outside and are not trusted: bytes behind the end of
 * the line are not read, and the depth of nesting is limited.
 */
#ifndef JSONL_ROW_H
#define JSONL_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/event.h"

/* The greatest depth of a value under an unknown key. */
#define JSONL_DEPTH_MAX 64u

/* The kind of a row whose `event` is a kind that this version does not know. */
#define JSONL_KIND_UNKNOWN 0u

struct jsonl_row {
	uint64_t probe_id;
	uint64_t tid;
	uint64_t address;
	uint64_t seq;
	uint64_t ts;
	bool is_active;
	bool has_event;   /* the kind comes from the key `event` */
	uint8_t kind;     /* enum ctp_kind, or JSONL_KIND_UNKNOWN */
	bool has_further; /* the row has unknown keys: see jsonl_row_keys */
	uint32_t hint;    /* the tracker's own: the probable index of the coroutine */
	uint64_t line;    /* from 1 */
	uint64_t offset;  /* of the line's first byte */
};

/*
 * jsonl_row_parse: parses one line without its newline. Returns NULL and sets *ret_row; or returns what is wrong, a few
 * words that end a sentence. `line` and `offset` are not changed.
 */
const char *jsonl_row_parse(const char *line, size_t nr_bytes, struct jsonl_row *ret_row);

/* Takes keys as they are written between their quotes: any bytes, as many as fit into a line. */
struct jsonl_keys {
	void *context;
	void (*take)(void *context, const char *key, size_t nr_bytes);
};

/* jsonl_row_keys: passes on the unknown keys, in order, of a line that is a valid row. */
void jsonl_row_keys(const char *line, size_t nr_bytes, const struct jsonl_keys *keys);

#endif
