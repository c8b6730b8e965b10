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

/* Zeroed is empty. */
struct map {
	struct map_entry *entries;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

/* map_fini: gives the memory back; the map is empty again. */
void map_fini(struct map *map);

/* map_get: true and *ret_value where the key is present. */
bool map_get(const struct map *map, uint64_t key, uint32_t *ret_value);

/* map_prefetch: a look-up of the key is near, and its place far from the processor. */
void map_prefetch(const struct map *map, uint64_t key);

/* map_put: inserts or replaces; false: out of memory, the map is unchanged. */
bool map_put(struct map *map, uint64_t key, uint32_t value);

/* map_remove: forgets the key; false where it was not there. */
bool map_remove(struct map *map, uint64_t key);

#endif
