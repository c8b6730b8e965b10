/* SPDX-License-Identifier: MIT */
/*
 * Completion scripts for bash, zsh and fish, made from the lists that the parser reads.
 *
 * Each script contains only words, and no call of the program, because completion must not run anything.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"

static void print_commands(void)
{
	const char *separator = "";
	enum command command;

	for (command = command_next(COMMAND_NONE); command; command = command_next(command)) {
		printf("%s%s", separator, command_descriptions[command].name);
		separator = " ";
	}
}

static void print_topics(void)
{
	const struct topic *topic;

	for (topic = topics; topic->name; topic++)
		printf(" %s", topic->name);
}

static void print_values(const char *values)
{
	for (; *values; values++)
		putchar(*values == '|' ? ' ' : *values);
}

static void print_bash_options(enum command command)
{
	enum option option;

	for (option = option_next(command, OPTION_NONE); option;
		option = option_next(command, option))
		printf("--%s ", option_descriptions[option].name);
}

/* For each option with a value: its words, or file names. */
static void print_bash_values(enum command command)
{
	enum option option;

	for (option = OPTION_NONE + 1; option < NR_OPTIONS; option++) {
		const struct option_description *described = &option_descriptions[option];

		if (described->command != command || !*described->argument)
			continue;
		printf("\t%s,--%s", command_descriptions[command].name, described->name);
		if (described->letter)
			printf(" | %s,-%c", command_descriptions[command].name, described->letter);
		fputs(")\n\t\t", stdout);
		if (strchr(described->values, '|')) {
			fputs("COMPREPLY=($(compgen -W '", stdout);
			print_values(described->values);
			puts("' -- \"$word\"))");
		} else if (strcmp(described->argument, "FILE") == 0) {
			puts("COMPREPLY=($(compgen -f -- \"$word\"))");
		} else {
			puts("COMPREPLY=()");
		}
		puts("\t\treturn\n\t\t;;");
	}
}

static void print_bash(void)
{
	enum command command;

	puts("# bash completion for corotracer\n"
	     "_corotracer() {\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} "
	     "command=${COMP_WORDS[1]}\n"
	     "\tif [ \"$COMP_CWORD\" -eq 1 ]; then");
	fputs("\t\tCOMPREPLY=($(compgen -W '", stdout);
	print_commands();
	puts(" --help --version' -- \"$word\"))\n\t\treturn\n\tfi\n\tcase $command,$previous in");
	for (command = command_next(COMMAND_NONE); command; command = command_next(command))
		print_bash_values(command);
	puts("\tesac\n\tcase $command,$word in");
	for (command = command_next(COMMAND_NONE); command; command = command_next(command)) {
		printf("\t%s,-*)\n\t\tCOMPREPLY=($(compgen -W '",
			command_descriptions[command].name);
		print_bash_options(command);
		puts("' -- \"$word\"))\n\t\t;;");
	}
	fputs("\thelp,*)\n\t\tCOMPREPLY=($(compgen -W '", stdout);
	print_commands();
	print_topics();
	puts("' -- \"$word\"))\n\t\t;;\n\t*)\n\t\tCOMPREPLY=($(compgen -f -- "
	     "\"$word\"))\n\t\t;;\n\tesac\n}\n"
	     "complete -o filenames -F _corotracer corotracer");
}

/* Escapes a text within single quotes, for zsh's and fish's specifications. */
static void print_description(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void print_zsh_option(const struct option_description *option)
{
	printf("\t\t\t'--%s%s[", option->name, *option->argument ? "=" : "");
	print_description(*option->help ? option->help : "another spelling");
	putchar(']');
	if (strchr(option->values, '|')) {
		printf(":%s:(", option->argument);
		print_values(option->values);
		putchar(')');
	} else if (*option->argument) {
		printf(":%s:%s", option->argument,
			strcmp(option->argument, "FILE") == 0 ? "_files" : " ");
	}
	puts("' \\");
}

static void print_zsh_group(enum command_group group)
{
	const char *name = command_group_descriptions[group].name;
	enum command command;

	puts("\t\tcommands=(");
	for (command = command_next_of(group, COMMAND_NONE); command;
		command = command_next_of(group, command)) {
		printf("\t\t\t'%s:", command_descriptions[command].name);
		print_description(command_descriptions[command].summary);
		puts("'");
	}
	printf("\t\t)\n\t\t_describe -t %s %s commands && found=0\n", name, name);
}

/* The operands of `help` are not files. */
static void print_zsh_operands(enum command command)
{
	if (command != COMMAND_HELP) {
		printf("\t\t\t'%s'\n\t\t;;\n",
			command == COMMAND_RUN ? "*::command:_normal" : "*:file:_files");
		return;
	}
	fputs("\t\t\t'1:command or topic:(", stdout);
	print_commands();
	print_topics();
	puts(")'\n\t\t;;");
}

static void print_zsh(void)
{
	enum command_group group;
	enum command command;
	enum option option;

	puts("#compdef corotracer\n_corotracer() {\n\tlocal -a commands\n"
	     "\tif (( CURRENT == 2 )); then\n\t\tlocal found=1");
	for (group = GROUP_NONE + 1; group < NR_GROUPS; group++)
		print_zsh_group(group);
	puts("\t\treturn found\n\tfi\n"
	     "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in");
	for (command = command_next(COMMAND_NONE); command; command = command_next(command)) {
		printf("\t%s)\n\t\t_arguments \\\n", command_descriptions[command].name);
		for (option = option_next(command, OPTION_NONE); option;
			option = option_next(command, option))
			print_zsh_option(&option_descriptions[option]);
		print_zsh_operands(command);
	}
	puts("\tesac\n}\n_corotracer \"$@\"");
}

/* fish interprets \' and \\ within single quotes. */
static void print_fish_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("'\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void print_fish_option(enum command command, const struct option_description *option)
{
	printf("complete -c corotracer -n '__fish_seen_subcommand_from %s' -l %s",
		command_descriptions[command].name, option->name);
	if (option->letter)
		printf(" -s %c", option->letter);
	if (strchr(option->values, '|')) {
		fputs(" -x -a '", stdout);
		print_values(option->values);
		putchar('\'');
	} else if (*option->argument) {
		fputs(strcmp(option->argument, "FILE") == 0 ? " -r -F" : " -x", stdout);
	}
	fputs(" -d '", stdout);
	print_fish_text(*option->help ? option->help : "another spelling");
	puts("'");
}

static void print_fish(void)
{
	enum command command;
	enum option option;

	puts("# fish completion for corotracer");
	fputs("complete -c corotracer -n '__fish_seen_subcommand_from help' -f -a '", stdout);
	print_commands();
	print_topics();
	puts("'");
	for (command = command_next(COMMAND_NONE); command; command = command_next(command)) {
		printf("complete -c corotracer -n __fish_use_subcommand -f -a %s -d '",
			command_descriptions[command].name);
		print_fish_text(command_descriptions[command].summary);
		puts("'");
		for (option = option_next(command, OPTION_NONE); option;
			option = option_next(command, option))
			print_fish_option(command, &option_descriptions[option]);
	}
}

void completion_print(const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		print_bash();
	else if (strcmp(shell, "zsh") == 0)
		print_zsh();
	else
		print_fish();
}
