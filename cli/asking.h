/* SPDX-License-Identifier: MIT */
/*
 * Asking a trace in SQL, for `corotracer query` and its shell: one text of SQL, or one directive (directives.def).
 */
#ifndef CLI_ASKING_H
#define CLI_ASKING_H

#include <stdbool.h>

#include "corotracer/ct.h"

struct asking {
	struct ct_query *query;
	struct ct_query_write_options writing;
	const char *output; /* "-": standard output */
	const char *about;  /* what is asked, for the sign of life */
	bool is_timed;
	bool is_over; /* .quit */
};

/*
 * asking_perform: asks all statements of the text, or follows its directive, and writes the answers. What is wrong is
 * said, and where. Returns the exit status.
 */
int asking_perform(struct asking *asking, const char *text);

/* asking_is_directive: does the line begin with a dot, or is it a directive's word alone? */
bool asking_is_directive(const char *line);

/* asking_word: one word that can be completed: a directive, table, column, function or keyword; NULL behind them. */
const char *asking_word(uint32_t number);

#endif
