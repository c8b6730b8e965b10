/* SPDX-License-Identifier: MIT */
/*
 * The counts of the first reading, and the notes that state them.
 */
#ifndef JSONL_COUNTS_H
#define JSONL_COUNTS_H

#include "jsonl/scan.h"

#define JSONL_LINES_KEPT 5u
#define JSONL_KEYS_KEPT 16u
#define JSONL_KEY_BYTES 40u
#define JSONL_LOSSES_MAX 1000u /* coroutines whose losses are reported one by one */

/* How often something occurred, and the first lines in which it did. */
struct jsonl_lines {
	uint64_t count;
	uint64_t at[JSONL_LINES_KEPT];
};

/* An unknown key, and how often it occurred. */
struct jsonl_key {
	char name[JSONL_KEY_BYTES]; /* a long name is cut */
	uint64_t count;
};

/* Events missing in one life of a coroutine: how many there are under each way of numbering. */
struct jsonl_gap {
	uint32_t run;
	enum jsonl_numbering numbering; /* the one that the coroutine's own rows show */
	uint64_t id;                    /* 0: the sum over many coroutines */
	uint64_t missing[NR_JSONL_NUMBERINGS];
	uint64_t first_ts;
	uint64_t last_ts;
};

struct jsonl_counts {
	struct jsonl_lines bad;
	const char *why_bad; /* the reason for the first bad line */
	struct jsonl_lines zero_times;
	struct jsonl_lines residue;    /* rows that are left over from an earlier run */
	struct jsonl_lines impossible; /* all other rows that cannot be true */
	struct jsonl_lines twice;
	struct jsonl_lines further; /* rows with further keys */
	struct jsonl_lines unknown_kinds;
	struct jsonl_key keys[JSONL_KEYS_KEPT];
	uint32_t nr_keys;
	uint64_t nr_other_keys; /* occurrences of keys for which the table had no room */
	uint64_t cut_line;      /* 0: no line is cut */
	uint64_t nr_rows;       /* all rows that could be parsed */
	uint64_t nr_frames;     /* events made from an addr, besides the event of the row itself */
	uint64_t nr_renewed;
	uint64_t nr_colliding;               /* probe_ids that several runs use */
	uint64_t nr_by[NR_JSONL_NUMBERINGS]; /* number of coroutines */
	uint64_t nr_untold_threads;          /* rows whose thread did not fit into the table */
	bool is_out_of_order;                /* the disorder exceeds what is sorted */
	bool is_full;                        /* further runs are not told apart */
	VEC(struct jsonl_gap) gaps;
};

/* jsonl_lines_add: counts one more occurrence. */
void jsonl_lines_add(struct jsonl_lines *lines, uint64_t line);

/* jsonl_counts_key: counts an unknown key. */
void jsonl_counts_key(struct jsonl_counts *counts, const char *key, size_t nr_bytes);

/* jsonl_counts_coro: counts a life that has ended. False: out of memory. */
bool jsonl_counts_coro(struct jsonl_counts *counts, uint32_t run, const struct jsonl_seen *coro);

/* jsonl_counts_tell: adds notes and losses to the scan's tables. False: out of memory. */
bool jsonl_counts_tell(const struct jsonl_counts *counts, struct jsonl_scan *scan);

#endif
