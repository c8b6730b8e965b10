/* SPDX-License-Identifier: MIT */
/*
 * Parquet (https://parquet.apache.org/docs/file-format): a file for each table, a row group for each batch, and at the
 * end of the file the metadata, which says where everything lies.
 */
#include <stdlib.h>

#include "base/folder.h"
#include "export/encode.h"
#include "export/parquet.h"
#include "corotracer/version.h"

/* Numbers of fields. */
enum {
	FILE_VERSION = 1,
	FILE_SCHEMA = 2,
	FILE_NR_ROWS = 3,
	FILE_GROUPS = 4,
	FILE_KEYS = 5,
	FILE_CREATED_BY = 6,
	FILE_ORDERS = 7,
	SCHEMA_TYPE = 1,
	SCHEMA_REPETITION = 3,
	SCHEMA_NAME = 4,
	SCHEMA_NR_CHILDREN = 5,
	SCHEMA_CONVERTED = 6,
	SCHEMA_LOGICAL = 10,
	LOGICAL_STRING = 1,
	LOGICAL_TIMESTAMP = 8,
	LOGICAL_INTEGER = 10,
	TIMESTAMP_IS_UTC = 1,
	TIMESTAMP_UNIT = 2,
	UNIT_NANOSECONDS = 3,
	INTEGER_BITS = 1,
	INTEGER_IS_SIGNED = 2,
	KEY = 1,
	KEY_VALUE = 2,
	GROUP_COLUMNS = 1,
	GROUP_BYTES_RAW = 2,
	GROUP_NR_ROWS = 3,
	GROUP_OFFSET = 5,
	GROUP_BYTES = 6,
	ORDER_OF_TYPE = 1,
};

#define REQUIRED 0
#define OPTIONAL 1
#define CONVERTED_UTF8 0
#define CONVERTED_UNSIGNED_64 14
#define VERSION 2
#define MAGIC "PAR1"
#define MAGIC_BYTES 4u

/* ---------------------------------------------------------------- the metadata */

static void say_logical(struct thrift *end, enum batch_type type)
{
	thrift_open(end, SCHEMA_LOGICAL);
	if (type == BATCH_TEXT) {
		thrift_open(end, LOGICAL_STRING);
	} else if (type == BATCH_UNSIGNED) {
		thrift_open(end, LOGICAL_INTEGER);
		thrift_i8(end, INTEGER_BITS, 64);
		thrift_bool(end, INTEGER_IS_SIGNED, false);
	} else {
		thrift_open(end, LOGICAL_TIMESTAMP);
		thrift_bool(end, TIMESTAMP_IS_UTC, true);
		thrift_open(end, TIMESTAMP_UNIT);
		thrift_open(end, UNIT_NANOSECONDS);
		thrift_close(end);
		thrift_close(end);
	}
	thrift_close(end);
	thrift_close(end);
}

static void say_element(struct thrift *end, const struct batch_column *column)
{
	thrift_open(end, 0);
	thrift_i32(end, SCHEMA_TYPE, parquet_type_of(column->type));
	thrift_i32(end, SCHEMA_REPETITION, column->is_nullable ? OPTIONAL : REQUIRED);
	thrift_text(end, SCHEMA_NAME, column->name);
	if (column->type == BATCH_TEXT)
		thrift_i32(end, SCHEMA_CONVERTED, CONVERTED_UTF8);
	else if (column->type == BATCH_UNSIGNED)
		thrift_i32(end, SCHEMA_CONVERTED, CONVERTED_UNSIGNED_64);
	if (column->type == BATCH_TEXT || column->type == BATCH_UNSIGNED ||
		column->type == BATCH_MOMENT)
		say_logical(end, column->type);
	thrift_close(end);
}

static void say_schema(struct thrift *end, const struct batch *batch)
{
	uint32_t i;

	thrift_list(end, FILE_SCHEMA, THRIFT_STRUCT, batch->nr_columns + 1);
	thrift_open(end, 0);
	thrift_text(end, SCHEMA_NAME, ct_view_describe(batch->table)->name);
	thrift_i32(end, SCHEMA_NR_CHILDREN, (int32_t)batch->nr_columns);
	thrift_close(end);
	for (i = 0; i < batch->nr_columns; i++)
		say_element(end, &batch->columns[i]);
}

static void say_keys(struct thrift *end, const struct batch_keys *keys)
{
	uint32_t i;

	thrift_list(end, FILE_KEYS, THRIFT_STRUCT, BATCH_NR_KEYS);
	for (i = 0; i < BATCH_NR_KEYS; i++) {
		thrift_open(end, 0);
		thrift_text(end, KEY, batch_key_names[i]);
		thrift_text(end, KEY_VALUE, keys->values[i]);
		thrift_close(end);
	}
}

/* The order in which bounds hold is the natural order of each column's type. */
static void say_orders(struct thrift *end, uint32_t nr_columns)
{
	uint32_t i;

	thrift_list(end, FILE_ORDERS, THRIFT_STRUCT, nr_columns);
	for (i = 0; i < nr_columns; i++) {
		thrift_open(end, 0);
		thrift_open(end, ORDER_OF_TYPE);
		thrift_close(end);
		thrift_close(end);
	}
}

