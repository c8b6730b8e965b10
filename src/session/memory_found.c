/* SPDX-License-Identifier: MIT */
/* Keeps what a look into memory found (memory_found.h). */
#include <stdlib.h>

#include "base/crc32c.h"
#include "kernel/procfs.h"
#include "session/memory_found.h"

/* In a program that goes on, what ran at a look has most likely suspended since: sentences alone are said then. */
static bool may_change(const struct memory_found *found)
{
	const struct ct_event *event;
	bool has_run = false;

	while (source_next(found->source, &event, NULL) == CT_OK)
		has_run |= event->kind == CTP_KIND_RESUME;
	return has_run || source_reset(found->source, NULL);
}

/* As long as the process lives, its threads can be told by their ids; later they are not known. */
static bool note_threads(struct memory_found *found, struct collect *collect, uint32_t process)
{
	const struct ct_tables *tables = found->source->tables;

	found->threads = calloc(tables->nr_threads, sizeof(*found->threads));
	if (found->threads)
		collect_seen_threads(collect, process, tables, found->threads);
	return found->threads != NULL;
}

void memory_found_keep(
	struct memory_found *found, struct collect *collect, uint32_t process, bool goes_on)
{
	if (found->source &&
		((goes_on && may_change(found)) || !note_threads(found, collect, process)))
		memory_found_fini(found);
}

void memory_found_fini(struct memory_found *found)
{
	source_close(found->source);
	free(found->threads);
	*found = (struct memory_found){0};
}

/* The kernel places each program at random, and its stack, where this row of numbers points to, too. */
uint32_t memory_found_program(pid_t pid)
{
	char numbers[1024];
	size_t nr_bytes = procfs_read(pid, "auxv", numbers, sizeof(numbers));

	return nr_bytes ? crc32c(0, numbers, nr_bytes) : 0;
}
