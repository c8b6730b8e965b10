/* SPDX-License-Identifier: MIT */
/*
 * Events in few bytes, and the SQL views that unfold them.
 *
 * SQLite stores a number in as many bytes as it needs, and 0, 1 and NULL in no bytes. So a row has the difference of
 * its time to the first time of its block, the number of its shape, a coroutine, and the part of its object that is not
 * in the shape.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/flags.h"
#include "export/sqlite_events.h"

/* The number of rows in a block, as a power of two. */
#define BLOCK_SHIFT 11
#define BLOCK_SHIFT_TEXT "11"

/* Objects that many events name (locks, queues) are part of a shape until there are this many shapes. */
#define SHAPES_WITH_OBJECTS 8192u

/* ---------------------------------------------------------------- tables and views */

static const char tables[] =
	"CREATE TABLE packed_rows (row INTEGER PRIMARY KEY, time INTEGER, shape INTEGER, "
	"coroutine INTEGER, value INTEGER, object INTEGER, seq INTEGER);\n"
	"CREATE TABLE packed_times (block INTEGER PRIMARY KEY, time_ns INTEGER);\n"
	"CREATE TABLE packed_shapes (shape INTEGER PRIMARY KEY, kind TEXT, process INTEGER, "
	"thread INTEGER, site INTEGER, argument TEXT, flags INTEGER, is_active INTEGER, "
	"object TEXT);\n"
	"CREATE TABLE packed_frames (process INTEGER, coroutine INTEGER, row INTEGER, "
	"address INTEGER, PRIMARY KEY (process, coroutine, row)) WITHOUT ROWID;\n"
	"CREATE TABLE packed_read (row INTEGER PRIMARY KEY, probe_id INTEGER, address INTEGER);\n";

#define TIME_NS "(packed_times.time_ns + e.time)"
#define TS "(SELECT epoch_monotonic_ns FROM trace) + " TIME_NS
#define ADDRESS "printf('0x%016llx', "
#define FRAME                                                                      \
	"(SELECT address FROM packed_frames AS f WHERE f.process = s.process AND " \
	"f.coroutine = e.coroutine AND f.row <= e.row ORDER BY f.row DESC LIMIT 1)"

/* The SQL expression that restores each column of events from the packed tables. */
static const char *const unfolded[EXPORT_NR_COLUMNS] = {
	[EXPORT_EVENT] = "e.row >> 1",
	[EXPORT_TIME_NS] = TIME_NS,
	[EXPORT_KIND] = "s.kind",
	[EXPORT_PROCESS] = "s.process",
	[EXPORT_THREAD] = "s.thread",
	[EXPORT_COROUTINE] = "e.coroutine",
	[EXPORT_OBJECT] =
		"CASE WHEN e.object IS NULL THEN s.object ELSE printf(s.object, e.object) END",
	[EXPORT_ARGUMENT] = "s.argument",
	[EXPORT_VALUE] = "e.value",
	[EXPORT_FLAGS] = "s.flags",
	[EXPORT_SITE] = "s.site",
	[EXPORT_PROBE_ID] = "CASE WHEN s.is_active IS NOT NULL THEN coalesce(packed_read.probe_id, "
			    "e.coroutine) END",
	[EXPORT_TID] = "threads.tid",
	[EXPORT_ADDR] =
		"CASE WHEN s.is_active IS NOT NULL THEN " ADDRESS
		"coalesce(packed_read.address, CASE s.is_active WHEN 0 THEN " FRAME " END, 0)) END",
	[EXPORT_SEQ] = "e.seq",
	[EXPORT_IS_ACTIVE] = "s.is_active",
	/* A sum that exceeds 64 bits would become a floating-point number. */
	[EXPORT_TS] = "CASE typeof(" TS ") WHEN 'integer' THEN " TS " END",
};

/* SQLite skips a LEFT JOIN if no column of it is used. */
static const char joined[] =
	" FROM packed_rows AS e JOIN packed_shapes AS s USING (shape) "
	"LEFT JOIN packed_times ON packed_times.block = e.row >> " BLOCK_SHIFT_TEXT " "
	"LEFT JOIN packed_read ON packed_read.row = e.row "
	"LEFT JOIN processes ON processes.process = s.process "
	"LEFT JOIN threads ON threads.thread = s.thread "
	"LEFT JOIN sites ON sites.site = s.site";

static void add_view(sqlite3_str *sql, const char *name, bool is_whole)
{
	const char *between = "";
	unsigned i;

	sqlite3_str_appendf(sql, "CREATE VIEW \"%w\" AS SELECT ", name);
	for (i = 0; i < EXPORT_NR_COLUMNS; i++) {
		bool is_own = !*export_columns[i].of;

		if (!is_own && !is_whole)
			continue;
		sqlite3_str_appendf(sql, "%s%s AS %s", between,
			is_own ? unfolded[i] : export_columns[i].of, export_columns[i].name);
		between = ", ";
	}
	/* The second half of a switch exists only for the older keys. */
	sqlite3_str_appendf(sql, "%s%s;\n", joined, is_whole ? " WHERE e.row & 1 = 0" : "");
}

