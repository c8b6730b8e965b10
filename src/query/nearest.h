/* SPDX-License-Identifier: MIT */
#ifndef QUERY_NEAREST_H
#define QUERY_NEAREST_H

/*
 * query_nearest: the table's or column's name that SQLite's complaint, "no such table: wait", seems to mean; constant.
 * NULL: none is near, or the complaint is another one.
 */
const char *query_nearest(const char *complaint);

/*
 * query_table_with: the first table that has the column which SQLite's complaint, "no such column: kind", says is not
 * in the tables that were asked; constant. NULL: none has it, or the complaint is another one.
 */
const char *query_table_with(const char *complaint);

#endif
