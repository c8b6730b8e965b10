/* SPDX-License-Identifier: MIT */
/*
 * The recording of a process for its screens: a flight recorder on a thread of its own, so that neither memory nor the
 * size of a snapshot grows while the screens are open.
 */
#ifndef CLI_TOP_RECORDING_H
#define CLI_TOP_RECORDING_H

#include "corotracer/ct.h"

struct top_recording;

/* top_recording_open: errors as for ct_record_open with a process. */
enum ct_status top_recording_open(
	int64_t pid, struct top_recording **ret_recording, struct ct_error *reterr);

/* top_recording_close: ends the recording; the process runs on. NULL is allowed. */
void top_recording_close(struct top_recording *recording);

/*
 * top_recording_open_trace: opens the trace so far; it is the caller's until ct_trace_close. *ret_is_growing: the
 * recording goes on. CT_END: the recording has ended, and its last trace was handed out already. CT_AGAIN: there is no
 * trace at present. Any thread may call it; only one at a time.
 */
enum ct_status top_recording_open_trace(struct top_recording *recording,
	const struct ct_open_options *options, struct ct_trace **ret_trace, bool *ret_is_growing,
	struct ct_error *reterr);

#endif
