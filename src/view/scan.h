/* SPDX-License-Identifier: MIT */
/*
 * Scans as the parts of src/view use them: with the place of each row in its log, too. Private to src/view.
 */
#ifndef VIEW_SCAN_H
#define VIEW_SCAN_H

#include "base/map.h"
#include "view/selected.h"
#include "view/view.h"

/* A term that is ready to be asked of numbers. */
struct scan_term {
	uint32_t column;
	enum ct_view_type type;
	enum ct_view_compare compare;
	int64_t number;
	const char *pattern;
	struct map matches; /* of a pattern: what was asked before */
};

struct ct_view_scan {
	struct ct_view *view;
	const struct column_log *log;
	struct scan_term *terms;
	uint32_t nr_terms;
	struct view_selected selected;
	uint32_t *wanted; /* columns */
	uint32_t nr_wanted;
	uint32_t chunk; /* the next one */
	uint64_t first; /* the row with which it begins */
	struct ct_view_rows *rows;
	int64_t *values[COLUMN_MOST]; /* of the chunk at hand; NULL: nobody asked for such */
	bool is_read[COLUMN_MOST];
	uint64_t numbers[COLUMN_ROWS]; /* of the rows that were handed out */
	uint16_t places[COLUMN_ROWS];  /* in the chunk, of those that are left */
	bool is_broken;                /* out of memory */
	int unread_errno; /* rows could not be read back from a file: why; 0: they could */
};

/* view_scan_fail_unread: rows could not be read back from the file in which they lie; `number` is the errno. */
enum ct_status view_scan_fail_unread(int number, struct ct_error *reterr);

/* view_scan_check: CT_ERR_USAGE: a table or a column that a request names is not there. */
enum ct_status view_scan_check(const struct ct_view_request *request, struct ct_error *reterr);

/* view_scan_columns: all columns of a table, or those that were asked for. NULL: out of memory. */
uint32_t *view_scan_columns(const struct ct_view_request *request, uint32_t *ret_count);

#endif
