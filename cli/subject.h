/* SPDX-License-Identifier: MIT */
/*
 * What a command reads: a trace file, or a running process, which is recorded for a while.
 */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "corotracer/ct.h"
#include "options.h"

/* The operand that is read. */
struct subject {
	const char *operand;
	bool no_symbols;
	/* The option for how long a process is recorded; OPTION_NONE: the operand cannot be a process */
	enum option duration;
	bool may_be_process; /* all the same: it is recorded for as long as the library chooses */
};

/*
 * subject_is_process: an operand of only digits is a process. A file with such a name needs a folder before it: ./4711.
 */
bool subject_is_process(const struct subject *subject);

/* subject_file: the name of the file; NULL: the operand is a process, or standard input. */
const char *subject_file(const struct subject *subject);

/*
 * damage_note: notes a trace that was opened; if it is damaged, the command prints so at its end, and its exit status
 * shows it. damage_note_input: notes a damaged input. damage_tell: prints it already now, which helps if the end is far
 * away. damage_exit_status: called at the end; `exit_status` is what the command would return otherwise. Only the first
 * damaged input is named.
 */
void damage_note(const struct ct_trace *trace, const char *path);
void damage_note_input(const char *path);
void damage_tell(void);
int damage_exit_status(int exit_status);

/*
 * memory_tell: prints how much memory a judgement of the trace will take, if that is much, or more than the limit.
 * Prints nothing if the trace does not say how many coroutines it has. memory_tell_missing: called afterwards: prints
 * how many events are missing from the result, because there was no memory for their coroutines. Prints nothing if
 * there are none.
 */
void memory_tell(const struct ct_trace *trace);
void memory_tell_missing(uint64_t nr_events, const char *what);

/*
 * subject_open: opens the trace, and shows progress. A process is recorded for a while (1 s); Ctrl-C ends the recording
 * early, and the trace contains everything up to then. 0: the caller continues, and later calls subject_settle; else
 * the exit status, after printing why it failed.
 */
int subject_open(const struct arguments *arguments, const struct subject *subject,
	struct ct_trace **ret_trace);

/* subject_say_failure: prints why the trace could not be opened; returns the exit status. */
int subject_say_failure(
	const struct subject *subject, enum ct_status status, const struct ct_error *error);

/* subject_settle: called when the work is done: removes the progress line and restores the signals' default actions. */
void subject_settle(const struct subject *subject);

/*
 * subject_write: opens the trace, writes an output from it that can be interrupted, and settles. Returns the exit
 * status, after printing why it failed; it also fails if the output is the trace itself.
 */
typedef enum ct_status subject_writer(
	struct ct_trace *trace, const void *options, const char *output, struct ct_error *reterr);

int subject_write(const struct arguments *arguments, const struct subject *subject,
	subject_writer *write, const void *options, const char *output);

#endif
