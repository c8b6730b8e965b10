/* SPDX-License-Identifier: MIT */
/*
 * A profile as folded text: each line is a stack, with the outermost function first and semicolons in between, and its
 * nanoseconds.
 */
#include "profile/stacks.h"

static void put_name(struct text *text, const struct profile_line *line)
{
	struct text name = {0};
	size_t i;

	profile_say_line(&name, line);
	for (i = 0; i < name.length; i++)
		text_char(text, name.at[i] == ';' ? ',' : name.at[i]);
	text->is_broken |= name.is_broken;
	text_fini(&name);
}

static void put_stack(struct text *text, const struct profile *profile, uint32_t stack)
{
	const struct profile_names *names = &profile->names[stack];
	uint32_t parent = profile->stacks.all.at[stack].parent, i;

	if (parent) {
		put_stack(text, profile, parent);
		text_char(text, ';');
	}
	for (i = names->nr_lines; i > 0; i--) {
		put_name(text, &names->lines[i - 1]);
		if (i > 1)
			text_char(text, ';');
	}
}

void profile_write_folded(struct text *text, const struct profile *profile)
{
	uint32_t i;

	for (i = 1; i < profile->stacks.all.count; i++) {
		if (profile->stacks.all.at[i].ns <= 0)
			continue;
		put_stack(text, profile, i);
		text_char(text, ' ');
		text_signed(text, profile->stacks.all.at[i].ns);
		text_char(text, '\n');
	}
}
