/* SPDX-License-Identifier: MIT */
/*
 * The wishes of `run`: which events to record, from its options.
 */
#ifndef CLI_WANTED_H
#define CLI_WANTED_H

#include "corotracer/ct.h"
#include "options.h"

/* Lists that the wishes point into. */
struct wishes {
	struct ct_wanted wanted;
	char **lists[3];
	char complaint[COMPLAINT_BYTES];
};

/* wishes_read: false: complaint is one sentence. wishes_fini gives everything back in either case. */
bool wishes_read(struct wishes *wishes, const struct arguments *arguments);
void wishes_fini(struct wishes *wishes);

#endif
