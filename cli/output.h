/* SPDX-License-Identifier: MIT */
/*
 * Outputs: checks before anything is written, leaves nothing of one when the user breaks off, and gives a sign of life
 * meanwhile.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <stdint.h>

/* output_is_terminal: does text for this output appear on a terminal? "-" is standard output. */
bool output_is_terminal(const char *output);

/*
 * output_is_coloured: `when` is which of auto|always|never. Auto: on a terminal, unless NO_COLOR is set or TERM is
 * dumb.
 */
bool output_is_coloured(uint64_t when, const char *output);

/*
 * output_is_good: a trace is written to a file, or to another program. False, after saying so for the command: this is
 * neither.
 */
bool output_is_good(const char *command, const char *output);

/*
 * output_replaces: are these two names of one regular file? Then the output would replace the trace, which
 * cannot be had again; says so. "-" is no file.
 */
bool output_replaces(const char *input, const char *output);

/* output_is_other: has the name been given to another file since, or was the file written? */
bool output_is_other(const struct stat *before, const struct stat *now);

/*
 * output_note: takes note of the file that has the output's name, which the output will replace; "-" is none.
 * output_tell_replaced: the command's end: says so, where it has been replaced. The first output noted counts.
 */
void output_note(const char *path);
void output_tell_replaced(void);

/*
 * output_guard: notes the output; from here on INT, TERM and HUP remove what is unfinished of it, PATH.partial, which
 * may be a folder of files, before they end us.
 * An unfinished output of another writer is left alone. For "-" there is nothing to do. Call it before the output
 * is opened; `run` does not, since it goes on until its program ends.
 */
void output_guard(const char *path);

/*
 * progress_begin: "reading FILE, 3 s": a sign of life for work that takes longer than a second, on standard error, and
 * only where that is a terminal. `what` stays the caller's, unchanged until progress_end.
 */
void progress_begin(const char *what, const char *path);

/*
 * progress_begin_input: the same for an input. One that may never come, a FIFO or a terminal, is told of where
 * standard error is no terminal, too: in one line. progress_begin_reading: where reading is what is done with it.
 * input_is_sure: is it neither?
 */
void progress_begin_input(const char *what, const char *path);
void progress_begin_reading(const char *path);
bool input_is_sure(const char *path);

/*
 * progress_tell: how far it is: `done` of `total` steps (0: not known) of this phase; shown from the second second on,
 * with the rate since the phase began (`done` is 0 then) and the time left. Called as often as one likes; does nothing
 * before progress_begin and behind progress_end.
 */
void progress_tell(void *unused, const char *phase, uint64_t done, uint64_t total);

/* progress_end: wipes the line where one was shown. May be called twice. */
void progress_end(void);

#endif
