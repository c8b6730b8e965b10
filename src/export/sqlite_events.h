/* SPDX-License-Identifier: MIT */
/*
 * The events of an exported database, in few bytes each. Values that many events share (kind, thread, place ...) form a
 * row of `packed_shapes`; times are differences within a block of rows; SQL views restore every column of columns.def.
 */
#ifndef EXPORT_SQLITE_EVENTS_H
#define EXPORT_SQLITE_EVENTS_H

#include "base/map.h"
#include "base/vec.h"
#include "export/rows.h"
#include "export/sqlite_insert.h"

/* The values that many events share. Shapes are compared byte by byte, so unused bytes must be 0. */
#define SQLITE_OBJECT_BYTES 48
struct sqlite_shape {
	uint32_t process;
	uint32_t thread;
	uint32_t site;
	uint16_t flags;
	uint8_t kind;
	uint8_t argument;
	uint8_t is_change; /* the event is a suspend or resume; is_active says which */
	uint8_t is_active;
	uint8_t unused[6];
	char object[SQLITE_OBJECT_BYTES]; /* a format for printf, with one number or none */
};

struct sqlite_events {
	struct sqlite_insert rows;
	struct sqlite_insert shapes;
	struct sqlite_insert times;
	struct sqlite_insert frames;
	struct sqlite_insert read;
	VEC(struct sqlite_shape) known; /* [0] is unused */
	struct map at;                  /* by hash */
	/* times of this block are differences to `base`; -1: none yet */
	int64_t block;
	ct_time base;
};

/*
 * export_sqlite_events_create: creates the tables, empty, and two SQL views: `events` with all columns, and one with
 * the name that is given, without the columns that other tables have. Returns SQLite's result.
 */
int export_sqlite_events_create(sqlite3 *database, const char *events);

/*
 * export_sqlite_events_open: begins with the first row. export_sqlite_events_add: adds the present row;
 * `is_second_half`: of a switch. A failure is kept until close. export_sqlite_events_close: returns SQLITE_OK, or the
 * first failure.
 */
void export_sqlite_events_open(struct sqlite_events *events, sqlite3 *database);
void export_sqlite_events_add(
	struct sqlite_events *events, struct export_rows *rows, bool is_second_half);
int export_sqlite_events_close(struct sqlite_events *events);

#endif
