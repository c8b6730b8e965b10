/* SPDX-License-Identifier: MIT */
/*
 * Man pages in mdoc, made from the lists that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "exits.h"

/* mdoc requires the date on which the meaning of a page last changed. */
#define MANUAL_DATE "November 24, 2026"
#define LINE_COLUMNS 72

/* Prints a word so that roff shows it unchanged: commands and escapes are neutralised. */
static void print_roff(const char *word, size_t nr_bytes, bool is_first_of_line)
{
	size_t i;

	if (is_first_of_line && nr_bytes && (word[0] == '.' || word[0] == '\''))
		fputs("\\&", stdout);
	for (i = 0; i < nr_bytes; i++) {
		if (word[i] == '\\')
			fputs("\\e", stdout);
		else if (word[i] == '-' && (i == 0 || word[i - 1] == '-' || word[i - 1] == '\''))
			fputs("\\-", stdout);
		else
			putchar(word[i]);
	}
}

static bool ends_sentence(char last)
{
	return last == '.' || last == '?';
}

/* Fills lines with words; mdoc requires each sentence to end its line, and determines the blanks itself. */
static void print_words(const char *text, size_t nr_bytes)
{
	const char *end = text + nr_bytes;
	size_t column = 0, length;

	while (text < end) {
		length = strcspn(text, " \n");
		if (length > (size_t)(end - text))
			length = (size_t)(end - text);
		if (column && column + 1 + length > LINE_COLUMNS) {
			putchar('\n');
			column = 0;
		} else if (column) {
			putchar(' ');
			column++;
		}
		print_roff(text, length, column == 0);
		column += length;
		if (length && ends_sentence(text[length - 1]) && text + length < end) {
			putchar('\n');
			column = 0;
		}
		text += length + strspn(text + length, " ");
	}
}

/* Paragraphs with an empty line between them. */
static void print_paragraphs(const char *text)
{
	while (*text) {
		size_t length = strcspn(text, "\n");

		print_words(text, length);
		putchar('\n');
		text += length;
		if (!*text)
			return;
		puts(".Pp");
		text += strspn(text, "\n");
	}
}

static void print_head(enum command command)
{
	const struct command_description *described = &command_descriptions[command];
	const char *at;

	printf(".\\\" SPDX-License-Identifier: MIT\n.Dd %s\n.Dt ", MANUAL_DATE);
	if (command == COMMAND_OLDER) {
		fputs("COROTRACER-OLDER", stdout);
	} else {
		fputs("COROTRACER", stdout);
		for (at = described->name; *at; at++)
			printf("%s%c", at == described->name ? "-" : "", *at - 32);
	}
	puts(" 1\n.Os corotracer\n.Sh NAME");
	if (command == COMMAND_NONE)
		printf(".Nm corotracer\n.Nd %s\n", described->summary);
	else if (command == COMMAND_OLDER)
		printf(".Nm %s\n.Nd %s\n", described->name, described->summary);
	else
		printf(".Nm corotracer-%s\n.Nd %s\n", described->name, described->summary);
}

static void print_flag(const struct option_description *option, const char *macro)
{
	if (option->command == COMMAND_OLDER)
		printf("%s Fl %s", macro, option->name);
	else if (option->letter)
		printf("%s Fl %c , Fl \\-%s", macro, option->letter, option->name);
	else
		printf("%s Fl \\-%s", macro, option->name);
	if (*option->argument)
		printf(" Ar %s", option->argument);
	putchar('\n');
}

/* "[--] COMMAND [ARGUMENT ...]": brackets become optional parts, words become arguments. */
static void print_operands(const char *operands)
{
	size_t length;

	for (; *operands; operands += length + strspn(operands + length, " ")) {
		bool is_optional = *operands == '[';

		operands += is_optional;
		length = strcspn(operands, is_optional ? "]" : " ");
		if (strncmp(operands, "--", 2) == 0)
			puts(".Op Fl \\-");
		else
			printf("%s %.*s\n", is_optional ? ".Op Ar" : ".Ar", (int)length, operands);
		length += is_optional;
	}
}

