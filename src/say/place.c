/* SPDX-License-Identifier: MIT */
/*
 * Places: a path, a line, and what happens there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "say/safe.h"
#include "say/say.h"

#define CALLERS_SHOWN 4u /* of the functions into which a place was inlined; JSON has all */
#define PATH_PARTS 3u

void say_file(struct text *text, const char *path)
{
	const char *from = path + strlen(path);
	unsigned nr_parts = 0;

	while (from > path && nr_parts < PATH_PARTS) {
		from--;
		while (from > path && from[-1] != '/')
			from--;
		nr_parts++;
		/* Steps upwards at the beginning are left out, because they do not help a reader. */
		if (from >= path + 3 && strncmp(from - 3, "../", 3) == 0)
			break;
		if (from == path + 2 && strncmp(path, "./", 2) == 0)
			break;
		if (from > path && nr_parts < PATH_PARTS)
			from--;
	}
	while (*from == '/' && from[1])
		from++;
	/* All of the path is shown, so that without its slash it would be another one. */
	if (from == path + 1 && nr_parts == PATH_PARTS)
		from--;
	say_safe(text, *from ? from : SAY_NOT_KNOWN);
}

const struct ct_site *say_peek_site(const struct ct_tables *tables, uint32_t site)
{
	static const struct ct_site none = {
		.file = "", .function = "", .reason = "", .module = "", .callers = ""};

	return site && site < tables->nr_sites ? &tables->sites[site] : &none;
}

void say_line(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	if (*site->file) {
		say_file(text, site->file);
		if (site->line)
			text_format(text, ":%" PRIu32, site->line);
	} else if (*site->module) {
		say_file(text, site->module);
		text_format(text, "+0x%" PRIx64, site->module_offset);
	} else if (site->address) {
		text_format(text, "address 0x%" PRIx64, site->address);
	} else if (*site->reason) {
		say_name(text, site->reason);
	} else {
		text_add(text, "a place not known");
	}
}

void say_finding(struct text *text, const struct ct_tables *tables, const char *rule,
	uint32_t wait_site, uint32_t cause_site)
{
	text_format(text, "%s@", rule);
	if (wait_site)
		say_line(text, tables, wait_site);
	text_char(text, '@');
	if (cause_site)
		say_line(text, tables, cause_site);
}

/* Prints a part of a text, which has no zero byte at its end. */
static void say_part(struct text *text, void (*say)(struct text *text, const char *part),
	const char *from, size_t nr_bytes)
{
	struct text part = {0};

	text_append(&part, from, nr_bytes);
	say(text, text_peek(&part));
	text->is_broken = text->is_broken || part.is_broken;
	text_fini(&part);
}

static void say_caller(struct text *text, const struct ct_caller *caller)
{
	text_add(text, ", inlined into ");
	say_part(text, say_function, caller->function, caller->function_bytes);
	if (!caller->file_bytes)
		return;
	text_add(text, " at ");
	say_part(text, say_file, caller->file, caller->file_bytes);
	if (caller->line)
		text_format(text, ":%" PRIu32, caller->line);
}

static void say_callers(struct text *text, const char *callers)
{
	struct ct_caller caller;
	unsigned depth = 0;

	while (ct_caller_next(&callers, &caller)) {
		if (depth++ < CALLERS_SHOWN)
			say_caller(text, &caller);
	}
	if (depth > CALLERS_SHOWN)
		text_format(text, ", and %u more", depth - CALLERS_SHOWN);
}

/*
 * If the trace does not record the language, the file's name decides. Headers (.h) occur in both languages; in C++,
 * names have "::".
 */
static enum ctp_form guess_form(const struct ct_site *site)
{
	static const char *const endings[] = {
		".cpp", ".cc", ".cxx", ".C", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".cppm"};
	const char *dot = strrchr(site->file, '.');
	size_t i;

	for (i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot, endings[i]) == 0)
			return CTP_FORM_CO_AWAIT;
	return dot && strcmp(dot, ".h") == 0 &&
			       (strstr(site->function, "::") || strstr(site->reason, "::"))
		       ? CTP_FORM_CO_AWAIT
		       : CTP_FORM_C;
}

static enum ctp_form form_of(const struct ct_site *site)
{
	return site->form ? (enum ctp_form)site->form : guess_form(site);
}

static const struct {
	const char *ending; /* NULL: the form decides */
	const char *name;
} languages[] = {
#define X(name, ending, word) {ending, word},
#include "say/languages.def"
#undef X
};

enum say_language say_language(const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);
	const char *dot = strrchr(site->file, '.');
	size_t i;

	for (i = 0; dot && i < SAY_LANGUAGES; i++)
		if (languages[i].ending && strcmp(dot, languages[i].ending) == 0)
			return (enum say_language)i;
	return form_of(site) == CTP_FORM_C ? SAY_LANGUAGE_C : SAY_LANGUAGE_CPP;
}

bool say_is_installed(const char *file)
{
	static const char *const folders[] = {"/lib/python3", "/site-packages/", "/dist-packages/",
		"/.cargo/", "/cargo/registry/", "/rustlib/", "/rustc/", "/pkg/mod/", "@v",
		"/usr/include/", "/sdk/python/corotracer/"};
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strstr(file, folders[i]))
			return true;
	return file[0] == '<';
}

bool say_is_call_of_cpp(const struct ct_tables *tables, uint32_t index)
{
	return say_peek_site(tables, index)->form == CTP_FORM_CPP &&
	       say_language(tables, index) == SAY_LANGUAGE_CPP;
}

/*
 * A name of several words is quoted, so that it is not read together with the next words; the template arguments of a
 * type need no quotes.
 */
static void say_reason(struct text *text, const char *reason)
{
	bool is_quoted = strchr(reason, ' ') && !strchr(reason, '<') && !strchr(reason, '(');

	text_add(text, is_quoted ? "'" : "");
	say_name(text, reason);
	text_add(text, is_quoted ? "'" : "");
}

void say_place(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);
	bool has_line = *site->file || *site->module || site->address;

	if (*site->reason) {
		if (form_of(site) == CTP_FORM_CO_AWAIT)
			text_add(text, "co_await ");
		say_reason(text, site->reason);
		if (*site->function || has_line)
			text_add(text, *site->function ? " in " : " at ");
	}
	if (*site->function) {
		say_function(text, site->function);
		text_add(text, has_line ? ", " : "");
	}
	if (has_line || (!*site->function && !*site->reason))
		say_line(text, tables, index);
	say_callers(text, site->callers);
}

void say_site_function(struct text *text, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	if (*site->function)
		say_function(text, site->function);
	else
		say_line(text, tables, index);
}

const char *ct_site_language(const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	return site->file[0] ? languages[say_language(tables, index)].name : "";
}

size_t ct_site_words(const struct ct_tables *tables, uint32_t index, char *into, size_t nr_bytes)
{
	struct text text = {0};
	size_t length;

	say_place(&text, tables, index);
	length = text.length;
	if (nr_bytes)
		snprintf(into, nr_bytes, "%s", text.at ? text.at : "");
	text_fini(&text);
	return length;
}
