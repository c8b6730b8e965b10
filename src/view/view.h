/* SPDX-License-Identifier: MIT */
/*
 * A view of a trace: its public functions are those of corotracer/view.h, with a source in place of a trace. The
 * parts, a file each, share the struct below.
 *
 * A view has two halves, filled once each when something of them is asked for first: what one reading of the events
 * folds into rows (fold.c), and what the judgement says (told.c). Rows lie in logs of columns. Filling is guarded by a
 * lock; what is filled does not change.
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

/* Texts that cells name by number, each once; [0] is "". */
struct view_texts {
	VEC(const char *) all;
	struct map at; /* by hash */
	struct arena arena;
	bool is_broken; /* out of memory: the half cannot be filled */
};

enum view_half {
	VIEW_FOLDED,
	VIEW_TOLD,
	VIEW_NR_HALVES,
};

struct ct_view {
	struct ct_source *source; /* read under `reading` */
	const struct ct_tables *tables;
	const struct analyze_live *live;        /* NULL: no process was looked at */
	const struct ct_thresholds *thresholds; /* NULL: all defaults */
	/* The rows that scans hand out, and how far they are: lent by one who reads the view alone. NULL: all rows. */
	struct pass *pass;
	pthread_mutex_t reading; /* held while the source is, for seconds */
	pthread_mutex_t lock;    /* of is_filled */
	bool is_filled[VIEW_NR_HALVES];
	struct column_log logs[CT_VIEW_NR_TABLES]; /* a PART has none */
	struct column_room rooms[VIEW_NR_HALVES];
	struct view_texts texts[VIEW_NR_HALVES];
	const struct ct_report *report;
	uint64_t nr_without_room;
};

/*
 * view_open: of a source that can be read again; both the source and `live`, which may be NULL, are lent until
 * view_close, which does not close the source. NULL: out of memory.
 */
struct ct_view *view_open(struct ct_source *source, const struct analyze_live *live,
	const struct ct_thresholds *thresholds);
void view_close(struct ct_view *view);

/* view_profile: profile_write of the view's source. */
enum ct_status view_profile(struct ct_view *view, const struct ct_profile_options *options,
	struct text *text, struct ct_error *reterr);

/* view_fill: fills the half that a table belongs to. */
enum ct_status view_fill(struct ct_view *view, enum ct_view_table table, struct ct_error *reterr);

/* ---------------------------------------------------------------- tables.c */

/* A table as it lies: a PART lies in another table's log. */
struct view_table {
	struct ct_view_description description;
	enum ct_view_table log;
	enum view_half half; /* of the log */
	bool is_part;
	uint32_t part_column; /* a PART's rows are those with this number in this column */
	int64_t part_number;
};

extern const struct view_table view_tables[CT_VIEW_NR_TABLES];

/* ---------------------------------------------------------------- texts.c */

/*
 * view_texts_init: no text but "". False: out of memory. view_texts_fini: also of zeroed ones. Many texts are the
 * report's: once it is freed they are not there either.
 */
bool view_texts_init(struct view_texts *texts);
void view_texts_fini(struct view_texts *texts);

/*
 * The halves have texts of their own, so that one can be filled while the other is read; a text's number says whose it
 * is. view_text: the number of a text that outlives the view; view_text_copy: of one that does not; view_text_take:
 * of one that is given up with that. Out of memory is kept. view_text_find: of one that is there; false: it is not.
 */
int64_t view_text(struct ct_view *view, enum view_half half, const char *text);
int64_t view_text_copy(
	struct ct_view *view, enum view_half half, const char *text, size_t nr_bytes);
int64_t view_text_take(struct ct_view *view, enum view_half half, struct text *text);
bool view_text_find(
	const struct ct_view *view, enum view_half half, const char *text, int64_t *ret_number);

/* ---------------------------------------------------------------- fold.c, told.c */

/* view_fold: reads the source, and fills the logs of what happened. view_tell: judges it, and fills the others. */
enum ct_status view_fold(struct ct_view *view, struct ct_error *reterr);
enum ct_status view_tell(struct ct_view *view, struct ct_error *reterr);

/* ---------------------------------------------------------------- words.c */

/* view_say: see ct_view_say. */
void view_say(struct text *text, const struct ct_view *view, enum ct_view_type type, int64_t number,
	unsigned kind);

/*
 * view_spell: the same as a query and every database has it. A handle is spelled as the object of an event is
 * ("lock:0x7f00"), so that both can be compared.
 */
void view_spell(struct text *text, const struct ct_view *view, enum ct_view_type type,
	int64_t number, unsigned kind);

/* ---------------------------------------------------------------- scan.c */

/* view_meets: does a cell meet a comparison with a number? Whether it MATCHES is not looked at: it holds something. */
bool view_meets(
	enum ct_view_compare compare, int64_t wanted, enum ct_view_type type, int64_t number);

/* view_rows_new: room for rows of these types; freed by ct_view_rows_free. NULL: out of memory. */
struct ct_view_rows *view_rows_new(
	const enum ct_view_type *types, uint32_t nr_columns, uint64_t nr_rows);

/* view_rows_column: to be filled. */
static inline int64_t *view_rows_column(const struct ct_view_rows *rows, uint32_t column)
{
	return (int64_t *)(uintptr_t)rows->columns[column];
}

#endif
