/* SPDX-License-Identifier: MIT */
/*
 * How the command line prints: sentences on standard error, one on each line, with the program's name in front; and
 * numbers in readable form. No function here ends the program.
 */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdint.h>
#include <stdio.h>

#include "corotracer/ct.h"

/*
 * say_sentence: prints a sentence on standard error: "corotracer: ...". Control characters in it become '?', and
 * passwords of addresses become stars.
 */
void say_sentence(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line on standard error that is assembled from pieces and written by one write, because the traced program shares
 * standard error and may write at the same time. said_line_begin: returns the stream for the pieces and the newline.
 * said_line_end: writes the line.
 */
struct said_line {
	FILE *stream; /* standard error itself if memory is out */
	char *text;
	size_t nr_bytes;
};

FILE *said_line_begin(struct said_line *line);
void said_line_end(struct said_line *line);

/*
 * hide_passwords: hides, in place, the passwords of "scheme://USER:PASSWORD@HOST" and "password=PASSWORD"; a text never
 * becomes longer.
 */
void hide_passwords(char *text);

/*
 * say_failure: prints a library error, and returns the exit status for it. If the reader of our output went away
 * (EPIPE), it has read enough: prints nothing, and returns success.
 */
int say_failure(enum ct_status status, const struct ct_error *error);

/* say_no_memory: prints that memory is out, and returns the exit status for it. */
int say_no_memory(void);

/* say_usage: prints a complaint about the arguments, with a hint where to read more. Returns the exit status. */
int say_usage(const char *command, const char *complaint);

/* Texts for one printf; each is in a buffer of the caller. */
#define SAY_BYTES 48
struct said {
	char text[SAY_BYTES];
};

/* said_count: "1,234 events"; said_bytes: "1.2 MB"; said_span: "3.21 s". */
struct said said_count(uint64_t count, const char *one, const char *many);
struct said said_bytes(uint64_t nr_bytes);
struct said said_span(int64_t ns);

/* print_safe: prints a text from outside to a stream, with control characters replaced. */
void print_safe(FILE *stream, const char *text);

/* print_quoted: prints a path so that a shell would read it back, with quotes only if necessary. */
void print_quoted(FILE *stream, const char *path);

/*
 * flush_output: makes sure that all of standard output was written; prints an error if it was not. Returns the exit
 * status.
 */
int flush_output(void);

#endif
