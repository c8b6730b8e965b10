/* SPDX-License-Identifier: MIT */
/*
 * Names of functions and types, shortened to fit into a line.
 */
#include <string.h>

#include "event/function.h"
#include "say/safe.h"
#include "say/say.h"

/*
 * A name of up to NAME_BYTES is not changed; in a longer one, outermost template arguments that take more than a few
 * bytes become "<...>".
 */
#define NAME_BYTES 72u

/*
 * The number of bytes of the template arguments that begin at `at`, brackets included; 0: none begin there. If they do
 * not end, because the name was cut, they are all that follows.
 */
static size_t arguments_length(const char *name, const char *at, const char *end)
{
	static const char word[] = "operator";
	size_t nr_word = sizeof(word) - 1, depth = 0;
	const char *behind;

	if (*at != '<' || at == name || at[-1] == '<' ||
		(at >= name + nr_word && memcmp(at - nr_word, word, nr_word) == 0))
		return 0;
	for (behind = at; behind < end; behind++) {
		depth += *behind == '<';
		if (*behind == '>' && behind[-1] != '-' && --depth == 0)
			return (size_t)(behind + 1 - at);
	}
	return (size_t)(end - at);
}

static void add_short(struct text *text, const char *name, size_t nr_bytes)
{
	static const char left_out[] = "<...>";
	const char *at, *end = name + nr_bytes;

	if (nr_bytes <= NAME_BYTES) {
		text_append(text, name, nr_bytes);
		return;
	}
	for (at = name; at < end; at++) {
		size_t nr_arguments = arguments_length(name, at, end);

		if (nr_arguments < 2 * sizeof(left_out)) {
			text_append(text, at, nr_arguments ? nr_arguments : 1);
			at += nr_arguments ? nr_arguments - 1 : 0;
			continue;
		}
		text_add(text, left_out);
		at += nr_arguments - 1;
	}
}

/*
 * The length of an unnamed namespace at `at`, with its "::", as a compiler or a demangler writes it; 0: there is none.
 */
static size_t unnamed_length(const char *at)
{
	static const char *const forms[] = {"(anonymous namespace)::", "{anonymous}::"};
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strncmp(at, forms[i], strlen(forms[i])) == 0)
			return strlen(forms[i]);
	return 0;
}

static void add_named(struct text *text, const char *name, size_t nr_bytes)
{
	const char *at = name, *end = name + nr_bytes;

	while (at < end) {
		size_t nr_unnamed = unnamed_length(at);

		if (nr_unnamed == 0)
			text_char(text, *at++);
		else
			at += nr_unnamed;
	}
}

static void say_short(struct text *text, const char *name, size_t nr_bytes)
{
	struct text named = {0}, brief = {0};

	add_named(&named, name, nr_bytes);
	add_short(&brief, text_peek(&named), named.length);
	say_safe(text, text_peek(&brief));
	text->is_broken = text->is_broken || named.is_broken || brief.is_broken;
	text_fini(&named);
	text_fini(&brief);
}

void say_name(struct text *text, const char *name)
{
	say_short(text, name, strlen(name));
}

void say_function(struct text *text, const char *function)
{
	const char *name, *end;

	function_find_name(function, &name, &end);
	say_short(text, name, (size_t)(end - name));
}