static void say_file(const struct parquet_file *file, const struct batch *batch,
	const struct batch_keys *keys, struct text *text)
{
	struct thrift end = {.text = text};

	thrift_open(&end, 0);
	thrift_i32(&end, FILE_VERSION, VERSION);
	say_schema(&end, batch);
	thrift_i64(&end, FILE_NR_ROWS, (int64_t)file->nr_rows);
	thrift_list(&end, FILE_GROUPS, THRIFT_STRUCT, file->nr_groups);
	text_append(text, text_peek(&file->groups), file->groups.length);
	say_keys(&end, keys);
	thrift_text(&end, FILE_CREATED_BY, "corotracer version " CT_VERSION_TEXT);
	say_orders(&end, batch->nr_columns);
	thrift_close(&end);
	text->is_broken |= file->groups.is_broken;
}

static enum ct_status write_end(
	struct parquet_file *file, const struct batch *batch, struct ct_error *reterr)
{
	struct batch_keys keys;
	struct text end = {0};
	enum ct_status status;

	batch_keys_of(batch, &keys);
	say_file(file, batch, &keys, &end);
	text_little_endian(&end, end.length, 4);
	text_add(&end, MAGIC);
	status = text_status(&end, reterr);
	if (status == CT_OK)
		status = parquet_write_bytes(file, text_peek(&end), end.length, reterr);
	text_fini(&end);
	return status;
}

/* ---------------------------------------------------------------- row groups */

/* A folder, and the file in it that is being written. */
struct files {
	struct folder folder;
	struct parquet_file file;
};

static void say_group(struct parquet_file *file, struct thrift *group, uint32_t nr_rows,
	uint64_t begin, uint64_t nr_raw)
{
	thrift_i64(group, GROUP_BYTES_RAW, (int64_t)nr_raw);
	thrift_i64(group, GROUP_NR_ROWS, nr_rows);
	thrift_i64(group, GROUP_OFFSET, (int64_t)begin);
	thrift_i64(group, GROUP_BYTES, (int64_t)(file->nr_bytes - begin));
	thrift_close(group);
	file->nr_groups++;
	file->nr_rows += nr_rows;
}

static enum ct_status write_group(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct parquet_file *file = &((struct files *)context)->file;
	struct thrift group = {.text = &file->groups};
	uint64_t begin = file->nr_bytes, nr_raw = 0;
	enum ct_status status = CT_OK;
	uint32_t i;

	thrift_open(&group, 0);
	thrift_list(&group, GROUP_COLUMNS, THRIFT_STRUCT, batch->nr_columns);
	for (i = 0; status == CT_OK && i < batch->nr_columns; i++)
		status = parquet_write_column(
			file, &batch->columns[i], batch->nr_rows, &group, &nr_raw, reterr);
	if (status == CT_OK)
		say_group(file, &group, batch->nr_rows, begin, nr_raw);
	return status;
}

/* ---------------------------------------------------------------- files */

static enum ct_status init_file(struct parquet_file *file, struct ct_error *reterr)
{
	*file = (struct parquet_file){.packer = packer_new()};
	file->values = calloc(BATCH_ROWS, sizeof(*file->values));
	file->places = calloc(BATCH_ROWS, sizeof(*file->places));
	return file->packer && file->values && file->places ? CT_OK : ct_fail_memory(reterr);
}

static void fini_file(struct parquet_file *file)
{
	packer_free(file->packer);
	free(file->values);
	free(file->places);
	text_fini(&file->header);
	text_fini(&file->page);
	text_fini(&file->groups);
}

static enum ct_status end(
	void *context, const struct batch *batch, enum ct_status status, struct ct_error *reterr)
{
	struct parquet_file *file = &((struct files *)context)->file;

	if (status == CT_OK)
		status = write_end(file, batch, reterr);
	status = io_output_end(&file->output, status, reterr);
	fini_file(file);
	return status;
}

static enum ct_status begin(void *context, const struct batch *batch, struct ct_error *reterr)
{
	struct files *files = context;
	struct parquet_file *file = &files->file;
	enum ct_status status = init_file(file, reterr);

	if (status == CT_OK)
		status = folder_output(
			&files->folder, files->folder.names[batch->table], &file->output, reterr);
	if (status) {
		fini_file(file);
		return status;
	}
	status = parquet_write_bytes(file, MAGIC, MAGIC_BYTES, reterr);
	return status ? end(files, batch, status, reterr) : CT_OK;
}

static const char *const names[CT_VIEW_NR_TABLES] = {
#define TABLE(NAME, share, name, meaning) name ".parquet",
#define COLUMN(TABLE, NAME, name, type, meaning, value)
#define END(TABLE)
#define PART(NAME, OF, column, value, name, meaning) name ".parquet",
#include "corotracer/def/view.def"
};

enum ct_status export_parquet(const struct export_job *job, struct ct_error *reterr)
{
	static const struct batch_writer writer = {true, begin, write_group, end};
	struct batch_choice choice;
	struct files files;
	enum ct_status status = batch_choose(job->options->tables, &choice, reterr);

	if (status == CT_OK)
		status = folder_open(&files.folder, job->path, names, CT_VIEW_NR_TABLES, reterr);
	if (status)
		return status;
	status = batch_write(job->view, &choice, &writer, &files, reterr);
	return folder_end(&files.folder, status, reterr);
}
