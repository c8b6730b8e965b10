/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder of a recording: the window, what is watched, and the dumps.
 *
 * Its sink, flight_look and flight_dump are used by one thread at a time; flight_dumps may be called by another one
 * meanwhile.
 */
#ifndef SESSION_FLIGHT_H
#define SESSION_FLIGHT_H

#include "corotracer/ct.h"
#include "stream/stream.h"

struct flight;

/* flight_open: `output` names the dumps. A condition that cannot be read is CT_ERR_USAGE. */
enum ct_status flight_open(const struct ct_flight_options *options, const char *output,
	struct flight **ret_flight, struct ct_error *reterr);

/* flight_sink: where the recording goes. The caller that closes it calls flight_free afterwards. */
struct ct_sink *flight_sink(struct flight *flight);
void flight_free(struct flight *flight);

/* flight_look: everything up to now_ns is in the sink: dumps if a condition or the program asks for it. */
void flight_look(struct flight *flight, uint64_t now_ns);

/* flight_dump: whatever conditions say. The failure is among the dumps, too. */
enum ct_status flight_dump(
	struct flight *flight, const char *reason, uint64_t now_ns, struct ct_error *reterr);

/* flight_dump_for_signal: the same, but not again within the pause (ct_flight_options): counted then. */
void flight_dump_for_signal(struct flight *flight, const char *reason, uint64_t now_ns);

/* flight_copy: what the window holds now, into a file that is open and stays the caller's. */
enum ct_status flight_copy(
	struct flight *flight, int descriptor, uint64_t now_ns, struct ct_error *reterr);

/* flight_dumps: all so far, borrowed until the next call. */
const struct ct_dump *flight_dumps(
	struct flight *flight, uint32_t *ret_count, uint64_t *ret_suppressed);

#endif
