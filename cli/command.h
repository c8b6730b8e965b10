/* SPDX-License-Identifier: MIT */
/*
 * One function for each command: it does all of the command's work and returns the program's exit status. A command
 * whose only operand is a FILE (commands.def) has exactly one operand.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "corotracer/ct.h"
#include "options.h"

int command_run(const struct arguments *arguments);
int command_attach(const struct arguments *arguments);
int command_agent(const struct arguments *arguments);
int command_control(const struct arguments *arguments);
int command_serve(const struct arguments *arguments);
int command_report(const struct arguments *arguments);
int command_top(const struct arguments *arguments);
int command_stats(const struct arguments *arguments);
int command_profile(const struct arguments *arguments);
int command_metrics(const struct arguments *arguments);
int command_mcp(const struct arguments *arguments);
int command_query(const struct arguments *arguments);
int command_check(const struct arguments *arguments);
int command_diff(const struct arguments *arguments);
int command_overhead(const struct arguments *arguments);
int command_why(const struct arguments *arguments);
int command_dump(const struct arguments *arguments);
int command_info(const struct arguments *arguments);
int command_verify(const struct arguments *arguments);
int command_integration(const struct arguments *arguments);
int command_assemble(const struct arguments *arguments);
int command_cut(const struct arguments *arguments);
int command_merge(const struct arguments *arguments);
int command_recover(const struct arguments *arguments);
int command_follow(const struct arguments *arguments);
int command_export(const struct arguments *arguments);
int command_help(const struct arguments *arguments);
/* command_older: coroTracer, the older spelling. */
int command_older(const struct arguments *arguments);

/* A trace to be exported, for `export` and the older spelling. */
struct handing_on {
	const char *input;
	const char *format; /* upper or lower case */
	bool is_older;      /* use the formats of the older spelling */
	/* The program chose the format, and says so. */
	bool is_form_chosen;
	const char
		*output; /* NULL: named after the input, and printed; for a server, its default */
	const char *events_table;  /* NULL: the library's default */
	const char *const *tables; /* NULL: the library's default */
	/* settings of a server, besides the output; NULL: none */
	const struct ct_database *database;
	const struct ct_selection *selection; /* NULL: the whole trace */
	bool is_sanitised;
	/* For formats that contain findings; NULL: all defaults. */
	const struct ct_thresholds *thresholds;
	uint64_t memory_bytes; /* as in ct_open_options */
};

/* hand_on: writes the export, and returns the exit status. */
int hand_on(const struct handing_on *handing_on);

/* help_print: explains a command on standard output; COMMAND_NONE: explains the program. */
void help_print(enum command command);
/*
 * help_print_commands: prints what the program does and the names of its commands, in fewer lines, on standard error.
 */
void help_print_commands(void);

/* help_print_versions: prints the program's version, and those of all that others rely on (def/versions.def). */
void help_print_versions(void);
/* The topics of `help` besides commands, for help, man page and completions; the last one has no name. */
struct topic {
	const char *name;
	const char *summary;
	void (*print)(void);
};
extern const struct topic topics[];
/* condition_rules: the text about all conditions, for help and man pages. */
extern const char condition_rules[];
/* The orders of `control`, for help and man page; the last one has no word. */
struct order_description {
	const char *word;
	const char *value; /* what follows "word="; "": the order takes no value */
	const char *meaning;
};
extern const struct order_description order_descriptions[];
/* manual_print: prints the same as a man page in mdoc. completion_print: prints a shell's completion script. */
void manual_print(enum command command);
void completion_print(const char *shell);

#endif
