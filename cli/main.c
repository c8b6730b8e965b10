/* SPDX-License-Identifier: MIT */
/*
 * The command line: finds the command, parses its arguments, and runs it.
 *
 * Under the name coroTracer, the program is the older spelling. Only the public library is used.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "misspelt.h"
#include "output.h"
#include "say.h"
#include "subject.h"

static int (*const commands[NR_COMMANDS])(const struct arguments *) = {
	[COMMAND_RUN] = command_run,
	[COMMAND_ATTACH] = command_attach,
	[COMMAND_AGENT] = command_agent,
	[COMMAND_CONTROL] = command_control,
	[COMMAND_SERVE] = command_serve,
	[COMMAND_MCP] = command_mcp,
	[COMMAND_REPORT] = command_report,
	[COMMAND_CHECK] = command_check,
	[COMMAND_DIFF] = command_diff,
	[COMMAND_PROFILE] = command_profile,
	[COMMAND_METRICS] = command_metrics,
	[COMMAND_QUERY] = command_query,
	[COMMAND_OVERHEAD] = command_overhead,
	[COMMAND_WHY] = command_why,
	[COMMAND_TOP] = command_top,
	[COMMAND_STATS] = command_stats,
	[COMMAND_DUMP] = command_dump,
	[COMMAND_INFO] = command_info,
	[COMMAND_INTEGRATION] = command_integration,
	[COMMAND_VERIFY] = command_verify,
	[COMMAND_ASSEMBLE] = command_assemble,
	[COMMAND_CUT] = command_cut,
	[COMMAND_MERGE] = command_merge,
	[COMMAND_RECOVER] = command_recover,
	[COMMAND_FOLLOW] = command_follow,
	[COMMAND_EXPORT] = command_export,
	[COMMAND_HELP] = command_help,
	[COMMAND_OLDER] = command_older,
};

/*
 * If a descriptor below 3 were closed, the next file that is opened would get its number, and messages would be written
 * to that file. So the descriptor is occupied with one that cannot be used, and that the traced program does not
 * inherit.
 */
static void keep_standard_descriptors(void)
{
	int descriptor;

	for (descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
		if (fcntl(descriptor, F_GETFD) < 0)
			(void)!open("/dev/null",
				(descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
	}
}

/* False, after printing so: the command needs exactly one FILE, and has none or more than one. */
static bool has_its_file(struct arguments *arguments)
{
	const char *complaint = "which trace? name a file, or '-' for standard input";

	if (!command_reads_one(arguments->command) || arguments->nr_operands == 1)
		return true;
	if (arguments->nr_operands) {
		complaint = "one file at a time";
	} else if (command_has_default(arguments->command)) {
		if (arguments_take_default(arguments))
			return true;
		complaint = "which trace? there is no " DEFAULT_TRACE
			    " here; name a file, or '-' for standard input";
		if (strstr(command_descriptions[arguments->command].operands, "PID"))
			complaint = "which trace? there is no " DEFAULT_TRACE
				    " here; name a file, the id of a process, or '-' for standard "
				    "input";
	}
	say_usage(command_descriptions[arguments->command].name, complaint);
	return false;
}

static int perform(enum command command, int argc, char **argv)
{
	char complaint[COMPLAINT_BYTES];
	struct arguments arguments;
	int exit_status;

	if (!arguments_read(&arguments, command, argc, argv, complaint)) {
		exit_status = say_usage(command_descriptions[command].name, complaint);
	} else if (arguments.value[OPTION_EVERY_HELP]) {
		help_print(command);
		exit_status = flush_output();
	} else if (!has_its_file(&arguments)) {
		exit_status = ct_status_exit_code(CT_ERR_USAGE);
	} else {
		exit_status = damage_exit_status(commands[command](&arguments));
		output_tell_replaced();
	}
	arguments_fini(&arguments);
	return exit_status;
}

static int unknown_command(const char *word)
{
	const char *nearest = nearest_command(word);
	char complaint[COMPLAINT_BYTES];

	if (word[0] == '-')
		snprintf(complaint, sizeof(complaint), "unknown option '%s'", word);
	else if (access(word, R_OK) == 0 && access(word, X_OK) != 0)
		snprintf(complaint, sizeof(complaint),
			"'%s' is a file, and no command; what is wrong in a trace: corotracer "
			"report %s",
			word, word);
	else if (strchr(word, '/') && access(word, F_OK) != 0)
		snprintf(complaint, sizeof(complaint),
			"there is no file '%s'; to run a program: "
			"corotracer run -- PROGRAM",
			word);
	else if (nearest)
		snprintf(complaint, sizeof(complaint), "unknown command '%s'; did you mean '%s'?",
			word, nearest);
	else
		snprintf(complaint, sizeof(complaint),
			"unknown command '%s'; to run a program: corotracer run -- %s", word, word);
	return say_usage("", complaint);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int dispatch(int argc, char **argv)
{
	enum command command;

	if (argc < 2) {
		help_print_commands();
		return ct_status_exit_code(CT_ERR_USAGE);
	}
	if (is_one_of(argv[1], "--help", "-h")) {
		help_print(COMMAND_NONE);
		return flush_output();
	}
	if (is_one_of(argv[1], "--version", "-V")) {
		help_print_versions();
		return flush_output();
	}
	command = command_find(argv[1]);
	if (command == COMMAND_NONE)
		return unknown_command(argv[1]);
	return perform(command, argc - 2, argv + 2);
}

static bool is_older_spelling(const char *name)
{
	const char *slash = name ? strrchr(name, '/') : NULL;

	return name &&
	       strcmp(slash ? slash + 1 : name, command_descriptions[COMMAND_OLDER].name) == 0;
}

static void on_failed_write(int number)
{
	(void)number;
}

/*
 * If a reader goes away, or a file may not grow, write(2) shall fail instead of a signal ending the program. A handler
 * is used instead of SIG_IGN, because exec restores the default for the traced program; an ignored signal stays
 * ignored.
 */
static void survive_failed_writes(void)
{
	static const int numbers[] = {SIGPIPE, SIGXFSZ};
	struct sigaction action = {.sa_handler = on_failed_write, .sa_flags = SA_RESTART};
	struct sigaction before;
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
	}
}

int main(int argc, char **argv)
{
	keep_standard_descriptors();
	survive_failed_writes();
	if (argc > 0 && is_older_spelling(argv[0]))
		return perform(COMMAND_OLDER, argc - 1, argv + 1);
	return dispatch(argc, argv);
}
