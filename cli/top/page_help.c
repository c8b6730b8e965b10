/* SPDX-License-Identifier: MIT */
/*
 * Help, made from the lists of keys and screens.
 */
#include <stdio.h>

#include "top/pages.h"

#define LINE_BYTES 256

static void add_key(struct top_lines *lines, const char *keys, const char *what)
{
	char line[2 * LINE_BYTES];

	snprintf(line, sizeof(line), "  %-12s  %s", keys, what);
	top_lines_add(lines, TOP_PLAIN, NULL, 16, line);
}

static void add_screens(struct top_lines *lines)
{
	enum top_screen screen;
	char keys[16];

	top_lines_heading(lines, "Screens");
	for (screen = 0; screen < TOP_NR_TABLES; screen++) {
		const struct top_screen_description *described = top_screen_describe(screen);
		char what[LINE_BYTES];

		snprintf(keys, sizeof(keys), "%u, %c", (unsigned)screen + 1, described->key);
		snprintf(what, sizeof(what), "%s: %s", described->name, described->meaning);
		add_key(lines, keys, what);
	}
}

void top_page_help(struct top_lines *lines)
{
	top_lines_heading(lines, "Keys");
#define KEYS(keys, what) add_key(lines, keys, what);
#include "top/keys.def"
	add_screens(lines);
	top_lines_heading(lines, "Filters");
	top_lines_add(lines, TOP_PLAIN, NULL, 0,
		"A word is looked for in the last column, with * and ?. COLUMN=VALUE, !=, <, <=, "
		">, >= "
		"compare, COLUMN~WORD looks for it in that column; all of them must hold. COLUMN "
		"is a "
		"heading, or any column that 'corotracer help top' lists for the screen.");
	top_lines_heading(lines, "Workers");
	top_lines_add(lines, TOP_PLAIN, NULL, 0,
		"run: coroutines ran; sched: the scheduler itself; block: a system call that is no "
		"waiting for work; idle: nothing to do.");
}
