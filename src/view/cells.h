/* SPDX-License-Identifier: MIT */
/*
 * The cells of a row, made from view.def. Include this file between the braces of the row:
 *
 * 	const int64_t row[] = {
 * 	#define MAKES_NOTES ~,
 * 	#include "view/cells.h"
 * 	#undef MAKES_NOTES
 * 	};
 *
 * The values are expressions in the variables of that place. Columns of other tables make nothing.
 */
#define PICK(nothing, cell, ...) cell
#define CHOOSE(...) PICK(__VA_ARGS__)
#define CELL(COLUMN, ...) [COLUMN] = (int64_t)(__VA_ARGS__),
#define NO_CELL(COLUMN, ...)
#define TABLE(NAME, share, name, meaning)
#define COLUMN(TABLE, NAME, name, type, meaning, value) \
	CHOOSE(MAKES_##TABLE CELL, NO_CELL, )(CT_VIEW_##TABLE##_##NAME, value)
#define END(TABLE)
#define PART(NAME, OF, column, value, name, meaning)
#include "corotracer/def/view.def"
#undef PICK
#undef CHOOSE
#undef CELL
#undef NO_CELL
