/* SPDX-License-Identifier: MIT */
/* A folder for a trace that only this process reads, and only once. */
#ifndef SESSION_SCRATCH_H
#define SESSION_SCRATCH_H

#include "base/failure.h"

#define SCRATCH_BYTES 4096

struct scratch {
	char folder[SCRATCH_BYTES];
	char path[SCRATCH_BYTES + 16]; /* of the trace, which is not there yet */
};

/* scratch_open: makes the folder in TMPDIR, or in /tmp. scratch_close: removes the folder, and the trace in it. */
enum ct_status scratch_open(struct scratch *scratch, struct ct_error *reterr);
void scratch_close(const struct scratch *scratch);

#endif
