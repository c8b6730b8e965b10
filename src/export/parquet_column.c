/* SPDX-License-Identifier: MIT */
/*
 * One column of a row group: its dictionary if it has one, its page, and its metadata. Words are always numbers of a
 * dictionary. Ids are numbers of a dictionary if few of them differ; otherwise ids, like other numbers, are written as
 * differences.
 */
#include <string.h>

#include "base/protobuf.h"
#include "export/encode.h"
#include "export/parquet.h"

/* Numbers of fields. */
enum {
	PAGE_TYPE = 1,
	PAGE_RAW_BYTES = 2,
	PAGE_BYTES = 3,
	PAGE_DATA = 5,
	PAGE_DICTIONARY = 7,
	DATA_NR_VALUES = 1,
	DATA_ENCODING = 2,
	DATA_LEVELS = 3,
	DATA_REPETITIONS = 4,
	DICTIONARY_NR_VALUES = 1,
	DICTIONARY_ENCODING = 2,
	CHUNK_OFFSET = 2,
	CHUNK_COLUMN = 3,
	COLUMN_TYPE = 1,
	COLUMN_ENCODINGS = 2,
	COLUMN_PATH = 3,
	COLUMN_CODEC = 4,
	COLUMN_NR_VALUES = 5,
	COLUMN_RAW_BYTES = 6,
	COLUMN_BYTES = 7,
	COLUMN_DATA = 9,
	COLUMN_DICTIONARY = 11,
	COLUMN_STATISTICS = 12,
	STATISTICS_NR_NULLS = 3,
	STATISTICS_MOST = 5,
	STATISTICS_LEAST = 6,
};

enum page {
	DATA_PAGE = 0,
	DICTIONARY_PAGE = 2,
};

#define BOUND_BYTES 64u /* a longer word is not used as a bound of a column */
#define FEW 4u          /* a dictionary of ids pays off if each id occurs this often on average */
#define LEVEL_BYTES 4u

/* A column that is being written. */
struct column {
	const struct batch_column *of;
	uint32_t nr_rows;
	bool has_dictionary;
	uint32_t nr_entries;
	uint64_t begin; /* position in the file */
	uint64_t data;
	uint64_t nr_raw; /* bytes before compression */
	uint64_t nr_bytes;
};

enum parquet_type parquet_type_of(enum batch_type type)
{
	switch (type) {
	case BATCH_BOOLEAN:
		return PARQUET_BOOLEAN;
	case BATCH_ROW:
		return PARQUET_INT32;
	case BATCH_TEXT:
		return PARQUET_BYTE_ARRAY;
	default:
		return PARQUET_INT64;
	}
}

static unsigned bytes_of(enum batch_type type)
{
	return type == BATCH_BOOLEAN ? 1 : type == BATCH_ROW ? 4 : 8;
}

enum ct_status parquet_write_bytes(
	struct parquet_file *file, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	file->nr_bytes += nr_bytes;
	return io_output_write(&file->output, bytes, nr_bytes, reterr);
}

/* ---------------------------------------------------------------- pages */

static void say_page(
	struct parquet_file *file, const struct column *column, enum page type, size_t nr_bytes)
{
	struct thrift header = {.text = &file->header};

	text_clear(&file->header);
	thrift_open(&header, 0);
	thrift_i32(&header, PAGE_TYPE, type);
	thrift_i32(&header, PAGE_RAW_BYTES, (int32_t)file->page.length);
	thrift_i32(&header, PAGE_BYTES, (int32_t)nr_bytes);
	if (type == DATA_PAGE) {
		thrift_open(&header, PAGE_DATA);
		thrift_i32(&header, DATA_NR_VALUES, (int32_t)column->nr_rows);
		thrift_i32(&header, DATA_ENCODING,
			column->has_dictionary              ? PARQUET_RLE_DICTIONARY
			: column->of->type == BATCH_BOOLEAN ? PARQUET_PLAIN
							    : PARQUET_DELTA);
		thrift_i32(&header, DATA_LEVELS, PARQUET_RLE);
		thrift_i32(&header, DATA_REPETITIONS, PARQUET_RLE);
	} else {
		thrift_open(&header, PAGE_DICTIONARY);
		thrift_i32(&header, DICTIONARY_NR_VALUES, (int32_t)column->nr_entries);
		thrift_i32(&header, DICTIONARY_ENCODING, PARQUET_PLAIN);
	}
	thrift_close(&header);
	thrift_close(&header);
}

static enum ct_status write_page(
	struct parquet_file *file, struct column *column, enum page type, struct ct_error *reterr)
{
	enum ct_status status = text_status(&file->page, reterr);
	const char *bytes;
	size_t nr_bytes;

