/* SPDX-License-Identifier: MIT */
/*
 * The screens, until the user has enough: keys, new snapshots, frames.
 */
#ifndef CLI_TOP_SHOW_H
#define CLI_TOP_SHOW_H

#include "top/source.h"
#include "top/state.h"

struct top_show_options {
	const char *subject; /* of the data, in words */
	bool use_colour;
};

/*
 * top_show: shows a source from this state on. On failure the terminal is as it was. *ret_signal: what ended it, which
 * is the caller's to die of once all is closed; 0: the user did.
 */
enum ct_status top_show(struct top_source *source, struct top_state *state,
	const struct top_show_options *options, int *ret_signal, struct ct_error *reterr);

#endif
