/* SPDX-License-Identifier: MIT */
/*
 * Finding a command as a shell would, so that one that cannot be started is told before anything is.
 */
#ifndef CLI_FIND_PROGRAM_H
#define CLI_FIND_PROGRAM_H

/*
 * find_program: 0 where the command can be started, as far as its file tells; EXIT_NOT_FOUND or
 * EXIT_NOT_EXECUTABLE (exits.h) after saying why not.
 */
int find_program(const char *command);

#endif