int export_sqlite_events_create(sqlite3 *database, const char *events)
{
	bool is_events = sqlite3_stricmp(events, "events") == 0;
	sqlite3_str *sql = sqlite3_str_new(database);

	sqlite3_str_appendall(sql, tables);
	add_view(sql, "events", true);
	if (!is_events)
		add_view(sql, events, false);
	return export_sqlite_perform(database, sql);
}

/* ---------------------------------------------------------------- shapes */

static uint64_t hash_of(const struct sqlite_shape *shape)
{
	uint64_t words[sizeof(*shape) / sizeof(uint64_t)], sum = 0;
	size_t i;

	memcpy(words, shape, sizeof(words));
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		sum = (sum ^ words[i] ^ sum >> 29) * UINT64_C(0x9e3779b97f4a7c15);
	return sum;
}

static void insert_cell(struct sqlite_insert *insert, const struct export_cell *cell)
{
	if (cell->is_set)
		export_sqlite_insert_number(insert, cell->number);
	else
		export_sqlite_insert_null(insert);
}

static void insert_shape(struct sqlite_events *events, const struct sqlite_shape *shape,
	const struct export_cell *cells)
{
	struct sqlite_insert *insert = &events->shapes;

	export_sqlite_insert_number(insert, (int64_t)events->known.count - 1);
	export_sqlite_insert_text(insert, cells[EXPORT_KIND].text);
	insert_cell(insert, &cells[EXPORT_PROCESS]);
	insert_cell(insert, &cells[EXPORT_THREAD]);
	insert_cell(insert, &cells[EXPORT_SITE]);
	export_sqlite_insert_text(insert, cells[EXPORT_ARGUMENT].text);
	insert_cell(insert, &cells[EXPORT_FLAGS]);
	insert_cell(insert, &cells[EXPORT_IS_ACTIVE]);
	export_sqlite_insert_text(insert, shape->object);
	export_sqlite_insert_row(insert);
}

/* The number of the shape, which is added if it is new; 0: out of memory. */
static uint32_t find_shape(struct sqlite_events *events, const struct sqlite_shape *shape,
	const struct export_cell *cells)
{
	uint64_t key = hash_of(shape);
	uint32_t number;

	for (; map_get(&events->at, key, &number); key++)
		if (memcmp(&events->known.at[number], shape, sizeof(*shape)) == 0)
			return number;
	number = (uint32_t)events->known.count;
	if (!vec_push(&events->known, *shape) || !map_put(&events->at, key, number))
		return 0;
	insert_shape(events, shape, cells);
	return number;
}

/* ---------------------------------------------------------------- objects */

/* Coroutines, and addresses of frames, are each named by few events. */
static bool is_named_often(const char *object)
{
	return strchr(object, ':') && strncmp(object, "coroutine:", 10) != 0 &&
	       strncmp(object, "frame:", 6) != 0;
}

/* The position of the number at the end of the text; NULL: the text does not end in a number. */
static const char *last_number(const char *object, bool *ret_is_hex)
{
	const char *end = object + strlen(object), *at = end;

	while (at > object && strchr("0123456789abcdef", at[-1]))
		at--;
	*ret_is_hex = at - object >= 2 && at[-1] == 'x' && at[-2] == '0' && at < end;
	if (*ret_is_hex)
		return at;
	for (at = end; at > object && strchr("0123456789", at[-1]);)
		at--;
	return at < end ? at : NULL;
}

/* "lock:0x7f00" becomes "lock:0x%llx" and a number. False: the whole text is part of the shape. */
static bool split_object(const char *object, struct sqlite_shape *shape, int64_t *ret_number)
{
	bool is_hex, is_negative;
	const char *at = last_number(object, &is_hex);

	if (!at || (size_t)(at - object) + sizeof("%llx") > sizeof(shape->object)) {
		snprintf(shape->object, sizeof(shape->object), "%s", object);
		return false;
	}
	is_negative = at == object + 1 && *object == '-';
	*ret_number = (int64_t)strtoull(at, NULL, is_hex ? 16 : 10);
	if (is_negative)
		*ret_number = (int64_t) - (uint64_t)*ret_number;
	snprintf(shape->object, sizeof(shape->object), "%.*s%s",
		is_negative ? 0 : (int)(at - object), object,
		is_hex                        ? "%llx"
		: at == object || is_negative ? "%lld"
					      : "%llu");
	return true;
}

/* ---------------------------------------------------------------- rows */

static struct sqlite_shape shape_of(const struct export_rows *rows)
{
	const struct ct_event *event = rows->event;
	const struct export_cell *cells = rows->cells;

