/* SPDX-License-Identifier: MIT */
/* An output gets its own name when it is complete; until then it is "PATH.partial". */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/so_far.h"

static int open_regular(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
		return file;
	close(file);
	return -1;
}

int so_far_open_output(const char *output)
{
	char *partial;
	int file;

	if (!output || asprintf(&partial, "%s.partial", output) < 0)
		return -1;
	file = open_regular(partial);
	free(partial);
	/* A recording that ended before its program has its name already. */
	return file < 0 && errno == ENOENT ? open_regular(output) : file;
}
