/* SPDX-License-Identifier: MIT */
/*
 * A trace file of any bytes, recovered. The new file must be complete; and recovering it again must give the same
 * content. The second copy may have less than the first, whose blocks of senseless records count until they are read;
 * or more, because if such a block is left out, names are read from the place where they are repeated.
 */
#include "hostile_file.h"
#include "../support/opened.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static uint64_t count_events(const char *path, bool is_complete)
{
	struct ct_source *source;
	uint64_t nr_events;

	require(open_path(store_source_open, path, &source, NULL) == CT_OK);
	file_check_tables(source->tables);
	require(!is_complete || source->tables->is_complete);
	nr_events = source->tables->nr_events;
	source_close(source);
	return nr_events;
}

/* False: no part could be recovered. */
static bool recover(const char *path, struct memory_file *output)
{
	struct ct_part part;

	file_take_output(output);
	return store_recover(path, 0, "-", &part, NULL) == CT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct memory_file input, first, second;
	uint64_t nr_events;

	file_set_right(&input, bytes, nr_bytes);
	if (!recover(input.path, &first))
		return 0;
	nr_events = count_events(first.path, true);
	count_events(input.path, false);
	require(recover(first.path, &second) && count_events(second.path, true) == nr_events);
	return 0;
}
