/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing. Removal shifts later entries back, so that there are no tombstones, and a
 * look-up ends at the first hole.
 */
#include <stdlib.h>

#include "base/map.h"

#define MAP_FIRST_CAPACITY 64u

void map_fini(struct map *map)
{
	free(map->entries);
	*map = (struct map){0};
}

static bool grow(struct map *map)
{
	struct map larger = {.capacity = map->capacity ? map->capacity * 2 : MAP_FIRST_CAPACITY};
	size_t i;

	larger.entries = calloc(larger.capacity, sizeof(*larger.entries));
	if (!larger.entries)
		return false;
	for (i = 0; i < map->capacity; i++) {
		if (map->entries[i].is_used)
			larger.entries[map_slot(&larger, map->entries[i].key)] = map->entries[i];
	}
	larger.count = map->count;
	free(map->entries);
	*map = larger;
	return true;
}

bool map_put(struct map *map, uint64_t key, uint32_t value)
{
	struct map_entry *entry;

	if (map->count + 1 > map->capacity / 4 * 3 && !grow(map))
		return false;
	entry = &map->entries[map_slot(map, key)];
	map->count += !entry->is_used;
	*entry = (struct map_entry){.key = key, .value = value, .is_used = 1};
	return true;
}

bool map_remove(struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1, hole, next;

	if (!map->capacity)
		return false;
	hole = map_slot(map, key);
	if (!map->entries[hole].is_used)
		return false;
	for (next = (hole + 1) & mask; map->entries[next].is_used; next = (next + 1) & mask) {
		size_t home = map_home(map->entries[next].key, map->capacity);

		/* Moves back only entries that the hole would otherwise separate from their home slot. */
		if (((next - home) & mask) >= ((next - hole) & mask)) {
			map->entries[hole] = map->entries[next];
			hole = next;
		}
	}
	map->entries[hole].is_used = 0;
	map->count--;
	return true;
}
