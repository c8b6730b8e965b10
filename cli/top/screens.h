/* SPDX-License-Identifier: MIT */
/*
 * The screens of `corotracer top`, from screens.def: the table of the view that each shows, and its columns. Constant;
 * any thread may use it.
 */
#ifndef CLI_TOP_SCREENS_H
#define CLI_TOP_SCREENS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"

#define TOP_COLUMNS 12u /* of a screen, at most */

enum top_screen {
#define SCREEN(NAME, name, key, TABLE, order, direction, meaning) TOP_##NAME,
#define COLUMN(NAME, heading, COLUMN, form, width, least)
#define END(NAME)
#include "top/screens.def"
	TOP_NR_TABLES,
	/* The screens of text: */
	TOP_FINDING = TOP_NR_TABLES,
	TOP_COROUTINE,
	TOP_HELP,
	TOP_NR_SCREENS,
};

/* How a cell is written. */
enum top_form {
	TOP_FORM_NUMBER, /* only digits */
	TOP_FORM_COUNT,  /* with commas */
	TOP_FORM_SPAN,   /* nanoseconds as "3.21 ms" */
	TOP_FORM_AGE,    /* a time, as its age at the end of observation */
	TOP_FORM_TEXT,
	TOP_FORM_GRADE, /* of a finding, coloured */
	TOP_FORM_STATE, /* of a coroutine, coloured */
	TOP_FORM_SHARE, /* percentage of the sum of the row's shares */
	TOP_FORM_BARS,  /* the row's shares, drawn as a bar */
};

struct top_column {
	const char *heading;
	uint32_t column; /* of the table */
	enum top_form form;
	uint32_t width; /* 0: the rest of the line */
	uint32_t least; /* the least number of columns of the terminal */
};

struct top_screen_description {
	const char *name;
	char key;
	enum ct_view_table table;
	uint32_t order;
	bool is_descending;
	const char *meaning;
	const struct top_column *columns;
	uint32_t nr_columns;
};

/* top_screen_describe: describes a screen that is a table. */
const struct top_screen_description *top_screen_describe(enum top_screen screen);

/*
 * top_screen_find_column: finds a column by its heading or by its name in the view, in any case; the screen's
 * nr_columns: there is none.
 */
uint32_t top_screen_find_column(enum top_screen screen, const char *name);

/* top_column_is_numeric: is it aligned to the right? */
bool top_column_is_numeric(const struct top_column *column);

#endif
