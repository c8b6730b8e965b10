/* SPDX-License-Identifier: MIT */
/*
 * The public function that opens the trace of a recording in progress.
 */
#include <stdio.h>
#include <unistd.h>

#include "corotracer/ct.h"
#include "session/so_far.h"

enum ct_status ct_record_open_trace(struct ct_record *record, const struct ct_open_options *options,
	struct ct_trace **ret_trace, struct ct_error *reterr)
{
	int file = so_far_open(record);
	enum ct_status status;
	char path[64];

	if (file < 0)
		return CT_AGAIN;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	status = ct_trace_open(path, options, ret_trace, reterr);
	close(file);
	return status;
}
