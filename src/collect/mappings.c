/* SPDX-License-Identifier: MIT */
/*
 * Remembering each piece of code once.
 */
#include <string.h>

#include "collect/mappings.h"
#include "kernel/procfs_maps.h"

void collect_mappings_fini(struct mappings *mappings)
{
	vec_fini(&mappings->list);
	map_fini(&mappings->latest);
	arena_fini(&mappings->texts);
}

static uint64_t key_of(const struct ct_define_mapping *mapping)
{
	return mapping->start ^ mapping->process * UINT64_C(0x9e3779b97f4a7c15);
}

/* Returns whether this is the latest mapping that began there. */
static bool is_known(const struct mappings *mappings, const struct ct_define_mapping *mapping)
{
	const struct ct_define_mapping *known;
	uint32_t index;

	if (!map_get(&mappings->latest, key_of(mapping), &index))
		return false;
	known = &mappings->list.at[index];
	return known->process == mapping->process && known->start == mapping->start &&
	       known->end == mapping->end && known->offset == mapping->offset &&
	       strcmp(known->path, mapping->path) == 0;
}

static bool remember(struct mappings *mappings, const struct ct_define_mapping *mapping)
{
	struct ct_define_mapping kept = *mapping;

	if (mappings->list.count >= MAPPINGS_MAX ||
		mappings->texts.total_bytes >= MAPPINGS_TEXT_BYTES_MAX)
		return false;
	kept.path = arena_text(&mappings->texts, mapping->path, strlen(mapping->path));
	kept.build_id = arena_text(&mappings->texts, mapping->build_id, strlen(mapping->build_id));
	return kept.path && kept.build_id && vec_push(&mappings->list, kept) &&
	       map_put(&mappings->latest, key_of(mapping), (uint32_t)mappings->list.count - 1);
}

/* A mapping that cannot be remembered is not defined: it would be defined again at each look. */
void collect_mappings_add(
	struct mappings *mappings, const struct ct_define_mapping *mapping, struct output *output)
{
	const struct ct_definition definition = {.type = CT_DEFINE_MAPPING, .mapping = *mapping};

	if (is_known(mappings, mapping))
		return;
	if (remember(mappings, mapping))
		collect_output_define(output, &definition);
	else
		mappings->nr_forgotten++;
}

bool collect_mappings_read(
	struct mappings *mappings, uint32_t process, pid_t pid, struct output *output)
{
	struct procfs_maps maps;
	struct procfs_mapping seen;

	if (!procfs_maps_open(&maps, pid))
		return false;
	while (procfs_maps_next(&maps, &seen)) {
		const struct ct_define_mapping mapping = {
			.process = process,
			.start = seen.start,
			.end = seen.end,
			.offset = seen.offset,
			.path = seen.path,
			.build_id = "",
		};

		if (seen.is_code)
			collect_mappings_add(mappings, &mapping, output);
	}
	procfs_maps_close(&maps);
	return true;
}

bool collect_mappings_cover(const struct mappings *mappings, uint32_t process, uint64_t address)
{
	size_t i;

	for (i = mappings->list.count; i-- > 0;) {
		const struct ct_define_mapping *known = &mappings->list.at[i];

		if (known->process == process && address >= known->start && address < known->end)
			return true;
	}
	return false;
}
