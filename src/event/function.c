/* SPDX-License-Identifier: MIT */
/*
 * Finds the name within a C++ function's signature. This is not a parser: if a signature is not understood, the whole
 * text is the name.
 */
#include <stdbool.h>
#include <string.h>

#include "event/function.h"

static bool is_word(char c)
{
	return c == '_' || c == '$' || c == '~' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* Returns the length of "operator<<", "operator()" and so on at `at`, whose signs are not brackets; or 0. */
static size_t operator_length(const char *from, const char *at)
{
	static const char word[] = "operator";
	size_t length = sizeof(word) - 1;

	if (strncmp(at, word, length) != 0 || (at > from && is_word(at[-1])) || is_word(at[length]))
		return 0;
	if (strncmp(at + length, "()", 2) == 0)
		return length + 2;
	/* "operator bool", "operator new" */
	if (at[length] == ' ')
		return length + 1;
	while (at[length] && strchr("<>=!+-*/%^&|~,[]", at[length]))
		length++;
	return length;
}

/* Returns the place after the bracket that closes the one at `at`, or NULL. */
static const char *behind_bracket(const char *from, const char *at)
{
	unsigned depth = 0;
	size_t skipped;

	for (; *at; at++) {
		skipped = operator_length(from, at);
		if (skipped) {
			at += skipped - 1;
			continue;
		}
		if (strchr("(<[{", *at))
			depth++;
		/* The arrow of a pointer or of a trailing result does not close a bracket. */
		if (*at == '>' && at > from && at[-1] == '-')
			continue;
		if (strchr(")>]}", *at) && --depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Returns whether the text may follow the parameters at the end of a signature; after "::" the name continues. */
static bool ends_signature(const char *at)
{
	static const char *const endings[] = {
		" const", " volatile", " noexcept", " &", " [", " ->", " requires", " (."};
	size_t i;

	if (!*at)
		return true;
	for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (strncmp(at, endings[i], strlen(endings[i])) == 0)
			return true;
	}
	return false;
}

/* Returns false if the signature has no parameters, or is not understood. */
static bool find_in_signature(const char *signature, const char **ret_name, const char **ret_end)
{
	const char *at = signature, *name = signature, *behind;
	size_t skipped;

	while (*at) {
		skipped = operator_length(signature, at);
		if (skipped) {
			at += skipped;
			continue;
		}
		if (*at == ' ') {
			name = ++at;
			continue;
		}
		if (!strchr("(<[{", *at)) {
			at++;
			continue;
		}
		behind = behind_bracket(signature, at);
		if (!behind)
			return false;
		if (*at == '(' && at > name && ends_signature(behind)) {
			*ret_name = name;
			*ret_end = at;
			return true;
		}
		at = behind;
	}
	return false;
}

void function_find_name(const char *signature, const char **ret_name, const char **ret_end)
{
	if (!find_in_signature(signature, ret_name, ret_end)) {
		*ret_name = signature;
		*ret_end = signature + strlen(signature);
	}
	while (*ret_name < *ret_end && (**ret_name == '*' || **ret_name == '&'))
		++*ret_name;
	if (*ret_name == *ret_end)
		*ret_name = signature;
}
