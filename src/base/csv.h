/* SPDX-License-Identifier: MIT */
/*
 * Texts as cells of comma-separated values.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include "base/text.h"

/*
 * csv_text: appends the cell in quotes, with inner quotes doubled, as in RFC 4180. Line feeds and tabs stay; other
 * control characters, and bytes that are not UTF-8, become U+FFFD (text_plain). `is_guarded`: an apostrophe precedes a
 * value that begins with "=", "+", "-", "@" or a tab, because spreadsheets would compute it.
 */
void csv_text(struct text *text, const char *value, bool is_guarded);

#endif
