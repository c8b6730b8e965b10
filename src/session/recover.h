/* SPDX-License-Identifier: MIT */
/* ct_flight_recover for callers that know the recorder's process. */
#ifndef SESSION_RECOVER_H
#define SESSION_RECOVER_H

#include <sys/types.h>

#include "base/input.h"
#include "corotracer/ct.h"

/* recover_is_ours: returns whether a file that begins with these bytes claims to be a flight recorder's. */
bool recover_is_ours(const void *first_bytes, size_t nr_bytes);

/*
 * recover_flight: does what ct_flight_recover does. `pid` is the process that has the file open, which may know itself
 * by another id; 0: the process that the file names.
 */
enum ct_status recover_flight(const char *path, pid_t pid, const struct ct_part_options *options,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr);

/* recover_input: does the same with an input that is open; `pid` is that of collect_flight. */
enum ct_status recover_input(const struct input *input, pid_t pid, int pack_level,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr);

#endif
