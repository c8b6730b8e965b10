/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: the last generations of a trace, kept in memory, bounded by time and by bytes.
 *
 * Each generation can be understood alone. So the oldest generation is freed as a whole, and the remaining ones form a
 * trace once a file header is put before them.
 */
#ifndef STORE_WINDOW_H
#define STORE_WINDOW_H

#include "store/store.h"

struct store_window_options {
	uint64_t ns; /* length of the past that is kept, if `bytes` suffice; 0: 10 s */
	/* most bytes that are kept, except for the generation that is being written; 0: 64 MiB */
	uint64_t bytes;
};

/* What a window contains at a moment. */
struct store_window_state {
	/* from the beginning of the oldest generation to that moment */
	uint64_t ns;
	uint64_t bytes;
	uint32_t nr_generations;
	/* older generations were freed because of `bytes`, before their time */
	bool is_short_of_bytes;
};

/* store_window_open: opens a sink that keeps what it is given in memory. */
enum ct_status store_window_open(const struct store_window_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/*
 * store_window_dump: writes the window's contents to a file, whole or not at all, with the reason. `now_ns`:
 * CLOCK_MONOTONIC, the time up to which the events are complete: the caller has put every event up to then. The window
 * goes on.
 */
enum ct_status store_window_dump(struct ct_sink *sink, const char *path, const char *reason,
	uint64_t now_ns, struct ct_error *reterr);

/*
 * store_window_copy: does the same into an open file, without a reason. The file stays the caller's, and is not closed.
 */
enum ct_status store_window_copy(
	struct ct_sink *sink, int descriptor, uint64_t now_ns, struct ct_error *reterr);

/*
 * store_window_look: returns what a dump at `now_ns` (CLOCK_MONOTONIC) would contain; that reaches beyond the last
 * heartbeat.
 */
void store_window_look(
	const struct ct_sink *sink, uint64_t now_ns, struct store_window_state *ret_state);

#endif
