/* SPDX-License-Identifier: MIT */
/*
 * The pieces of executable code that processes had mapped: what turns a recorded address into a file
 * and an offset after the process is gone.
 */
#ifndef COLLECT_MAPPINGS_H
#define COLLECT_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/map.h"
#include "collect/output.h"
#include "base/vec.h"

#define MAPPINGS_MAX 65536u
#define MAPPINGS_TEXT_BYTES_MAX ((size_t)32 << 20)

/* Zeroed is empty. Texts are in the arena. */
struct mappings {
	VEC(struct ct_define_mapping) list;
	struct map latest; /* process and start to the last one in `list` that began there */
	struct arena texts;
	uint64_t nr_forgotten; /* that the bounds left out */
};

/* collect_mappings_fini: gives the memory back. */
void collect_mappings_fini(struct mappings *mappings);

/*
 * collect_mappings_read: reads /proc/PID/maps, and remembers and defines what was not known of the process.
 * Returns false where there was nothing to read: the process is gone, or not ours to look at.
 */
bool collect_mappings_read(
	struct mappings *mappings, uint32_t process, pid_t pid, struct output *output);

/*
 * collect_mappings_add: remembers and defines one mapping, with copies of its texts; what is known already, or is
 * one too many, is left out.
 */
void collect_mappings_add(
	struct mappings *mappings, const struct ct_define_mapping *mapping, struct output *output);

/* collect_mappings_cover: whether the address lies in a mapping of the process that is known. */
bool collect_mappings_cover(const struct mappings *mappings, uint32_t process, uint64_t address);

#endif
