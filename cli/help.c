/* SPDX-License-Identifier: MIT */
/*
 * Help on the terminal, made from the lists that the parser uses.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "exits.h"
#include "misspelt.h"
#include "say.h"

#define OPTION_COLUMN 30
#define VALUE_BYTES 32
#define EXAMPLE_COLUMN 27
#define NAME_COLUMN 13
#define WIDTH 80

const char condition_rules[] =
	"Statistics are p50, p90, p95, p99, p99.9, p99.99 and max; "
	"of a whole trace mean, total and count, too. "
	"Comparisons are <, <=, >, >=, == and !=. Times take ns, us, "
	"ms, s, min or h, counts k or M, shares %; grades are "
	"suspect, likely and proven. A place is a function (serve, "
	"or net::Server::serve), FILE, FILE:LINE or a name that the program gave it, and a rule "
	"one of those that reports name, both with * and ?. "
	"'findings >= likely == 0' counts findings of that grade and "
	"above.";

static void begin_line(unsigned margin)
{
	printf("\n%*s", (int)margin, "");
}

/*
 * Prints words from column `at` on; further lines begin at column `margin`, all within 80 columns. Ends the line. An
 * empty line in the text begins a paragraph.
 */
static void print_wrapped(const char *words, unsigned at, unsigned margin)
{
	size_t column = at, length;

	while (*words) {
		if (*words == '\n') {
			putchar('\n');
			begin_line(margin);
			column = margin;
			words += strspn(words, "\n");
			continue;
		}
		length = strcspn(words, " \n");
		if (column > margin && column + 1 + length > WIDTH) {
			begin_line(margin);
			column = margin;
		} else if (column > margin) {
			putchar(' ');
			column++;
		}
		printf("%.*s", (int)length, words);
		column += length;
		words += length;
		words += strspn(words, " ");
	}
	putchar('\n');
}

static void print_option_names(const struct option_description *option)
{
	char names[80];
	int length;

	if (option->command == COMMAND_OLDER)
		length = snprintf(names, sizeof(names), "  -%s", option->name);
	else if (option->letter)
		length =
			snprintf(names, sizeof(names), "  -%c, --%s", option->letter, option->name);
	else
		length = snprintf(names, sizeof(names), "      --%s", option->name);
	if (*option->argument)
		length += snprintf(
			names + length, sizeof(names) - (size_t)length, " %s", option->argument);
	fputs(names, stdout);
	if (length < OPTION_COLUMN - 1)
		printf("%*s", OPTION_COLUMN - length, "");
	else
		printf("\n%*s", OPTION_COLUMN, "");
}

static void print_options(enum command command)
{
	enum option option;

	puts("\nOptions:");
	for (option = option_next(command, OPTION_NONE); option;
		option = option_next(command, option)) {
		const struct option_description *described = &option_descriptions[option];

		print_option_names(described);
		if (*described->help)
			print_wrapped(described->help, OPTION_COLUMN, OPTION_COLUMN);
		else
			printf("the same as --%s\n", option_descriptions[option - 1].name);
	}
}

static void print_examples(const char *examples)
{
	puts("Examples:");
	while (*examples) {
		size_t command = strcspn(examples, "\t");
		size_t rest = strcspn(examples, "\n");

		printf("  %.*s\n", (int)command, examples);
		printf("      %.*s\n", (int)(rest - command - 1), examples + command + 1);
		examples += rest + 1;
	}
}

static void print_exit_statuses(enum command command)
{
	const struct exit_description *exits;
	size_t nr_exits = exits_list(&exits), i;

	for (i = 0; i < nr_exits; i++) {
		if (!exits_may_be(&exits[i], command))
			continue;
		printf("  %-6s", exits[i].code);
		print_wrapped(exits[i].meaning, 8, 8);
	}
}

static void print_orders(void)
{
	const struct order_description *order;

	puts("\nOrders:");
	for (order = order_descriptions; order->word; order++) {
		printf("  %s%s%s\n      ", order->word, *order->value ? "=" : "", order->value);
		print_wrapped(order->meaning, 6, 6);
	}
}

