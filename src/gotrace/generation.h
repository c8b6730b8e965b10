/* SPDX-License-Identifier: MIT */
/*
 * One generation of a Go trace, whole in memory: its tables, and for each thread its batches of events.
 *
 * Nothing in a generation can be understood before all of it was read. What a loader holds is bounded by the bytes of
 * the largest generation. One thread uses it at a time.
 */
#ifndef GOTRACE_GENERATION_H
#define GOTRACE_GENERATION_H

#include "gotrace/pieces.h"
#include "gotrace/generation_tables.h"

/* A batch of events; those of a thread hang together, as the thread wrote them. */
struct gotrace_run {
	const uint8_t *at;
	uint32_t nr_bytes;
	uint32_t next; /* index, 0: none */
	uint64_t time; /* units, of which its first event's difference counts */
	uint64_t offset;
};

struct gotrace_thread_runs {
	uint64_t thread; /* GOTRACE_NONE: of none */
	uint32_t first;  /* indexes of runs */
	uint32_t last;
};

/* Three clocks, read one after another. */
struct gotrace_snapshot {
	int64_t time; /* of the trace, in nanoseconds */
	uint64_t monotonic_ns;
	uint64_t realtime_s;
	uint64_t realtime_ns; /* behind the second */
};

struct gotrace_generation {
	uint64_t number;
	uint64_t offset;     /* of its first batch */
	uint64_t least_time; /* of its batches, in units */
	uint64_t frequency;  /* units in a second; 0: not known yet */
	double ns_per_unit;
	uint32_t whole_ns_per_unit; /* the same, where it is a whole number; else 0 */
	bool has_snapshot;
	struct gotrace_snapshot snapshot;
	uint64_t snapshot_units;
	uint64_t nr_experimental; /* batches of experiments, which are skipped */
	uint64_t nr_batches;
	struct gotrace_tables tables;
	VEC(struct gotrace_thread_runs) threads; /* in the order of their first batches */
	struct map thread_of;
	VEC(struct gotrace_run) runs; /* from index 1 */
};

struct gotrace_loader {
	unsigned format;
	bool is_growing; /* the file's end is not the trace's */
	bool is_begun;   /* a part of the generation is there, and more has to come */
	bool has_spill;  /* the next generation's first batch was read with the one before */
	struct gotrace_batch spill;
	enum ct_status ended;    /* CT_OK: more is to come */
	struct ct_error failure; /* of what follows the generation in hand */
	struct gotrace_pieces pieces;
	struct gotrace_generation generation;
};

/*
 * gotrace_loader_init: reads the header. The input stays the caller's, and is used until the end. CT_ERR_FORMAT as
 * gotrace_header_read says.
 */
enum ct_status gotrace_loader_init(
	struct gotrace_loader *loader, const struct input *input, struct ct_error *reterr);
void gotrace_loader_fini(struct gotrace_loader *loader);

/*
 * gotrace_loader_next: the next generation into `generation`, in place of the one before. CT_OK; CT_END behind the last
 * one; CT_AGAIN where the file grows, and its next generation is not whole: call again when it has grown. A failure
 * tells what is wrong, with the batch; nothing of this generation can be used, and each further call fails likewise.
 * Where a batch is damaged that follows a whole generation, that one comes first.
 */
enum ct_status gotrace_loader_next(struct gotrace_loader *loader, struct ct_error *reterr);

#endif
