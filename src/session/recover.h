/* SPDX-License-Identifier: MIT */
/*
 * ct_flight_recover for those who know whose recorder it is.
 */
#ifndef SESSION_RECOVER_H
#define SESSION_RECOVER_H

#include <sys/types.h>

#include "corotracer/ct.h"

/* recover_is_ours: does a file that begins so claim to be a flight recorder's? */
bool recover_is_ours(const void *first_bytes, size_t nr_bytes);

/*
 * recover_flight: ct_flight_recover. `pid` is the process that has the file open, which may know itself by another id;
 * 0: the one that the file names.
 */
enum ct_status recover_flight(const char *path, pid_t pid, const struct ct_part_options *options,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr);

#endif
