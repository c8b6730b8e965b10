/* SPDX-License-Identifier: MIT */
/*
 * The counts of the first reading, and the notes that tell them.
 */
#ifndef JSONL_COUNTS_H
#define JSONL_COUNTS_H

#include "jsonl/scan.h"

#define JSONL_LINES_KEPT 5u
#define JSONL_KEYS_KEPT 16u
#define JSONL_KEY_BYTES 40u
#define JSONL_LOSSES_MAX 1000u /* coroutines that are told of one by one */

/* How often something was met, and in which lines first. */
struct jsonl_lines {
	uint64_t count;
	uint64_t at[JSONL_LINES_KEPT];
};

/* A key that is not ours, and how often it was met. */
struct jsonl_key {
	char name[JSONL_KEY_BYTES]; /* its beginning, if it is longer */
	uint64_t count;
};

/* Events missing in one life of a coroutine: how many, if it is numbered in one way or the other. */
struct jsonl_gap {
	uint32_t run;
	enum jsonl_numbering numbering; /* as its own rows show it */
	uint64_t id;                    /* 0: of many coroutines */
	uint64_t missing[NR_JSONL_NUMBERINGS];
	uint64_t first_ts;
	uint64_t last_ts;
};

struct jsonl_counts {
	struct jsonl_lines bad;
	const char *why_bad; /* the first one */
	struct jsonl_lines zero_times;
	struct jsonl_lines residue;    /* rows that an earlier run left */
	struct jsonl_lines impossible; /* others */
	struct jsonl_lines twice;
	struct jsonl_lines further; /* rows with further keys */
	struct jsonl_lines unknown_kinds;
	struct jsonl_key keys[JSONL_KEYS_KEPT];
	uint32_t nr_keys;
	uint64_t nr_other_keys; /* met when the table was full */
	uint64_t cut_line;      /* 0: none */
	uint64_t nr_rows;       /* all that could be read */
	uint64_t nr_frames;     /* events that an addr makes, beside that of its row */
	uint64_t nr_renewed;
	uint64_t nr_colliding;               /* probe_ids of more than one run */
	uint64_t nr_by[NR_JSONL_NUMBERINGS]; /* coroutines */
	uint64_t nr_untold_threads;          /* rows whose thread did not fit into the table */
	bool is_out_of_order;                /* by more than is sorted */
	bool is_full;                        /* further runs are not told apart */
	VEC(struct jsonl_gap) gaps;
};

/* jsonl_lines_add: one more. */
void jsonl_lines_add(struct jsonl_lines *lines, uint64_t line);

/* jsonl_counts_key: a key that is not ours. */
void jsonl_counts_key(struct jsonl_counts *counts, const char *key, size_t nr_bytes);

/* jsonl_counts_coro: a life has ended. False: out of memory. */
bool jsonl_counts_coro(struct jsonl_counts *counts, uint32_t run, const struct jsonl_seen *coro);

/* jsonl_counts_tell: notes and losses, into the scan's tables. False: out of memory. */
bool jsonl_counts_tell(const struct jsonl_counts *counts, struct jsonl_scan *scan);

#endif
