/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/csv.h"

static void add_doubled(struct text *text, const char *value, size_t nr_bytes)
{
	const char *quote;

	while ((quote = memchr(value, '"', nr_bytes))) {
		size_t length = (size_t)(quote - value) + 1;

		text_append(text, value, length);
		text_char(text, '"');
		value += length;
		nr_bytes -= length;
	}
	text_append(text, value, nr_bytes);
}

void csv_text(struct text *text, const char *value, bool is_guarded)
{
	size_t nr_bytes;

	text_char(text, '"');
	if (is_guarded && *value && strchr("=+-@\t", *value))
		text_char(text, '\'');
	for (;; value += nr_bytes + 1) {
		nr_bytes = text_plain_bytes(value);
		add_doubled(text, value, nr_bytes);
		if (!value[nr_bytes])
			break;
		text_add(text, TEXT_REPLACEMENT);
	}
	text_char(text, '"');
}
