/* SPDX-License-Identifier: MIT */
/*
 * Results as a stream of Arrow: cells are kept column by column, and written in batches.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arrow.h"
#include "base/failure.h"
#include "query/write.h"

#define BATCH_ROWS 65536u
/* a batch with this many bytes of text gets no further rows: the ends of texts have 32 bits */
#define BATCH_BYTES (64u << 20)

/* One column of the rows that are kept. */
struct column {
	enum ct_query_type type; /* CT_QUERY_NULL: all cells so far are NULL */
	uint8_t *is_set;         /* a bit for each row */
	uint64_t *values; /* a number, the bits of a double, or where a text ends in `bytes` */
	struct text bytes;
	uint32_t nr_nulls;
};

struct query_columns {
	struct column *columns;
	uint32_t nr_rows;
	uint64_t nr_bytes;
	bool has_schema; /* the types are written, and do not change any more */
};

/* ---------------------------------------------------------------- messages */

/* A column that has only NULL is a column of texts. */
static enum arrow_type arrow_type_of(enum ct_query_type type)
{
	switch (type) {
	case CT_QUERY_INTEGER:
		return ARROW_INT64;
	case CT_QUERY_REAL:
		return ARROW_DOUBLE;
	case CT_QUERY_BYTES:
		return ARROW_BYTES;
	default:
		return ARROW_TEXT;
	}
}

static bool is_number(enum ct_query_type type)
{
	return type == CT_QUERY_INTEGER || type == CT_QUERY_REAL;
}

static void say_schema(struct query_writing *writing)
{
	struct query_columns *columns = writing->columns;
	struct arrow_field *fields = calloc(writing->nr_columns + 1u, sizeof(*fields));
	uint32_t i;

	columns->has_schema = true;
	writing->text.is_broken |= !fields;
	for (i = 0; fields && i < writing->nr_columns; i++) {
		struct column *column = &columns->columns[i];

		if (column->type == CT_QUERY_NULL)
			column->type = CT_QUERY_TEXT;
		fields[i] = (struct arrow_field){
			ct_query_column(writing->query, i), arrow_type_of(column->type), true};
	}
	if (fields)
		arrow_say_schema(&writing->text,
			&(struct arrow_schema){.fields = fields, .nr_fields = writing->nr_columns});
	free(fields);
}

static struct arrow_lengths lengths_of(const struct column *column, uint32_t nr_rows)
{
	struct arrow_lengths lengths = {.nr_rows = nr_rows,
		.nr_nulls = column->nr_nulls,
		.nr_bytes = {(nr_rows + 7) / 8, 8 * (uint64_t)nr_rows},
		.nr_buffers = 2};

	if (!is_number(column->type)) {
		lengths.nr_bytes[1] = 4 * ((uint64_t)nr_rows + 1);
		lengths.nr_bytes[2] = column->bytes.length;
		lengths.nr_buffers = 3;
	}
	return lengths;
}

static void say_rows(struct query_writing *writing)
{
	struct query_columns *columns = writing->columns;
	struct arrow_lengths *lengths = calloc(writing->nr_columns + 1u, sizeof(*lengths));
	uint32_t i;

	writing->text.is_broken |= !lengths;
	for (i = 0; lengths && i < writing->nr_columns; i++)
		lengths[i] = lengths_of(&columns->columns[i], columns->nr_rows);
	if (lengths)
		arrow_say_rows(&writing->text, columns->nr_rows, lengths, writing->nr_columns);
	free(lengths);
}

static void put_texts(struct text *text, const struct column *column, uint32_t nr_rows)
{
	uint32_t i;

	text_little_endian(text, 0, 4);
	for (i = 0; i < nr_rows; i++)
		text_little_endian(text, column->values[i], 4);
	arrow_pad(text);
	text_append(text, text_peek(&column->bytes), column->bytes.length);
}

static void put_column(struct text *text, const struct column *column, uint32_t nr_rows)
{
	text_append(text, (const char *)column->is_set, (nr_rows + 7) / 8);
	arrow_pad(text);
	if (is_number(column->type))
		text_append(text, (const char *)column->values, 8 * (size_t)nr_rows);
	else
		put_texts(text, column, nr_rows);
	arrow_pad(text);
}

static void forget_rows(struct column *column)
{
	memset(column->is_set, 0, BATCH_ROWS / 8);
	text_clear(&column->bytes);
	column->nr_nulls = 0;
}

static void put_batch(struct query_writing *writing)
{
	struct query_columns *columns = writing->columns;
	uint32_t i;

	if (!columns->has_schema)
		say_schema(writing);
	if (!columns->nr_rows)
		return;
	say_rows(writing);
	for (i = 0; i < writing->nr_columns; i++) {
		writing->text.is_broken |= columns->columns[i].bytes.is_broken;
		put_column(&writing->text, &columns->columns[i], columns->nr_rows);
		forget_rows(&columns->columns[i]);
	}
	columns->nr_rows = 0;
	columns->nr_bytes = 0;
}

