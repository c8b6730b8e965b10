/* SPDX-License-Identifier: MIT */
/*
 * Ids of the file to indexes: an array while ids are dense, as Go gives them, else a map.
 *
 * Ids may be any number: what is kept is bounded by how many were put.
 */
#ifndef GOTRACE_IDS_H
#define GOTRACE_IDS_H

#include "base/map.h"
#include "base/vec.h"

/* Zeroed is empty. */
struct gotrace_ids {
	VEC(uint32_t) dense; /* 0: there is none */
	struct map sparse;
	uint32_t count; /* that were ever put into the array */
};

/* gotrace_ids_put: the id, which has no index, gets this one, which is not 0. False: out of memory. */
bool gotrace_ids_put(struct gotrace_ids *ids, uint64_t id, uint32_t index);

/* gotrace_ids_remove: an id that has an index has none any more. */
void gotrace_ids_remove(struct gotrace_ids *ids, uint64_t id);

/* gotrace_ids_clear: none has an index any more; the array's memory is kept. gotrace_ids_fini: frees all. */
void gotrace_ids_clear(struct gotrace_ids *ids);
void gotrace_ids_fini(struct gotrace_ids *ids);

/* gotrace_ids_find: its index; 0, and false, where it has none. */
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
