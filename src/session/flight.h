/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder of a recording: the window, the watched conditions, and the dumps.
 *
 * One thread at a time uses the sink, flight_look and flight_dump; another thread may call flight_dumps at the same
 * time.
 */
#ifndef SESSION_FLIGHT_H
#define SESSION_FLIGHT_H

#include "corotracer/ct.h"
#include "stream/stream.h"

struct flight;

/* flight_open: opens a flight recorder; `output` names the dumps. CT_ERR_USAGE: a condition cannot be read. */
enum ct_status flight_open(const struct ct_flight_options *options, const char *output,
	struct flight **ret_flight, struct ct_error *reterr);

/* flight_sink: returns the sink for the recording. The caller closes the sink, and calls flight_free afterwards. */
struct ct_sink *flight_sink(struct flight *flight);
void flight_free(struct flight *flight);

/* flight_look: everything up to now_ns is in the sink: writes a dump if a condition or the program asks for one. */
void flight_look(struct flight *flight, uint64_t now_ns);

/* flight_dump: writes a dump, whatever the conditions say. A failed dump is among the dumps, too. */
enum ct_status flight_dump(
	struct flight *flight, const char *reason, uint64_t now_ns, struct ct_error *reterr);

/*
 * flight_dump_for_signal: writes a dump, but not again within the pause (ct_flight_options); a suppressed dump is
 * counted.
 */
void flight_dump_for_signal(struct flight *flight, const char *reason, uint64_t now_ns);

/* flight_copy: copies the window's present contents into an open file, which stays the caller's. */
enum ct_status flight_copy(
	struct flight *flight, int descriptor, uint64_t now_ns, struct ct_error *reterr);

/* flight_dumps: returns all dumps so far, borrowed until the next call. */
const struct ct_dump *flight_dumps(
	struct flight *flight, uint32_t *ret_count, uint64_t *ret_suppressed);

#endif
