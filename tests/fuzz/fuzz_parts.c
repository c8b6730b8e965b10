/* SPDX-License-Identifier: MIT */
/*
 * Trace files of any bytes, cut and joined. The input is a moment (8 bytes), a length (4 bytes), and two files, the
 * first of that length. Each file is cut at the moment, its halves are joined, and then the two files are joined. Every
 * result must have what a reader may rely on.
 */
#include "hostile_file.h"
#include "../support/opened.h"

#define HEAD_BYTES 12u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void read_whole(const char *path)
{
	struct ct_source *source;

	require(open_path(store_source_open, path, &source, NULL) == CT_OK);
	file_check_tables(source->tables);
	file_check_events(source);
	source_close(source);
}

static bool cut(const char *path, ct_time from, ct_time to, struct memory_file *output)
{
	struct ct_part part;

	file_take_output(output);
	if (store_cut(path, from, to, 0, "-", &part, NULL))
		return false;
	read_whole(output->path);
	return true;
}

static void join(const struct memory_file *one, const struct memory_file *next)
{
	static struct memory_file joined;
	const char *paths[] = {one->path, next->path};
	struct ct_part part;

	file_take_output(&joined);
	if (store_merge(paths, 2, 0, "-", &part, NULL) == CT_OK)
		read_whole(joined.path);
}

static void cut_and_join(const struct memory_file *file, ct_time moment)
{
	static struct memory_file before, after;
	bool is_before = cut(file->path, INT64_MIN, moment, &before);

	if (cut(file->path, moment, INT64_MAX, &after) && is_before)
		join(&after, &before);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file one, next;
	uint32_t nr_first;
	ct_time moment;

	if (nr_bytes < HEAD_BYTES)
		return 0;
	memcpy(&moment, bytes, sizeof(moment));
	memcpy(&nr_first, bytes + sizeof(moment), sizeof(nr_first));
	bytes += HEAD_BYTES;
	nr_bytes -= HEAD_BYTES;
	nr_first = nr_first < nr_bytes ? nr_first : (uint32_t)nr_bytes;
	file_set_right(&one, bytes, nr_first);
	file_set_right(&next, bytes + nr_first, nr_bytes - nr_first);
	cut_and_join(&one, moment);
	join(&one, &next);
	return 0;
}
