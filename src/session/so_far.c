/* SPDX-License-Identifier: MIT */
/*
 * An output has its own name when it is complete; until then "PATH.partial".
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "session/so_far.h"

int so_far_open_output(const char *output)
{
	char *partial;
	int file;

	if (!output || asprintf(&partial, "%s.partial", output) < 0)
		return -1;
	file = open(partial, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(partial);
	return file;
}
