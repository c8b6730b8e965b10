/* SPDX-License-Identifier: MIT */
/*
 * Runs SQL on a trace, for `corotracer query` and its shell: one text of SQL, or one directive (directives.def).
 */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include <stdbool.h>

#include "corotracer/ct.h"

struct asking {
	struct ct_query *query;
	struct ct_query_write_options writing;
	const char *output; /* "-": standard output */
	const char *about;  /* the name of the SQL, for the progress line */
	bool is_timed;
	bool is_over; /* .quit was given */
};

/*
 * asking_perform: runs all statements of the text, or its directive, and writes the results. An error is printed, with
 * its position. Returns the exit status.
 */
int asking_perform(struct asking *asking, const char *text);

/* asking_is_directive: does the line begin with a dot, or is it only a directive's word? */
bool asking_is_directive(const char *line);

/*
 * asking_word: returns one word for completion: a directive, table, column, function or keyword; NULL if `number` is
 * behind the last word.
 */
const char *asking_word(uint32_t number);

#endif
