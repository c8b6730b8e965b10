/* SPDX-License-Identifier: MIT */
/*
 * Rows of a view by column. Most cells with words have occurred before in the same batch: a map finds their word by the
 * cell's number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "export/batch.h"
#include "corotracer/version.h"
#include "event/kind_words.h"

#define NO_WORD INTERNING_NONE
#define HASH_STEP UINT64_C(0x9e3779b97f4a7c15) /* odd, so that probing reaches every slot */

/* ---------------------------------------------------------------- words */

static uint32_t say_cell(
	struct batch *batch, struct batch_column *column, int64_t number, unsigned kind)
{
	uint32_t word;

	text_clear(&batch->cell);
	text_clear(&batch->clean);
	view_spell(&batch->cell, batch->view, column->of, number, kind);
	text_utf8(&batch->clean, text_peek(&batch->cell));
	batch->is_broken |= batch->cell.is_broken || batch->clean.is_broken;
	if (batch->is_broken || !batch->clean.length)
		return NO_WORD;
	word = interning_number(
		&column->words.texts, text_peek(&batch->clean), batch->clean.length);
	batch->is_broken |= word == INTERNING_NONE;
	return word;
}

/* The meaning of an object or argument depends on the event's kind. */
static uint32_t word_of(
	struct batch *batch, struct batch_column *column, int64_t number, unsigned kind)
{
	struct batch_words *words = &column->words;
	struct batch_cell cell = {.number = number};
	uint64_t key;
	uint32_t at;

	if (column->of == CT_VIEW_TYPE_OBJECT || column->of == CT_VIEW_TYPE_ARGUMENT)
		cell.kind = kind;
	key = (uint64_t)number + cell.kind * HASH_STEP;
	while (map_get(&words->by_cell, key, &at)) {
		if (words->cells.at[at].number == number && words->cells.at[at].kind == cell.kind)
			return words->cells.at[at].word;
		key += HASH_STEP;
	}
	cell.word = say_cell(batch, column, number, kind);
	if (!vec_push(&words->cells, cell) ||
		!map_put(&words->by_cell, key, (uint32_t)words->cells.count - 1))
		batch->is_broken = true;
	return cell.word;
}

static void clear_words(struct batch_words *words)
{
	interning_clear(&words->texts);
	words->cells.count = 0;
	map_fini(&words->by_cell);
}

static void fini_words(struct batch_words *words)
{
	clear_words(words);
	interning_fini(&words->texts);
	vec_fini(&words->cells);
}

/* ---------------------------------------------------------------- columns */

enum batch_type batch_type_of(enum ct_view_type type)
{
	switch (type) {
	case CT_VIEW_TYPE_BOOLEAN:
		return BATCH_BOOLEAN;
	case CT_VIEW_TYPE_COROUTINE:
	case CT_VIEW_TYPE_TASK:
		return BATCH_UNSIGNED;
	case CT_VIEW_TYPE_PROCESS:
	case CT_VIEW_TYPE_THREAD:
	case CT_VIEW_TYPE_SITE:
		return BATCH_ROW;
	case CT_VIEW_TYPE_NUMBER:
	case CT_VIEW_TYPE_TIME:
	case CT_VIEW_TYPE_NANOSECONDS:
	case CT_VIEW_TYPE_EVENT:
	case CT_VIEW_TYPE_REFERENCE:
		return BATCH_NUMBER;
	default:
		return BATCH_TEXT;
	}
}

/* An event has a value only if its kind has no coroutine. */
static bool is_value(const struct batch *batch, uint32_t from)
{
	return batch->table == CT_VIEW_EVENTS && from == CT_VIEW_EVENTS_VALUE;
}

static struct batch_column *add_column(struct batch *batch, uint32_t from, enum batch_type type)
{
	const struct ct_view_column *of = &ct_view_describe(batch->table)->columns[from];
	struct batch_column *column = &batch->columns[batch->nr_columns++];

