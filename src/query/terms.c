/* SPDX-License-Identifier: MIT */
/*
 * Turns SQL conditions into terms of a view.
 *
 * A number is compared as SQL compares numbers, and is NULL where the view has no value. Words belong to a list (kinds,
 * states) or a table (places, threads): each word is tested, and the smallest and greatest number of a word that meets
 * the condition become the terms. Texts are found by their bytes. LIKE and GLOB become a wider pattern, and SQLite
 * tests each row again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/query.h"

#define LARGEST 9223372036854775808.0 /* 2^63: all numbers are smaller */
#define REPLACED "\xef\xbf\xbd"       /* replaces bytes that are not UTF-8 */

/* ---------------------------------------------------------------- types of columns */

static bool is_number(const struct query_column *column)
{
	return !column->is_text && column->of == QUERY_OF_CELL && !column->is_partial;
}

/* How many numbers a type has whose words are few; 0: the words are not few. */
static int64_t nr_words(struct ct_query *query, const struct query_column *column)
{
	const struct ct_tables *tables = ct_view_tables(query->view);

	if (!column->is_text)
		return 0;
	switch (column->type) {
	case CT_VIEW_TYPE_STATE:
	case CT_VIEW_TYPE_KIND:
	case CT_VIEW_TYPE_OUTCOME:
	case CT_VIEW_TYPE_MARK:
		return UINT8_MAX + 1;
	case CT_VIEW_TYPE_SITE:
		return tables->nr_sites;
	case CT_VIEW_TYPE_THREAD:
		return tables->nr_threads;
	default:
		return 0;
	}
}

static bool is_comparison(int op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
	case SQLITE_INDEX_CONSTRAINT_IS:
	case SQLITE_INDEX_CONSTRAINT_NE:
	case SQLITE_INDEX_CONSTRAINT_ISNOT:
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
	case SQLITE_INDEX_CONSTRAINT_ISNULL:
	case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
		return true;
	default:
		return false;
	}
}

static bool is_equality(int op)
{
	return op == SQLITE_INDEX_CONSTRAINT_EQ || op == SQLITE_INDEX_CONSTRAINT_IS;
}

/* ---------------------------------------------------------------- words */

struct range {
	int64_t least, most;
	uint32_t count;
};

static bool meets_order(int op, int order)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
	case SQLITE_INDEX_CONSTRAINT_IS:
		return order == 0;
	case SQLITE_INDEX_CONSTRAINT_LT:
		return order < 0;
	case SQLITE_INDEX_CONSTRAINT_LE:
		return order <= 0;
	case SQLITE_INDEX_CONSTRAINT_GT:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool meets_words(int op, const char *words, const char *right)
{
	if (!*words)
		return false;
	if (op == SQLITE_INDEX_CONSTRAINT_LIKE)
		return sqlite3_strlike(right, words, 0) == 0;
	if (op == SQLITE_INDEX_CONSTRAINT_GLOB)
		return sqlite3_strglob(right, words) == 0;
	return meets_order(op, strcmp(words, right));
}

static bool is_for_words(int op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_EQ:
	case SQLITE_INDEX_CONSTRAINT_IS:
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
	case SQLITE_INDEX_CONSTRAINT_LIKE:
	case SQLITE_INDEX_CONSTRAINT_GLOB:
		return true;
	default:
		return false;
	}
}

/* Finds the numbers whose words meet the condition. False: out of memory. */
static bool find_words(struct ct_query *query, const struct query_column *column, int op,
	const char *right, struct range *ret_range)
{
	struct range range = {.count = 0};
	int64_t i, end = nr_words(query, column);
	struct text words = {0};
	bool is_complete;

	for (i = 0; i < end && !words.is_broken; i++) {
		text_clear(&words);
		query_cell_text(&words, query, column, i);
		if (!meets_words(op, text_peek(&words), right))
			continue;
		if (!range.count++)
			range.least = i;
		range.most = i;
	}
	is_complete = !words.is_broken;
	text_fini(&words);
	*ret_range = range;
	return is_complete;
}

/* ---------------------------------------------------------------- terms */

static bool is_known_text(sqlite3_value *right)
{
	return right && sqlite3_value_type(right) == SQLITE_TEXT &&
	       !strstr((const char *)sqlite3_value_text(right), REPLACED);
}

static enum query_taking take_words(
	struct ct_query *query, const struct query_column *column, int op, sqlite3_value *right)
{
	struct range range;

