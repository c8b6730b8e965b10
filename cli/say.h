/* SPDX-License-Identifier: MIT */
/*
 * How the command line speaks: one sentence a line on standard error, with the program's name in front,
 * and numbers that people can read. Nothing here ends the program.
 */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdint.h>
#include <stdio.h>

#include "corotracer/ct.h"

/*
 * say_sentence: a sentence on standard error: "corotracer: ...". Control characters in it become '?', and passwords of
 * addresses stars.
 */
void say_sentence(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line on standard error that is put together from pieces and written by one write: the traced program has the same
 * standard error, and may say something meanwhile. said_line_begin: the stream for the pieces, and for the newline.
 * said_line_end: writes them.
 */
struct said_line {
	FILE *stream; /* standard error itself, where memory is short */
	char *text;
	size_t nr_bytes;
};

FILE *said_line_begin(struct said_line *line);
void said_line_end(struct said_line *line);

/* hide_passwords: in place, those of "scheme://USER:PASSWORD@HOST" and "password=PASSWORD"; no text becomes longer. */
void hide_passwords(char *text);

/*
 * say_failure: says what a failure of the library's says, and returns the exit status for it. A reader of
 * our output that went away (EPIPE) has what it wanted: nothing is said, and the status is success.
 */
int say_failure(enum ct_status status, const struct ct_error *error);

/* say_no_memory: returns the exit status for it. */
int say_no_memory(void);

/* say_usage: a complaint about the arguments, with a hint where to read on. Returns the exit status. */
int say_usage(const char *command, const char *complaint);

/* Texts for one printf; each lies in the caller's buffer. */
#define SAY_BYTES 48
struct said {
	char text[SAY_BYTES];
};

/* said_count: "1,234 events"; said_bytes: "1.2 MB"; said_span: "3.21 s". */
struct said said_count(uint64_t count, const char *one, const char *many);
struct said said_bytes(uint64_t nr_bytes);
struct said said_span(int64_t ns);

/* print_safe: a text from outside, with control characters replaced, to a stream. */
void print_safe(FILE *stream, const char *text);

/* print_quoted: a path as a shell would read it back: with quotes only where it needs them. */
void print_quoted(FILE *stream, const char *path);

/*
 * flush_output: makes sure that all of standard output arrived; says so where it did not. Returns the
 * exit status.
 */
int flush_output(void);

#endif