	snprintf(column->name, sizeof(column->name), "%s", of->name);
	column->type = type;
	column->of = of->type;
	column->from = from;
	column->is_nullable = type == BATCH_TEXT || is_value(batch, from) ||
			      ct_view_none(of->type) != CT_VIEW_NOTHING;
	return column;
}

/* "from_ns" is followed by "from_at". */
static void add_moment(struct batch *batch, uint32_t from)
{
	struct batch_column *column = add_column(batch, from, BATCH_MOMENT);
	size_t length = strlen(column->name);

	if (length > 3 && strcmp(column->name + length - 3, "_ns") == 0)
		length -= 3;
	snprintf(column->name + length, sizeof(column->name) - length, "_at");
}

static void add_columns(struct batch *batch)
{
	const struct ct_view_description *of = ct_view_describe(batch->table);
	uint32_t i;

	for (i = 0; i < of->nr_columns; i++) {
		add_column(batch, i, batch_type_of(of->columns[i].type));
		if (batch->has_moments && of->columns[i].type == CT_VIEW_TYPE_TIME)
			add_moment(batch, i);
	}
}

/* ---------------------------------------------------------------- cells */

static void put_null(struct batch *batch, struct batch_column *column, uint32_t row)
{
	(void)batch;
	column->values[row] = 0;
	column->nr_nulls++;
}

static void put_value(struct batch_column *column, uint32_t row, int64_t value)
{
	column->values[row] = value;
	column->is_set[row / 64] |= UINT64_C(1) << row % 64;
}

static void put_moment(struct batch *batch, struct batch_column *column, uint32_t row, int64_t time)
{
	int64_t epoch = ct_view_tables(batch->view)->epoch_realtime_ns, moment;

	if (!epoch || __builtin_add_overflow(time, epoch, &moment))
		put_null(batch, column, row);
	else
		put_value(column, row, moment);
}

static void put_word(struct batch *batch, struct batch_column *column, uint32_t row, int64_t number,
	unsigned kind)
{
	uint32_t word = word_of(batch, column, number, kind);

	if (word == NO_WORD)
		put_null(batch, column, row);
	else
		put_value(column, row, word);
}

static void put_cell(struct batch *batch, struct batch_column *column, uint32_t row, int64_t number,
	unsigned kind)
{
	if (ct_view_is_nothing(column->of, number) ||
		(is_value(batch, column->from) && kind_has_coro(kind)))
		put_null(batch, column, row);
	else if (column->type == BATCH_MOMENT)
		put_moment(batch, column, row, number);
	else if (column->type == BATCH_TEXT)
		put_word(batch, column, row, number, kind);
	else if (column->type == BATCH_ROW && (number < 0 || number > INT32_MAX))
		put_null(batch, column, row);
	else
		put_value(column, row, number);
}

/* Makes room for as many rows as the table has, up to a whole batch. False: out of memory. */
static bool make_room_in(struct batch_column *column, uint32_t nr_before, uint32_t nr_rows)
{
	int64_t *values = realloc(column->values, nr_rows * sizeof(*values));
	uint64_t *is_set;

	if (!values)
		return false;
	column->values = values;
	is_set = realloc(column->is_set, nr_rows / 64 * sizeof(*is_set));
	if (!is_set)
		return false;
	memset(is_set + nr_before / 64, 0, (nr_rows - nr_before) / 8);
	column->is_set = is_set;
	return true;
}

static bool make_room(struct batch *batch, uint32_t nr_rows)
{
	uint32_t wanted = batch->nr_room ? batch->nr_room : 64, k;

	while (wanted < nr_rows)
		wanted *= 2;
	if (wanted == batch->nr_room)
		return true;
	for (k = 0; k < batch->nr_columns; k++)
		if (!make_room_in(&batch->columns[k], batch->nr_room, wanted))
			return false;
	batch->nr_room = wanted;
	return true;
}

