/* SPDX-License-Identifier: MIT */
/*
 * The rows of events, with the six keys of JSON lines: the cells of one event, or of one half of a switch. What a part
 * of a trace begins with, since it was so before, is followed, and no row.
 */
#ifndef EXPORT_ROWS_H
#define EXPORT_ROWS_H

#include "jsonl/coros.h"
#include "stream/pass.h"
#include "stream/stream.h"
#include "base/text.h"

enum export_column {
#define X(name, text, type, of, meaning) EXPORT_##name,
#include "export/columns.def"
#undef X
	EXPORT_NR_COLUMNS,
};

enum export_type {
	EXPORT_INTEGER,
	EXPORT_TEXT,
	EXPORT_BOOLEAN,
};

struct export_column_description {
	const char *name;
	enum export_type type;
	const char *of; /* "": a column of the events themselves */
};

extern const struct export_column_description export_columns[EXPORT_NR_COLUMNS];

struct export_cell {
	bool is_set;
	int64_t number;
	const char *text; /* any bytes; borrowed from the tables or from the rows */
};

struct export_rows {
	struct ct_source *source;
	struct pass *pass; /* NULL: every event */
	/* OWN, unless the user sets something else before the first row */
	enum ct_row_numbers numbers;
	const struct ct_event *event;
	bool is_by_event;     /* a switch is one row: what it enters has none of its own */
	bool has_second_half; /* of a switch: what it enters */
	struct jsonl_coros coros;
	struct ct_row change; /* of a row with a probe_id: the same as numbers */
	struct text object;
	char argument[24];
	char kind[24];
	struct text address;
	struct export_cell cells[EXPORT_NR_COLUMNS];
};

/* export_rows_init: rows of what the source has from here on, and the pass wants. Both stay the caller's. */
void export_rows_init(struct export_rows *rows, struct ct_source *source, struct pass *pass);
void export_rows_fini(struct export_rows *rows);

/* export_rows_next: CT_OK and `cells`, valid until the next call; CT_END behind the last row. */
enum ct_status export_rows_next(struct export_rows *rows, struct ct_error *reterr);

#endif
