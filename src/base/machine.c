/* SPDX-License-Identifier: MIT */
/* What the machine has. In a container the file below is the container's own. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/machine.h"

static uint64_t of_control_group(void)
{
	FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
	uint64_t bytes = 0;

	if (!file)
		return 0;
	/* "max": there is no bound. */
	if (fscanf(file, "%" SCNu64, &bytes) != 1)
		bytes = 0;
	fclose(file);
	return bytes;
}

uint64_t machine_memory(void)
{
	long nr_pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	uint64_t bytes = nr_pages > 0 && page > 0 ? (uint64_t)nr_pages * (uint64_t)page : 0;
	uint64_t bound = of_control_group();

	return bound && bound < bytes ? bound : bytes;
}
