/* SPDX-License-Identifier: MIT */
/*
 * A hash map from 64-bit keys to 32-bit values: ids to indexes. Open addressing, linear probing,
 * never more than three quarters full. Key 0 is allowed. Not thread-safe.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_entry {
	uint64_t key;
	uint32_t value;
	uint32_t is_used;
};

/* Zeroed: empty. */
struct map {
	struct map_entry *entries;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/* map_fini: frees the memory; the map is empty again. */
void map_fini(struct map *map);

/*
 * map_home: returns a key's home slot among `capacity` slots. map_slot: returns the slot where the key is, or would be;
 * the map must not be empty.
 */
static inline size_t map_home(uint64_t key, size_t capacity)
{
	/* Fibonacci hashing: neighbouring ids and addresses scatter over the whole table. */
	uint64_t product = key * UINT64_C(0x9e3779b97f4a7c15);

	/* Ids that contain a generation may differ only in the uppermost bits. */
	return (size_t)(product >> 20 ^ product >> 48) & (capacity - 1);
}

static inline size_t map_slot(const struct map *map, uint64_t key)
{
	size_t slot = map_home(key, map->capacity);

	while (map->entries[slot].is_used && map->entries[slot].key != key)
		slot = (slot + 1) & (map->capacity - 1);
	return slot;
}

/* map_get: returns true and *ret_value if the key is present. Inline, because some callers ask for each event. */
static inline bool map_get(const struct map *map, uint64_t key, uint32_t *ret_value)
{
	const struct map_entry *entry;

	if (!map->capacity)
		return false;
	entry = &map->entries[map_slot(map, key)];
	if (!entry->is_used)
		return false;
	*ret_value = entry->value;
	return true;
}

/* map_prefetch: prefetches the key's home slot for a look-up that comes soon. */
static inline void map_prefetch(const struct map *map, uint64_t key)
{
	if (map->capacity)
		__builtin_prefetch(&map->entries[map_home(key, map->capacity)]);
}

/* map_put: inserts or replaces; returns false if out of memory, with the map unchanged. */
bool map_put(struct map *map, uint64_t key, uint32_t value);

/* map_remove: removes the key; returns false if it was not there. */
bool map_remove(struct map *map, uint64_t key);

#endif