/* The synopsis has only the long spelling. */
static void print_synopsis(enum command command)
{
	const struct command_description *described = &command_descriptions[command];
	enum option option;

	puts(".Sh SYNOPSIS");
	if (command == COMMAND_OLDER)
		printf(".Nm %s\n", described->name);
	else
		printf(".Nm corotracer\n.Cm %s\n", described->name);
	for (option = option_next(command, OPTION_NONE); option;
		option = option_next(command, option)) {
		struct option_description alone = option_descriptions[option];

		if (!*alone.help)
			continue;
		alone.letter = 0;
		print_flag(&alone, ".Op");
	}
	print_operands(described->operands);
}

static void print_options(enum command command)
{
	enum option option;

	puts(".Pp\nThe options are as follows:\n.Bl -tag -width Ds");
	for (option = option_next(command, OPTION_NONE); option;
		option = option_next(command, option)) {
		const struct option_description *described = &option_descriptions[option];

		print_flag(described, ".It");
		if (*described->help)
			print_paragraphs(described->help);
		else
			printf("The same as\n.Fl \\-%s .\n", option_descriptions[option - 1].name);
	}
	puts(".El");
}

static void print_orders(void)
{
	const struct order_description *order;

	puts(".Pp\nThe orders are as follows:\n.Bl -tag -width Ds");
	for (order = order_descriptions; order->word; order++) {
		printf(".It Cm %s", order->word);
		if (*order->value)
			printf(" Ns = Ns Ar %s", order->value);
		putchar('\n');
		print_paragraphs(order->meaning);
	}
	puts(".El");
}

static void print_topics(void)
{
	const struct topic *topic;

	puts(".Pp\nThe topics are as follows:\n.Bl -tag -width Ds");
	for (topic = topics; topic->name; topic++) {
		printf(".It Cm %s\n", topic->name);
		print_paragraphs(topic->summary);
	}
	puts(".El");
}

static void print_thresholds(void)
{
	const struct ct_threshold_about *about;
	char standard[32];
	unsigned i;

	puts(".Sh THRESHOLDS");
	print_paragraphs("From when on something is worth a finding, each with its default. In a "
			 "file they stand one a "
			 "line, NAME = VALUE; what follows a '#' at the beginning or "
			 "after a blank is a comment, and a line "
			 "allow-site = PATTERN says "
			 "that nothing is to be said of a place.");
	puts(".Bl -tag -width Ds");
	for (i = 0; (about = ct_threshold_about(i)); i++) {
		ct_threshold_text(
			(enum ct_threshold)i, about->standard, standard, sizeof(standard));
		printf(".It Cm %s No = %s\n", about->name, standard);
		print_paragraphs(about->meaning);
		puts(".br\nThe default:");
		print_paragraphs(about->why);
		puts(".br\nOf rule");
		print_paragraphs(about->rules);
	}
	puts(".El");
}

static void print_conditions(void)
{
	const struct ct_condition_about *about;
	unsigned i;

	puts(".Sh ASSERTIONS\n.Bl -tag -width Ds");
	for (i = 0; (about = ct_condition_about(i)); i++) {
		if (!about->is_of_report)
			continue;
		printf(".It Li \"%s\"\n", about->example);
		print_paragraphs(about->meaning);
	}
	puts(".El");
	print_paragraphs(condition_rules);
}

static void print_exits(enum command command)
{
	const struct exit_description *exits;
	size_t nr_exits = exits_list(&exits), i;

	puts(".Sh EXIT STATUS\n.Bl -tag -width 128+N");
	for (i = 0; i < nr_exits; i++) {
		if (!exits_may_be(&exits[i], command))
			continue;
		printf(".It %s\n", exits[i].code);
		print_paragraphs(exits[i].meaning);
	}
	puts(".El");
}

/* One line of any length. */
static void print_example(const char *command, size_t nr_bytes)
{
	size_t length;

	for (; nr_bytes; command += length, nr_bytes -= length) {
		length = strcspn(command, " ");
		if (length == 0) {
			putchar(' ');
			length = 1;
			continue;
		}
		if (length > nr_bytes)
			length = nr_bytes;
		print_roff(command, length, false);
	}
}

