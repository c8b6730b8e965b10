/* SPDX-License-Identifier: MIT */
/*
 * Making text that came out of a trace fit to be shown.
 *
 * Names, paths and reasons are whatever a traced program, or the author of a file, put there. Shown as
 * they are, they could move a terminal's cursor, hide text behind a change of direction, or become a
 * link or a mention on a web page. Nothing that a report prints may bypass these functions, but for what
 * the renderers say themselves.
 */
#ifndef SAY_SAFE_H
#define SAY_SAFE_H

#include <stddef.h>

#include "base/text.h"

/*
 * say_safe: appends a text for a terminal. Control characters, bytes that are no UTF-8, and
 * characters that change direction or have no width appear as \xHH or \u{HHHH}; line breaks too, so
 * that one text stays one line. A broken `text` stays broken.
 */
void say_safe(struct text *text, const char *value);

/* say_command_word: a text as a word of a shell's command, in quotes where it needs them; likewise fit to be shown. */
void say_command_word(struct text *text, const char *word);

/*
 * say_markdown: appends a text, already safe, so that Markdown (CommonMark and GitHub's tables)
 * shows just these characters: no markup, link, mention or new table cell comes of it.
 */
void say_markdown(struct text *text, const char *safe);

/*
 * say_html: appends a text, already safe, as the content of an HTML element or of an attribute in
 * quotes: it shows just these characters.
 */
void say_html(struct text *text, const char *safe, size_t nr_bytes);

/* say_columns: the number of characters of a safe text: what it takes on a line, near enough. */
size_t say_columns(const char *safe, size_t nr_bytes);

#endif
