/* SPDX-License-Identifier: MIT */
/*
 * Scans as the parts of src/view use them: with the position of each row in its log. Private to src/view.
 */
#ifndef VIEW_SCAN_H
#define VIEW_SCAN_H

#include "base/map.h"
#include "view/selected.h"
#include "view/view.h"

/* A term prepared for comparison with numbers. */
struct scan_term {
	uint32_t column;
	enum ct_view_type type;
	enum ct_view_compare compare;
	int64_t number;
	const char *pattern;
	struct map matches; /* of a pattern: earlier answers */
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
	uint64_t first; /* number of the chunk's first row */
	struct ct_view_rows *rows;
	/* of the present chunk; NULL: the column is not asked for */
	int64_t *values[COLUMN_MOST];
	bool is_read[COLUMN_MOST];
	uint64_t numbers[COLUMN_ROWS]; /* of the rows that were returned */
	uint16_t places[COLUMN_ROWS];  /* in the chunk, of the rows that are left */
	bool is_broken;                /* out of memory */
	int unread_errno; /* why rows could not be read back from a file; 0: no failure */
};

/* What is done with some rows, at least one; a status other than CT_OK ends the scan. */
typedef enum ct_status view_scan_take(
	void *context, const struct ct_view_rows *rows, struct ct_error *reterr);

/* view_scan_each: passes all rows of a request on, in their order. Returns the first status that is not CT_OK. */
enum ct_status view_scan_each(struct ct_view *view, const struct ct_view_request *request,
	view_scan_take *take, void *context, struct ct_error *reterr);

/* view_scan_fail_unread: fails because rows could not be read back from their file; `number` is the errno. */
enum ct_status view_scan_fail_unread(int number, struct ct_error *reterr);

/* view_scan_check: checks the table and columns of a request. CT_ERR_USAGE: one of them does not exist. */
enum ct_status view_scan_check(const struct ct_view_request *request, struct ct_error *reterr);

/* view_scan_columns: returns the columns that were asked for, by default all of the table. NULL: out of memory. */
uint32_t *view_scan_columns(const struct ct_view_request *request, uint32_t *ret_count);

#endif
