/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc/PID/maps: one mapping a line, "start-end permissions offset device inode path".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "collect/mappings.h"

#define MAPS_BYTES_MAX ((size_t)16 << 20)

void collect_mappings_fini(struct mappings *mappings)
{
	vec_fini(&mappings->list);
	map_fini(&mappings->latest);
	arena_fini(&mappings->texts);
}

/* Reads a hexadecimal number that ends in `stop`, and moves *at behind it; false: it is none. */
static bool parse_hex(const char **at, char stop, uint64_t *ret_number)
{
	char *end;

	*ret_number = strtoull(*at, &end, 16);
	if (end == *at || *end != stop)
		return false;
	*at = end + 1;
	return true;
}

/* Moves *at behind the next blank; false: there is none. */
static bool skip_word(const char **at)
{
	const char *blank = strchr(*at, ' ');

	if (!blank)
		return false;
	*at = blank + 1;
	return true;
}

/* Takes one line apart, in place; false: it is no piece of code. */
static bool parse_line(const char *line, struct ct_define_mapping *ret_mapping)
{
	const char *permissions;

	if (!parse_hex(&line, '-', &ret_mapping->start) ||
		!parse_hex(&line, ' ', &ret_mapping->end))
		return false;
	permissions = line;
	if (strlen(permissions) < 5 || permissions[2] != 'x')
		return false;
	if (!skip_word(&line) || !parse_hex(&line, ' ', &ret_mapping->offset) || !skip_word(&line))
		return false;
	ret_mapping->path = "";
	if (skip_word(&line))
		ret_mapping->path = line + strspn(line, " ");
	ret_mapping->build_id = "";
	return true;
}

static uint64_t key_of(const struct ct_define_mapping *mapping)
{
	return mapping->start ^ mapping->process * UINT64_C(0x9e3779b97f4a7c15);
}

/* Whether it is the latest one that began there. */
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

/* A mapping that cannot be remembered is not defined either: it would be defined again at each look. */
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

static void take_line(
	struct mappings *mappings, uint32_t process, const char *line, struct output *output)
{
	struct ct_define_mapping mapping = {.process = process};

	if (parse_line(line, &mapping))
		collect_mappings_add(mappings, &mapping, output);
}

bool collect_mappings_read(
	struct mappings *mappings, uint32_t process, pid_t pid, struct output *output)
{
	char path[32];
	char *text;
	char *line;
	char *rest;
	size_t nr_bytes;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (io_read_file(path, MAPS_BYTES_MAX, &text, &nr_bytes, NULL))
		return false;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		take_line(mappings, process, line, output);
	free(text);
	return nr_bytes > 0;
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
