/* SPDX-License-Identifier: MIT */
/* Finds the files of pages. */
#include "collect/fault_files.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/procfs_maps.h"

#define KEPT_NS UINT64_C(100000000)
#define READS_MOST 16u
#define FILES_MOST 4096u

static uint32_t number_of(struct fault_files *files, const char *path)
{
	const char *name = path[0] == '/' ? path : "swap";
	size_t i;
	char *kept;

	for (i = 0; i < files->names.count; i++)
		if (strcmp(files->names.at[i], name) == 0)
			return (uint32_t)i + 1;
	if (files->names.count == FILES_MOST)
		return 0;
	kept = strdup(name);
	if (!kept || !vec_push(&files->names, kept)) {
		free(kept);
		return 0;
	}
	return (uint32_t)files->names.count;
}

static const struct fault_range *find(const struct fault_files *files, uint64_t address)
{
	size_t i;

	for (i = 0; i < files->ranges.count; i++)
		if (address >= files->ranges.at[i].start && address < files->ranges.at[i].end)
			return &files->ranges.at[i];
	return NULL;
}

static void read_maps(struct fault_files *files, pid_t pid, uint64_t address)
{
	struct procfs_mapping mapping;
	struct procfs_maps maps;

	if (!procfs_maps_open(&maps, pid))
		return;
	while (procfs_maps_next(&maps, &mapping)) {
		struct fault_range range = {mapping.start, mapping.end, 0};

		if (address < mapping.start || address >= mapping.end)
			continue;
		range.file = number_of(files, mapping.path);
		vec_push(&files->ranges, range);
		break;
	}
	procfs_maps_close(&maps);
}

uint32_t collect_fault_files_at(
	struct fault_files *files, pid_t pid, uint64_t address, uint64_t now_ns)
{
	const struct fault_range *range;

	if (now_ns - files->read_ns > KEPT_NS) {
		files->read_ns = now_ns;
		files->nr_reads = 0;
		files->ranges.count = 0;
	}
	range = find(files, address);
	if (!range && files->nr_reads < READS_MOST) {
		files->nr_reads++;
		read_maps(files, pid, address);
		range = find(files, address);
	}
	return range ? range->file : 0;
}

const char *collect_fault_files_name(const struct fault_files *files, uint32_t file)
{
	return file ? files->names.at[file - 1] : "";
}

void collect_fault_files_fini(struct fault_files *files)
{
	size_t i;

	for (i = 0; i < files->names.count; i++)
		free(files->names.at[i]);
	vec_fini(&files->names);
	vec_fini(&files->ranges);
}
