/* SPDX-License-Identifier: MIT */
/*
 * Texts by hash. Texts with equal hashes take the next free hash numbers.
 */
#include <string.h>

#include "gotrace/texts.h"

bool gotrace_texts_init(struct gotrace_texts *names)
{
	*names = (struct gotrace_texts){0};
	arena_init(&names->arena);
	return vec_push(&names->names, (struct gotrace_name){.at = ""});
}

void gotrace_texts_fini(struct gotrace_texts *names)
{
	arena_fini(&names->arena);
	map_fini(&names->by_hash);
	vec_fini(&names->names);
}

static uint64_t hash_of(const char *text, size_t nr_bytes)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		hash = (hash ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static bool is_name(const struct gotrace_name *name, const char *text, size_t nr_bytes)
{
	return name->nr_bytes == nr_bytes && memcmp(name->at, text, nr_bytes) == 0;
}

bool gotrace_texts_add(
	struct gotrace_texts *names, const char *text, size_t nr_bytes, uint32_t *ret_name)
{
	uint64_t hash = hash_of(text, nr_bytes);
	struct gotrace_name name = {.nr_bytes = nr_bytes};

	*ret_name = 0;
	if (!nr_bytes)
		return true;
	for (; map_get(&names->by_hash, hash, ret_name); hash++) {
		if (is_name(&names->names.at[*ret_name], text, nr_bytes))
			return true;
	}
	name.at = arena_text(&names->arena, text, nr_bytes);
	*ret_name = (uint32_t)names->names.count;
	return name.at && map_put(&names->by_hash, hash, *ret_name) &&
	       vec_push(&names->names, name);
}
