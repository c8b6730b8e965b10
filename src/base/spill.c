/* SPDX-License-Identifier: MIT */
/* An append begins at the end of the last complete append: it overwrites what a failed append left. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/spill.h"

static int open_nameless(const char *folder)
{
	char path[] = "/var/tmp/corotracer-XXXXXX";
	int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (descriptor >= 0 || errno != EOPNOTSUPP)
		return descriptor;
	/* Some file systems lack O_TMPFILE. */
	descriptor = mkostemp(path, O_CLOEXEC);
	if (descriptor >= 0)
		unlink(path);
	return descriptor;
}

int spill_open_file(struct ct_error *reterr)
{
	const char *folder = getenv("TMPDIR");
	int descriptor;

	folder = folder && *folder ? folder : "/var/tmp";
	descriptor = open_nameless(folder);
	if (descriptor < 0)
		ct_fail_errno(reterr, "keeping what is read in '%s'", folder);
	return descriptor;
}

bool spill_open(struct spill *spill)
{
	*spill = (struct spill){.descriptor = spill_open_file(NULL)};
	return spill->descriptor >= 0;
}

void spill_close(struct spill *spill)
{
	if (spill->descriptor >= 0)
		close(spill->descriptor);
	*spill = (struct spill){.descriptor = -1};
}

bool spill_append(struct spill *spill, const void *bytes, size_t nr_bytes, uint64_t *ret_offset)
{
	const char *at = bytes;
	size_t left = nr_bytes;
	ssize_t written;

	while (left) {
		written = pwrite(
			spill->descriptor, at, left, (off_t)(spill->nr_bytes + (nr_bytes - left)));
		if (written < 0 && errno != EINTR)
			return false;
		at += written > 0 ? written : 0;
		left -= written > 0 ? (size_t)written : 0;
	}
	*ret_offset = spill->nr_bytes;
	spill->nr_bytes += nr_bytes;
	return true;
}

bool spill_read(const struct spill *spill, uint64_t offset, void *ret_bytes, size_t nr_bytes)
{
	return io_read_at(spill->descriptor, ret_bytes, nr_bytes, offset) == (ssize_t)nr_bytes;
}