static void print_topics(void)
{
	const struct topic *topic;

	puts("\nTopics:");
	for (topic = topics; topic->name; topic++)
		printf("  %-*s%s\n", NAME_COLUMN, topic->name, topic->summary);
}

static void print_group(enum command_group group)
{
	const struct command_group_description *described = &command_group_descriptions[group];
	enum command command;

	printf("%s: %s\n", described->name, described->meaning);
	for (command = command_next_of(group, COMMAND_NONE); command;
		command = command_next_of(group, command))
		printf("  %-*s%s\n", NAME_COLUMN, command_descriptions[command].name,
			command_descriptions[command].summary);
}

static void print_program(void)
{
	const struct topic *topic;
	enum command_group group;

	printf("corotracer: %s\n\n", command_descriptions[COMMAND_NONE].summary);
	puts("Usage: corotracer COMMAND [OPTION ...] [OPERAND ...]\n");
	for (group = GROUP_NONE + 1; group < NR_GROUPS; group++)
		print_group(group);
	puts("\n'corotracer help COMMAND' explains one, with examples; --version: the versions.");
	fputs("'corotracer help TOPIC' explains", stdout);
	for (topic = topics; topic->name; topic++)
		printf("%s %s", topic == topics ? "" : topic[1].name ? "," : " or", topic->name);
	puts(".");
}

static void say_examples(const char *examples)
{
	while (*examples) {
		size_t command = strcspn(examples, "\t");
		size_t rest = strcspn(examples, "\n");

		fprintf(stderr, "  %-*.*s%.*s\n", EXAMPLE_COLUMN, (int)command, examples,
			(int)(rest - command - 1), examples + command + 1);
		examples += rest + 1;
	}
}

static void say_group(enum command_group group)
{
	const struct command_group_description *described = &command_group_descriptions[group];
	enum command command;

	fprintf(stderr, "\n%s: %s\n ", described->name, described->meaning);
	for (command = command_next_of(group, COMMAND_NONE); command;
		command = command_next_of(group, command))
		fprintf(stderr, " %s", command_descriptions[command].name);
	fputc('\n', stderr);
}

void help_print_versions(void)
{
	static const struct {
		int number, oldest;
		const char *what;
	} versions[] = {
#define VERSION(NAME, number, oldest, what) {number, oldest, what},
#include "corotracer/def/versions.def"
	};
	size_t i;

	printf("corotracer %s\n", ct_version());
	for (i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		printf("  %s: %d", versions[i].what, versions[i].number);
		if (versions[i].oldest < versions[i].number)
			printf(", and from %d on", versions[i].oldest);
		putchar('\n');
	}
}

void help_print_commands(void)
{
	const struct command_description *program = &command_descriptions[COMMAND_NONE];
	enum command_group group;

	fprintf(stderr, "corotracer: %s\n\n", program->summary);
	say_examples(program->examples);
	for (group = GROUP_NONE + 1; group < NR_GROUPS; group++)
		say_group(group);
	fputs("\n'corotracer --help' has a line on each, 'corotracer help COMMAND' a page.\n",
		stderr);
}

/* Examples come first, because users mostly look for a line to begin with. */
void help_print(enum command command)
{
	const struct command_description *described = &command_descriptions[command];
	int column;

	if (command == COMMAND_NONE) {
		print_program();
		return;
	}
	printf("%s%s: %s\n\n", command == COMMAND_OLDER ? "" : "corotracer ", described->name,
		described->summary);
	column = printf("Usage: %s%s [OPTION ...]", command == COMMAND_OLDER ? "" : "corotracer ",
		described->name);
	print_wrapped(described->operands, (unsigned)column, 7);
	putchar('\n');
	print_examples(described->examples);
	putchar('\n');
	print_wrapped(described->description, 0, 0);
	if (command_needs_probe(command)) {
		putchar('\n');
		print_wrapped(attaching_rule, 0, 0);
		print_wrapped(ct_attaching(NULL)->calls, 0, 0);
	}
	if (command_has_default(command)) {
		putchar('\n');
		print_wrapped(default_trace_rule, 0, 0);
	}
	if (command == COMMAND_CONTROL)
		print_orders();
	if (command == COMMAND_HELP)
		print_topics();
	print_options(command);
	puts("\nExit status:");
	print_exit_statuses(command);
}

