/* SPDX-License-Identifier: MIT */
/*
 * The cells of a row, as view.def has them, to be included between the braces of the row:
 *
 *	const int64_t row[] = {
 *	#define MAKES_NOTES ~,
 *	#include "view/cells.h"
 *	#undef MAKES_NOTES
 *	};
 *
 * Values are told in the variables of that place. Columns of tables that are not named so make nothing.
 */
#define PICK(nothing, cell, ...) cell
#define CHOOSE(...) PICK(__VA_ARGS__)
#define CELL(COLUMN, ...) [COLUMN] = (int64_t)(__VA_ARGS__),
#define NO_CELL(COLUMN, ...)
#define TABLE(NAME, half, name, meaning)
#define COLUMN(TABLE, NAME, name, type, meaning, value) \
	CHOOSE(MAKES_##TABLE CELL, NO_CELL, )(CT_VIEW_##TABLE##_##NAME, value)
#define END(TABLE)
#define PART(NAME, OF, column, value, name, meaning)
#include "corotracer/def/view.def"
#undef PICK
#undef CHOOSE
#undef CELL
#undef NO_CELL
