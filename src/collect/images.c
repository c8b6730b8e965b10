/* SPDX-License-Identifier: MIT */
/*
 * Segments of programs that are gone although their process lives, because exec replaced them. The engine's mapping
 * would keep that memory, and the segment its slot, until the end of the process; and some processes call exec without
 * end.
 *
 * A probe keeps its segment mapped as long as its program lives: a segment that is not among the mappings of the
 * process has no program any more.
 */
#include <string.h>
#include <sys/stat.h>

#include "collect/collector.h"
#include "kernel/procfs_maps.h"

#define MEMORY_NAME "/memfd:"

static void give_back(struct segment *segment)
{
	collect_segment_drain_all(segment);
	collect_segment_settle(segment, 0, true);
	collect_segment_close(segment);
}

/* Returns the inode of the memory of a segment of the process; 0: the slot has no such segment. */
static uint64_t inode_of(const struct segment *segment, const struct process *process)
{
	struct stat file;

	if (segment->number == 0 || segment->process != process ||
		fstat(segment->memory.descriptor, &file) < 0)
		return 0;
	return (uint64_t)file.st_ino;
}

static void look_at_process(struct collect *collect, const struct process *process)
{
	uint64_t missing[COLLECT_SEGMENTS];
	struct procfs_maps maps;
	struct procfs_mapping mapping;
	size_t i;

	if (!procfs_maps_open(&maps, process->pid))
		return;
	for (i = 0; i < COLLECT_SEGMENTS; i++)
		missing[i] = inode_of(&collect->segments[i], process);
	while (procfs_maps_next(&maps, &mapping)) {
		if (strncmp(mapping.path, MEMORY_NAME, strlen(MEMORY_NAME)) != 0)
			continue;
		for (i = 0; i < COLLECT_SEGMENTS; i++)
			if (missing[i] == mapping.inode)
				missing[i] = 0;
	}
	procfs_maps_close(&maps);
	for (i = 0; i < COLLECT_SEGMENTS; i++)
		if (missing[i])
			give_back(&collect->segments[i]);
}

/*
 * As a rule a process has one segment of each role: if there is another one, either may belong to a program that is
 * gone.
 */
void collect_images_note_arrival(struct collect *collect, const struct segment *arrived)
{
	const struct segment *segment;

	for_each_segment (collect, segment) {
		if (segment != arrived && segment->process == arrived->process &&
			segment->layout.role == arrived->layout.role) {
			look_at_process(collect, arrived->process);
			return;
		}
	}
}

void collect_images_give_back(struct collect *collect)
{
	const struct process *process;

	for_each_process (collect, process)
		if (!process->has_ended)
			look_at_process(collect, process);
}