	if (!is_for_words(op))
		return QUERY_TAKEN_NOT;
	if (!is_equality(op) || !is_known_text(right) || column->of != QUERY_OF_CELL)
		return QUERY_TAKEN_ROUGHLY;
	if (!find_words(query, column, op, (const char *)sqlite3_value_text(right), &range))
		return QUERY_TAKEN_NOT;
	return range.count <= 1 ? QUERY_TAKEN_WHOLLY : QUERY_TAKEN_ROUGHLY;
}

enum query_taking query_taking(
	struct ct_query *query, const struct query_column *column, int op, sqlite3_value *right)
{
	if (is_number(column))
		return is_comparison(op) ? QUERY_TAKEN_WHOLLY : QUERY_TAKEN_NOT;
	if (nr_words(query, column))
		return take_words(query, column, op, right);
	if (column->type != CT_VIEW_TYPE_TEXT || column->of != QUERY_OF_CELL)
		return QUERY_TAKEN_NOT;
	if (is_equality(op))
		return is_known_text(right) ? QUERY_TAKEN_WHOLLY : QUERY_TAKEN_ROUGHLY;
	return op == SQLITE_INDEX_CONSTRAINT_LIKE || op == SQLITE_INDEX_CONSTRAINT_GLOB
		       ? QUERY_TAKEN_ROUGHLY
		       : QUERY_TAKEN_NOT;
}

/* ---------------------------------------------------------------- terms of numbers */

static void add(struct query_terms *terms, const struct query_column *column,
	enum ct_view_compare compare, int64_t number)
{
	terms->at[terms->count++] = (struct ct_view_term){
		.column = column->column, .compare = compare, .number = number};
}

/* Matches every cell that has a value. */
static void add_any(struct query_terms *terms, const struct query_column *column)
{
	int64_t none = ct_view_none(column->type);

	if (none != CT_VIEW_NOTHING)
		add(terms, column, CT_VIEW_UNEQUAL, none);
}

static void add_null(struct query_terms *terms, const struct query_column *column, int op)
{
	int64_t none = ct_view_none(column->type);

	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_IS:
	case SQLITE_INDEX_CONSTRAINT_ISNULL:
		if (none == CT_VIEW_NOTHING)
			terms->is_never = true;
		else
			add(terms, column, CT_VIEW_EQUAL, none);
		return;
	case SQLITE_INDEX_CONSTRAINT_ISNOT:
	case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
		add_any(terms, column);
		return;
	default:
		terms->is_never = true;
	}
}

/* `is_above`: the compared value is greater than any number; else it is less than any number. */
static void add_beyond(
	struct query_terms *terms, const struct query_column *column, int op, bool is_above)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_ISNOT:
		return;
	case SQLITE_INDEX_CONSTRAINT_NE:
		add_any(terms, column);
		return;
	case SQLITE_INDEX_CONSTRAINT_LT:
	case SQLITE_INDEX_CONSTRAINT_LE:
		terms->is_never |= !is_above;
		add_any(terms, column);
		return;
	case SQLITE_INDEX_CONSTRAINT_GT:
	case SQLITE_INDEX_CONSTRAINT_GE:
		terms->is_never |= is_above;
		add_any(terms, column);
		return;
	default:
		terms->is_never = true;
	}
}

static void add_whole(
	struct query_terms *terms, const struct query_column *column, int op, int64_t number)
{
	bool is_none = ct_view_is_nothing(column->type, number);

	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_NE:
		add_any(terms, column);
		add(terms, column, CT_VIEW_UNEQUAL, number);
		return;
	case SQLITE_INDEX_CONSTRAINT_ISNOT:
		if (!is_none)
			add(terms, column, CT_VIEW_UNEQUAL, number);
		return;
	case SQLITE_INDEX_CONSTRAINT_LT:
		add(terms, column, CT_VIEW_LESS, number);
		return;
	case SQLITE_INDEX_CONSTRAINT_LE:
		add(terms, column, CT_VIEW_AT_MOST, number);
		return;
	case SQLITE_INDEX_CONSTRAINT_GT:
		add(terms, column, CT_VIEW_MORE, number);
		return;
	case SQLITE_INDEX_CONSTRAINT_GE:
		add(terms, column, CT_VIEW_AT_LEAST, number);
		return;
	default:
		terms->is_never |= is_none;
		add(terms, column, CT_VIEW_EQUAL, number);
	}
}

static void add_real(
	struct query_terms *terms, const struct query_column *column, int op, double number)
{
	bool is_less = op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;

