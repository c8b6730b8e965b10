/* SPDX-License-Identifier: MIT */
/*
 * The table of screens, and look-ups by name.
 */
#include <strings.h>

#include "top/screens.h"

#define UP false
#define DOWN true

#define SCREEN(NAME, name, key, TABLE, order, direction, meaning) \
	static const struct top_column columns_of_##NAME[] = {
#define COLUMN(NAME, heading, COLUMN, form, width, least) \
	{heading, CT_VIEW_##COLUMN, TOP_FORM_##form, width, least},
#define END(NAME) \
	}         \
	;
#include "top/screens.def"

static const struct top_screen_description screens[TOP_NR_TABLES] = {
#define SCREEN(NAME, name, key, TABLE, order, direction, meaning)                                 \
	[TOP_##NAME] = {name, key, CT_VIEW_##TABLE, order, direction, meaning, columns_of_##NAME, \
		sizeof(columns_of_##NAME) / sizeof(columns_of_##NAME[0])},
#define COLUMN(NAME, heading, COLUMN, form, width, least)
#define END(NAME)
#include "top/screens.def"
};

const struct top_screen_description *top_screen_describe(enum top_screen screen)
{
	return &screens[screen];
}

static bool is_called(const struct top_screen_description *screen, uint32_t at, const char *name)
{
	const struct top_column *column = &screen->columns[at];

	return strcasecmp(column->heading, name) == 0 ||
	       strcasecmp(ct_view_describe(screen->table)->columns[column->column].name, name) == 0;
}

uint32_t top_screen_find_column(enum top_screen screen, const char *name)
{
	const struct top_screen_description *described = &screens[screen];
	uint32_t at = 0;

	while (at < described->nr_columns && !is_called(described, at, name))
		at++;
	return at;
}

bool top_column_is_numeric(const struct top_column *column)
{
	return column->form <= TOP_FORM_AGE || column->form == TOP_FORM_SHARE;
}
