/* SPDX-License-Identifier: MIT */
/*
 * Open addressing with linear probing; removal shifts later entries back, so that there are no
 * tombstones and a look-up ends at the first hole.
 */
#include <stdlib.h>

#include "map.h"

#define MAP_FIRST_CAPACITY 64u

static size_t home_of(uint64_t key, size_t capacity)
{
	/* Fibonacci hashing: neighbouring ids and addresses scatter over the whole table. */
	uint64_t product = key * UINT64_C(0x9e3779b97f4a7c15);

	/* The uppermost bits are all that ids differ in whose generation stands in theirs. */
	return (size_t)(product >> 20 ^ product >> 48) & (capacity - 1);
}

static size_t slot_of(const struct map *map, uint64_t key)
{
	size_t slot = home_of(key, map->capacity);

	while (map->entries[slot].is_used && map->entries[slot].key != key)
		slot = (slot + 1) & (map->capacity - 1);
	return slot;
}

void map_fini(struct map *map)
{
	free(map->entries);
	*map = (struct map){0};
}

bool map_get(const struct map *map, uint64_t key, uint32_t *ret_value)
{
	size_t slot;

	if (!map->capacity)
		return false;
	slot = slot_of(map, key);
	if (!map->entries[slot].is_used)
		return false;
	*ret_value = map->entries[slot].value;
	return true;
}

void map_prefetch(const struct map *map, uint64_t key)
{
	if (map->capacity)
		__builtin_prefetch(&map->entries[home_of(key, map->capacity)]);
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
			larger.entries[slot_of(&larger, map->entries[i].key)] = map->entries[i];
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
	entry = &map->entries[slot_of(map, key)];
	map->count += !entry->is_used;
	*entry = (struct map_entry){.key = key, .value = value, .is_used = 1};
	return true;
}

bool map_remove(struct map *map, uint64_t key)
{
	size_t mask = map->capacity - 1, hole, next;

	if (!map->capacity)
		return false;
	hole = slot_of(map, key);
	if (!map->entries[hole].is_used)
		return false;
	for (next = (hole + 1) & mask; map->entries[next].is_used; next = (next + 1) & mask) {
		size_t home = home_of(map->entries[next].key, map->capacity);

		/* Move back only what would otherwise be cut off from its home by the hole. */
		if (((next - home) & mask) >= ((next - hole) & mask)) {
			map->entries[hole] = map->entries[next];
			hole = next;
		}
	}
	map->entries[hole].is_used = 0;
	map->count--;
	return true;
}
