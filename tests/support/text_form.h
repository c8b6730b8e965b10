/* SPDX-License-Identifier: MIT */
/*
 * For tests of the text form: text to a source, a source to text.
 */
#ifndef TESTS_TEXT_FORM_H
#define TESTS_TEXT_FORM_H

#include <stdlib.h>

#include "check.h"
#include "base/text.h"
#include "textrace/textrace.h"

/* A text that cannot be read ends the test. */
static inline struct ct_source *open_text(const char *text)
{
	struct ct_error error = {0};
	struct ct_source *source = NULL;

	if (textrace_source_from_text("case", 1, text, strlen(text), &source, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return source;
}

static inline struct text print_all(struct ct_source *source)
{
	const struct ct_event *event;
	struct text text = {0};

	textrace_print_tables(&text, source->tables);
	while (source_next(source, &event, NULL) == CT_OK) {
		textrace_print_event(&text, source->tables, event, source_is_carried(source));
		text_char(&text, '\n');
	}
	source_reset(source, NULL);
	return text;
}

#endif