static void put_rows(struct batch *batch, const struct ct_view_rows *rows)
{
	const int64_t *kinds =
		batch->table == CT_VIEW_EVENTS ? rows->columns[CT_VIEW_EVENTS_KIND] : NULL;
	uint32_t k, i;

	batch->is_broken |= !make_room(batch, batch->nr_rows + (uint32_t)rows->nr_rows);
	for (k = 0; !batch->is_broken && k < batch->nr_columns; k++) {
		struct batch_column *column = &batch->columns[k];
		const int64_t *numbers = rows->columns[column->from];

		for (i = 0; i < rows->nr_rows; i++)
			put_cell(batch, column, batch->nr_rows + i, numbers[i],
				kinds ? (unsigned)kinds[i] : 0);
	}
	batch->nr_rows += (uint32_t)rows->nr_rows;
}

/* ---------------------------------------------------------------- batches */

static void clear(struct batch *batch)
{
	uint32_t k;

	batch->nr_rows = 0;
	for (k = 0; k < batch->nr_columns; k++) {
		struct batch_column *column = &batch->columns[k];

		if (column->is_set)
			memset(column->is_set, 0, batch->nr_room / 8);
		column->nr_nulls = 0;
		clear_words(&column->words);
	}
}

static bool has_room(const struct batch *batch)
{
	size_t nr_bytes = 0;
	uint32_t k;

	for (k = 0; k < batch->nr_columns; k++)
		nr_bytes += batch->columns[k].words.texts.bytes.length;
	return batch->nr_rows + COLUMN_ROWS <= BATCH_ROWS && nr_bytes < BATCH_WORD_BYTES;
}

/* Replaces the rows of the batch by the next ones; CT_END: there are no further rows. */
static enum ct_status next_rows(struct batch *batch, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	enum ct_status status = CT_OK;

	clear(batch);
	while (status == CT_OK && !batch->is_broken && has_room(batch)) {
		status = ct_view_scan_next(batch->scan, &rows, reterr);
		if (status == CT_OK)
			put_rows(batch, rows);
	}
	if (batch->is_broken)
		return ct_fail_memory(reterr);
	if (status < 0)
		return status;
	return batch->nr_rows ? CT_OK : CT_END;
}

static enum ct_status open_batch(struct batch *batch, struct ct_view *view,
	enum ct_view_table table, bool has_moments, struct ct_error *reterr)
{
	const struct ct_view_request request = {.size = sizeof(request), .table = table};

	*batch = (struct batch){.view = view, .table = table, .has_moments = has_moments};
	batch->columns = calloc(BATCH_COLUMNS, sizeof(*batch->columns));
	if (!batch->columns)
		return ct_fail_memory(reterr);
	add_columns(batch);
	if (batch->is_broken)
		return ct_fail_memory(reterr);
	return ct_view_scan_open(view, &request, &batch->scan, reterr);
}

/* Must also be called after a failure. */
static void close_batch(struct batch *batch)
{
	uint32_t k;

	ct_view_scan_close(batch->scan);
	for (k = 0; k < batch->nr_columns; k++) {
		free(batch->columns[k].is_set);
		free(batch->columns[k].values);
		fini_words(&batch->columns[k].words);
	}
	free(batch->columns);
	text_fini(&batch->cell);
	text_fini(&batch->clean);
}

/* ---------------------------------------------------------------- names */

const char *const batch_key_names[BATCH_NR_KEYS] = {
	[BATCH_KEY_TABLE] = "corotracer.table",
	[BATCH_KEY_RUN] = "corotracer.run",
	[BATCH_KEY_HOST] = "corotracer.host",
	[BATCH_KEY_VERSION] = "corotracer.version",
};

static void say_key(struct batch_keys *keys, enum batch_key key, const char *value)
{
	struct text clean = {0};
	size_t length;

	text_utf8(&clean, value);
	length = clean.length < BATCH_KEY_BYTES ? clean.length : BATCH_KEY_BYTES - 1;
	/* Do not cut within a character. */
	while (length < clean.length && length && ((unsigned char)clean.at[length] & 0xc0) == 0x80)
		length--;
	memcpy(keys->values[key], text_peek(&clean), length);
	text_fini(&clean);
}