static void print_conditions(void)
{
	const struct ct_condition_about *about;
	unsigned i;

	puts("Conditions of 'corotracer check', and of 'corotracer run --flight ... --on' (L)\n");
	for (i = 0; (about = ct_condition_about(i)) != NULL; i++) {
		const char *mark = !about->is_of_report ? "L only" : about->is_live ? "L" : "";

		printf("  %-*s%s\n", *mark ? 36 : 0, about->example, mark);
		fputs("        ", stdout);
		print_wrapped(about->meaning, 8, 8);
	}
	putchar('\n');
	print_wrapped(condition_rules, 0, 0);
}

static void print_standard(unsigned threshold, char text[VALUE_BYTES])
{
	const struct ct_threshold_about *about = ct_threshold_about(threshold);

	ct_threshold_text((enum ct_threshold)threshold, about->standard, text, VALUE_BYTES);
}

static void print_thresholds(void)
{
	const struct ct_threshold_about *about;
	char standard[VALUE_BYTES];
	unsigned i;

	puts("Thresholds: from when on something is worth a finding\n");
	puts("  --threshold NAME=VALUE   set one");
	puts("  --thresholds FILE        set those in FILE, one a line: NAME = VALUE, or");
	puts("                           allow-site = PATTERN; what follows a '#' at the");
	puts("                           beginning or after a blank is a comment");
	puts("  --allow-site PATTERN     say nothing of a place\n");
	puts("Each with its default, and the rules that use it:");
	for (i = 0; (about = ct_threshold_about(i)); i++) {
		print_standard(i, standard);
		printf("\n  %s = %s\n      ", about->name, standard);
		print_wrapped(about->rules, 6, 6);
		fputs("      ", stdout);
		print_wrapped(about->meaning, 6, 6);
		fputs("      why:", stdout);
		print_wrapped(about->why, 10, 6);
	}
}

static void print_exit_codes(void)
{
	puts("Exit status: what a command's number means\n");
	print_exit_statuses(COMMAND_NONE);
}

const struct topic topics[] = {
#define T(name, text, summary) {text, summary, print_##name},
#include "topics.def"
#undef T
	{NULL, NULL, NULL},
};

static const struct topic *find_topic(const char *name)
{
	const struct topic *topic = topics;

	while (topic->name && strcmp(topic->name, name) != 0)
		topic++;
	return topic->name ? topic : NULL;
}

/* The older spelling has a man page, too, but is not a command. */
static enum command named(const char *word)
{
	if (strcmp(word, command_descriptions[COMMAND_OLDER].name) == 0)
		return COMMAND_OLDER;
	return command_find(word);
}

static int say_no_such_command(const char *word)
{
	const char *nearest = nearest_command(word);
	char complaint[COMPLAINT_BYTES];

	snprintf(complaint, sizeof(complaint), "there is no command or topic '%s'%s%s%s", word,
		nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	return say_usage("help", complaint);
}

int command_help(const struct arguments *arguments)
{
	enum command command = COMMAND_NONE;
	const struct topic *topic;

	if (arguments->nr_operands > 1)
		return say_usage("help", "one command at a time");
	if (arguments->nr_operands == 1 && (topic = find_topic(arguments->operands[0]))) {
		topic->print();
		return flush_output();
	}
	if (arguments->nr_operands == 1) {
		command = named(arguments->operands[0]);
		if (command == COMMAND_NONE)
			return say_no_such_command(arguments->operands[0]);
	}
	if (arguments->value[OPTION_HELP_COMPLETION])
		completion_print(arguments->value[OPTION_HELP_COMPLETION]);
	else if (arguments->value[OPTION_HELP_MAN])
		manual_print(command);
	else
		help_print(command);
	return flush_output();
}
