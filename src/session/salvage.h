/* SPDX-License-Identifier: MIT */
/*
 * ct_salvage for those who know whose recorder it is.
 */
#ifndef SESSION_SALVAGE_H
#define SESSION_SALVAGE_H

#include <sys/types.h>

#include "corotracer/ct.h"

/* salvage_is_ours: does a file that begins so claim to be a flight recorder's? */
bool salvage_is_ours(const void *first_bytes, size_t nr_bytes);

/*
 * salvage: ct_salvage. `pid` is the process that has the file open, which may know itself by another id; 0: the one
 * that the file names.
 */
enum ct_status salvage(const char *path, pid_t pid, const struct ct_part_options *options,
	const char *output, struct ct_salvage_stats *ret_stats, struct ct_error *reterr);

#endif
