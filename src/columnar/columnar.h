/* SPDX-License-Identifier: MIT */
/*
 * A view's tables as columns, for data frames and analytical databases: Apache Parquet, Apache Arrow.
 *
 * A table has the columns of the view's (view.def), with these types: ids of coroutines and tasks are unsigned, rows
 * of processes, threads and sites have 32 bits, other numbers 64, words are texts; what a cell does not hold is null.
 * Behind each time NAME_ns stands NAME_at, the same as a point in time by the traced machine's clock: null where the
 * trace does not tell that.
 */
#ifndef COLUMNAR_COLUMNAR_H
#define COLUMNAR_COLUMNAR_H

#include "view/view.h"

/*
 * columnar_parquet: a folder with a file for each table but waits, runs and delays, which are parts of states; with
 * `table`, which may be one of these, for that one alone. The folder appears whole or not at all. CT_ERR_USAGE: there
 * is no such table, or the path is "-", or something has that name already.
 *
 * columnar_arrow: one table (NULL: events) in the streaming format; "-" is standard output. A file appears whole or
 * not at all. CT_ERR_USAGE: there is no such table.
 *
 * What either needs of memory beside the view's does not depend on how long the trace is.
 */
enum ct_status columnar_parquet(
	struct ct_view *view, const char *table, const char *path, struct ct_error *reterr);
enum ct_status columnar_arrow(
	struct ct_view *view, const char *table, const char *path, struct ct_error *reterr);

#endif
