/* SPDX-License-Identifier: MIT */
/*
 * The rows of events, with the six keys of JSON lines: the cells of one event, or of one half of a switch. Carried
 * events update the state, but are not rows.
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
	struct pass *pass; /* NULL: every event is wanted */
	/* OWN, unless the user sets something else before the first row */
	enum ct_row_numbers numbers;
	const struct ct_event *event;
	/* a switch is one row: the coroutine that it resumes has no row of its own */
	bool is_by_event;
	/* the second row of a switch, for the coroutine that it resumes, is still to come */
	bool has_second_half;
	struct jsonl_coros coros;
	struct ct_row change; /* for a row with a probe_id: the six keys as numbers */
	struct text object;
	char argument[24];
	char kind[24];
	struct text address;
	struct export_cell cells[EXPORT_NR_COLUMNS];
};

/*
 * export_rows_init: makes rows of the events that the source has from here on and the pass selects. Source and pass
 * stay the caller's.
 */
void export_rows_init(struct export_rows *rows, struct ct_source *source, struct pass *pass);
void export_rows_fini(struct export_rows *rows);

/* export_rows_next: CT_OK: `cells` holds the next row, valid until the next call. CT_END: there is no further row. */
enum ct_status export_rows_next(struct export_rows *rows, struct ct_error *reterr);

#endif
