/* SPDX-License-Identifier: MIT */
/* The whole object is read before anything of it is: readers go back and forth. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "objects/whole.h"
#include "lib/address.h"

enum ct_status lib_address_open(const char *path, struct input **ret_input, struct ct_error *reterr)
{
	char copy[48], *name;
	enum ct_status status;
	int descriptor;

	if (!objects_is_address(path))
		return input_open(path, ret_input, reterr);
	name = strndup(path, strcspn(path, "?"));
	if (!name)
		return ct_fail_memory(reterr);
	descriptor = objects_open_address(path, 0, &status, reterr);
	snprintf(copy, sizeof(copy), "/proc/self/fd/%d", descriptor);
	if (status == CT_OK)
		status = input_open(copy, ret_input, reterr);
	if (descriptor >= 0)
		close(descriptor);
	if (status) {
		free(name);
		return status;
	}
	free((*ret_input)->name);
	(*ret_input)->name = name;
	return CT_OK;
}