/* ---------------------------------------------------------------- cells */

static const char *type_name(enum ct_query_type type)
{
	switch (type) {
	case CT_QUERY_INTEGER:
		return "a whole number";
	case CT_QUERY_REAL:
		return "a real number";
	case CT_QUERY_BYTES:
		return "bytes";
	default:
		return "a text";
	}
}

/* The whole numbers of an expression that has real numbers, too, become real ones while no type is written yet. */
static void become_real(struct column *column, uint32_t nr_rows)
{
	uint32_t i;

	for (i = 0; i < nr_rows; i++) {
		double real = (double)(int64_t)column->values[i];

		memcpy(&column->values[i], &real, sizeof(real));
	}
	column->type = CT_QUERY_REAL;
}

static bool can_hold(
	struct query_columns *columns, struct column *column, const struct ct_query_cell *cell)
{
	if (column->type == CT_QUERY_NULL)
		column->type = cell->type;
	if (column->type == CT_QUERY_INTEGER && cell->type == CT_QUERY_REAL && !columns->has_schema)
		become_real(column, columns->nr_rows);
	return column->type == cell->type ||
	       (column->type == CT_QUERY_REAL && cell->type == CT_QUERY_INTEGER);
}

static void refuse(struct query_writing *writing, uint32_t number, const struct ct_query_cell *cell)
{
	ct_fail(&writing->failure, CT_ERR_USAGE,
		"row %llu has %s in column '%s', in which the rows before have %s; CAST makes them "
		"one type",
		(unsigned long long)writing->nr_rows + 1, type_name(cell->type),
		ct_query_column(writing->query, number),
		type_name(writing->columns->columns[number].type));
}

static void keep_value(struct column *column, uint32_t row, const struct ct_query_cell *cell)
{
	double real = cell->type == CT_QUERY_INTEGER ? (double)cell->number : cell->real;

	column->is_set[row / 8] |= (uint8_t)(1u << row % 8);
	if (column->type == CT_QUERY_INTEGER)
		column->values[row] = (uint64_t)cell->number;
	else if (column->type == CT_QUERY_REAL)
		memcpy(&column->values[row], &real, sizeof(real));
	else
		text_append(&column->bytes, cell->text, cell->nr_bytes);
}

static void keep_cell(
	struct query_writing *writing, uint32_t number, const struct ct_query_cell *cell)
{
	struct query_columns *columns = writing->columns;
	struct column *column = &columns->columns[number];
	uint32_t row = columns->nr_rows;

	column->values[row] = 0;
	if (cell->type == CT_QUERY_NULL)
		column->nr_nulls++;
	else if (can_hold(columns, column, cell))
		keep_value(column, row, cell);
	else
		refuse(writing, number, cell);
	if (!is_number(column->type))
		column->values[row] = column->bytes.length;
	columns->nr_bytes += cell->nr_bytes;
}

/* ---------------------------------------------------------------- the form */

static void close_columns(struct query_writing *writing)
{
	struct query_columns *columns = writing->columns;
	uint32_t i;

	if (!columns)
		return;
	for (i = 0; columns->columns && i < writing->nr_columns; i++) {
		free(columns->columns[i].is_set);
		free(columns->columns[i].values);
		text_fini(&columns->columns[i].bytes);
	}
	free(columns->columns);
	free(columns);
	writing->columns = NULL;
}

static bool open_columns(struct query_writing *writing)
{
	struct query_columns *columns = writing->columns = calloc(1, sizeof(*columns));
	uint32_t i;

	if (!columns)
		return false;
	columns->columns = calloc(writing->nr_columns + 1u, sizeof(*columns->columns));
	for (i = 0; columns->columns && i < writing->nr_columns; i++) {
		struct column *column = &columns->columns[i];

		column->type = ct_query_column_type(writing->query, i);
		column->is_set = calloc(1, BATCH_ROWS / 8);
		column->values = calloc(BATCH_ROWS, sizeof(*column->values));
		if (!column->is_set || !column->values)
			return false;
	}
	return columns->columns;
}

static void begin(struct query_writing *writing)
{
	writing->text.is_broken |= !open_columns(writing);
}

static void add_row(struct query_writing *writing, const struct ct_query_cell *cells)
{
	struct query_columns *columns = writing->columns;
	uint32_t i;

	if (writing->text.is_broken)
		return;
	for (i = 0; i < writing->nr_columns; i++)
		keep_cell(writing, i, &cells[i]);
	columns->nr_rows++;
	if (columns->nr_rows == BATCH_ROWS || columns->nr_bytes >= BATCH_BYTES)
		put_batch(writing);
}

static void end(struct query_writing *writing, bool is_whole)
{
	if (writing->text.is_broken || !is_whole)
		return;
	put_batch(writing);
	arrow_say_end(&writing->text);
}

const struct query_form query_arrow = {.has_one_statement = true,
	.is_without_digits = true,
	.begin = begin,
	.row = add_row,
	.end = end,
	.close = close_columns};
