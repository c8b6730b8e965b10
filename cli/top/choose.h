/* SPDX-License-Identifier: MIT */
/*
 * The processes that `corotracer top` could show, as a list to choose from, or as text.
 */
#ifndef CLI_TOP_CHOOSE_H
#define CLI_TOP_CHOOSE_H

#include "corotracer/ct.h"

/* The choice, as an operand of `top`: a process's id, or the file that another recording of the process writes. */
struct top_choice {
	char operand[256]; /* "": nothing was chosen */
	/* number of the signal that ended the list, by which the caller shall die; 0: none */
	int number;
};

/*
 * top_choose: shows the list in the terminal and updates it once a second, until a process is chosen or the user quits.
 * Restores the terminal afterwards. Errors as for top_terminal_open and ct_traceables_find.
 */
enum ct_status top_choose(bool use_colour, struct top_choice *ret_choice, struct ct_error *reterr);

/*
 * top_choose_print: prints the same list as text; CT_ERR_NO_PROBE: the list is empty. Other errors as for
 * ct_traceables_find.
 */
enum ct_status top_choose_print(struct ct_error *reterr);

#endif
