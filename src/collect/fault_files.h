/* SPDX-License-Identifier: MIT */
/*
 * Which file a page of a process is of, for page faults: as the process's mappings are now, or were a tenth of a second
 * ago. Mappings are read at most sixteen times in that time; a page that is not known then has no file.
 */
#ifndef COLLECT_FAULT_FILES_H
#define COLLECT_FAULT_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

struct fault_range {
	uint64_t start;
	uint64_t end;
	uint32_t file;
};

/* Zeroed: nothing is known. */
struct fault_files {
	VEC(char *) names; /* a file's number is its index, plus 1 */
	VEC(struct fault_range) ranges;
	uint64_t read_ns; /* the oldest of `ranges` was read then */
	unsigned nr_reads;
};

/* collect_fault_files_at: returns the number of the file at this address, or of swap; 0: not known. */
uint32_t collect_fault_files_at(
	struct fault_files *files, pid_t pid, uint64_t address, uint64_t now_ns);

/* collect_fault_files_name: returns the path, or "swap"; "" for 0. */
const char *collect_fault_files_name(const struct fault_files *files, uint32_t file);
void collect_fault_files_fini(struct fault_files *files);

#endif
