/* SPDX-License-Identifier: MIT */
/*
 * Turns words into terms of a view's request.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "top/filter.h"

/* A word, split into its parts. */
struct word {
	char column[TOP_TERM_BYTES]; /* "": no column was named */
	enum ct_view_compare compare;
	const char *value;
};

struct reading {
	struct top_filter *filter;
	const struct top_screen_description *screen;
	enum top_screen number;
	struct ct_view *view;
	ct_time now;
	char *complaint;
};

__attribute__((format(printf, 2, 3))) static bool complain(
	struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reading->complaint, TOP_COMPLAINT_BYTES, format, arguments);
	va_end(arguments);
	return false;
}

/* ---------------------------------------------------------------- taking apart */

static const struct {
	const char *text;
	enum ct_view_compare compare;
} operators[] = {
	/* Longer operators first, because "<=" begins with "<". */
	{"!=", CT_VIEW_UNEQUAL},
	{"<=", CT_VIEW_AT_MOST},
	{">=", CT_VIEW_AT_LEAST},
	{"=", CT_VIEW_EQUAL},
	{"<", CT_VIEW_LESS},
	{">", CT_VIEW_MORE},
	{"~", CT_VIEW_MATCHES},
};

static struct word take_apart(const char *text)
{
	struct word word = {"", CT_VIEW_MATCHES, text};
	size_t length = strcspn(text, "!<>=~"), i;

	for (i = 0; length && i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t nr_bytes = strlen(operators[i].text);

		if (strncmp(text + length, operators[i].text, nr_bytes) != 0)
			continue;
		snprintf(word.column, sizeof(word.column), "%.*s", (int)length, text);
		word.compare = operators[i].compare;
		word.value = text + length + nr_bytes;
		break;
	}
	return word;
}

/* ---------------------------------------------------------------- one term */

/*
 * Finds the named column of the table; *ret_shown: the screen's column, NULL if it is not shown. False: there is none.
 */
static bool find_column(struct reading *reading, const char *name, uint32_t *ret_column,
	const struct top_column **ret_shown)
{
	const struct ct_view_description *table = ct_view_describe(reading->screen->table);
	uint32_t at = *name ? top_screen_find_column(reading->number, name)
			    : reading->screen->nr_columns - 1;

	*ret_shown = NULL;
	if (at < reading->screen->nr_columns) {
		*ret_shown = &reading->screen->columns[at];
		*ret_column = (*ret_shown)->column;
		return true;
	}
	*ret_column = ct_view_find_column(reading->screen->table, name);
	return *ret_column < table->nr_columns ||
	       complain(reading, "no column '%s' is in '%s'", name, table->name);
}

/* "*place*": a pattern may match anywhere, unless it has stars itself. */
static bool match(
	struct reading *reading, struct ct_view_term *term, const char *value, bool anywhere)
{
	char *text = reading->filter->texts[reading->filter->nr_terms];
	bool has_stars = !anywhere || strpbrk(value, "*?");

	snprintf(text, TOP_TERM_BYTES, "%s%s%s", has_stars ? "" : "*", value, has_stars ? "" : "*");
	term->compare = CT_VIEW_MATCHES;
	term->text = text;
	return true;
}

static bool is_named(enum ct_view_type type)
{
	return type == CT_VIEW_TYPE_TEXT || type == CT_VIEW_TYPE_SITE ||
	       type == CT_VIEW_TYPE_THREAD || type == CT_VIEW_TYPE_PROCESS ||
	       type == CT_VIEW_TYPE_HANDLE;
}

static bool read_number(struct reading *reading, struct ct_view_term *term, const char *value)
{
	enum ct_view_type type =
		ct_view_describe(reading->screen->table)->columns[term->column].type;

	if ((type == CT_VIEW_TYPE_NANOSECONDS || type == CT_VIEW_TYPE_TIME) &&
		ct_time_read(value, &term->number))
		return true;
	return ct_view_parse(
		reading->view, reading->screen->table, term->column, value, &term->number);
}

/* Ages are in reverse order of times, so the comparison is turned. */
static void turn_to_time(struct reading *reading, struct ct_view_term *term)
{
	static const enum ct_view_compare turned[CT_VIEW_NR_COMPARES] = {
		[CT_VIEW_EQUAL] = CT_VIEW_EQUAL,
		[CT_VIEW_UNEQUAL] = CT_VIEW_UNEQUAL,
		[CT_VIEW_LESS] = CT_VIEW_MORE,
		[CT_VIEW_AT_MOST] = CT_VIEW_AT_LEAST,
		[CT_VIEW_MORE] = CT_VIEW_LESS,
		[CT_VIEW_AT_LEAST] = CT_VIEW_AT_MOST,
	};

	term->compare = turned[term->compare];
	term->number = reading->now - term->number;
}

static bool read_term(struct reading *reading, const struct word *word)
{
	struct ct_view_term *term = &reading->filter->terms[reading->filter->nr_terms];
	const struct top_column *shown;
	enum ct_view_type type;

	*term = (struct ct_view_term){.compare = word->compare};
	if (!find_column(reading, word->column, &term->column, &shown))
		return false;
	if (!*word->value)
		return complain(reading, "'%s' is compared with nothing", word->column);
	type = ct_view_describe(reading->screen->table)->columns[term->column].type;
	if (word->compare == CT_VIEW_MATCHES)
		return match(reading, term, word->value, true);
	if (word->compare == CT_VIEW_EQUAL && is_named(type) &&
		word->value[strspn(word->value, "0123456789")])
		return match(reading, term, word->value, false);
	if (!read_number(reading, term, word->value))
		return complain(reading, "'%s' has no value '%s'", word->column, word->value);
	if (shown && shown->form == TOP_FORM_AGE)
		turn_to_time(reading, term);
	return true;
}

/* ---------------------------------------------------------------- all of them */

static void only_workers(struct top_filter *filter, enum top_screen screen)
{
	if (screen == TOP_WORKERS)
		filter->terms[filter->nr_terms++] = (struct ct_view_term){
			.column = CT_VIEW_THREADS_IS_WORKER,
			.compare = CT_VIEW_EQUAL,
			.number = 1,
		};
}

bool top_filter_read(struct top_filter *filter, enum top_screen screen, struct ct_view *view,
	ct_time now, const char *text, char complaint[TOP_COMPLAINT_BYTES])
{
	struct reading reading = {
		filter, top_screen_describe(screen), screen, view, now, complaint};
	char copy[TOP_TERM_BYTES], *rest = copy, *part;
	struct word word;

	filter->nr_terms = 0;
	only_workers(filter, screen);
	snprintf(copy, sizeof(copy), "%s", text);
	while ((part = strsep(&rest, " \t"))) {
		if (!*part)
			continue;
		if (filter->nr_terms == TOP_TERMS)
			return complain(&reading, "more conditions than can be asked at once");
		word = take_apart(part);
		if (!read_term(&reading, &word))
			return false;
		filter->nr_terms++;
	}
	return true;
}
