/* SPDX-License-Identifier: MIT */
/*
 * Outputs: checks before anything is written, removal of unfinished outputs when the user interrupts, and a progress
 * line.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <stdint.h>

/* output_is_terminal: does text for this output appear on a terminal? "-" is standard output. */
bool output_is_terminal(const char *output);

/*
 * output_is_coloured: `when` is the index in auto|always|never. With auto, output is coloured on a terminal, unless
 * NO_COLOR is set or TERM is dumb.
 */
bool output_is_coloured(uint64_t when, const char *output);

/*
 * output_is_good: a trace may be written to a file or to another program. False, after printing so for the command: the
 * output is neither.
 */
bool output_is_good(const char *command, const char *output);

/*
 * output_replaces: do the two names mean the same regular file? Then the output would replace the trace, which is lost
 * for good; this is printed. "-" is not a file.
 */
bool output_replaces(const char *input, const char *output);

/* output_is_other: has the name been given to another file since, or was the file written? */
bool output_is_other(const struct stat *before, const struct stat *now);

/*
 * output_note: notes the file that has the output's name and will be replaced; "-" means none. output_tell_replaced:
 * called at the command's end: prints that the file was replaced, if it was. Only the first output noted counts.
 */
void output_note(const char *path);
void output_tell_replaced(void);

/*
 * output_guard: from now on INT, TERM and HUP remove the unfinished output, PATH.partial, which may be a folder of
 * files, before they end the program. An unfinished output of another writer is left alone. For "-" there is nothing to
 * do. Must be called before the output is opened. `run` does not call it, because `run` goes on until its program ends.
 */
void output_guard(const char *path);

/*
 * progress_begin: shows "reading FILE, 3 s" on standard error for work that takes longer than a second, but only if
 * standard error is a terminal. `what` stays the caller's, and must not change until progress_end.
 */
void progress_begin(const char *what, const char *path);

/*
 * progress_begin_input: the same for an input. An input that may never come, a FIFO or a terminal, is reported in one
 * line even if standard error is not a terminal. progress_begin_reading: the same for reading an input. input_is_sure:
 * is the input neither a FIFO nor a terminal?
 */
void progress_begin_input(const char *what, const char *path);
void progress_begin_reading(const char *path);
bool input_is_sure(const char *path);

/*
 * progress_tell: reports progress: `done` of `total` steps (0: unknown) of this phase. From the second second on, the
 * progress is shown with the rate since the phase began (when `done` was 0) and the remaining time. May be called at
 * any rate; does nothing before progress_begin or after progress_end.
 */
void progress_tell(void *unused, const char *phase, uint64_t done, uint64_t total);

/* progress_end: removes the progress line if one was shown. May be called twice. */
void progress_end(void);

#endif
