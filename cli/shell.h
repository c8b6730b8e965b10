/* SPDX-License-Identifier: MIT */
/*
 * The shell of `corotracer query`: lines are read until a statement is whole, and asked.
 */
#ifndef CLI_SHELL_H
#define CLI_SHELL_H

#include "asking.h"

/*
 * shell_run: until the end of standard input, or .quit. Ctrl-C ends the statement that is asked, and a second one the
 * program; at a prompt it throws away what was typed of a statement. Returns the exit status.
 */
int shell_run(struct asking *asking);

/*
 * lines_begin, lines_end: around the reading of lines from a terminal; what was asked before is there again, where
 * lines can be edited (-Dediting). lines_read: one line without its end, to be freed; NULL: there is no more, or a
 * signal whose handler restarts nothing (no SA_RESTART) came meanwhile, and what stood in the line is lost.
 * lines_keep: to be offered later.
 */
void lines_begin(void);
char *lines_read(const char *prompt);
void lines_keep(const char *statement);
void lines_end(void);

#endif
