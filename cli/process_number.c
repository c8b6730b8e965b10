/* SPDX-License-Identifier: MIT */
/*
 * Reading the number of a process (process_number.h).
 */
#include <stdlib.h>

#include "process_number.h"

int64_t process_read(const char *text)
{
	char *end;
	long pid = strtol(text, &end, 10);

	return end != text && *end == '\0' && pid > 0 && pid <= INT32_MAX ? pid : 0;
}
