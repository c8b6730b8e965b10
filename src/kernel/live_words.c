/* SPDX-License-Identifier: MIT */
/*
 * Names for the kernel's numbers and letters (live.h).
 */
#include <stddef.h>
#include <string.h>

#include "base/system_calls.h"
#include "kernel/live.h"

static const char *const about_descriptors[] = {
#define X(name) #name,
#include "kernel/descriptor_calls.def"
#undef X
};

static const struct {
	char letter;
	const char *words;
} states[] = {
	{'R', "runs"},
	{'S', "sleeps"},
	{'D', "sleeps and cannot be interrupted"},
	{'T', "is stopped"},
	{'t', "is stopped by a debugger"},
	{'Z', "has ended"},
	{'X', "has ended"},
	{'I', "is idle"},
	{'P', "is parked"},
};

static const struct {
	const char *beginning;
	const char *name;
	const char *words;
} kinds[] = {
#define X(beginning, name, words) {beginning, name, words},
#include "kernel/descriptor_kinds.def"
#undef X
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool live_is_about_descriptor(int32_t call)
{
	const char *name = system_call_name(call);
	size_t i;

	for (i = 0; name && i < COUNT(about_descriptors); i++)
		if (strcmp(name, about_descriptors[i]) == 0)
			return true;
	return false;
}

const char *live_state_words(char state)
{
	size_t i;

	for (i = 0; i < COUNT(states); i++)
		if (states[i].letter == state)
			return states[i].words;
	return "is in a state of its own";
}

/* The last kind matches everything. */
static size_t kind_of(const struct live_descriptor *descriptor)
{
	size_t i = 0;

	while (strncmp(descriptor->link, kinds[i].beginning, strlen(kinds[i].beginning)) != 0)
		i++;
	return i;
}

const char *live_kind_name(const struct live_descriptor *descriptor)
{
	return kinds[kind_of(descriptor)].name;
}

const char *live_kind_words(const struct live_descriptor *descriptor)
{
	return kinds[kind_of(descriptor)].words;
}