	if (status)
		return status;
	bytes = packer_pack(file->packer, &file->page, &nr_bytes);
	if (!bytes)
		return ct_fail_memory(reterr);
	say_page(file, column, type, nr_bytes);
	status = text_status(&file->header, reterr);
	if (status == CT_OK)
		status = parquet_write_bytes(
			file, text_peek(&file->header), file->header.length, reterr);
	if (status == CT_OK)
		status = parquet_write_bytes(file, bytes, nr_bytes, reterr);
	column->nr_raw += file->header.length + file->page.length;
	column->nr_bytes += file->header.length + nr_bytes;
	text_clear(&file->page);
	return status;
}

/* ---------------------------------------------------------------- dictionaries */

static void put_words(struct parquet_file *file, const struct batch_words *words)
{
	uint32_t i, nr_bytes;

	for (i = 0; i < words->texts.ends.count; i++) {
		const char *word = interning_bytes(&words->texts, i, &nr_bytes);

		text_little_endian(&file->page, nr_bytes, 4);
		text_append(&file->page, word, nr_bytes);
	}
}

/* Adds each new id to the page of the dictionary; false: there are too many ids, or memory is out. */
static bool put_ids(struct parquet_file *file, struct column *column, struct map *places)
{
	unsigned nr_bytes = bytes_of(column->of->type);
	uint32_t i, place;

	for (i = 0; i < file->nr_values; i++) {
		if (!map_get(places, (uint64_t)file->values[i], &place)) {
			place = column->nr_entries++;
			if (column->nr_entries > file->nr_values / FEW ||
				!map_put(places, (uint64_t)file->values[i], place))
				return false;
			text_little_endian(&file->page, (uint64_t)file->values[i], nr_bytes);
		}
		file->places[i] = place;
	}
	return true;
}

static void fill_dictionary(struct parquet_file *file, struct column *column)
{
	struct map places = {0};

	if (column->of->type == BATCH_TEXT) {
		memcpy(file->places, file->values, file->nr_values * sizeof(*file->values));
		column->nr_entries = (uint32_t)column->of->words.texts.ends.count;
		column->has_dictionary = true;
		put_words(file, &column->of->words);
	} else if (column->of->type == BATCH_ROW || column->of->type == BATCH_UNSIGNED) {
		column->has_dictionary = put_ids(file, column, &places);
		map_fini(&places);
		if (!column->has_dictionary)
			text_clear(&file->page);
	}
}

/* ---------------------------------------------------------------- values */

static void take_values(struct parquet_file *file, const struct column *column)
{
	uint32_t i;

	file->nr_values = 0;
	for (i = 0; i < column->nr_rows; i++)
		if (batch_is_set(column->of, i))
			file->values[file->nr_values++] = column->of->values[i];
}

/* Which rows are not null: one run if all are, else the bits as they are. */
static void put_levels(struct parquet_file *file, const struct column *column)
{
	uint32_t nr_groups = (column->nr_rows + 7) / 8;
	struct text *levels = &file->header;

	text_clear(levels);
	if (column->of->nr_nulls) {
		protobuf_varint(levels, (uint64_t)nr_groups << 1 | 1);
		text_append(levels, (const char *)column->of->is_set, nr_groups);
	} else {
		protobuf_varint(levels, (uint64_t)column->nr_rows << 1);
		text_char(levels, 1);
	}
	text_little_endian(&file->page, levels->length, LEVEL_BYTES);
	text_append(&file->page, text_peek(levels), levels->length);
	file->page.is_broken |= levels->is_broken;
}

static void put_values(struct parquet_file *file, const struct column *column)
{
	unsigned width = encode_width(column->nr_entries ? column->nr_entries - 1 : 0);

	if (column->has_dictionary) {
		width = width ? width : 1;
		text_char(&file->page, (char)width);
		encode_runs(&file->page, file->places, file->nr_values, width);
	} else if (column->of->type == BATCH_BOOLEAN) {
		encode_bits(&file->page, file->values, file->nr_values);
	} else {
		encode_deltas(&file->page, file->values, file->nr_values);
	}
}

/* ---------------------------------------------------------------- metadata */

/* Texts are compared byte by byte. */
static bool is_before(const struct batch_words *words, uint32_t one, uint32_t other)
{
	uint32_t nr_one, nr_other;
	const char *at_one = interning_bytes(&words->texts, one, &nr_one);
	const char *at_other = interning_bytes(&words->texts, other, &nr_other);
	int order = memcmp(at_one, at_other, nr_one < nr_other ? nr_one : nr_other);

	return order ? order < 0 : nr_one < nr_other;
}

static void say_word_bounds(struct thrift *chunk, const struct batch_words *words)
{
	uint32_t least = 0, most = 0, i, nr_least, nr_most;
	const char *at_least, *at_most;

	for (i = 1; i < words->texts.ends.count; i++) {
		least = is_before(words, i, least) ? i : least;
		most = is_before(words, most, i) ? i : most;
	}
	at_least = interning_bytes(&words->texts, least, &nr_least);
	at_most = interning_bytes(&words->texts, most, &nr_most);
	if (nr_least > BOUND_BYTES || nr_most > BOUND_BYTES)
		return;
	thrift_bytes(chunk, STATISTICS_MOST, at_most, nr_most);
	thrift_bytes(chunk, STATISTICS_LEAST, at_least, nr_least);
}

