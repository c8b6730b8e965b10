/* SPDX-License-Identifier: MIT */
/*
 * Names and numbers of system calls (system_calls.h).
 */
#include <string.h>

#include "base/system_calls.h"

static const struct system_call_there calls[] = {
#define X(number, name) {number, #name},
#include "base/system_calls.def"
#undef X
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

static const char *name_in(const struct system_call_there *there, size_t nr_there, int64_t number)
{
	size_t i;

	for (i = 0; i < nr_there; i++)
		if (there[i].number == number)
			return there[i].name;
	return NULL;
}

const char *system_call_name(int64_t call)
{
	return name_in(calls, NR_CALLS, call);
}

int32_t system_call_of(int32_t number, const struct system_call_there *there, size_t nr_there)
{
	const char *name = name_in(there, nr_there, number);
	size_t i;

	for (i = 0; name && i < NR_CALLS; i++)
		if (strcmp(calls[i].name, name) == 0)
			return calls[i].number;
	return number >= SYSTEM_CALLS_ALIKE ? number : -1;
}