	return (struct sqlite_shape){.process = event->process,
		.thread = event->thread,
		.site = event->site,
		.flags = (uint16_t)event_flags_told(event),
		.kind = event->kind,
		.argument = event->argument,
		.is_change = cells[EXPORT_IS_ACTIVE].is_set,
		.is_active = cells[EXPORT_IS_ACTIVE].number != 0};
}

/* The times of a block are differences to the first time in it. */
static void insert_time(struct sqlite_events *events, int64_t row, const struct export_cell *cell)
{
	if (!cell->is_set) {
		export_sqlite_insert_null(&events->rows);
		return;
	}
	if (row >> BLOCK_SHIFT != events->block) {
		events->block = row >> BLOCK_SHIFT;
		events->base = cell->number;
		export_sqlite_insert_number(&events->times, events->block);
		export_sqlite_insert_number(&events->times, events->base);
		export_sqlite_insert_row(&events->times);
	}
	export_sqlite_insert_number(
		&events->rows, (int64_t)((uint64_t)cell->number - (uint64_t)events->base));
}

/*
 * The frame of a coroutine is stored once; other values of a row that was read from JSON lines are stored with the row.
 */
static void insert_change(struct sqlite_events *events, struct export_rows *rows, int64_t row)
{
	const struct ct_row *change = &rows->change;
	uint64_t id = (uint64_t)rows->cells[EXPORT_COROUTINE].number;
	bool is_suspend = !rows->cells[EXPORT_IS_ACTIVE].number;
	struct jsonl_coro *coro = jsonl_coros_find(&rows->coros, rows->event->process, id);

	if (!coro) {
		events->frames.result = SQLITE_NOMEM;
		return;
	}
	if (is_suspend && change->address != coro->written_frame) {
		export_sqlite_insert_number(&events->frames, rows->event->process);
		export_sqlite_insert_number(&events->frames, (int64_t)id);
		export_sqlite_insert_number(&events->frames, row);
		export_sqlite_insert_number(&events->frames, (int64_t)change->address);
		export_sqlite_insert_row(&events->frames);
		coro->written_frame = change->address;
	}
	if (change->probe_id == id && (is_suspend || !change->address))
		return;
	export_sqlite_insert_number(&events->read, row);
	export_sqlite_insert_number(&events->read, (int64_t)change->probe_id);
	export_sqlite_insert_number(&events->read, (int64_t)change->address);
	export_sqlite_insert_row(&events->read);
}

void export_sqlite_events_open(struct sqlite_events *events, sqlite3 *database)
{
	*events = (struct sqlite_events){.block = -1};
	export_sqlite_insert_open(&events->rows, database, "packed_rows", 7);
	export_sqlite_insert_open(&events->shapes, database, "packed_shapes", 9);
	export_sqlite_insert_open(&events->times, database, "packed_times", 2);
	export_sqlite_insert_open(&events->frames, database, "packed_frames", 4);
	export_sqlite_insert_open(&events->read, database, "packed_read", 3);
	if (!vec_push(&events->known, (struct sqlite_shape){0}))
		events->rows.result = SQLITE_NOMEM;
}

void export_sqlite_events_add(
	struct sqlite_events *events, struct export_rows *rows, bool is_second_half)
{
	const struct export_cell *cells = rows->cells, *object = &cells[EXPORT_OBJECT];
	int64_t row = (int64_t)(rows->event->sequence << 1 | is_second_half), number = 0;
	struct sqlite_shape shape = shape_of(rows);
	bool has_number = false;
	uint32_t at;

	if (object->is_set && is_named_often(object->text) &&
		events->known.count < SHAPES_WITH_OBJECTS)
		snprintf(shape.object, sizeof(shape.object), "%s", object->text);
	else if (object->is_set)
		has_number = split_object(object->text, &shape, &number);
	at = find_shape(events, &shape, cells);
	if (!at)
		events->rows.result = SQLITE_NOMEM;
	export_sqlite_insert_number(&events->rows, row);
	insert_time(events, row, &cells[EXPORT_TIME_NS]);
	export_sqlite_insert_number(&events->rows, at);
	insert_cell(&events->rows, &cells[EXPORT_COROUTINE]);
	insert_cell(&events->rows, &cells[EXPORT_VALUE]);
	insert_cell(&events->rows, &(struct export_cell){.is_set = has_number, .number = number});
	insert_cell(&events->rows, &cells[EXPORT_SEQ]);
	export_sqlite_insert_row(&events->rows);
	if (cells[EXPORT_IS_ACTIVE].is_set)
		insert_change(events, rows, row);
}

int export_sqlite_events_close(struct sqlite_events *events)
{
	struct sqlite_insert *all[] = {
		&events->rows, &events->shapes, &events->times, &events->frames, &events->read};
	int result = SQLITE_OK, one;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		one = export_sqlite_insert_close(all[i]);
		result = result == SQLITE_OK ? one : result;
	}
	vec_fini(&events->known);
	map_fini(&events->at);
	return result;
}
