/* SPDX-License-Identifier: MIT */
/* Parses a site's callers: one line each, "function TAB file TAB line". A trace may have any text there. */
#include <string.h>

#include "corotracer/event.h"

/* Returns the next word of a line that ends at `end`: the text up to a tab, which is skipped. */
static const char *take_word(const char **at, const char *end, size_t *ret_bytes)
{
	const char *word = *at;
	const char *tab = memchr(word, '\t', (size_t)(end - word));

	*ret_bytes = (size_t)((tab ? tab : end) - word);
	*at = tab ? tab + 1 : end;
	return word;
}

static uint32_t read_line_number(const char *at, const char *end)
{
	uint64_t number = 0;

	for (; at < end && *at >= '0' && *at <= '9'; at++) {
		number = number * 10 + (uint64_t)(*at - '0');
		if (number > UINT32_MAX)
			return 0;
	}
	return at == end ? (uint32_t)number : 0;
}

/* A line without a function is skipped. */
static const char *find_named(const char *at)
{
	while (*at == '\t' || *at == '\n') {
		at += strcspn(at, "\n");
		at += *at == '\n';
	}
	return at;
}

bool ct_caller_next(const char **at, struct ct_caller *ret_caller)
{
	const char *word = find_named(*at);
	const char *end = word + strcspn(word, "\n");

	if (*word == '\0')
		return false;
	*at = *end ? end + 1 : end;
	ret_caller->function = take_word(&word, end, &ret_caller->function_bytes);
	ret_caller->file = take_word(&word, end, &ret_caller->file_bytes);
	ret_caller->line = read_line_number(word, end);
	return true;
}
