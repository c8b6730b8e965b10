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
	const struct query_form *form;
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

static enum ct_status add_row(
	struct writer *writer, const struct ct_query_cell *cells, struct ct_error *reterr)
{
	struct query_writing *writing = &writer->writing;

	writer->form->row(writing, cells);
	if (writing->failure.status) {
		if (reterr)
			*reterr = writing->failure;
		return writing->failure.status;
	}
	writing->nr_rows++;
	return pass_on(writer, BYTES_AT_ONCE, reterr);
}

static enum ct_status write_rows(struct writer *writer, struct ct_error *reterr)
{
	struct query_writing *writing = &writer->writing;
	uint64_t most = writing->options->max_rows;
	bool has_digits = !writer->form->is_without_digits;
	const struct ct_query_cell *cells;
	enum ct_status status;

	while ((status = query_next(writing->query, has_digits, &cells, reterr)) == CT_OK) {
		if (most && writing->nr_rows == most) {
			writer->written.has_more = true;
			return CT_OK;
		}
		status = add_row(writer, cells, reterr);
		if (status)
			return status;
	}
	return status == CT_END ? CT_OK : status;
}

static enum ct_status write_statement(struct writer *writer, struct ct_error *reterr)
{
	struct query_writing *writing = &writer->writing;
	const struct query_form *form = writer->form;
	enum ct_status status;

	writing->nr_columns = ct_query_nr_columns(writing->query);
	writing->nr_rows = 0;
	if (form->begin)
		form->begin(writing);
	status = write_rows(writer, reterr);
	if (form->end)
		form->end(writing, status == CT_OK);
	if (form->close)
		form->close(writing);
	writer->written.nr_rows += writing->nr_rows;
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
		if (!is_first && writer->form->has_one_statement)
			return ct_fail(reterr, CT_ERR_USAGE,
				"this form holds the answer of one statement, and this is the "
				"second");
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
	writer.form = query_form(options.format);
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
