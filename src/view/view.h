/* SPDX-License-Identifier: MIT */
/*
 * A view of a trace. Its public functions are those of corotracer/view.h, but on a source instead of a trace. The
 * parts, a file each, share the struct below.
 *
 * A view has three shares, each filled once, when something of it is first asked for: rows that the model makes of the
 * events (fold.c), the events themselves (listed.c), and rows of the judgement (told.c). Rows are kept in logs of
 * columns. A lock guards the filling; a filled share does not change.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include <pthread.h>

#include "analyze/analyze.h"
#include "base/arena.h"
#include "base/histogram.h"
#include "base/map.h"
#include "base/text.h"
#include "column/column.h"
#include "corotracer/profile.h"
#include "corotracer/view.h"
#include "stream/pass.h"
#include "stream/stream.h"

/* The texts that cells name by number, each kept once; [0] is "". */
struct view_texts {
	VEC(const char *) all;
	struct map at; /* by hash */
	struct arena arena;
	bool is_broken; /* out of memory: the share cannot be filled */
};

/* A coroutine was in a call that held its thread. */
struct view_call {
	ct_time from;
	ct_time until;
	uint32_t thread;
	uint32_t site;
	int64_t name; /* a text */
};

enum view_share {
	VIEW_FOLDED, /* by the model: states and all that has ended */
	VIEW_TOLD,   /* by the judgement, and the trace's own tables */
	VIEW_LISTED, /* each event as it is */
	VIEW_NR_SHARES,
};

struct ct_view {
	struct ct_source *source; /* read only with `reading` held */
	const struct ct_tables *tables;
	const struct analyze_live *live;        /* NULL: no process was looked at */
	const struct ct_thresholds *thresholds; /* NULL: all defaults */
	/* Selects the rows that scans return; lent by a user that has the view for itself. NULL: all rows. */
	struct pass *pass;
	pthread_mutex_t reading; /* held while the source is read, for seconds */
	pthread_mutex_t lock;    /* guards is_filled */
	bool is_filled[VIEW_NR_SHARES];
	struct column_log logs[CT_VIEW_NR_TABLES]; /* a PART has none */
	/* the time of each event, FOLDED: overviews count events without listing them */
	struct column_log moments;
	struct column_room rooms[VIEW_NR_SHARES];
	struct view_texts texts[VIEW_NR_SHARES];
	/* calls of coroutines with their threads, FOLDED: a part of a run, which lanes show (lane_calls.c) */
	VEC(struct view_call) calls;
	const struct ct_report *report;
	uint64_t nr_without_room;
};

/*
 * view_open: opens a view of a source that can be read more than once. The source and `live`, which may be NULL, are
 * borrowed until view_close, which does not close the source. NULL: out of memory.
 */
struct ct_view *view_open(struct ct_source *source, const struct analyze_live *live,
	const struct ct_thresholds *thresholds);
void view_close(struct ct_view *view);

/* view_profile: calls profile_write for the view's source. */
enum ct_status view_profile(struct ct_view *view, const struct ct_profile_options *options,
	struct text *text, struct ct_error *reterr);

/* view_fill: fills the share that a table belongs to. */
enum ct_status view_fill(struct ct_view *view, enum ct_view_table table, struct ct_error *reterr);

/* ---------------------------------------------------------------- tables.c */

/* How a table is stored. A PART is stored in another table's log. */
struct view_table {
	struct ct_view_description description;
	enum ct_view_table log;
	enum view_share share; /* of the log */
	bool is_part;
	uint32_t part_column; /* a PART's rows are those with this number in this column */
	int64_t part_number;
};

extern const struct view_table view_tables[CT_VIEW_NR_TABLES];

/* ---------------------------------------------------------------- texts.c */

/*
 * view_texts_init: makes a list with only "". False: out of memory. view_texts_fini: frees it; a zeroed one is
 * allowed. Many texts belong to the report, and become invalid when that is freed.
 */
bool view_texts_init(struct view_texts *texts);
void view_texts_fini(struct view_texts *texts);

/*
 * The shares have separate texts, so that one can be filled while another is read; a text's number says which share
 * has it. view_text: returns the number of a text that outlives the view; view_text_copy: copies a text that does
 * not; view_text_take: takes the text over. Running out of memory is noted in is_broken. view_text_find: finds an
 * existing text; false: there is none.
 */
int64_t view_text(struct ct_view *view, enum view_share share, const char *text);
int64_t view_text_copy(
	struct ct_view *view, enum view_share share, const char *text, size_t nr_bytes);
int64_t view_text_take(struct ct_view *view, enum view_share share, struct text *text);
bool view_text_find(
	const struct ct_view *view, enum view_share share, const char *text, int64_t *ret_number);

/* ---------------------------------------------------------------- fold.c, listed.c, told.c */

/*
 * view_fold: reads the source, and fills the logs of what the model makes of it. view_list: reads it, and fills the log
 * of events. view_tell: judges it, and fills the others.
 */
enum ct_status view_fold(struct ct_view *view, struct ct_error *reterr);
enum ct_status view_list(struct ct_view *view, struct ct_error *reterr);
enum ct_status view_tell(struct ct_view *view, struct ct_error *reterr);

/* ---------------------------------------------------------------- words.c */

/* view_say: implements ct_view_say. */
void view_say(struct text *text, const struct ct_view *view, enum ct_view_type type, int64_t number,
	unsigned kind);

/*
 * view_spell: writes a cell as queries and databases have it. A handle is written like the object of an event
 * ("lock:0x7f00"), so that the two can be compared.
 */
void view_spell(struct text *text, const struct ct_view *view, enum ct_view_type type,
	int64_t number, unsigned kind);

/* ---------------------------------------------------------------- scan.c */

/* view_meets: does a cell meet a comparison with a number? MATCHES is not evaluated: any cell with a value meets it. */
bool view_meets(
	enum ct_view_compare compare, int64_t wanted, enum ct_view_type type, int64_t number);

/* view_rows_new: makes room for rows of these types; the caller frees it by ct_view_rows_free. NULL: out of memory. */
struct ct_view_rows *view_rows_new(
	const enum ct_view_type *types, uint32_t nr_columns, uint64_t nr_rows);

/* view_rows_column: returns a column to be filled. */
static inline int64_t *view_rows_column(const struct ct_view_rows *rows, uint32_t column)
{
	return (int64_t *)(uintptr_t)rows->columns[column];
}

#endif
