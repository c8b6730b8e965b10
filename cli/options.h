/* SPDX-License-Identifier: MIT */
/*
 * The commands, their groups and their options (commands.def, groups.def, options.def), and the parser of an argument
 * list.
 *
 * The parser prints nothing, and allocates only the list of operands: a complaint is one sentence in the caller's
 * buffer.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>

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
	COMMAND_EVERY,   /* every command has the option */
	COMMAND_RECORD,  /* both commands that record have the option */
	COMMAND_JUDGE,   /* all commands that judge have the option */
	COMMAND_SERVING, /* all commands that serve pages have the option */
	COMMAND_SHOWING, /* all commands that print what one trace or process shows have the option */
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
	const char *help; /* "": another spelling of the previous option */
};

extern const struct command_group_description command_group_descriptions[NR_GROUPS];
/* The entry of COMMAND_NONE describes the program itself. */
extern const struct command_description command_descriptions[NR_COMMANDS];
extern const struct option_description option_descriptions[NR_OPTIONS];

/* command_find: finds a command by name; COMMAND_NONE: there is none. */
enum command command_find(const char *name);

/* command_has: does the command have the option? */
bool command_has(enum command command, enum option option);

/*
 * command_next: the next command in the list. option_next: the next option of the command. Both begin with NONE, and
 * return NONE at the end. The older spelling is not included. command_next_of: the next command of the group.
 */
enum command command_next(enum command command);
enum command command_next_of(enum command_group group, enum command command);
enum option option_next(enum command command, enum option option);

/* The default name of a recording, and of the file that a command reads. */
#define DEFAULT_TRACE "corotracer.ctrace"

/*
 * command_reads_one: does the command have a single operand, the file that it reads? command_has_default: may the
 * operand be left out, with DEFAULT_TRACE as default?
 */
bool command_reads_one(enum command command);
bool command_has_default(enum command command);

/* default_trace_rule: the text about this default, for help and man pages. */
extern const char default_trace_rule[];

/*
 * command_needs_probe: does the command record what a probe writes? attaching_rule: the text of help and man pages
 * before ct_attaching(NULL)->calls.
 */
bool command_needs_probe(enum command command);
extern const char attaching_rule[];

struct arguments {
	enum command command;
	/* The value as it was given; "" for a switch; NULL: the option was not given. */
	const char *value[NR_OPTIONS];
	/* The meaning of the value; zeroed if the option was not given. */
	struct meaning meaning[NR_OPTIONS];
	struct given {
		enum option option;
		const char *value;
		/* all options in the given order, for options that may be given more than once */
	} * given;
	int nr_given;
	char **operands; /* NULL-terminated */
	int nr_operands;
	int nr_before_dashes; /* number of operands before "--"; -1: there is no "--" */
};

#define COMPLAINT_BYTES 256

/*
 * arguments_read: parses the arguments behind the command's name. Options and operands may be mixed, and "--" ends the
 * options; for `run`, the first operand does so too, because later words belong to the program. Options of the older
 * spelling begin with one dash or two. If an option is given twice, the last one is used. False: `complaint` is one
 * sentence without the program's name. Values point into argv. arguments_fini frees the list of operands, and must be
 * called in either case.
 */
bool arguments_read(struct arguments *arguments, enum command command, int argc, char **argv,
	char complaint[COMPLAINT_BYTES]);
void arguments_fini(struct arguments *arguments);

/* arguments_take_default: makes DEFAULT_TRACE the first operand. False: there is no such file, finished or not. */
bool arguments_take_default(struct arguments *arguments);

/*
 * arguments_all: all values of an option in the given order, NULL-terminated; the caller frees the array. NULL: out of
 * memory.
 */
const char **arguments_all(const struct arguments *arguments, enum option option);

/*
 * arguments_list: the words of a value, which commas separate, NULL-terminated; the words are valid as long as the
 * arguments, and the caller frees the array. NULL: the option was not given, or memory is out.
 */
const char **arguments_list(const struct arguments *arguments, enum option option);

/* arguments_value: the value of the option, or `otherwise` if the option was not given. */
const char *arguments_value(
	const struct arguments *arguments, enum option option, const char *otherwise);

/* arguments_count: the number given, at most UINT32_MAX; 0: the option was not given. */
uint32_t arguments_count(const struct arguments *arguments, enum option option);

#endif
