/* SPDX-License-Identifier: MIT */
/*
 * Making text that came out of a trace fit to be shown.
 *
 * Names, paths and reasons are whatever a traced program, or the author of a file, put there. Shown as
 * they are, they could move a terminal's cursor, hide text behind a change of direction, or become a
 * link or a mention on a web page. Nothing that a report prints may bypass these functions, but for what
 * the renderers say themselves.
 */
#ifndef RENDER_SAFE_H
#define RENDER_SAFE_H

#include <stddef.h>

#include "base/text.h"

/*
 * render_safe: appends a text for a terminal. Control characters, bytes that are no UTF-8, and
 * characters that change direction or have no width appear as \xHH or \u{HHHH}; line breaks too, so
 * that one text stays one line. A broken `text` stays broken.
 */
void render_safe(struct text *text, const char *value);

/*
 * render_markdown: appends a text, already safe, so that Markdown (CommonMark and GitHub's tables)
 * shows just these characters: no markup, link, mention or new table cell comes of it.
 */
void render_markdown(struct text *text, const char *safe);

/*
 * render_html: appends a text, already safe, as the content of an HTML element or of an attribute in
 * quotes: it shows just these characters.
 */
void render_html(struct text *text, const char *safe, size_t nr_bytes);

/* render_columns: the number of characters of a safe text: what it takes on a line, near enough. */
size_t render_columns(const char *safe, size_t nr_bytes);

#endif