void batch_keys_of(const struct batch *batch, struct batch_keys *ret_keys)
{
	const struct ct_tables *tables = ct_view_tables(batch->view);
	char *run = ret_keys->values[BATCH_KEY_RUN];
	size_t i;

	*ret_keys = (struct batch_keys){0};
	say_key(ret_keys, BATCH_KEY_TABLE, ct_view_describe(batch->table)->name);
	say_key(ret_keys, BATCH_KEY_HOST, tables->host);
	say_key(ret_keys, BATCH_KEY_VERSION, CT_VERSION_TEXT);
	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
}

/* ---------------------------------------------------------------- choices */

static enum ct_status fail_name(const char *name, struct ct_error *reterr)
{
	struct text names = {0};
	enum ct_status status;
	unsigned i;

	for (i = 0; i < CT_VIEW_NR_TABLES; i++)
		text_format(&names, "%s%s", i ? ", " : "",
			ct_view_describe((enum ct_view_table)i)->name);
	status = ct_fail(
		reterr, CT_ERR_USAGE, "there is no table '%s', but %s", name, text_peek(&names));
	text_fini(&names);
	return status;
}

enum ct_status batch_choose(
	const char *const *names, struct batch_choice *ret_choice, struct ct_error *reterr)
{
	bool is_all = !names || !*names;
	enum ct_view_table table;

	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		ret_choice->has[table] = is_all && !view_tables[table].is_part;
	for (; !is_all && *names; names++) {
		table = ct_view_find_table(*names);
		if (table >= CT_VIEW_NR_TABLES)
			return fail_name(*names, reterr);
		ret_choice->has[table] = true;
	}
	return CT_OK;
}

enum ct_status batch_choose_for_database(
	const char *const *names, struct batch_choice *ret_choice, struct ct_error *reterr)
{
	static const enum ct_view_table referred[] = {
		CT_VIEW_TRACE, CT_VIEW_PROCESSES, CT_VIEW_THREADS, CT_VIEW_SITES};
	enum ct_status status = batch_choose(names, ret_choice, reterr);
	enum ct_view_table table;
	size_t i;

	for (table = 0; table < CT_VIEW_NR_TABLES; table++) {
		if (!view_tables[table].is_part || !ret_choice->has[table])
			continue;
		ret_choice->has[table] = false;
		ret_choice->has[view_tables[table].log] = true;
	}
	for (i = 0; i < sizeof(referred) / sizeof(referred[0]); i++)
		ret_choice->has[referred[i]] = true;
	return status;
}

enum ct_status batch_only_name(
	const char *const *names, const char **ret_name, struct ct_error *reterr)
{
	*ret_name = names && *names ? *names : ct_view_describe(CT_VIEW_EVENTS)->name;
	if (!names || !*names || !names[1])
		return CT_OK;
	return ct_fail(reterr, CT_ERR_USAGE,
		"this form has one table: '%s' and '%s' need an export each", names[0], names[1]);
}

/* ---------------------------------------------------------------- tables */

static enum ct_status write_rows(struct batch *batch, const struct batch_writer *writer,
	void *context, struct ct_error *reterr)
{
	enum ct_status status = writer->begin(context, batch, reterr);

	if (status)
		return status == CT_END ? CT_OK : status;
	while (status == CT_OK) {
		status = next_rows(batch, reterr);
		if (status == CT_OK)
			status = writer->rows(context, batch, reterr);
	}
	return writer->end(context, batch, status == CT_END ? CT_OK : status, reterr);
}

static enum ct_status write_table(struct ct_view *view, enum ct_view_table table,
	const struct batch_writer *writer, void *context, struct ct_error *reterr)
{
	struct batch batch;
	enum ct_status status = open_batch(&batch, view, table, writer->has_moments, reterr);

	if (status == CT_OK)
		status = write_rows(&batch, writer, context, reterr);
	close_batch(&batch);
	return status;
}

enum ct_status batch_write(struct ct_view *view, const struct batch_choice *choice,
	const struct batch_writer *writer, void *context, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	enum ct_view_table table;

	for (table = 0; status == CT_OK && table < CT_VIEW_NR_TABLES; table++)
		if (choice->has[table])
			status = write_table(view, table, writer, context, reterr);
	return status;
}
