/* SPDX-License-Identifier: MIT */
/*
 * A text trace of any bytes. If it can be read, its printed form can be read again, and then prints the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "textrace/textrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static struct text print_all(struct ct_source *source)
{
	const struct ct_event *event;
	struct text text = {0};

	textrace_print_tables(&text, source->tables);
	while (source_next(source, &event, NULL) == CT_OK) {
		textrace_print_event(&text, source->tables, event, source_is_carried(source));
		text_char(&text, '\n');
	}
	return text;
}

/* Whatever the text contains, each caller lies within it. */
static void walk_callers(const struct ct_tables *tables)
{
	struct ct_caller caller;
	uint32_t i;

	for (i = 0; i < tables->nr_sites; i++) {
		const char *begin = tables->sites[i].callers, *at = begin;
		const char *end = begin + strlen(begin);

		while (ct_caller_next(&at, &caller)) {
			if (caller.function < begin || caller.file < caller.function ||
				caller.function + caller.function_bytes > end ||
				caller.file + caller.file_bytes > end || at > end)
				abort();
		}
	}
}

static struct ct_source *read_text(const char *text, size_t nr_bytes)
{
	struct ct_source *source = NULL;
	struct ct_error error = {0};

	if (textrace_source_from_text("input", 1, text, nr_bytes, &source, &error) == CT_OK)
		return source;
	if (error.status != CT_ERR_FORMAT || error.offset > nr_bytes)
		abort();
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct ct_source *source = read_text((const char *)bytes, nr_bytes);
	struct text first, second;

	textrace_is_ours(bytes, nr_bytes);
	if (!source)
		return 0;
	walk_callers(source->tables);
	first = print_all(source);
	source_close(source);
	source = read_text(first.at, first.length);
	if (!source)
		abort();
	second = print_all(source);
	source_close(source);
	if (strcmp(text_peek(&first), text_peek(&second)) != 0)
		abort();
	text_fini(&first);
	text_fini(&second);
	return 0;
}
