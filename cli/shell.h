/* SPDX-License-Identifier: MIT */
/*
 * The shell of `corotracer query`: reads lines until a statement is complete, and runs it.
 */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

#include "asking.h"

/*
 * shell_run: reads until the end of standard input, or .quit. Ctrl-C ends the running statement, and a second Ctrl-C
 * ends the program; at a prompt Ctrl-C discards the statement that was typed so far. Returns the exit status.
 */
int shell_run(struct asking *asking);

/*
 * lines_begin, lines_end: must be called before and after reading lines from a terminal. If lines can be edited
 * (libedit), earlier statements can be recalled. lines_read: returns one line without its newline, for free(). NULL:
 * the input has ended; or a signal came whose handler does not restart system calls (no SA_RESTART), and the line is
 * lost. lines_keep: keeps a statement, so that it can be recalled.
 * lines_read_plain: lines_read for lines that cannot be edited.
 */
void lines_begin(void);
char *lines_read(const char *prompt);
char *lines_read_plain(const char *prompt);
void lines_keep(const char *statement);
void lines_end(void);

#endif
