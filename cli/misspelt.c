/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "misspelt.h"

#define LONGEST_NAME 32
#define FARTHEST 2 /* more changes make it another word */

static size_t least(size_t a, size_t b, size_t c)
{
	size_t smaller = a < b ? a : b;

	return smaller < c ? smaller : c;
}

/* The Levenshtein distance: the number of insertions, removals and replacements. */
static size_t distance(const char *a, const char *b)
{
	size_t length_a = strlen(a), length_b = strlen(b), row[LONGEST_NAME + 1], i, k;

	if (length_a > LONGEST_NAME || length_b > LONGEST_NAME)
		return LONGEST_NAME;
	for (k = 0; k <= length_b; k++)
		row[k] = k;
	for (i = 1; i <= length_a; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (k = 1; k <= length_b; k++) {
			size_t above = row[k];

			row[k] =
				least(above + 1, row[k - 1] + 1, diagonal + (a[i - 1] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[length_b];
}

static void consider(const char *word, const char *name, const char **nearest, size_t *smallest)
{
	size_t present = distance(word, name);

	/* If every letter must change, it is not a misspelling. */
	if (present < *smallest && present < strlen(name) && present < strlen(word)) {
		*smallest = present;
		*nearest = name;
	}
}

/* The only command with this beginning, or the first of several; NULL: there is none. */
static const char *command_beginning(const char *word)
{
	enum command command;

	for (command = command_next(COMMAND_NONE); *word && command;
		command = command_next(command))
		if (strncmp(command_descriptions[command].name, word, strlen(word)) == 0)
			return command_descriptions[command].name;
	return NULL;
}

/* An abbreviation is closer to the name that it begins than to another word of its length. */
const char *nearest_command(const char *word)
{
	const char *nearest = command_beginning(word);
	size_t smallest = FARTHEST + 1;
	enum command command;

	if (nearest)
		return nearest;
	for (command = command_next(COMMAND_NONE); command; command = command_next(command))
		consider(word, command_descriptions[command].name, &nearest, &smallest);
	return nearest;
}

const char *nearest_option(enum command command, const char *word)
{
	const char *nearest = NULL;
	char name[LONGEST_NAME + 1] = "";
	size_t smallest = FARTHEST + 1, length;
	enum option option;

	while (*word == '-')
		word++;
	length = strcspn(word, "=");
	if (length == 0 || length > LONGEST_NAME)
		return NULL;
	memcpy(name, word, length);
	for (option = option_next(command, OPTION_NONE); option;
		option = option_next(command, option))
		consider(name, option_descriptions[option].name, &nearest, &smallest);
	return nearest;
}
