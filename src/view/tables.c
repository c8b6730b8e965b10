/* SPDX-License-Identifier: MIT */
/*
 * The tables of every view, from corotracer/def/view.def.
 */
#include <string.h>

#include "view/view.h"

#define TABLE(NAME, share_, text, meaning) static const struct ct_view_column columns_##NAME[] = {
#define COLUMN(TABLE, NAME, text, type, meaning, value) {text, CT_VIEW_TYPE_##type, meaning},
#define END(TABLE) \
	}          \
	;
#define PART(NAME, OF, column, value, text, meaning)
#include "corotracer/def/view.def"

const struct view_table view_tables[CT_VIEW_NR_TABLES] = {
#define TABLE(NAME, share_, text, meaning)                                                     \
	[CT_VIEW_##NAME] = {.description = {text, meaning, columns_##NAME, CT_VIEW_NR_##NAME}, \
		.log = CT_VIEW_##NAME,                                                         \
		.share = VIEW_##share_},
#define COLUMN(TABLE, NAME, text, type, meaning, value)
#define END(TABLE)
#define PART(NAME, OF, column, value, text, meaning)                                       \
	[CT_VIEW_##NAME] = {.description = {text, meaning, columns_##OF, CT_VIEW_NR_##OF}, \
		.log = CT_VIEW_##OF,                                                       \
		.is_part = true,                                                           \
		.part_column = CT_VIEW_##OF##_##column,                                    \
		.part_number = value},
#include "corotracer/def/view.def"
};

static const struct {
	const char *name;
	int64_t none;
} types[CT_VIEW_NR_TYPES] = {
#define X(NAME, text, none, meaning) {text, none},
#include "corotracer/def/view_types.def"
#undef X
};

const struct ct_view_description *ct_view_describe(enum ct_view_table table)
{
	static const struct ct_view_description none = {.name = "", .meaning = ""};

	return table < CT_VIEW_NR_TABLES ? &view_tables[table].description : &none;
}

enum ct_view_table ct_view_find_table(const char *name)
{
	enum ct_view_table table = 0;

	while (table < CT_VIEW_NR_TABLES && strcmp(view_tables[table].description.name, name) != 0)
		table++;
	return table;
}

uint32_t ct_view_find_column(enum ct_view_table table, const char *name)
{
	const struct ct_view_description *description = ct_view_describe(table);
	uint32_t column = 0;

	while (column < description->nr_columns &&
		strcmp(description->columns[column].name, name) != 0)
		column++;
	return column;
}

int64_t ct_view_none(enum ct_view_type type)
{
	return types[type].none;
}

bool ct_view_is_nothing(enum ct_view_type type, int64_t number)
{
	return number == types[type].none && number != CT_VIEW_NOTHING;
}

const char *ct_view_type_name(enum ct_view_type type)
{
	return types[type].name;
}
