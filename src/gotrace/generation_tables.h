/* SPDX-License-Identifier: MIT */
/*
 * The tables of one generation: strings, stacks with their frames, and samples of the CPU profiler.
 *
 * Ids are the file's, 64 bits wide. Indexes are ours and begin at 1; index 0 is the empty string, or no stack. The same
 * id has another meaning in the next generation.
 */
#ifndef GOTRACE_GENERATION_TABLES_H
#define GOTRACE_GENERATION_TABLES_H

#include "base/map.h"
#include "base/vec.h"
#include "gotrace/ids.h"
#include "gotrace/wire.h"

struct gotrace_string {
	const char *at; /* points into the file's piece; no zero byte ends it */
	uint32_t nr_bytes;
	uint32_t name; /* the reader's number for the same text (texts.h); 0: not looked up yet */
};

struct gotrace_frame {
	uint64_t address;
	uint64_t line;
	/* these are ids at first, indexes of strings once the generation is complete */
	uint64_t function;
	uint64_t file;
};

/* A stack is a run of `stack_frames`, innermost first. */
struct gotrace_stack {
	uint32_t first;
	uint32_t nr_frames;
};

struct gotrace_sample {
	uint64_t time; /* units at first, nanoseconds once the generation is complete */
	uint64_t thread;
	uint64_t proc;
	uint64_t goroutine;
	uint64_t stack; /* the stack's id */
};

struct gotrace_tables {
	struct gotrace_ids string_ids;
	struct gotrace_ids stack_ids;
	VEC(struct gotrace_string) strings;
	VEC(struct gotrace_stack) stacks;
	VEC(uint32_t) stack_frames;       /* indexes of frames */
	VEC(struct gotrace_frame) frames; /* one frame for each address */
	struct map frame_of;
	VEC(struct gotrace_sample) samples;
};

/*
 * gotrace_tables_clear: empties the tables for the next generation and keeps their memory. False: out of memory.
 * gotrace_tables_fini: frees the memory.
 */
bool gotrace_tables_clear(struct gotrace_tables *tables);
void gotrace_tables_fini(struct gotrace_tables *tables);

/*
 * gotrace_tables_add: adds a batch of strings, stacks or samples; the first byte of the batch says which. The payload
 * must stay in place as long as the tables are used. CT_ERR_CORRUPT: the error names the batch and the entry.
 */
enum ct_status gotrace_tables_add(
	struct gotrace_tables *tables, const struct gotrace_batch *batch, struct ct_error *reterr);

/*
 * gotrace_tables_finish: completes the tables after all batches of the generation were added. Frames get indexes
 * instead of ids; samples get nanoseconds and are sorted. CT_ERR_CORRUPT: a stack names a string that does not exist.
 */
enum ct_status gotrace_tables_finish(
	struct gotrace_tables *tables, double ns_per_unit, struct ct_error *reterr);

/*
 * gotrace_tables_find: finds the index of a string or of a stack. False: the file has none with this id. Id 0 has index
 * 0.
 */
static inline bool gotrace_tables_find(
	const struct gotrace_ids *ids, uint64_t id, uint32_t *ret_index)
{
	return gotrace_ids_find(ids, id, ret_index) || !id;
}

/* gotrace_ns: converts units of the trace's clock to nanoseconds. A result too large for int64_t becomes INT64_MAX. */
static inline int64_t gotrace_ns(uint64_t units, double ns_per_unit)
{
	double ns = (double)units * ns_per_unit;

	return ns < 9.2e18 ? (int64_t)ns : INT64_MAX;
}

#endif
