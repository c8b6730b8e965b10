/* SPDX-License-Identifier: MIT */
/*
 * The pieces of executable code that processes had mapped. With them a recorded address becomes a file and an offset
 * after the process has ended.
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

/* Zeroed: empty. Texts are in the arena. */
struct mappings {
	VEC(struct ct_define_mapping) list;
	/* maps process and start to the last mapping in `list` that began there */
	struct map latest;
	struct arena texts;
	uint64_t nr_forgotten; /* mappings beyond the bounds */
};

/* collect_mappings_fini: frees the memory. */
void collect_mappings_fini(struct mappings *mappings);

/*
 * collect_mappings_read: reads /proc/PID/maps, and remembers and defines mappings of the process that were not known.
 * Returns false if there was nothing to read: the process is gone, or may not be looked at.
 */
bool collect_mappings_read(
	struct mappings *mappings, uint32_t process, pid_t pid, struct output *output);

/*
 * collect_mappings_add: remembers and defines one mapping, with copies of its texts, unless it is known already or
 * beyond the bounds.
 */
void collect_mappings_add(
	struct mappings *mappings, const struct ct_define_mapping *mapping, struct output *output);

/* collect_mappings_cover: returns whether the address lies in a known mapping of the process. */
bool collect_mappings_cover(const struct mappings *mappings, uint32_t process, uint64_t address);

#endif
