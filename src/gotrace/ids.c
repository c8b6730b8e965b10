/* SPDX-License-Identifier: MIT */
#include "gotrace/ids.h"

#define DENSE_SPARE \
	1024u /* how far the array may exceed four times the number of ids in it, in entries */

bool gotrace_ids_put(struct gotrace_ids *ids, uint64_t id, uint32_t index)
{
	if (id >= (uint64_t)4 * ids->count + DENSE_SPARE)
		return map_put(&ids->sparse, id, index);
	if (id >= ids->dense.count && !vec_reach(&ids->dense, id))
		return false;
	ids->dense.at[id] = index;
	ids->count++;
	return true;
}

void gotrace_ids_remove(struct gotrace_ids *ids, uint64_t id)
{
	if (id < ids->dense.count && ids->dense.at[id])
		ids->dense.at[id] = 0;
	else
		map_remove(&ids->sparse, id);
}

void gotrace_ids_clear(struct gotrace_ids *ids)
{
	ids->dense.count = 0;
	ids->count = 0;
	map_fini(&ids->sparse);
}

void gotrace_ids_fini(struct gotrace_ids *ids)
{
	vec_fini(&ids->dense);
	map_fini(&ids->sparse);
}
