/* SPDX-License-Identifier: MIT */
/*
 * Names by site.
 */
#include <string.h>

#include "jsonl/names.h"

static uint64_t key_of(uint32_t segment, uint32_t site)
{
	return (uint64_t)segment << 32 | site;
}

void jsonl_names_init(struct jsonl_names *names)
{
	*names = (struct jsonl_names){0};
	arena_init(&names->arena);
}

void jsonl_names_fini(struct jsonl_names *names)
{
	arena_fini(&names->arena);
	vec_fini(&names->all);
	map_fini(&names->at);
}

bool jsonl_names_note(struct jsonl_names *names, const struct ct_define_site *site)
{
	uint64_t key = key_of(site->segment, site->id);
	const char *name;
	uint32_t index;

	/* Defined again, a site gains what was not known; its name was. */
	if (!site->reason || !*site->reason || map_get(&names->at, key, &index))
		return true;
	name = arena_text(&names->arena, site->reason, strlen(site->reason));
	index = (uint32_t)names->all.count;
	return name && vec_push(&names->all, name) && map_put(&names->at, key, index);
}

const char *jsonl_names_find(const struct jsonl_names *names, uint32_t segment, uint32_t site)
{
	uint32_t index;

	return map_get(&names->at, key_of(segment, site), &index) ? names->all.at[index] : "";
}