static void say_bound(
	struct thrift *chunk, unsigned field, const struct column *column, int64_t value)
{
	struct text bytes = {0};

	text_little_endian(&bytes, (uint64_t)value, bytes_of(column->of->type));
	thrift_bytes(chunk, field, text_peek(&bytes), bytes.length);
	chunk->text->is_broken |= bytes.is_broken;
	text_fini(&bytes);
}

static void say_number_bounds(
	const struct parquet_file *file, const struct column *column, struct thrift *chunk)
{
	/* Numbers are compared by their distance from the smallest number of the type. */
	uint64_t lowest = column->of->type == BATCH_UNSIGNED ? 0 : (uint64_t)INT64_MIN;
	uint64_t least = UINT64_MAX, most = 0;
	uint32_t i;

	for (i = 0; i < file->nr_values; i++) {
		uint64_t rank = (uint64_t)file->values[i] - lowest;

		least = rank < least ? rank : least;
		most = rank > most ? rank : most;
	}
	say_bound(chunk, STATISTICS_MOST, column, (int64_t)(most + lowest));
	say_bound(chunk, STATISTICS_LEAST, column, (int64_t)(least + lowest));
}

static void say_statistics(
	const struct parquet_file *file, const struct column *column, struct thrift *chunk)
{
	thrift_open(chunk, COLUMN_STATISTICS);
	thrift_i64(chunk, STATISTICS_NR_NULLS, column->of->nr_nulls);
	if (file->nr_values && column->of->type == BATCH_TEXT)
		say_word_bounds(chunk, &column->of->words);
	else if (file->nr_values)
		say_number_bounds(file, column, chunk);
	thrift_close(chunk);
}

static void say_encodings(const struct column *column, struct thrift *chunk)
{
	thrift_list(chunk, COLUMN_ENCODINGS, THRIFT_I32, column->has_dictionary ? 3 : 2);
	thrift_i32(chunk, 0, PARQUET_RLE);
	if (column->has_dictionary) {
		thrift_i32(chunk, 0, PARQUET_PLAIN);
		thrift_i32(chunk, 0, PARQUET_RLE_DICTIONARY);
	} else {
		thrift_i32(chunk, 0,
			column->of->type == BATCH_BOOLEAN ? PARQUET_PLAIN : PARQUET_DELTA);
	}
}

static void say_column(
	const struct parquet_file *file, const struct column *column, struct thrift *chunk)
{
	thrift_open(chunk, 0);
	thrift_i64(chunk, CHUNK_OFFSET, (int64_t)column->begin);
	thrift_open(chunk, CHUNK_COLUMN);
	thrift_i32(chunk, COLUMN_TYPE, parquet_type_of(column->of->type));
	say_encodings(column, chunk);
	thrift_list(chunk, COLUMN_PATH, THRIFT_BINARY, 1);
	thrift_text(chunk, 0, column->of->name);
	thrift_i32(chunk, COLUMN_CODEC, packer_codec);
	thrift_i64(chunk, COLUMN_NR_VALUES, column->nr_rows);
	thrift_i64(chunk, COLUMN_RAW_BYTES, (int64_t)column->nr_raw);
	thrift_i64(chunk, COLUMN_BYTES, (int64_t)column->nr_bytes);
	thrift_i64(chunk, COLUMN_DATA, (int64_t)column->data);
	if (column->has_dictionary)
		thrift_i64(chunk, COLUMN_DICTIONARY, (int64_t)column->begin);
	say_statistics(file, column, chunk);
	thrift_close(chunk);
	thrift_close(chunk);
}

/* ---------------------------------------------------------------- the whole column */

enum ct_status parquet_write_column(struct parquet_file *file, const struct batch_column *of,
	uint32_t nr_rows, struct thrift *chunk, uint64_t *nr_raw, struct ct_error *reterr)
{
	struct column column = {.of = of, .nr_rows = nr_rows, .begin = file->nr_bytes};
	enum ct_status status = CT_OK;

	take_values(file, &column);
	text_clear(&file->page);
	fill_dictionary(file, &column);
	if (column.has_dictionary)
		status = write_page(file, &column, DICTIONARY_PAGE, reterr);
	if (status)
		return status;
	column.data = file->nr_bytes;
	if (of->is_nullable)
		put_levels(file, &column);
	put_values(file, &column);
	status = write_page(file, &column, DATA_PAGE, reterr);
	if (status)
		return status;
	say_column(file, &column, chunk);
	*nr_raw += column.nr_raw;
	return CT_OK;
}
