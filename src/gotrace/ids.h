/* SPDX-License-Identifier: MIT */
/*
 * A table from the file's ids to indexes: an array while ids are dense, as Go assigns them, else a map.
 *
 * Ids may be any number: the memory is bounded by the number of ids that were put in.
 */
#ifndef GOTRACE_IDS_H
#define GOTRACE_IDS_H

#include "base/map.h"
#include "base/vec.h"

/* A zeroed struct is an empty table. */
struct gotrace_ids {
	VEC(uint32_t) dense; /* 0: the id has no index */
	struct map sparse;
	uint32_t count; /* number of ids that were ever put into the array */
};

/* gotrace_ids_put: gives an index, which is not 0, to an id that has none yet. False: out of memory. */
bool gotrace_ids_put(struct gotrace_ids *ids, uint64_t id, uint32_t index);

/* gotrace_ids_remove: removes the index of an id that has one. */
void gotrace_ids_remove(struct gotrace_ids *ids, uint64_t id);

/* gotrace_ids_clear: removes all ids and keeps the array's memory. gotrace_ids_fini: frees all memory. */
void gotrace_ids_clear(struct gotrace_ids *ids);
void gotrace_ids_fini(struct gotrace_ids *ids);

/* gotrace_ids_find: looks up the index of an id. False, and index 0: the id has no index. */
static inline bool gotrace_ids_find(const struct gotrace_ids *ids, uint64_t id, uint32_t *ret_index)
{
	*ret_index = 0;
	if (id < ids->dense.count && ids->dense.at[id]) {
		*ret_index = ids->dense.at[id];
		return true;
	}
	return map_get(&ids->sparse, id, ret_index);
}

#endif
