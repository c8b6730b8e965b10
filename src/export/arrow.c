/* SPDX-License-Identifier: MIT */
/*
 * Arrow's streaming format: the columns of a table, then batches of rows, each after the dictionaries of its text
 * columns. Each batch has its own dictionaries, so neither side has to keep the words of all batches.
 */
#include "base/arrow.h"
#include "base/io.h"
#include "export/batch.h"
#include "export/encode.h"

struct stream {
	struct io_output output;
	struct text page;
};

static enum ct_status flush(struct stream *stream, struct ct_error *reterr)
{
	enum ct_status status = text_status(&stream->page, reterr);

	if (status == CT_OK)
		status = io_output_write(
			&stream->output, text_peek(&stream->page), stream->page.length, reterr);
	text_clear(&stream->page);
	return status;
}

/* ---------------------------------------------------------------- words */

static void put_ends(struct text *page, const struct batch_words *words)
{
	uint32_t i;

	text_little_endian(page, 0, 4);
	for (i = 0; i < words->texts.ends.count; i++)
		text_little_endian(page, words->texts.ends.at[i], 4);
	arrow_pad(page);
}

static enum ct_status write_words(struct stream *stream, uint32_t number,
	const struct batch_words *words, struct ct_error *reterr)
{
	const struct arrow_lengths lengths = {.nr_rows = words->texts.ends.count,
		.nr_bytes = {0, 4 * (words->texts.ends.count + 1), words->texts.bytes.length},
		.nr_buffers = 3};

	arrow_say_words(&stream->page, number, &lengths);
	put_ends(&stream->page, words);
	text_append(&stream->page, text_peek(&words->texts.bytes), words->texts.bytes.length);
	arrow_pad(&stream->page);
	return flush(stream, reterr);
}

/* ---------------------------------------------------------------- rows */

static uint64_t bytes_of(enum batch_type type, uint32_t nr_rows)
{
	switch (type) {
	case BATCH_BOOLEAN:
		return (nr_rows + 7) / 8;
	case BATCH_ROW:
	case BATCH_TEXT:
		return 4 * (uint64_t)nr_rows;
	default:
		return 8 * (uint64_t)nr_rows;
	}
}

static uint64_t bytes_of_nulls(const struct batch_column *column, uint32_t nr_rows)
{
	return column->nr_nulls ? (nr_rows + 7) / 8 : 0;
}

static void say_rows(struct stream *stream, const struct batch *batch)
{
	struct arrow_lengths lengths[BATCH_COLUMNS];
	uint32_t i;

	for (i = 0; i < batch->nr_columns; i++) {
		const struct batch_column *column = &batch->columns[i];

		lengths[i] = (struct arrow_lengths){.nr_rows = batch->nr_rows,
			.nr_nulls = column->nr_nulls,
			.nr_bytes = {bytes_of_nulls(column, batch->nr_rows),
				bytes_of(column->type, batch->nr_rows)},
			.nr_buffers = 2};
	}
	arrow_say_rows(&stream->page, batch->nr_rows, lengths, batch->nr_columns);
}

static void put_values(struct text *page, const struct batch_column *column, uint32_t nr_rows)
{
	uint32_t i;

	if (column->type == BATCH_BOOLEAN)
		encode_bits(page, column->values, nr_rows);
	else if (column->type == BATCH_ROW || column->type == BATCH_TEXT)
		for (i = 0; i < nr_rows; i++)
			text_little_endian(page, (uint64_t)column->values[i], 4);
	else
		text_append(page, (const char *)column->values, 8 * (size_t)nr_rows);
	arrow_pad(page);
}

static enum ct_status write_column(struct stream *stream, const struct batch_column *column,
	uint32_t nr_rows, struct ct_error *reterr)
{
	text_append(&stream->page, (const char *)column->is_set, bytes_of_nulls(column, nr_rows));
	arrow_pad(&stream->page);
	put_values(&stream->page, column, nr_rows);
	return flush(stream, reterr);
}

static enum ct_status write_batch(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct stream *stream = context;
	enum ct_status status = CT_OK;
	uint32_t i;

	for (i = 0; status == CT_OK && i < batch->nr_columns; i++)
		if (batch->columns[i].type == BATCH_TEXT)
			status = write_words(stream, i, &batch->columns[i].words, reterr);
	if (status)
		return status;
	say_rows(stream, batch);
	status = flush(stream, reterr);
	for (i = 0; status == CT_OK && i < batch->nr_columns; i++)
		status = write_column(stream, &batch->columns[i], batch->nr_rows, reterr);
	return status;
}

/* ---------------------------------------------------------------- the stream */

static enum arrow_type type_of(enum batch_type type)
{
	static const enum arrow_type types[] = {
		[BATCH_BOOLEAN] = ARROW_BOOLEAN,
		[BATCH_ROW] = ARROW_INT32,
		[BATCH_NUMBER] = ARROW_INT64,
		[BATCH_UNSIGNED] = ARROW_UINT64,
		[BATCH_MOMENT] = ARROW_MOMENT,
		[BATCH_TEXT] = ARROW_WORDS,
	};

	return types[type];
}

static void say_schema(struct text *page, const struct batch *batch)
{
	struct arrow_field fields[BATCH_COLUMNS];
	struct arrow_key keys[BATCH_NR_KEYS];
	struct batch_keys values;
	uint32_t i;

	for (i = 0; i < batch->nr_columns; i++)
		fields[i] = (struct arrow_field){batch->columns[i].name,
			type_of(batch->columns[i].type), batch->columns[i].is_nullable};
	batch_keys_of(batch, &values);
	for (i = 0; i < BATCH_NR_KEYS; i++)
		keys[i] = (struct arrow_key){batch_key_names[i], values.values[i]};
	arrow_say_schema(
		page, &(struct arrow_schema){fields, batch->nr_columns, keys, BATCH_NR_KEYS});
}

static enum ct_status begin(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct stream *stream = context;

	say_schema(&stream->page, batch);
	return flush(stream, reterr);
}

static enum ct_status end(
	void *context, const struct batch *batch, enum ct_status status, struct ct_error *reterr)
{
	struct stream *stream = context;

	(void)batch;
	if (status)
		return status;
	arrow_say_end(&stream->page);
	return flush(stream, reterr);
}

enum ct_status export_arrow(const struct export_job *job, struct ct_error *reterr)
{
	static const struct batch_writer writer = {true, begin, write_batch, end};
	struct stream stream = {0};
	struct batch_choice choice;
	const char *table;
	enum ct_status status = batch_only_name(job->options->tables, &table, reterr);

	if (status == CT_OK)
		status = batch_choose((const char *const[]){table, NULL}, &choice, reterr);
	if (status == CT_OK)
		status = io_output_open(&stream.output, job->path, reterr);
	if (status)
		return status;
	status = batch_write(job->view, &choice, &writer, &stream, reterr);
	text_fini(&stream.page);
	return io_output_end(&stream.output, status, reterr);
}
