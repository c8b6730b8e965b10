/* SPDX-License-Identifier: MIT */
/*
 * The tables of one generation: strings, stacks and their frames, samples of the processor.
 *
 * Ids are the file's, of 64 bits; indexes are ours, from 1, and 0 is the empty string, or no stack. An id means another
 * thing in the next generation.
 */
#ifndef GOTRACE_GENERATION_TABLES_H
#define GOTRACE_GENERATION_TABLES_H

#include "base/map.h"
#include "base/vec.h"
#include "gotrace/ids.h"
#include "gotrace/wire.h"

struct gotrace_string {
	const char *at; /* lies in the file's piece; not ended by a zero byte */
	uint32_t nr_bytes;
	uint32_t name; /* the reader's number for the same text (texts.h); 0: not asked for yet */
};

struct gotrace_frame {
	uint64_t address;
	uint64_t line;
	uint64_t function; /* ids; indexes of strings once the generation is whole */
	uint64_t file;
};

/* A stack is a run of `stack_frames`, innermost first. */
struct gotrace_stack {
	uint32_t first;
	uint32_t nr_frames;
};

struct gotrace_sample {
	uint64_t time; /* units, then nanoseconds */
	uint64_t thread;
	uint64_t proc;
	uint64_t goroutine;
	uint64_t stack; /* id */
};

struct gotrace_tables {
	struct gotrace_ids string_ids;
	struct gotrace_ids stack_ids;
	VEC(struct gotrace_string) strings;
	VEC(struct gotrace_stack) stacks;
	VEC(uint32_t) stack_frames;       /* indexes of frames */
	VEC(struct gotrace_frame) frames; /* one for each address */
	struct map frame_of;
	VEC(struct gotrace_sample) samples;
};

/* gotrace_tables_clear: for the next generation; memory is kept. False: none is left. gotrace_tables_fini: frees it. */
bool gotrace_tables_clear(struct gotrace_tables *tables);
void gotrace_tables_fini(struct gotrace_tables *tables);

/*
 * gotrace_tables_add: takes up a batch of strings, stacks or samples, whose first byte says which. The payload stays
 * where it is as long as the tables are used. CT_ERR_CORRUPT: names the batch and the entry.
 */
enum ct_status gotrace_tables_add(
	struct gotrace_tables *tables, const struct gotrace_batch *batch, struct ct_error *reterr);

/*
 * gotrace_tables_finish: all batches of the generation were added: frames get indexes in place of ids, and samples
 * nanoseconds and their order. CT_ERR_CORRUPT: a stack names a string that there is not.
 */
enum ct_status gotrace_tables_finish(
	struct gotrace_tables *tables, double ns_per_unit, struct ct_error *reterr);

/* gotrace_tables_find: a string's, or a stack's index; false where the file has none with this id. Id 0 is index 0. */
static inline bool gotrace_tables_find(
	const struct gotrace_ids *ids, uint64_t id, uint32_t *ret_index)
{
	return gotrace_ids_find(ids, id, ret_index) || !id;
}

/* gotrace_ns: nanoseconds of so many units of the trace's clock; what no int64_t holds becomes its greatest value. */
static inline int64_t gotrace_ns(uint64_t units, double ns_per_unit)
{
	double ns = (double)units * ns_per_unit;

	return ns < 9.2e18 ? (int64_t)ns : INT64_MAX;
}

#endif