	if (number >= LARGEST || number < -LARGEST)
		add_beyond(terms, column, op, number > 0);
	else if (number == floor(number))
		add_whole(terms, column, op, (int64_t)number);
	else if (is_less)
		add(terms, column, CT_VIEW_AT_MOST, (int64_t)floor(number));
	else if (op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE)
		add(terms, column, CT_VIEW_AT_LEAST, (int64_t)ceil(number));
	else
		add_beyond(terms, column, op, true);
}

static void add_number(
	struct query_terms *terms, const struct query_column *column, int op, sqlite3_value *right)
{
	switch (op == SQLITE_INDEX_CONSTRAINT_ISNULL || op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL
			? SQLITE_NULL
			: sqlite3_value_numeric_type(right)) {
	case SQLITE_NULL:
		add_null(terms, column, op);
		return;
	case SQLITE_INTEGER:
		add_whole(terms, column, op, sqlite3_value_int64(right));
		return;
	case SQLITE_FLOAT:
		add_real(terms, column, op, sqlite3_value_double(right));
		return;
	default:
		/* In SQL every text is greater than any number. */
		add_beyond(terms, column, op, true);
	}
}

/* ---------------------------------------------------------------- texts */

static bool add_words(struct query_terms *terms, struct ct_query *query,
	const struct query_column *column, int op, const char *right)
{
	struct range range;

	if (!find_words(query, column, op, right, &range))
		return false;
	terms->is_never |= !range.count;
	if (range.count && range.least == range.most) {
		add(terms, column, CT_VIEW_EQUAL, range.least);
	} else if (range.count) {
		add(terms, column, CT_VIEW_AT_LEAST, range.least);
		add(terms, column, CT_VIEW_AT_MOST, range.most);
	}
	return true;
}

/*
 * A pattern for fnmatch that matches at least the texts that the SQL pattern matches. NULL: no such pattern helps, or
 * memory is out.
 */
static char *widen(int op, const char *pattern)
{
	bool is_glob = op == SQLITE_INDEX_CONSTRAINT_GLOB;
	char *wide = malloc(2 * strlen(pattern) + 2), *at = wide;
	uint32_t nr_stars = 0;

	for (; wide && *pattern; pattern++) {
		bool is_end = (unsigned char)*pattern >= 0x80 || (is_glob && *pattern == '[');

		if (is_end || strchr(is_glob ? "*?" : "%_", *pattern)) {
			*at++ = '*';
			nr_stars++;
			if (is_end)
				break;
			continue;
		}
		if (strchr("*?[]\\", *pattern))
			*at++ = '\\';
		*at++ = *pattern;
	}
	if (!wide || nr_stars > CT_VIEW_STARS_MOST) {
		free(wide);
		return NULL;
	}
	*at = '\0';
	return wide;
}

static void add_pattern(
	struct query_terms *terms, const struct query_column *column, int op, const char *right)
{
	char *wide = widen(op, right);

	if (!wide)
		return;
	terms->patterns[terms->nr_patterns++] = wide;
	terms->at[terms->count++] = (struct ct_view_term){
		.column = column->column, .compare = CT_VIEW_MATCHES, .text = wide};
}

static void add_text(struct query_terms *terms, const struct query_vtab *vtab,
	const struct query_column *column, int op, const char *right)
{
	int64_t number;

	if (!is_equality(op))
		add_pattern(terms, column, op, right);
	else if (*right && ct_view_parse(vtab->query->view, vtab->table->table, column->column,
				   right, &number))
		add(terms, column, CT_VIEW_EQUAL, number);
	else
		terms->is_never = true;
}

bool query_terms_add(struct query_terms *terms, const struct query_vtab *vtab, uint32_t place,
	int op, sqlite3_value *right)
{
	const struct query_column *column = &vtab->table->columns[place];
	const char *text;

	if (is_number(column)) {
		add_number(terms, column, op, right);
		return true;
	}
	/* For other types than text the rules are many, so SQLite checks the condition. */
	if (sqlite3_value_type(right) != SQLITE_TEXT)
		return true;
	text = (const char *)sqlite3_value_text(right);
	if (!text)
		return false;
	if (strstr(text, REPLACED))
		return true;
	if (nr_words(vtab->query, column))
		return add_words(terms, vtab->query, column, op, text);
	add_text(terms, vtab, column, op, text);
	return true;
}

void query_terms_fini(struct query_terms *terms)
{
	uint32_t i;

	for (i = 0; i < terms->nr_patterns; i++)
		free(terms->patterns[i]);
	*terms = (struct query_terms){.count = 0};
}
