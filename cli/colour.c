/* SPDX-License-Identifier: MIT */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool output_is_terminal(const char *output)
{
	return strcmp(output, "-") == 0 && isatty(STDOUT_FILENO);
}

bool colour_is_wanted(uint64_t when, const char *output)
{
	const char *terminal = getenv("TERM"), *unwanted = getenv("NO_COLOR");

	if (when)
		return when == 1;
	return output_is_terminal(output) && !(unwanted && *unwanted) && terminal &&
	       strcmp(terminal, "dumb") != 0;
}
