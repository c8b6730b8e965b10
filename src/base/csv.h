/* SPDX-License-Identifier: MIT */
/*
 * Texts as cells of comma-separated values.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/text.h"

/*
 * csv_text: the cell in quotes, with quotes inside doubled, as RFC 4180 has it. Line feeds and tabs stay; other control
 * characters, and bytes that are no UTF-8, become U+FFFD (text_plain). `is_guarded`: one that begins with "=", "+",
 * "-", "@" or a tab has an apostrophe before it, since spreadsheets compute what begins so.
 */
void csv_text(struct text *text, const char *value, bool is_guarded);

#endif
