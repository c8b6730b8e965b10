/* SPDX-License-Identifier: MIT */
/*
 * A probe keeps its segment mapped as long as its program lives: what is not among the mappings of the process has
 * no program any more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "collect/collector.h"
#include "collect/images.h"
#include "base/io.h"

#define MAPS_BYTES_MAX ((size_t)16 << 20)
#define MEMORY_NAME "/memfd:"

/* "start-end permissions offset device inode path": NULL where it cannot be read. */
static char *read_maps(const struct process *process)
{
	char path[32], *text;
	size_t nr_bytes;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->pid);
	if (io_read_file(path, MAPS_BYTES_MAX, &text, &nr_bytes, NULL))
		return NULL;
	if (nr_bytes)
		return text;
	free(text);
	return NULL;
}

static bool is_mapped(const char *maps, uint64_t inode)
{
	const char *at = maps;

	while ((at = strstr(at, MEMORY_NAME))) {
		const char *begin = at;
		unsigned long long found;

		while (begin > maps && begin[-1] != '\n')
			begin--;
		if (sscanf(begin, "%*s %*s %*s %*s %llu", &found) == 1 && found == inode)
			return true;
		at += strlen(MEMORY_NAME);
	}
	return false;
}

static void give_back(struct segment *segment)
{
	collect_segment_drain_all(segment);
	collect_segment_settle(segment, clock_monotonic_ns(), true);
	collect_segment_close(segment);
}

static void look_at_process(struct collect *collect, const struct process *process)
{
	char *maps = read_maps(process);
	size_t i;

	for (i = 0; maps && i < COLLECT_SEGMENTS; i++) {
		struct segment *segment = &collect->segments[i];
		struct stat file;

		if (segment->number && segment->process == process &&
			fstat(segment->memory.descriptor, &file) == 0 &&
			!is_mapped(maps, (uint64_t)file.st_ino))
			give_back(segment);
	}
	free(maps);
}

/* A process has one segment of each role, as a rule: where it has another one, either may be of what is gone. */
void collect_images_note_arrival(struct collect *collect, const struct segment *arrived)
{
	size_t i;

	for (i = 0; i < COLLECT_SEGMENTS; i++) {
		const struct segment *segment = &collect->segments[i];

		if (segment->number && segment != arrived && segment->process == arrived->process &&
			segment->layout.role == arrived->layout.role) {
			look_at_process(collect, arrived->process);
			return;
		}
	}
}

void collect_images_give_back(struct collect *collect)
{
	size_t i;

	for (i = 0; i < COLLECT_PROCESSES; i++)
		if (collect->processes[i].number && !collect->processes[i].has_ended)
			look_at_process(collect, &collect->processes[i]);
}
