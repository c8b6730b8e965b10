/* SPDX-License-Identifier: MIT */
/*
 * Puts the lines of the text form together again from the rows. Every line must be there, in its place: a missing line
 * would go unnoticed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/export.h"
#include "store/store.h"
#include "stages/tee.h"
#include "base/text.h"
#include "textrace/textrace.h"
#include "stages/naming.h"
#include "session/told.h"

#define TEXT_BYTES_MAX ((size_t)256 << 20)

struct told {
	struct text text;
	uint64_t nr_lines;
	bool is_whole;  /* the last row was there, and had the right count of lines */
	bool is_broken; /* a line is missing, or malformed */
};

/* ------------------------------------------------------------------------ JSON */

/* Returns the value after the key, or NULL. Within a text the key's quotes would be escaped. */
static const char *behind(const char *row, const char *key)
{
	const char *found = strstr(row, key);

	return found ? found + strlen(key) : NULL;
}

/*
 * Reads the rest of an escape. The writer writes escapes such as "\u00e9" only for codes below 0x80; any other code
 * becomes '?'.
 */
static bool take_escape(const char **at, struct text *text)
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found = **at ? strchr(plain, **at) : NULL;
	unsigned code;
	char digits[5] = {0};

	if (found) {
		text_char(text, meant[found - plain]);
		++*at;
		return true;
	}
	if (**at != 'u' || strlen(*at) < 5)
		return false;
	memcpy(digits, *at + 1, 4);
	if (strspn(digits, "0123456789abcdefABCDEF") != 4)
		return false;
	code = (unsigned)strtoul(digits, NULL, 16);
	text_char(text, code < 0x80 ? (char)code : '?');
	*at += 5;
	return true;
}

/* Reads from after the opening quote to after the closing one. */
static bool take_text(const char **at, struct text *text)
{
	for (;;) {
		size_t length = strcspn(*at, "\"\\");

		text_append(text, *at, length);
		*at += length;
		if (**at == '\0')
			return false;
		if (*(*at)++ == '"')
			return true;
		if (!take_escape(at, text))
			return false;
	}
}

/* ------------------------------------------------------------------------ rows */

static bool take_lines(struct told *told, const char *at)
{
	if (*at++ != '[')
		return false;
	while (*at == '"') {
		at++;
		if (!take_text(&at, &told->text))
			return false;
		text_char(&told->text, '\n');
		told->nr_lines++;
		at += *at == ',';
	}
	return *at == ']' && told->text.length <= TEXT_BYTES_MAX;
}

static void take_row(struct told *told, const char *row)
{
	const char *from = behind(row, ",\"from\":"), *lines = behind(row, ",\"told\":");
	const char *count = behind(row, ",\"lines\":");

	/* Rows after the end belong to another run. */
	if (told->is_whole)
		told->is_broken = true;
	if (from && lines &&
		(strtoull(from, NULL, 10) != told->nr_lines || !take_lines(told, lines)))
		told->is_broken = true;
	told->is_whole |= count && strtoull(count, NULL, 10) == told->nr_lines;
}

/* Returns false if the first row shows that the file holds no trace. */
static bool read_rows(struct told *told, FILE *file)
{
	size_t capacity = 0;
	char *row = NULL;
	bool is_first = true;

	while (!told->is_broken && getline(&row, &capacity, file) > 0) {
		if (is_first && !behind(row, ",\"from\":0,\"told\":["))
			told->is_broken = true;
		else
			take_row(told, row);
		is_first = false;
	}
	free(row);
	return !told->is_broken && told->is_whole && !ferror(file);
}

/* Opens the input again, at its beginning. */
static FILE *open_again(const struct input *input)
{
	int descriptor = fcntl(input->descriptor, F_DUPFD_CLOEXEC, 3);
	FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");

	if (!file && descriptor >= 0)
		close(descriptor);
	if (file)
		rewind(file);
	return file;
}

enum ct_status told_open(
	const struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct told told = {.nr_lines = 0};
	enum ct_status status = CT_END;
	FILE *file = open_again(input);

	if (!file)
		return CT_END;
	if (read_rows(&told, file))
		status = text_status(&told.text, reterr);
	if (status == CT_OK && textrace_source_from_text(input->name, 1, text_peek(&told.text),
				       told.text.length, ret_source, NULL) != CT_OK)
		status = CT_END;
	fclose(file);
	text_fini(&told.text);
	return status;
}

/* --------------------------------------------------------------------- writing */

char *told_keep(const char *output, struct ct_sink **sink)
{
	struct store_options options = {.pack_level = 0};
	struct ct_sink *kept, *both;
	char *whole;

	if (strcmp(output, "-") == 0 || asprintf(&whole, "%s.whole", output) < 0)
		return NULL;
	if (store_sink_open(whole, &options, &kept, NULL)) {
		free(whole);
		return NULL;
	}
	if (tee_open(*sink, kept, &both, NULL)) {
		sink_close(kept, false, NULL);
		free(whole);
		return NULL;
	}
	*sink = both;
	return whole;
}

void told_forget(char *whole)
{
	if (whole)
		unlink(whole);
	free(whole);
}

void told_write(const char *whole, const struct ct_record_stats *stats, enum ct_row_numbers numbers,
	const char *output)
{
	struct ct_source *source;
	struct input *input;
	struct arena names;

	if (stats->nr_rows == 0 || stats->nr_events > TOLD_EVENTS_MAX ||
		input_open(whole, &input, NULL) || store_source_open(input, &source, NULL))
		return;
	arena_init(&names);
	if (naming_fill_tables(source, &names, NULL) == CT_OK)
		export_told(source, numbers, output, NULL);
	source_close(source);
	arena_fini(&names);
}
