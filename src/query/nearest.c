/* SPDX-License-Identifier: MIT */
/*
 * Finds the table or column that a misspelt name means: the one with the fewest letters to change.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "corotracer/query.h"
#include "query/nearest.h"
#include "query/schema.h"

#define LONGEST 40u
#define FARTHEST 3u /* letters; with more changes it is not a misspelling */
#define SHORTEST 3u /* letters; a shorter beginning of a name is not recognised */

struct nearest {
	const char *word;
	size_t length;
	const char *name; /* NULL: no name is near */
	size_t distance;
};

static size_t least(size_t a, size_t b, size_t c)
{
	size_t smaller = a < b ? a : b;

	return smaller < c ? smaller : c;
}

static bool is_same(char one, char other)
{
	return tolower((unsigned char)one) == tolower((unsigned char)other);
}

/* The number of insertions, removals and replacements that turn the word into the name. */
static size_t distance(const char *word, size_t length, const char *name)
{
	size_t row[LONGEST + 1], nr_letters = strlen(name), i, k;

	if (length > LONGEST || nr_letters > LONGEST)
		return LONGEST;
	for (k = 0; k <= nr_letters; k++)
		row[k] = k;
	for (i = 1; i <= length; i++) {
		size_t diagonal = row[0], above;

		row[0] = i;
		for (k = 1; k <= nr_letters; k++) {
			above = row[k];
			row[k] = least(above + 1, row[k - 1] + 1,
				diagonal + !is_same(word[i - 1], name[k - 1]));
			diagonal = above;
		}
	}
	return row[nr_letters];
}

/* A name that begins with the word is nearer than a name that is spelt differently. */
static bool is_beginning(const struct nearest *nearest, const char *name)
{
	return nearest->length >= SHORTEST &&
	       strncasecmp(nearest->word, name, nearest->length) == 0;
}

static void consider(struct nearest *nearest, const char *name)
{
	size_t present =
		is_beginning(nearest, name) ? 1 : distance(nearest->word, nearest->length, name);

	if (present >= nearest->distance || present >= nearest->length)
		return;
	nearest->distance = present;
	nearest->name = name;
}

static void consider_columns(struct nearest *nearest, const struct ct_query_table *table)
{
	uint32_t i;

	for (i = 0; i < table->nr_columns; i++)
		consider(nearest, table->columns[i].name);
}

static const char no_table[] = "no such table: ", no_column[] = "no such column: ";

/* "x" of "no such column: t.x". */
static const char *bare_name(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

const char *query_table_with(const char *complaint)
{
	const struct ct_query_table *tables;
	const char *name;
	uint32_t count, i;

	if (strncmp(complaint, no_column, strlen(no_column)) != 0)
		return NULL;
	name = bare_name(complaint + strlen(no_column));
	tables = ct_query_tables(&count);
	for (i = 0; i < count; i++)
		if (query_has_column(tables[i].columns, tables[i].nr_columns, name))
			return tables[i].name;
	return NULL;
}

const char *query_nearest(const char *complaint)
{
	bool is_table = strncmp(complaint, no_table, strlen(no_table)) == 0;
	struct nearest nearest = {.distance = FARTHEST + 1};
	const struct ct_query_table *tables;
	uint32_t count, i;

	if (!is_table && strncmp(complaint, no_column, strlen(no_column)) != 0)
		return NULL;
	nearest.word = bare_name(complaint + strlen(is_table ? no_table : no_column));
	nearest.length = strlen(nearest.word);
	tables = ct_query_tables(&count);
	for (i = 0; i < count; i++) {
		if (is_table)
			consider(&nearest, tables[i].name);
		else
			consider_columns(&nearest, &tables[i]);
	}
	return nearest.name;
}
