/* SPDX-License-Identifier: MIT */
/*
 * One frame as plain text, for scripts.
 */
#ifndef CLI_TOP_ONCE_H
#define CLI_TOP_ONCE_H

#include "top/source.h"
#include "top/state.h"

/*
 * top_once_print: prints the present screen to standard output: a line with the program, the duration, and losses; a
 * line with the number of rows; the headings; and at most nr_rows rows. All columns are printed whatever the width of
 * the terminal, and the last one is not cut.
 */
enum ct_status top_once_print(const struct top_snapshot *snapshot, const struct top_state *state,
	uint64_t nr_rows, struct ct_error *reterr);

#endif
