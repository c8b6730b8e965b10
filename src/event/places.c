/* SPDX-License-Identifier: MIT */
/* Matching places with patterns. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "corotracer/ct.h"
#include "event/function.h"
#include "event/places.h"

#define PLACE_BYTES 1280

/*
 * Matches the whole path, and each end of the path that begins with a folder's or the file's name; with the line, and
 * without it.
 */
static bool has_file(const char *pattern, const char *file, uint32_t line)
{
	char place[PLACE_BYTES];
	const char *end = file;
	int length;

	while (end && *end) {
		length = snprintf(place, sizeof(place), "%s:%" PRIu32, end, line);
		if (fnmatch(pattern, end, 0) == 0)
			return true;
		if (length >= 0 && (size_t)length < sizeof(place) &&
			fnmatch(pattern, place, 0) == 0)
			return true;
		end = strchr(end, '/');
		end = end ? end + 1 : NULL;
	}
	return false;
}

/* Matches the signature, its name, and each end of the name after a "::" that is not within a template argument. */
static bool has_function(const char *pattern, const char *function)
{
	char name[PLACE_BYTES];
	const char *from, *end, *at;
	int depth = 0;

	if (!*function || fnmatch(pattern, function, 0) == 0)
		return *function != '\0';
	function_find_name(function, &from, &end);
	snprintf(name, sizeof(name), "%.*s", (int)(end - from), from);
	if (fnmatch(pattern, name, 0) == 0)
		return true;
	for (at = name; *at; at++) {
		depth += (*at == '<' || *at == '(') - (*at == '>' || *at == ')');
		if (depth == 0 && at[0] == ':' && at[1] == ':' && fnmatch(pattern, at + 2, 0) == 0)
			return true;
	}
	return false;
}

/* A pattern that names a function also matches places in functions that were inlined into it. */
static bool has_caller(const char *pattern, const char *callers)
{
	char function[PLACE_BYTES], file[PLACE_BYTES];
	struct ct_caller caller;

	while (ct_caller_next(&callers, &caller)) {
		snprintf(function, sizeof(function), "%.*s", (int)caller.function_bytes,
			caller.function);
		snprintf(file, sizeof(file), "%.*s", (int)caller.file_bytes, caller.file);
		if (has_function(pattern, function) || has_file(pattern, file, caller.line))
			return true;
	}
	return false;
}

bool place_matches(const char *pattern, const struct ct_site *site)
{
	return has_function(pattern, site->function) ||
	       (*site->reason && fnmatch(pattern, site->reason, 0) == 0) ||
	       has_file(pattern, site->file, site->line) || has_caller(pattern, site->callers);
}
