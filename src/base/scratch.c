/* SPDX-License-Identifier: MIT */
/* Folders in TMPDIR (scratch.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/scratch.h"

enum ct_status scratch_open(
	struct scratch *scratch, const char *otherwise, const char *file, struct ct_error *reterr)
{
	const char *parent = getenv("TMPDIR");

	if (!parent || parent[0] != '/' || strlen(parent) > SCRATCH_BYTES / 2)
		parent = otherwise;
	snprintf(scratch->folder, sizeof(scratch->folder), "%s/corotracer-XXXXXX", parent);
	if (!mkdtemp(scratch->folder))
		return ct_fail_errno(reterr, "making a folder in '%s'", parent);
	snprintf(scratch->path, sizeof(scratch->path), "%s/%s", scratch->folder, file);
	return CT_OK;
}

void scratch_close(const struct scratch *scratch)
{
	unlink(scratch->path);
	rmdir(scratch->folder);
}
