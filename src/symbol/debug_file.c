/* SPDX-License-Identifier: MIT */
/*
 * Looks for debug files at the usual places below another root.
 */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbol/debug_file.h"
#include "symbol/symbol.h"

struct search {
	int root;
	const char *build_id;
};

__attribute__((format(printf, 2, 3))) static int try(
	const struct search *search, const char *format, ...)
{
	char path[PATH_MAX], build_id[SYMBOL_BUILD_ID_SIZE];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length >= sizeof(path) ||
		!symbol_build_id(search->root, path, build_id) ||
		strcmp(build_id, search->build_id) != 0)
		return -1;
	return symbol_open_file(search->root, path);
}

int symbol_debug_file_open(int root, const char *path, const char *build_id, const char *link)
{
	struct search search = {root, build_id};
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	int descriptor;

	if (strlen(build_id) < 4)
		return -1;
	descriptor = try(&search, "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	if (descriptor < 0 && link)
		descriptor = try(&search, "%.*s/%s", folder, path, link);
	if (descriptor < 0 && link)
		descriptor = try(&search, "%.*s/.debug/%s", folder, path, link);
	if (descriptor < 0 && link)
		descriptor = try(&search, "/usr/lib/debug%.*s/%s", folder, path, link);
	return descriptor;
}
