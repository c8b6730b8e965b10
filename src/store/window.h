/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: the last generations of a trace, kept in memory, bounded by time and by bytes.
 *
 * Each generation can be understood alone, so the oldest is let go whole, and what is left is a trace as
 * soon as a file header is put before it.
 */
#ifndef STORE_WINDOW_H
#define STORE_WINDOW_H

#include "store/store.h"

struct store_window_options {
	uint64_t ns; /* the past that is kept: at least so long where the bytes suffice; 0: 10 s */
	/* more is never kept, but for the generation that is being written; 0: 64 MiB */
	uint64_t bytes;
};

/* The part held at this moment. */
struct store_window_state {
	/* from the beginning of the oldest generation to the moment that is asked for */
	uint64_t ns;
	uint64_t bytes;
	uint32_t nr_generations;
	bool is_short_of_bytes; /* older ones were let go for their size, before their time */
};

/* store_window_open: a sink that keeps what it is given in memory. */
enum ct_status store_window_open(const struct store_window_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr);

/*
 * store_window_dump: writes what is held to a file, whole or not at all, and why. `now_ns`: CLOCK_MONOTONIC,
 * until when the events are complete. The window goes on. The caller has put every event up to that
 * moment.
 */
enum ct_status store_window_dump(struct ct_sink *sink, const char *path, const char *reason,
	uint64_t now_ns, struct ct_error *reterr);

/* store_window_copy: the same into a file that is open, with no reason. The file is the caller's, and not closed. */
enum ct_status store_window_copy(
	struct ct_sink *sink, int descriptor, uint64_t now_ns, struct ct_error *reterr);

/* store_window_look: at `now_ns`, CLOCK_MONOTONIC: what a dump then has, which goes on beyond the last heartbeat. */
void store_window_look(
	const struct ct_sink *sink, uint64_t now_ns, struct store_window_state *ret_state);

#endif
