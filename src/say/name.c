/* SPDX-License-Identifier: MIT */
/*
 * A C++ function's name without its parameters, result and compiler's marks.
 *
 * Compilers and demanglers print a whole signature, "demo::Task demo::handle(Reactor&, int) [clone
 * .actor]"; a reader wants "demo::handle". This is no parser: where a name is not understood it is
 * printed as it is, which is never wrong.
 */
#include <string.h>

#include "say/safe.h"
#include "say/say.h"

static bool is_word(char c)
{
	return c == '_' || c == '$' || c == '~' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

/* The length of "operator<<", "operator()" and so on at `at`, whose signs are no brackets; or 0. */
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

/* Where a bracket that opens at `at` closes: just behind it, or NULL. */
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
		/* The arrow of a pointer or of a trailing result closes nothing. */
		if (*at == '>' && at > from && at[-1] == '-')
			continue;
		if (strchr(")>]}", *at) && --depth == 0)
			return at + 1;
	}
	return NULL;
}

/* Words that may follow the parameters at the end of a signature; behind "::" comes more of the name. */
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

/*
 * Finds the name within a signature: [*ret_name, *ret_end). False where it has no parameters, or is not
 * understood.
 */
static bool find_name(const char *signature, const char **ret_name, const char **ret_end)
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

/*
 * At most NAME_BYTES of a name as they are; in a longer one the outermost template arguments that take more than a few
 * bytes become "<...>".
 */
#define NAME_BYTES 72u

/* The bytes of the template arguments at `at`, brackets included; 0: none begin there, or they do not end. */
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
	return 0;
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

/* The length of an unnamed namespace at `at`, with its "::", as a compiler or a demangler writes it; or 0. */
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
	const char *name = function, *end = function + strlen(function);

	if (!find_name(function, &name, &end)) {
		name = function;
		end = function + strlen(function);
	}
	while (name < end && (*name == '*' || *name == '&'))
		name++;
	if (name == end)
		name = function;
	say_short(text, name, (size_t)(end - name));
}
