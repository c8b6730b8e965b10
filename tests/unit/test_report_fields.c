/* SPDX-License-Identifier: MIT */
/*
 * The specification of the report as JSON, whose path is the first argument, must have the tables that are made from
 * the list of the report's fields. With REPORT_UPDATE=1 in the environment the tables are written. The kind of each
 * field must fit its member.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "render/fields.h"

#define MADE \
	"<!-- Made from include/corotracer/def/report.def: edit it there, then see above. -->\n"

/* Adds the address of a heading, which is made of the heading's words. */
static void add_anchor(struct text *text, const char *heading)
{
	text_char(text, '#');
	for (; *heading; heading++) {
		if (*heading == ' ')
			text_char(text, '-');
		else if (isalnum((unsigned char)*heading))
			text_char(text, (char)tolower((unsigned char)*heading));
	}
}

static void add_type(struct text *text, const struct render_field *field)
{
	const char *type = render_kind_type(field->kind);

	if (strncmp(type, "object", strlen("object")) != 0 || !field->object) {
		text_add(text, type);
		return;
	}
	text_format(text, "[%s](", type);
	add_anchor(text, render_fields(field->object)->heading);
	text_char(text, ')');
}

static void add_rows(struct text *text, const struct render_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->nr_fields; i++) {
		const struct render_field *field = &fields->fields[i];

		if (!*render_kind_type(field->kind)) {
			add_rows(text, render_fields(field->object));
			continue;
		}
		text_format(text, "| `%s` | ", field->key);
		add_type(text, field);
		text_format(text, " |%s%s |\n", *field->meaning ? " " : "", field->meaning);
	}
}

static void add_object(struct text *text, enum render_object object)
{
	const struct render_fields *fields = render_fields(object);

	if (!*fields->heading)
		return;
	text_format(text, "\n%s## %s\n\n", object ? "#" : "", fields->heading);
	if (*fields->says)
		text_format(text, "%s\n\n", fields->says);
	text_add(text, "| key | type | what it says |\n| --- | --- | --- |\n");
	add_rows(text, fields);
}

/* A field whose kind does not fit its member would read what lies beside the member. */
static void expect_size(const struct render_field *field)
{
	switch (field->kind) {
	case RENDER_KIND_TEXT:
	case RENDER_KIND_TEXTS:
		CHECK_EQUAL(field->size, sizeof(const char *));
		return;
	case RENDER_KIND_TIME:
	case RENDER_KIND_DURATION:
	case RENDER_KIND_REAL:
	case RENDER_KIND_ID:
	case RENDER_KIND_EVENT:
	case RENDER_KIND_WORD:
	case RENDER_KIND_DECIMAL:
		CHECK_EQUAL(field->size, sizeof(uint64_t));
		return;
	case RENDER_KIND_INDEX:
	case RENDER_KIND_KNOWN:
		CHECK_EQUAL(field->size, sizeof(uint32_t));
		return;
	case RENDER_KIND_BOOL:
		CHECK_EQUAL(field->size, sizeof(bool));
		return;
	default:
		CHECK(field->size > 0);
	}
}

static void expect_sizes(const struct render_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->nr_fields; i++)
		expect_size(&fields->fields[i]);
}

static void add_contents(struct text *text, const char *path)
{
	char piece[4096];
	FILE *file = fopen(path, "r");
	size_t nr_bytes;

	CHECK(file != NULL);
	while (file && (nr_bytes = fread(piece, 1, sizeof(piece), file)) > 0)
		text_append(text, piece, nr_bytes);
	if (file)
		fclose(file);
}

static void write_anew(const char *path, const struct text *whole, const char *tables)
{
	const char *from = strstr(text_peek(whole), MADE);
	FILE *file = fopen(path, "w");

	CHECK(file != NULL);
	if (!file)
		return;
	fprintf(file, "%.*s%s", from ? (int)(from - text_peek(whole)) : (int)whole->length,
		text_peek(whole), tables);
	CHECK_EQUAL(fclose(file), 0);
}

/* Compares the two texts, and names the first line that differs. */
static void expect_same(const char *told, const char *made)
{
	size_t same = 0, line = 0;

	for (; told[same] && told[same] == made[same]; same++)
		if (told[same] == '\n')
			line = same + 1;
	CHECK(told[same] == made[same]);
	if (told[same] != made[same])
		fprintf(stderr, "there stands: %.*s\nthe list has: %.*s\n",
			(int)strcspn(told + line, "\n"), told + line,
			(int)strcspn(made + line, "\n"), made + line);
}

int main(int argc, char **argv)
{
	struct text tables = {0}, whole = {0};
	const char *told;
	int object;

	if (argc != 2) {
		fprintf(stderr, "usage: test_report_fields FILE\n");
		return 1;
	}
	text_add(&tables, MADE);
	for (object = 0; object < RENDER_NR_OBJECTS; object++) {
		expect_sizes(render_fields((enum render_object)object));
		add_object(&tables, (enum render_object)object);
	}
	add_contents(&whole, argv[1]);
	told = strstr(text_peek(&whole), MADE);
	if (getenv("REPORT_UPDATE"))
		write_anew(argv[1], &whole, text_peek(&tables));
	else
		expect_same(told ? told : "", text_peek(&tables));
	text_fini(&tables);
	text_fini(&whole);
	return check_result();
}
