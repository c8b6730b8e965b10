/* SPDX-License-Identifier: MIT */
#ifndef QUERY_NEAREST_H
#define QUERY_NEAREST_H

/*
 * query_nearest: finds the table's or column's name that a misspelt name in SQLite's message, such as "no such table:
 * wait", probably means. The result is a constant. NULL: no name is near, or the message is another one.
 */
const char *query_nearest(const char *complaint);

/*
 * query_table_with: finds the first table that has the column of SQLite's message, such as "no such column: kind". The
 * result is a constant. NULL: no table has the column, or the message is another one.
 */
const char *query_table_with(const char *complaint);

#endif
