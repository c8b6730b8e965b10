/* SPDX-License-Identifier: MIT */
/*
 * A source that reads ahead of another source: a thread takes events from the inner source while the caller is busy
 * with earlier events.
 *
 * Events, failures and the end come in the order of the inner source. Memory is bounded: the thread waits while all
 * batches are full. One thread at a time uses the source; the inner source belongs to the thread, except its tables,
 * which neither side changes.
 */
#ifndef STAGES_AHEAD_H
#define STAGES_AHEAD_H

#include "stream/stream.h"

/*
 * ahead_open: opens a source in front of `inner`, which must not grow and is closed with this source; on failure
 * `inner` stays the caller's. The thread starts when the first event is asked for, takes no signals, and ends after the
 * last event, at a reset, or at the close. If this process may use only one processor, or can have no more threads,
 * events are read when they are asked for. CT_ERR_NO_MEMORY.
 */
enum ct_status ahead_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr);

#endif
