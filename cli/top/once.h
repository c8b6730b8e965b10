/* SPDX-License-Identifier: MIT */
/*
 * One frame as plain text, for scripts.
 */
#ifndef CLI_TOP_ONCE_H
#define CLI_TOP_ONCE_H

#include "top/source.h"
#include "top/state.h"

/*
 * top_once_print: what the present screen shows, on standard output: a line with the program, the duration, and what is
 * lost; one that says how many rows there are; the headings; at most nr_rows rows. All columns are there whatever the
 * width of the terminal, and the last one is whole.
 */
enum ct_status top_once_print(const struct top_snapshot *snapshot, const struct top_state *state,
	uint64_t nr_rows, struct ct_error *reterr);

#endif
