/* SPDX-License-Identifier: MIT */
/*
 * corotracer top: shows screens in a terminal, or prints one frame as text.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "exits.h"
#include "judge.h"
#include "look.h"
#include "output.h"
#include "say.h"
#include "subject.h"
#include "top/choose.h"
#include "top/once.h"
#include "top/show.h"

#define ROWS 50u

/* ---------------------------------------------------------------- the initial state */

static int sort_by(struct top_state *state, const char *name)
{
	enum top_screen screen = state->now.screen;
	struct top_sorting *sorting = &state->sorting[screen];
	bool is_turned = *name == '-';
	uint32_t order = top_screen_find_column(screen, name + is_turned);
	const struct top_screen_description *described = top_screen_describe(screen);
	char complaint[COMPLAINT_BYTES];

	if (order < described->nr_columns) {
		sorting->order = order;
		sorting->is_descending =
			top_column_is_numeric(&described->columns[order]) != is_turned;
		return 0;
	}
	snprintf(complaint, sizeof(complaint), "'%.80s' is no column of %s", name + is_turned,
		described->name);
	return say_usage("top", complaint);
}

static int read_state(const struct arguments *arguments, struct top_state *state)
{
	const char *const *value = arguments->value;

	top_state_init(state);
	if (value[OPTION_TOP_SCREEN])
		state->now =
			state->tables[arguments->meaning[OPTION_TOP_SCREEN].number % TOP_NR_TABLES];
	if (value[OPTION_TOP_FILTER]) {
		if (strlen(value[OPTION_TOP_FILTER]) >= TOP_FILTER_BYTES)
			return say_usage("top", "the filter is too long");
		snprintf(state->sorting[state->now.screen].filter, TOP_FILTER_BYTES, "%s",
			value[OPTION_TOP_FILTER]);
	}
	return value[OPTION_TOP_SORT] ? sort_by(state, value[OPTION_TOP_SORT]) : 0;
}

/* ---------------------------------------------------------------- one frame */

static enum ct_status print_frame(struct ct_trace *trace, const struct ct_thresholds *thresholds,
	const struct top_state *state, uint32_t nr_rows, struct ct_error *reterr)
{
	struct ct_view_options options = {.size = sizeof(options), .thresholds = thresholds};
	struct top_snapshot snapshot = {.trace = trace};
	enum ct_status status = ct_view_open(trace, &options, &snapshot.view, reterr);

	if (status == CT_OK)
		status = ct_view_report(snapshot.view, &snapshot.report, reterr);
	progress_end();
	if (status == CT_OK)
		status = top_once_print(&snapshot, state, nr_rows, reterr);
	ct_view_close(snapshot.view);
	return status;
}

static int print_once(const struct arguments *arguments, const struct subject *subject,
	const struct ct_thresholds *thresholds, const struct top_state *state)
{
	uint32_t nr_rows = arguments_count(arguments, OPTION_TOP_ROWS);
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;
	int exit_status = subject_open(arguments, subject, &trace);

	if (exit_status)
		return exit_status;
	status = print_frame(trace, thresholds, state, nr_rows ? nr_rows : ROWS, &error);
	subject_settle(subject);
	ct_trace_close(trace);
	return status ? say_failure(status, &error) : flush_output();
}

/* ---------------------------------------------------------------- screens */

static int die_of(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	sigaction(number, &action, NULL);
	raise(number);
	return EXIT_SIGNALED + number;
}

/* Returns the exit status. *ret_signal: the signal that ended the screens; 0: none did. */
static int show(const struct arguments *arguments, const struct subject *subject, const char *title,
	const struct ct_thresholds *thresholds, struct top_state *state, int *ret_signal)
{
	bool is_process = subject_is_process(subject);
	struct top_source_options options = {
		.path = is_process ? NULL : subject->operand,
		.pid = is_process ? value_process(subject->operand) : 0,
		.no_symbols = subject->no_symbols,
		.thresholds = thresholds,
		.memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number,
	};
	struct top_show_options showing = {
		.subject = title,
		.use_colour = output_is_coloured(arguments->meaning[OPTION_TOP_COLOUR].number, "-"),
	};
	struct top_source *source;
	struct ct_error error;
	enum ct_status status = top_source_open(&options, &source, &error);

	if (status)
		return subject_say_failure(subject, status, &error);
	status = top_show(source, state, &showing, ret_signal, &error);
	top_source_close(source);
	return status ? say_failure(status, &error) : 0;
}

