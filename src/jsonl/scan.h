/* SPDX-License-Identifier: MIT */
/*
 * The first reading of a JSONL trace: finds the runs and everything for the tables. No memory is kept for each row.
 */
#ifndef JSONL_SCAN_H
#define JSONL_SCAN_H

#include "base/arena.h"
#include "base/input.h"
#include "jsonl/runs.h"
#include "stream/lists.h"
#include "stream/stream.h"

/* The number of rows in a chunk; events are sorted chunk by chunk. */
#define JSONL_CHUNK_ROWS 4096u

#define JSONL_THREADS_MAX 65536u /* in all runs */

#define JSONL_LEFT_MAX (1u << 20) /* probe_ids of leftover rows, in all runs */

struct jsonl_run {
	uint64_t offset; /* of its first line */
	uint64_t end_offset;
	uint64_t line;
	uint64_t nr_rows;
	uint64_t first_ts;
	uint64_t last_ts;
	size_t first_chunk;
	size_t nr_chunks;
	uint32_t first_thread; /* index in the tables just before its first thread */
	uint32_t nr_threads;
	uint32_t thread_max;
	uint64_t begin_ts; /* time of its first row */
	enum jsonl_numbering numbering;
};

/* The times of the rows of one chunk; after the reading, of this chunk and all later chunks of its run. */
struct jsonl_chunk {
	uint64_t least_ts;
	uint64_t most_ts;
};

struct jsonl_scan {
	struct arena arena;
	struct ct_tables tables;
	VEC(struct jsonl_run) runs;
	VEC(struct jsonl_chunk) chunks;
	struct lists lists;
	struct jsonl_past past;
	struct map left[JSONL_RUNS_MAX]; /* indexed by run: `ahead` of the previous run */
	uint64_t end_offset;
};

/*
 * jsonl_scan_read: reads the whole file. CT_ERR_FORMAT: no line is a row that can be true; the error names the file and
 * the line. The caller calls jsonl_scan_fini even after a failure.
 */
enum ct_status jsonl_scan_read(
	struct jsonl_scan *scan, const struct input *input, struct ct_error *reterr);
void jsonl_scan_fini(struct jsonl_scan *scan);

/* jsonl_is_emitted: does the row become an event? A row of an unknown kind does not. */
static inline bool jsonl_is_emitted(const struct jsonl_row *row)
{
	return row->kind != JSONL_KIND_UNKNOWN;
}

#endif
