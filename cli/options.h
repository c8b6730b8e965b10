/* SPDX-License-Identifier: MIT */
/*
 * The commands, their groups and their options (commands.def, groups.def, options.def), and the reading of an argument
 * list.
 *
 * Reading prints nothing and allocates nothing but the list of operands: a complaint is one sentence in the caller's
 * buffer.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "value.h"

enum command_group {
	GROUP_NONE = 0,
#define G(name, text, meaning) GROUP_##name,
#include "groups.def"
#undef G
	NR_GROUPS,
};

enum command {
	COMMAND_NONE = 0,
#define C(name, text, group, operands, summary, description, examples) COMMAND_##name,
#include "commands.def"
#undef C
	NR_COMMANDS,
	COMMAND_EVERY,   /* of an option: every command has it */
	COMMAND_RECORD,  /* of an option: both commands that record have it */
	COMMAND_JUDGE,   /* of an option: all commands that judge have it */
	COMMAND_SERVING, /* of an option: all commands that serve pages have it */
};

enum option {
	OPTION_NONE = 0,
#define O(command, name, text, letter, argument, values, help) OPTION_##command##_##name,
#include "options.def"
#undef O
	NR_OPTIONS,
};

struct command_group_description {
	const char *name;
	const char *meaning;
};

struct command_description {
	const char *name;
	enum command_group group; /* GROUP_NONE: the older spelling */
	const char *operands;
	const char *summary;
	const char *description;
	const char *examples;
};

struct option_description {
	enum command command;
	const char *name;
	char letter;          /* 0: none */
	const char *argument; /* "": a switch */
	const char *values;
	const char *help; /* "": another spelling of the option before it */
};

extern const struct command_group_description command_group_descriptions[NR_GROUPS];
/* COMMAND_NONE has what is said of the program itself. */
extern const struct command_description command_descriptions[NR_COMMANDS];
extern const struct option_description option_descriptions[NR_OPTIONS];

/* command_find: by name; COMMAND_NONE where there is none. */
enum command command_find(const char *name);

/* command_has: does the command have the option? */
bool command_has(enum command command, enum option option);

/*
 * command_next: the command behind this one in the list; option_next: the next option that the command has. From NONE
 * on, and NONE at the end. The older spelling is no command. command_next_of: the next command of the group.
 */
enum command command_next(enum command command);
enum command command_next_of(enum command_group group, enum command command);
enum option option_next(enum command command, enum option option);

/* What a recording is named, and what a command reads that is told no file. */
#define DEFAULT_TRACE "corotracer.ctrace"

/*
 * command_reads_one: has the command one operand, the file that it reads? command_has_default: may that be left out,
 * for DEFAULT_TRACE?
 */
bool command_reads_one(enum command command);
bool command_has_default(enum command command);

/* default_trace_rule: the words of help and man pages for that. */
extern const char default_trace_rule[];

/*
 * command_needs_probe: does it record what a probe tells? attaching_rule: what help and man pages say in front
 * of ct_attaching(NULL)->calls.
 */
bool command_needs_probe(enum command command);
extern const char attaching_rule[];

struct arguments {
	enum command command;
	/* The value as it was given; "" for a switch; NULL: none was given. */
	const char *value[NR_OPTIONS];
	/* The meaning of the value; zeroed where none was given. */
	struct meaning meaning[NR_OPTIONS];
	struct given {
		enum option option;
		const char *value;
	} * given; /* all, in order, for options that may be given more than once */
	int nr_given;
	char **operands; /* NULL-terminated */
	int nr_operands;
	int nr_before_dashes; /* operands in front of "--"; -1: there is none */
};

#define COMPLAINT_BYTES 256

/*
 * arguments_read: reads what stands behind the command's name. Options and operands may be mixed, "--" ends
 * options; for `run`, so does the first operand, since words behind it belong to the program. For the older
 * spelling options begin with one dash or two. The last of an option given twice holds. False: complaint is
 * one sentence without the program's name. Values point into argv; arguments_fini gives back the list of
 * operands in either case.
 */
bool arguments_read(struct arguments *arguments, enum command command, int argc, char **argv,
	char complaint[COMPLAINT_BYTES]);
void arguments_fini(struct arguments *arguments);

/* arguments_take_default: DEFAULT_TRACE becomes the first operand. False: there is no such file, finished or not. */
bool arguments_take_default(struct arguments *arguments);

/*
 * arguments_all: the values of an option in the order given, NULL-terminated; the caller frees the array. NULL: no
 * memory.
 */
const char **arguments_all(const struct arguments *arguments, enum option option);

/*
 * arguments_list: the words between commas of a value, NULL-terminated, as long as the arguments; the caller frees the
 * array. NULL: the option was not given, or no memory.
 */
const char **arguments_list(const struct arguments *arguments, enum option option);

/* arguments_value: the value that was given, or the other one. */
const char *arguments_value(
	const struct arguments *arguments, enum option option, const char *otherwise);

/* arguments_count: the number given, at most UINT32_MAX; 0 where none was. */
uint32_t arguments_count(const struct arguments *arguments, enum option option);

/* nearest_name: the command or option closest to a misspelt one, or NULL where none is close. */
const char *nearest_command(const char *word);
const char *nearest_option(enum command command, const char *word);

#endif
