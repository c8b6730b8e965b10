/* SPDX-License-Identifier: MIT */
/*
 * Cuts a part out of a Go trace: the part is a Go trace of its own, and its generations are copied byte for byte.
 */
#ifndef GOTRACE_CUT_H
#define GOTRACE_CUT_H

#include "base/input.h"
#include "corotracer/ct.h"

/*
 * gotrace_cut: writes a header and every generation that touches the interval (times since the trace began) into a new
 * file at `output` ("-": standard output). The input stays the caller's. A damaged batch ends the trace, as it does for
 * a reader. The error names the input. CT_ERR_USAGE: no generation touches the interval.
 */
enum ct_status gotrace_cut(const struct input *input, ct_time from, ct_time to, const char *output,
	struct ct_part *ret_part, struct ct_error *reterr);

#endif
