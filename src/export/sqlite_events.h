/* SPDX-License-Identifier: MIT */
/*
 * The events of an exported database, in few bytes each. What many events share (kind, thread, place ...) is a row of
 * `packed_shapes`; times are told from the beginning of a block of rows; views give back every column of columns.def.
 */
#ifndef EXPORT_SQLITE_EVENTS_H
#define EXPORT_SQLITE_EVENTS_H

#include "base/map.h"
#include "base/vec.h"
#include "export/rows.h"
#include "export/sqlite_insert.h"

/* What is alike in many events. All bytes are compared: those that nothing is in are 0. */
#define SQLITE_OBJECT_BYTES 48
struct sqlite_shape {
	uint32_t process;
	uint32_t thread;
	uint32_t site;
	uint16_t flags;
	uint8_t kind;
	uint8_t argument;
	uint8_t is_change; /* a suspend or resume, as is_active says */
	uint8_t is_active;
	uint8_t unused[6];
	char object[SQLITE_OBJECT_BYTES]; /* as printf has it, with one number or none */
};

struct sqlite_events {
	struct sqlite_insert rows;
	struct sqlite_insert shapes;
	struct sqlite_insert times;
	struct sqlite_insert frames;
	struct sqlite_insert read;
	VEC(struct sqlite_shape) known; /* [0] is none */
	struct map at;                  /* by hash */
	int64_t block;                  /* whose times are told from `base`; -1: none yet */
	ct_time base;
};

/*
 * export_sqlite_events_create: the tables, empty, and the views: `events` with all columns, one by the name that is
 * given, without those that the tables beside it have. Returns SQLite's result.
 */
int export_sqlite_events_create(sqlite3 *database, const char *events);

/*
 * export_sqlite_events_open: for rows from the first one on. export_sqlite_events_add: the row at hand, and whether it
 * is the second half of a switch; what fails is kept. export_sqlite_events_close: SQLITE_OK, or the first failure.
 */
void export_sqlite_events_open(struct sqlite_events *events, sqlite3 *database);
void export_sqlite_events_add(
	struct sqlite_events *events, struct export_rows *rows, bool is_second_half);
int export_sqlite_events_close(struct sqlite_events *events);

#endif
