/* SPDX-License-Identifier: MIT */
/*
 * Runs all statements of a text, and writes their results one after the other.
 */
#include "base/io.h"
#include "base/known_options.h"
#include "query/write.h"

#define BYTES_AT_ONCE 65536u

struct writer {
	struct query_writing writing;
	struct io_output output;
	struct ct_query_written written;
};

static enum ct_status pass_on(struct writer *writer, size_t at_least, struct ct_error *reterr)
{
	struct text *text = &writer->writing.text;
	enum ct_status status = text_status(text, reterr);

	if (status || text->length < at_least)
		return status;
	status = io_output_write(&writer->output, text_peek(text), text->length, reterr);
	text_clear(text);
	return status;
}

/* A table's layout depends on its rows; the other formats are written row by row, with `layout` NULL. */
static bool add_row(struct query_writing *writing, struct query_layout *layout,
	const struct ct_query_cell *cells)
{
	if (layout)
		return query_layout_add(layout, writing, cells);
	query_forms[writing->options->format].row(writing, cells);
	return true;
}

static enum ct_status write_rows(
	struct writer *writer, struct query_layout *layout, struct ct_error *reterr)
{
	struct query_writing *writing = &writer->writing;
	uint64_t most = writing->options->max_rows;
	const struct ct_query_cell *cells;
	enum ct_status status;

	while ((status = ct_query_next(writing->query, &cells, reterr)) == CT_OK) {
		if (most && writing->nr_rows == most) {
			writer->written.has_more = true;
			return CT_OK;
		}
		if (!add_row(writing, layout, cells))
			return ct_fail_memory(reterr);
		writing->nr_rows++;
		status = pass_on(writer, BYTES_AT_ONCE, reterr);
		if (status)
			return status;
	}
	return status == CT_END ? CT_OK : status;
}

static enum ct_status write_answer(
	struct writer *writer, struct query_layout *layout, struct ct_error *reterr)
{
	struct query_writing *writing = &writer->writing;
	const struct query_form *form = &query_forms[writing->options->format];
	enum ct_status status;

	writing->nr_columns = ct_query_nr_columns(writing->query);
	writing->nr_rows = 0;
	if (form->begin)
		form->begin(writing);
	status = write_rows(writer, layout, reterr);
	/* The rows before a failure are written too, because rows before them may already be on standard output. */
	if (layout)
		query_layout_end(layout, writing);
	else if (form->end && status == CT_OK)
		form->end(writing);
	writer->written.nr_rows += writing->nr_rows;
	return status;
}

static enum ct_status write_statement(struct writer *writer, struct ct_error *reterr)
{
	bool is_table = writer->writing.options->format == CT_QUERY_TABLE;
	struct query_layout *layout = is_table ? query_layout_new() : NULL;
	enum ct_status status;

	if (is_table && !layout)
		return ct_fail_memory(reterr);
	status = write_answer(writer, layout, reterr);
	query_layout_free(layout);
	return status;
}

/* An empty line stands between results for people. */
static bool is_for_people(enum ct_query_format format)
{
	return format == CT_QUERY_TABLE || format == CT_QUERY_MARKDOWN;
}

static enum ct_status write_all(struct writer *writer, const char *sql, struct ct_error *reterr)
{
	const char *rest = sql;
	enum ct_status status;
	bool is_first = true;

	do {
		writer->written.at_fault = (uint64_t)(rest - sql);
		status = ct_query_ask(writer->writing.query, rest, &rest, reterr);
		if (status)
			break;
		if (!is_first && is_for_people(writer->writing.options->format))
			text_char(&writer->writing.text, '\n');
		is_first = false;
		status = write_statement(writer, reterr);
	} while (status == CT_OK);
	return status == CT_END ? CT_OK : status;
}

enum ct_status ct_query_write(struct ct_query *query, const char *sql,
	const struct ct_query_write_options *given, const char *path,
	struct ct_query_written *ret_written, struct ct_error *reterr)
{
	struct ct_query_write_options options;
	struct writer writer = {.writing = {.query = query, .options = &options}};
	enum ct_status status, passed;

	known_options(&options, sizeof(options), given);
	if (options.format >= CT_QUERY_NR_FORMATS)
		return ct_fail(
			reterr, CT_ERR_USAGE, "there is no such form: %d", (int)options.format);
	status = io_output_open(&writer.output, path, reterr);
	if (status)
		return status;
	status = write_all(&writer, sql, reterr);
	passed = pass_on(&writer, 0, status ? NULL : reterr);
	text_fini(&writer.writing.text);
	if (ret_written)
		*ret_written = writer.written;
	return io_output_end(&writer.output, status ? status : passed, reterr);
}
