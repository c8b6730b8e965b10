/* SPDX-License-Identifier: MIT */
/*
 * Is this a network's file system? A trace that waits for the network loses events.
 */
#include <libgen.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "network.h"

static const char *name_of(const struct statfs *status)
{
	switch ((uint32_t)status->f_type) {
#define X(name, magic) \
	case magic:    \
		return name;
#include "network.def"
#undef X
	default:
		return NULL;
	}
}

const char *network_name(const char *path)
{
	struct statfs status;
	const char *name = NULL;
	char *copy;

	if (strcmp(path, "-") == 0)
		return NULL;
	if (statfs(path, &status) == 0)
		return name_of(&status);
	copy = strdup(path);
	if (copy && statfs(dirname(copy), &status) == 0)
		name = name_of(&status);
	free(copy);
	return name;
}
