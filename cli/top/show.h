/* SPDX-License-Identifier: MIT */
/*
 * The screens' loop, until the user quits: keys, new snapshots, frames.
 */
#ifndef CLI_TOP_SHOW_H
#define CLI_TOP_SHOW_H

#include "top/source.h"
#include "top/state.h"

struct top_show_options {
	const char *subject; /* what the data is about, in words */
	bool use_colour;
};

/*
 * top_show: shows a source, beginning with this state. After a failure the terminal is restored. *ret_signal: the
 * signal that ended the screens, by which the caller shall die once everything is closed; 0: the user quit.
 */
enum ct_status top_show(struct top_source *source, struct top_state *state,
	const struct top_show_options *options, int *ret_signal, struct ct_error *reterr);

#endif
