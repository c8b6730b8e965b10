/* SPDX-License-Identifier: MIT */
/*
 * One generation of a Go trace, kept whole in memory: its tables, and the batches of events of each thread.
 *
 * A generation cannot be decoded before all of it was read, so a loader holds at most the bytes of the largest
 * generation. One thread uses a loader at a time.
 */
#ifndef GOTRACE_GENERATION_H
#define GOTRACE_GENERATION_H

#include "gotrace/pieces.h"
#include "gotrace/generation_tables.h"

/* A batch of events. The batches of one thread are linked in the order in which the thread wrote them. */
struct gotrace_run {
	const uint8_t *at;
	uint32_t nr_bytes;
	uint32_t next; /* index, 0: none */
	uint64_t time; /* units; the first event's time is a difference to it */
	uint64_t offset;
};

struct gotrace_thread_runs {
	uint64_t thread; /* GOTRACE_NONE: the batches belong to no thread */
	uint32_t first;  /* indexes of runs */
	uint32_t last;
};

/* Three clocks, read one directly after the other. */
struct gotrace_snapshot {
	int64_t time; /* the trace's clock, in nanoseconds */
	uint64_t monotonic_ns;
	uint64_t realtime_s;
	uint64_t realtime_ns; /* the nanoseconds within the second */
};

struct gotrace_generation {
	uint64_t number;
	uint64_t offset;     /* of the generation's first batch, in the file */
	uint64_t least_time; /* the earliest time of its batches, in units */
	uint64_t frequency;  /* units in a second; 0: not known yet */
	double ns_per_unit;
	uint32_t whole_ns_per_unit; /* nanoseconds in a unit if that is a whole number; else 0 */
	bool has_snapshot;
	struct gotrace_snapshot snapshot;
	uint64_t snapshot_units;
	uint64_t nr_batches;
	struct gotrace_tables tables;
	VEC(struct gotrace_thread_runs) threads; /* in the order of their first batches */
	struct map thread_of;
	VEC(struct gotrace_run) runs; /* from index 1 */
};

struct gotrace_loader {
	unsigned format;
	bool is_growing; /* more bytes may be appended behind the end of the file */
	bool is_begun;   /* a part of the generation was read; the rest is still to come */
	bool has_spill;  /* the first batch of the next generation was already read */
	/* the file ends between two batches of a generation: nobody called trace.Stop */
	bool is_unstopped;
	struct gotrace_batch spill;
	enum ct_status ended;    /* CT_OK: the trace has not ended */
	struct ct_error failure; /* the error that ended the trace behind the generation in hand */
	struct gotrace_pieces pieces;
	struct gotrace_generation generation;
};

/*
 * gotrace_loader_init: reads the header. The input stays the caller's and must remain open until gotrace_loader_fini.
 * CT_ERR_FORMAT as for gotrace_header_read.
 */
enum ct_status gotrace_loader_init(
	struct gotrace_loader *loader, const struct input *input, struct ct_error *reterr);
void gotrace_loader_fini(struct gotrace_loader *loader);

/*
 * gotrace_loader_next: loads the next generation into `generation`, where it replaces the previous one. CT_OK: loaded.
 * CT_END: there is no further generation. CT_AGAIN: the file grows, and its next generation is not complete yet; call
 * again when the file has grown. An error names the batch and says what is wrong; then nothing of this generation can
 * be used, and each further call fails in the same way. If a damaged batch follows a complete generation, that
 * generation is returned first.
 */
enum ct_status gotrace_loader_next(struct gotrace_loader *loader, struct ct_error *reterr);

#endif
