/* SPDX-License-Identifier: MIT */
/*
 * A part of a Go trace as a Go trace of its own, byte for byte.
 */
#ifndef GOTRACE_CUT_H
#define GOTRACE_CUT_H

#include "base/input.h"
#include "corotracer/ct.h"

/*
 * gotrace_cut: writes the generations that touch an interval (times since the trace began) behind a header, into a
 * new file at `output` ("-": standard output). The input stays the caller's. What is damaged ends the trace, as for
 * a reader. A failure names the input. CT_ERR_USAGE: nothing lies in the interval.
 */
enum ct_status gotrace_cut(const struct input *input, ct_time from, ct_time to, const char *output,
	struct ct_part *ret_part, struct ct_error *reterr);

#endif
