/* SPDX-License-Identifier: MIT */
/*
 * From an operand to a trace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output.h"
#include "say.h"
#include "signals.h"
#include "subject.h"

/* ---------------------------------------------------------------- damage */

/* The name is copied, because the caller's may be gone by the end. */
static struct {
	char *name;
	bool is_there, is_told;
} damaged;

void damage_note_input(const char *path)
{
	if (damaged.is_there)
		return;
	damaged.is_there = true;
	damaged.name = strdup(strcmp(path, "-") == 0 ? "standard input" : path);
}

void damage_note(const struct ct_trace *trace, const char *path)
{
	if (ct_trace_tables(trace)->is_damaged)
		damage_note_input(path);
}

void damage_tell(void)
{
	if (!damaged.is_there || damaged.is_told)
		return;
	damaged.is_told = true;
	say_sentence("'%s' was cut short or is damaged: only what could be read of it was used",
		damaged.name ? damaged.name : "the trace");
}

/* The output is complete as far as the trace goes; a script must be able to see that the trace was not complete. */
int damage_exit_status(int exit_status)
{
	damage_tell();
	free(damaged.name);
	damaged.name = NULL;
	return exit_status || !damaged.is_there ? exit_status : ct_status_exit_code(CT_ERR_CORRUPT);
}

/* ---------------------------------------------------------------- memory */

#define MUCH_BYTES (UINT64_C(1) << 30)

/* The events of coroutines without memory are reported as a loss as well, once their number is known. */
static void tell_bound(const struct ct_memory *memory)
{
	bool is_certain = memory->least_bytes > memory->bound;

	say_sentence("%s alive at once take %s to %s of memory, and %s are allowed: %s "
		     "('--memory' allows more)",
		said_count(memory->most_live, "coroutine", "coroutines").text,
		said_bytes(memory->least_bytes).text, said_bytes(memory->most_bytes).text,
		said_bytes(memory->bound).text,
		is_certain ? "those that find no room will be left out"
			   : "some may find no room, and be left out");
}

void memory_tell(const struct ct_trace *trace)
{
	struct ct_memory memory = ct_trace_memory(trace);

	if (memory.bound && memory.most_bytes > memory.bound)
		tell_bound(&memory);
	else if (memory.most_bytes >= MUCH_BYTES)
		say_sentence("%s alive at once take %s to %s of memory",
			said_count(memory.most_live, "coroutine", "coroutines").text,
			said_bytes(memory.least_bytes).text, said_bytes(memory.most_bytes).text);
}

void memory_tell_missing(uint64_t nr_events, const char *what)
{
	if (nr_events)
		say_sentence(
			"%s of coroutines that are missing in %s: there was no memory for them "
			"(more with '--memory')",
			said_count(nr_events, "event is", "events are").text, what);
}

/* ---------------------------------------------------------------- a file, or a process */

bool subject_is_process(const struct subject *subject)
{
	const char *operand = subject->operand;

	return (subject->duration || subject->may_be_process) && *operand &&
	       operand[strspn(operand, "0123456789")] == '\0';
}

const char *subject_file(const struct subject *subject)
{
	bool has_name = !subject_is_process(subject) && strcmp(subject->operand, "-") != 0;

	return has_name ? subject->operand : NULL;
}

static int open_file(const struct arguments *arguments, const struct subject *subject,
	struct ct_trace **ret_trace)
{
	struct ct_open_options opening = {.size = sizeof(opening),
		.no_symbols = subject->no_symbols,
		.memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number,
		.program = arguments->value[OPTION_SHOWING_EXE]};
	struct ct_error error;
	enum ct_status status;

	if (arguments->value[subject->duration])
		return say_usage(command_descriptions[arguments->command].name,
			"'--duration' goes with a process that runs");
	progress_begin_reading(subject->operand);
	status = ct_trace_open(subject->operand, &opening, ret_trace, &error);
	if (status == CT_OK) {
		damage_note(*ret_trace, subject->operand);
		memory_tell(*ret_trace);
		return 0;
	}
	subject_settle(subject);
	return say_failure(status, &error);
}

int subject_say_failure(
	const struct subject *subject, enum ct_status status, const struct ct_error *error)
{
	const char *operand = subject->operand;

	if (subject_is_process(subject) && status == CT_ERR_NOT_FOUND && access(operand, F_OK) == 0)
		say_sentence("'%s' is taken for the number of a process; the file is './%s'",
			operand, operand);
	return say_failure(status, error);
}

static int open_process(const struct arguments *arguments, const struct subject *subject,
	struct ct_trace **ret_trace)
{
	struct ct_live_options live = {
		.size = sizeof(live),
		.pid = value_process(subject->operand),
		.no_symbols = subject->no_symbols,
		.duration_ns = subject->duration
				       ? (int64_t)arguments->meaning[subject->duration].number
				       : 0,
		.memory_bytes = arguments->meaning[OPTION_JUDGE_MEMORY].number,
	};
	struct ct_error error;
	enum ct_status status;

	if (!live.pid)
		return say_usage(command_descriptions[arguments->command].name,
			"PID is the number of a process, as ps and pidof print it");
	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	live.wake_descriptor = signals_descriptor();
	progress_begin("watching", "the process");
	status = ct_live_open(&live, ret_trace, &error);
	if (status == CT_OK)
		return 0;
	subject_settle(subject);
	return subject_say_failure(subject, status, &error);
}

int subject_open(const struct arguments *arguments, const struct subject *subject,
	struct ct_trace **ret_trace)
{
	return (subject_is_process(subject) ? open_process : open_file)(
		arguments, subject, ret_trace);
}

void subject_settle(const struct subject *subject)
{
	progress_end();
	if (subject_is_process(subject))
		signals_release();
}

int subject_write(const struct arguments *arguments, const struct subject *subject,
	subject_writer *write, const void *options, const char *output)
{
	struct ct_error error;
	struct ct_trace *trace;
	enum ct_status status;
	int exit_status;

	if (!subject_is_process(subject) && output_replaces(subject->operand, output))
		return ct_status_exit_code(CT_ERR_USAGE);
	exit_status = subject_open(arguments, subject, &trace);
	if (exit_status)
		return exit_status;
	output_guard(output);
	status = write(trace, options, output, &error);
	ct_trace_close(trace);
	subject_settle(subject);
	return status ? say_failure(status, &error) : 0;
}
