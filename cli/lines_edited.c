/* SPDX-License-Identifier: MIT */
/*
 * Editable lines, with libedit: earlier statements are kept in the user's state folder, and words are completed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <editline/readline.h>

#include "base/loaded.h"
#include "shell.h"

/* clang-format off */
#define EDITING_CALLS(USE) \
	USE(, add_history) USE(, read_history) USE(, readline) \
	USE(, rl_attempted_completion_function) USE(, rl_attempted_completion_over) \
	USE(, rl_completer_word_break_characters) USE(, rl_completion_matches) \
	USE(, rl_readline_name) USE(, stifle_history) USE(, using_history) USE(, write_history)
/* clang-format on */

LOADED_TABLE(editing, EDITING_CALLS);
static struct editing editing = LOADED_INITIALLY(EDITING_CALLS);
static const struct loaded editing_library = LOADED(editing, EDITING_CALLS, CT_LIBEDIT, "libedit2");

static bool is_plain; /* libedit is not there: lines are read as the terminal delivers them */
#define STATEMENTS_KEPT 1000

static char *history_path; /* NULL: no history is kept */

/* Makes a folder that only the user can access, if it does not exist, and returns its path; NULL: failed. */
static char *make_folder(const char *parent, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", parent, name) < 0)
		return NULL;
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return path;
	free(path);
	return NULL;
}

/* $XDG_STATE_HOME, or ~/.local/state, by the XDG Base Directory Specification. */
static char *state_folder(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *local, *folder = NULL;

	if (state && *state == '/')
		return strdup(state);
	if (!home || *home != '/')
		return NULL;
	local = make_folder(home, ".local");
	if (local)
		folder = make_folder(local, "state");
	free(local);
	return folder;
}

static char *find_history(void)
{
	char *state = state_folder();
	char *folder = state ? make_folder(state, "corotracer") : NULL;
	char *path = NULL;

	if (folder && asprintf(&path, "%s/query-history", folder) < 0)
		path = NULL;
	free(state);
	free(folder);
	return path;
}

/* ---------------------------------------------------------------- completion */

static bool was_offered(uint32_t number)
{
	uint32_t i;

	for (i = 0; i < number; i++)
		if (strcasecmp(asking_word(i), asking_word(number)) == 0)
			return true;
	return false;
}

/* The next word with this beginning, without repetitions: many tables have columns of the same name. */
static char *next_word(const char *beginning, int state)
{
	static uint32_t number;
	const char *word;

	if (!state)
		number = 0;
	while ((word = asking_word(number)) != NULL) {
		bool begins_so = strncasecmp(word, beginning, strlen(beginning)) == 0;

		number++;
		if (begins_so && !was_offered(number - 1))
			return strdup(word);
	}
	return NULL;
}

static char **complete(const char *beginning, int from, int until)
{
	(void)from;
	(void)until;
	*editing.rl_attempted_completion_over = 1; /* do not complete file names */
	return editing.rl_completion_matches(beginning, next_word);
}

/* ---------------------------------------------------------------- lines */

void lines_begin(void)
{
	is_plain = loaded_open(&editing_library, "", NULL) != CT_OK;
	if (is_plain)
		return;
	*editing.rl_readline_name = (char *)(uintptr_t) "corotracer";
	*editing.rl_attempted_completion_function = complete;
	*editing.rl_completer_word_break_characters = (char *)(uintptr_t) " \t\n,;()=<>+-*/'\"";
	editing.using_history();
	editing.stifle_history(STATEMENTS_KEPT);
	history_path = find_history();
	if (history_path)
		editing.read_history(history_path);
}

char *lines_read(const char *prompt)
{
	char *line = is_plain ? lines_read_plain(prompt) : editing.readline(prompt);

	if (is_plain)
		return line;
	if (!line)
		putchar('\n');
	return line;
}

void lines_keep(const char *statement)
{
	char *line = is_plain ? NULL : strdup(statement), *at;

	if (!line)
		return;
	for (at = line; *at; at++)
		if (*at == '\n')
			*at = ' ';
	editing.add_history(line);
	free(line);
}

void lines_end(void)
{
	mode_t mask = umask(077);

	if (history_path)
		editing.write_history(history_path);
	umask(mask);
	free(history_path);
	history_path = NULL;
}
