/* SPDX-License-Identifier: MIT */
/* Names of files, component by component. */
#include <string.h>

#include "base/path.h"

static bool is_word(const char *at, size_t length, const char *word)
{
	return length == strlen(word) && memcmp(at, word, length) == 0;
}

/*
 * Returns the end of what is kept, without its last component; NULL: there is no component that a step upwards could
 * remove.
 */
static char *without_last(char *first, char *end)
{
	char *last = end;

	if (end == first)
		return NULL;
	while (last > first && last[-1] != '/')
		last--;
	if (is_word(last, (size_t)(end - last), ".."))
		return NULL;
	return last > first ? last - 1 : first;
}

void path_tidy(char *path)
{
	bool is_absolute = *path == '/';
	char *first = path + is_absolute, *end = first, *back;
	const char *at = path;
	size_t length;

	for (; *at; at += length) {
		at += strspn(at, "/");
		length = strcspn(at, "/");
		if (length == 0 || is_word(at, length, "."))
			continue;
		back = is_word(at, length, "..") ? without_last(first, end) : NULL;
		if (back) {
			end = back;
			continue;
		}
		if (end > first)
			*end++ = '/';
		memmove(end, at, length);
		end += length;
	}
	*end = '\0';
}

bool path_is_tidy(const char *path)
{
	const char *at = path + (*path == '/');
	bool is_behind_name = false;
	size_t length;

	while (*at) {
		length = strcspn(at, "/");
		if (length == 0 || is_word(at, length, "."))
			return false;
		if (!is_word(at, length, ".."))
			is_behind_name = true;
		else if (is_behind_name)
			return false;
		at += length;
		if (*at == '/' && !*++at)
			return false;
	}
	return true;
}
