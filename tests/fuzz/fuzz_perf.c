/* SPDX-License-Identifier: MIT */
/* The ring of a perf event of any bytes: reading comes to its end, goes forward, and stays within the ring. */
#include <string.h>

#include "kernel/perf_records.h"
#include "memory_file.h"

#define RING 4096u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	uint8_t *ring = calloc(1, RING);
	const struct perf_bytes of = {ring, RING};
	struct perf_record record;
	uint64_t position, before, end;
	bool is_corrupt;

	if (!ring || nr_bytes < 4) {
		free(ring);
		return 0;
	}
	position = before = (uint64_t)(bytes[0] | bytes[1] << 8);
	end = position + (uint64_t)(bytes[2] | bytes[3] << 8) % (RING + 16);
	memcpy(ring, bytes + 4, nr_bytes - 4 < RING ? nr_bytes - 4 : RING);
	while (perf_records_next(&of, &position, end, &record, &is_corrupt)) {
		require(position > before && position <= end && !is_corrupt);
		require(record.nr_calls <= PERF_CALLS);
		before = position;
	}
	require(position == end);
	free(ring);
	return 0;
}