static void print_examples(const char *examples)
{
	puts(".Sh EXAMPLES");
	while (*examples) {
		size_t command = strcspn(examples, "\t");
		size_t rest = strcspn(examples, "\n");

		print_words(examples + command + 1, rest - command - 1);
		fputs(":\n.Pp\n.Dl ", stdout);
		print_example(examples, command);
		putchar('\n');
		examples += rest + 1;
		if (*examples)
			puts(".Pp");
	}
}

/*
 * The command after `last` in alphabetical order, as mdoc requires. After COMMAND_NONE comes the first command; after
 * the last one, COMMAND_NONE.
 */
static enum command next_by_name(enum command last)
{
	enum command next = COMMAND_NONE, other;

	for (other = command_next(COMMAND_NONE); other; other = command_next(other)) {
		const char *name = command_descriptions[other].name;

		if (strcmp(name, command_descriptions[last].name) > 0 &&
			(!next || strcmp(name, command_descriptions[next].name) < 0))
			next = other;
	}
	return next;
}

static void print_see_also(enum command command)
{
	const char *separator = "";
	enum command other;

	puts(".Sh SEE ALSO");
	if (command != COMMAND_NONE) {
		fputs(".Xr corotracer 1", stdout);
		separator = " ,\n";
	}
	for (other = next_by_name(COMMAND_NONE); other; other = next_by_name(other)) {
		if (other == command)
			continue;
		printf("%s.Xr corotracer-%s 1", separator, command_descriptions[other].name);
		separator = " ,\n";
	}
	putchar('\n');
}

static void print_group(enum command_group group)
{
	const struct command_group_description *group_described =
		&command_group_descriptions[group];
	enum command command;

	printf(".Ss %s: %s\n.Bl -tag -width integration\n", group_described->name,
		group_described->meaning);
	for (command = command_next_of(group, COMMAND_NONE); command;
		command = command_next_of(group, command)) {
		const struct command_description *described = &command_descriptions[command];

		printf(".It Cm %s\n", described->name);
		print_words(described->summary, strlen(described->summary));
		printf(".\nSee\n.Xr corotracer-%s 1 .\n", described->name);
	}
	puts(".El");
}

static void print_program(void)
{
	enum command_group group;

	puts(".Sh SYNOPSIS\n.Nm\n.Ar command\n.Op Ar argument ...\n.Nm\n.Fl \\-version");
	puts(".Sh DESCRIPTION");
	print_paragraphs("corotracer runs a program with a tracer beside it, and says which of its "
			 "coroutines are "
			 "stuck, on what, at which line, who should have woken them, and why "
			 "nobody did. The tracer "
			 "is a process of its own; the program writes a few words of shared memory "
			 "for each change "
			 "of a coroutine's state.");
	puts(".Pp\nThe commands, by what they are for:");
	for (group = GROUP_NONE + 1; group < NR_GROUPS; group++)
		print_group(group);
	puts(".Sh ENVIRONMENT\n.Bl -tag -width COROTRACER_DEBUG_PATH\n.It Ev NO_COLOR\nWhen "
	     "set and not "
	     "empty, nothing "
	     "is coloured unless asked for.\n.It Ev COROTRACER_DEBUG_PATH\nFolders, separated by "
	     "colons,\nbelow which files of debug information are looked for, too, by build id.\n"
	     ".El");
}

void manual_print(enum command command)
{
	const struct command_description *described = &command_descriptions[command];

	print_head(command);
	if (command == COMMAND_NONE) {
		print_program();
		print_exits(COMMAND_NONE);
		print_examples(described->examples);
		print_see_also(command);
		return;
	}
	print_synopsis(command);
	puts(".Sh DESCRIPTION");
	print_paragraphs(described->description);
	if (command_needs_probe(command)) {
		puts(".Pp");
		print_paragraphs(attaching_rule);
		puts(".Bd -ragged -offset indent");
		print_paragraphs(ct_attaching(NULL)->calls);
		puts(".Ed");
	}
	if (command_has_default(command)) {
		puts(".Pp");
		print_paragraphs(default_trace_rule);
	}
	if (command == COMMAND_CONTROL)
		print_orders();
	if (command == COMMAND_HELP)
		print_topics();
	print_options(command);
	if (command == COMMAND_REPORT)
		print_thresholds();
	if (command == COMMAND_CHECK)
		print_conditions();
	print_exits(command);
	print_examples(described->examples);
	print_see_also(command);
}
