/* SPDX-License-Identifier: MIT */
/*
 * One mapping on each line: "start-end permissions offset device inode path".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "kernel/procfs_maps.h"

#define MAPS_BYTES_MAX ((size_t)16 << 20)

bool procfs_maps_open(struct procfs_maps *maps, pid_t pid)
{
	char path[32];
	size_t nr_bytes;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	if (io_read_file(path, MAPS_BYTES_MAX, &maps->text, &nr_bytes, NULL))
		return false;
	maps->rest = maps->text;
	if (nr_bytes > 0)
		return true;
	procfs_maps_close(maps);
	return false;
}

void procfs_maps_close(struct procfs_maps *maps)
{
	free(maps->text);
}

/* Reads a hexadecimal number that ends in `stop`, and moves *at behind it; false: there is none. */
static bool read_hex(const char **at, char stop, uint64_t *ret_number)
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

/* False: the line has another form. */
static bool read_line(const char *line, struct procfs_mapping *ret_mapping)
{
	if (!read_hex(&line, '-', &ret_mapping->start) ||
		!read_hex(&line, ' ', &ret_mapping->end) || strlen(line) < 5)
		return false;
	ret_mapping->is_readable = line[0] == 'r';
	ret_mapping->is_writable = line[1] == 'w';
	ret_mapping->is_code = line[2] == 'x';
	ret_mapping->is_shared = line[3] == 's';
	if (!skip_word(&line) || !read_hex(&line, ' ', &ret_mapping->offset) || !skip_word(&line))
		return false;
	ret_mapping->inode = strtoull(line, NULL, 10);
	ret_mapping->path = skip_word(&line) ? line + strspn(line, " ") : "";
	return true;
}

bool procfs_maps_next(struct procfs_maps *maps, struct procfs_mapping *ret_mapping)
{
	const char *line;

	while ((line = strsep(&maps->rest, "\n")))
		if (read_line(line, ret_mapping))
			return true;
	return false;
}
