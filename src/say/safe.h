/* SPDX-License-Identifier: MIT */
/*
 * Makes text from a trace safe to display.
 *
 * Names, paths and reasons are chosen by the traced program, or by the author of a file. Displayed unchanged, they
 * could move a terminal's cursor, hide text behind a change of direction, or become a link or a mention on a web page.
 * Everything that a report prints must pass these functions, except the renderers' own words.
 */
#ifndef SAY_SAFE_H
#define SAY_SAFE_H

#include <stddef.h>

#include "base/text.h"

/*
 * say_safe: appends a text for a terminal. Control characters, line breaks, invalid UTF-8, and characters that change
 * direction or have no width appear as \xHH or \u{HHHH}, so a text always stays on one line. A broken `text` stays
 * broken.
 */
void say_safe(struct text *text, const char *value);

/* say_command_word: appends a text as a word of a shell command, quoted if necessary, and safe to display. */
void say_command_word(struct text *text, const char *word);

/*
 * say_markdown: appends a text that is already safe, so that Markdown (CommonMark and GitHub's tables) shows exactly
 * its characters: no markup, link, mention or new table cell can result.
 */
void say_markdown(struct text *text, const char *safe);

/*
 * say_html: appends a text that is already safe as the content of an HTML element or of a quoted attribute, which shows
 * exactly its characters.
 */
void say_html(struct text *text, const char *safe, size_t nr_bytes);

/* say_columns: the number of characters of a safe text, which is about its width on a line. */
size_t say_columns(const char *safe, size_t nr_bytes);

#endif
