/* SPDX-License-Identifier: MIT */
/*
 * Turns the name in a symbol table into the name that a reader knows (symbol_function_name in symbol.h).
 *
 * Compilers split functions, especially coroutines, and mark the parts: with ".cold", ".part.0", ".isra.0"; with
 * those of struct coroutine_part (debug_entry.h). No identifier contains a dot, so everything from the first dot on is
 * the compiler's. But gcc's parts of coroutines are functions of their own, whose
 * parameter is the coroutine's frame; their names look like
 *
 *	_Z4workPZ4workiE13_Z4worki.Frame.actor
 *
 * where "13_Z4worki.Frame" is the name of the frame's type, and shows which coroutine it belongs to.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"
#include "symbol/symbol.h"

#define FRAME_SUFFIX ".Frame"
#define FRAME_SUFFIX_OLD ".frame" /* gcc 10 */

/* Do the digits just before `name` say that it is `length` bytes long? */
static bool is_announced(const char *symbol, const char *name, size_t length)
{
	size_t weight = 1, announced = 0;

	while (name > symbol && isdigit((unsigned char)name[-1]) && weight < 1000000) {
		name--;
		announced += weight * (size_t)(*name - '0');
		weight *= 10;
	}
	return announced == length;
}

/* Finds the coroutine's own mangled name within the name of its frame's type; NULL: there is none. */
static const char *coroutine_name(const char *symbol, const char *suffix)
{
	const char *name;

	for (name = strstr(symbol, "_Z"); name && name < suffix; name = strstr(name + 2, "_Z")) {
		if (is_announced(symbol, name, (size_t)(suffix - name) + strlen(FRAME_SUFFIX)))
			return name;
	}
	return NULL;
}

/* Copies the part of the symbol that names the user's function. */
static char *own_part(const char *symbol)
{
	const char *suffix = strstr(symbol, FRAME_SUFFIX);
	const char *begin = symbol;
	const char *name;
	size_t length;

	if (!suffix)
		suffix = strstr(symbol, FRAME_SUFFIX_OLD);
	name = suffix ? coroutine_name(symbol, suffix) : NULL;
	if (name)
		begin = name;
	length = strcspn(begin, ".");
	return strndup(begin, length ? length : strlen(begin));
}

/* Rust's older mangling is C++'s mangling of a path whose last part is "h" and a hash of 16 digits. */
static bool may_be_rust(const char *symbol)
{
	return strncmp(symbol, "_R", 2) == 0 ||
	       (strncmp(symbol, "_ZN", 3) == 0 && strstr(symbol, "17h"));
}

char *symbol_function_name(const char *symbol)
{
	char *rust = may_be_rust(symbol) ? symbol_demangle_rust(symbol) : NULL;
	char *own, *readable;

	if (rust)
		return rust;
	own = own_part(symbol);
	/* Only names with the prefix are demangled: "f" alone would be read as the type float. */
	readable = own && strncmp(own, "_Z", 2) == 0 ? symbol_demangle(own) : NULL;

	if (!readable)
		return own;
	free(own);
	return readable;
}
