/* SPDX-License-Identifier: MIT */
/*
 * A place of a stack in words: its function, and the functions into which it was inlined.
 */
#include "profile/stacks.h"
#include "say/safe.h"
#include "say/say.h"

static const char *const offs[] = {
#define X(name, number, text) [number] = text,
#include "profile/off.def"
#undef X
};

/* A place without a function is named by its line; a system call has its own name. */
static const char *name_of(struct arena *arena, const struct ct_tables *tables, uint32_t place)
{
	struct text text = {0};
	const char *name;

	if (place & PROFILE_CALL)
		return ct_call_name(place & ~PROFILE_CALL);
	if (place & PROFILE_OFF)
		return offs[place & ~PROFILE_OFF];
	if (*say_peek_site(tables, place)->function)
		say_function(&text, say_peek_site(tables, place)->function);
	else
		say_line(&text, tables, place);
	name = text.is_broken ? NULL : arena_text(arena, text_peek(&text), text.length);
	text_fini(&text);
	return name;
}

static const char *keep(struct arena *arena, void (*say)(struct text *text, const char *value),
	const char *bytes, size_t nr_bytes)
{
	struct text text = {0};
	const char *part = arena_text(arena, bytes, nr_bytes), *kept;

	if (!part)
		return NULL;
	say(&text, part);
	kept = text.is_broken ? NULL : arena_text(arena, text_peek(&text), text.length);
	text_fini(&text);
	return kept;
}

static uint32_t count_callers(const char *callers)
{
	struct ct_caller caller;
	uint32_t count = 0;

	while (ct_caller_next(&callers, &caller))
		count++;
	return count;
}

struct profile_names profile_names(
	struct arena *arena, const struct ct_tables *tables, uint32_t place)
{
	const struct ct_site *site = say_peek_site(tables, place);
	uint32_t nr_lines = 1 + count_callers(site->callers), i;
	struct profile_line *lines = arena_array(arena, nr_lines, sizeof(*lines));
	const char *at = site->callers;
	struct ct_caller caller;
	bool is_whole = lines != NULL;

	if (!lines)
		return (struct profile_names){0};
	lines[0].function = name_of(arena, tables, place);
	lines[0].file = keep(arena, say_safe, site->file, strlen(site->file));
	lines[0].line = site->line;
	for (i = 1; ct_caller_next(&at, &caller); i++) {
		lines[i].function =
			keep(arena, say_function, caller.function, caller.function_bytes);
		lines[i].file = keep(arena, say_safe, caller.file, caller.file_bytes);
		lines[i].line = caller.line;
	}
	for (i = 0; i < nr_lines; i++)
		is_whole &= lines[i].function && lines[i].file;
	return (struct profile_names){.lines = lines, .nr_lines = is_whole ? nr_lines : 0};
}

void profile_say_line(struct text *text, const struct profile_line *line)
{
	text_add(text, line->function);
	if (!*line->file)
		return;
	text_add(text, " (");
	say_file(text, line->file);
	if (line->line)
		text_format(text, ":%u", line->line);
	text_char(text, ')');
}
