/* SPDX-License-Identifier: MIT */
/*
 * The processes that `corotracer top` could show, as a list to choose from or as text.
 */
#ifndef CLI_TOP_CHOOSE_H
#define CLI_TOP_CHOOSE_H

#include "corotracer/ct.h"

/* What was chosen, as an operand of `top`: a process's id, or the file that another recording of it writes. */
struct top_choice {
	char operand[256]; /* "": nothing was chosen */
	int number; /* of the signal that ended it, which is the caller's to die of; 0: none */
};

/*
 * top_choose: lists them in the terminal, anew once a second, until one is chosen or the user has enough. The terminal
 * is as it was afterwards. Fails as top_terminal_open and ct_traceables_find do.
 */
enum ct_status top_choose(bool use_colour, struct top_choice *ret_choice, struct ct_error *reterr);

/*
 * top_choose_print: the same list as text; CT_ERR_NO_PROBE: it is empty. Fails as ct_traceables_find does otherwise.
 */
enum ct_status top_choose_print(struct ct_error *reterr);

#endif
