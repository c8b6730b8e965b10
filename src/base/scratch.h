/* SPDX-License-Identifier: MIT */
/* A folder that other users cannot read, for one file that this process writes, and reads once. */
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/failure.h"

#define SCRATCH_BYTES 4096

struct scratch {
	char folder[SCRATCH_BYTES];
	char path[SCRATCH_BYTES + 32]; /* of the file, which is not there yet */
};

/*
 * scratch_open: makes the folder in TMPDIR, or else in `otherwise`; the file's name has at most 30 bytes.
 * scratch_close: removes the folder, and the file if it is there.
 */
enum ct_status scratch_open(
	struct scratch *scratch, const char *otherwise, const char *file, struct ct_error *reterr);
void scratch_close(const struct scratch *scratch);

#endif
