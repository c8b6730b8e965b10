/* SPDX-License-Identifier: MIT */
/*
 * What a command is about: a trace's file, or a process that runs, which is recorded for a while.
 */
#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "corotracer/ct.h"
#include "options.h"

/* The operand that is read. */
struct subject {
	const char *operand;
	bool no_symbols;
	/* The option that says for how long a process is recorded; OPTION_NONE: the operand is no process. */
	enum option duration;
};

/* subject_is_process: only digits: a process. A file of such a name has a folder before it: ./4711. */
bool subject_is_process(const struct subject *subject);

/* subject_file: the name of its file; NULL: it is a process, or standard input. */
const char *subject_file(const struct subject *subject);

/*
 * damage_note: takes note of a trace that was opened to be read: where it is damaged, the command says so in the end,
 * and its exit status tells. damage_note_input: of an input that is damaged. damage_tell: says so already now, which
 * is worth it where the end is far away. damage_exit_status: the end; `exit_status` is what the command would return
 * else. The first damaged input is the one that is named.
 */
void damage_note(const struct ct_trace *trace, const char *path);
void damage_note_input(const char *path);
void damage_tell(void);
int damage_exit_status(int exit_status);

/*
 * memory_tell: says what a judgement of the trace will take, where that is much, or more than it may take. Nothing
 * where the trace does not tell how many coroutines it has. memory_tell_missing: afterwards: how many events are not in
 * what was made, since their coroutines found no room. Nothing where there are none.
 */
void memory_tell(const struct ct_trace *trace);
void memory_tell_missing(uint64_t nr_events, const char *what);

/*
 * subject_open: its trace, with a sign of life. A process is recorded for a while (1 s); Ctrl-C ends that early,
 * and what was seen until then is in the trace. 0: the caller goes on to subject_settle; else the exit status,
 * after saying why not.
 */
int subject_open(const struct arguments *arguments, const struct subject *subject,
	struct ct_trace **ret_trace);

/* subject_say_failure: says why its trace could not be had; returns the exit status. */
int subject_say_failure(
	const struct subject *subject, enum ct_status status, const struct ct_error *error);

/* subject_settle: the work is done: no sign of life any more, and signals are the system's again. */
void subject_settle(const struct subject *subject);

/*
 * subject_write: opens its trace, writes an output of it that can be broken off, and settles. Returns the exit status,
 * after saying why not: where the output is the trace itself, too.
 */
typedef enum ct_status subject_writer(
	struct ct_trace *trace, const void *options, const char *output, struct ct_error *reterr);

int subject_write(const struct arguments *arguments, const struct subject *subject,
	subject_writer *write, const void *options, const char *output);

#endif