/* A process without a probe is shown as it was at one moment. */
static int show_process(const struct arguments *arguments, const struct subject *subject,
	const struct ct_thresholds *thresholds, struct top_state *state)
{
	struct subject shown = *subject;
	struct private_folder folder = {.folder = ""};
	int exit_status, number = 0;

	if (look_is_all(subject)) {
		exit_status = look_take(arguments, subject, &folder);
		if (exit_status)
			return exit_status;
		shown.operand = folder.file;
	}
	exit_status = show(arguments, &shown, subject->operand, thresholds, state, &number);
	if (folder.folder[0])
		look_end(subject, &folder);
	return number ? die_of(number) : exit_status;
}

static const char *what_does_not_fit(
	const struct arguments *arguments, const struct subject *subject)
{
	const char *const *value = arguments->value;

	if (value[OPTION_TOP_ONCE])
		return NULL;
	if (value[OPTION_TOP_ROWS] || value[OPTION_TOP_DURATION])
		return "'--rows' and '--duration' go with '--once'";
	if (strcmp(subject->operand, "-") == 0)
		return "standard input is where the keys come from: name a file, or print one "
		       "frame "
		       "with '--once'";
	if (subject_is_process(subject) && !value_process(subject->operand))
		return "PID is the number of a process, as ps and pidof print it";
	return NULL;
}

static int print_or_show(const struct arguments *arguments, const struct subject *subject)
{
	struct ct_thresholds *thresholds;
	struct top_state state;
	int exit_status = read_state(arguments, &state);

	if (!exit_status)
		exit_status = thresholds_read(arguments, &thresholds);
	if (exit_status)
		return exit_status;
	exit_status = (arguments->value[OPTION_TOP_ONCE]
			       ? print_once(arguments, subject, thresholds, &state)
			       : show_process(arguments, subject, thresholds, &state));
	ct_thresholds_free(thresholds);
	return exit_status;
}

static int print_list(void)
{
	struct ct_error error;
	enum ct_status status = top_choose_print(&error);

	return status ? say_failure(status, &error) : flush_output();
}

/* Without an operand, the user chooses a process. */
static int choose(const struct arguments *arguments, struct subject *subject)
{
	struct top_choice choice;
	struct ct_error error;
	enum ct_status status;

	if (arguments->value[OPTION_TOP_ONCE])
		return print_list();
	status = top_choose(output_is_coloured(arguments->meaning[OPTION_TOP_COLOUR].number, "-"),
		&choice, &error);
	if (status)
		return say_failure(status, &error);
	if (choice.number)
		return die_of(choice.number);
	if (!*choice.operand)
		return 0;
	subject->operand = choice.operand;
	return print_or_show(arguments, subject);
}

int command_top(const struct arguments *arguments)
{
	struct subject subject = {
		.operand = arguments->nr_operands ? arguments->operands[0] : "",
		.no_symbols = arguments->value[OPTION_TOP_NO_SYMBOLS] != NULL,
		.duration = OPTION_TOP_DURATION,
	};
	const char *complaint;

	/* Only the classes of characters: the format of numbers must not depend on the locale. */
	setlocale(LC_CTYPE, "");
	if (arguments->nr_operands > 1)
		return say_usage("top", "one process or trace at a time");
	complaint = what_does_not_fit(arguments, &subject);
	if (complaint)
		return say_usage("top", complaint);
	if (!arguments->nr_operands)
		return choose(arguments, &subject);
	return print_or_show(arguments, &subject);
}
