/* SPDX-License-Identifier: MIT */
/*
 * A source that reads another one ahead: a thread of its own takes events from that one while the caller is busy
 * with those before them.
 *
 * Events, failures and the end come in the order of the other source. Memory is bounded: the thread waits where all
 * of it is full. One thread at a time uses the source; the other source belongs to its thread, but for its tables,
 * which neither changes.
 */
#ifndef STAGES_AHEAD_H
#define STAGES_AHEAD_H

#include "stream/stream.h"

/*
 * ahead_open: before `inner`, a source that does not grow, which is closed with it; on failure `inner` stays the
 * caller's. The thread starts with the first event that is asked for, takes no signals, and ends behind the last one,
 * with a reset, or with the close. Where this process may use one processor only, or can have no more threads,
 * events are read when they are asked for. CT_ERR_NO_MEMORY.
 */
enum ct_status ahead_open(
	struct ct_source *inner, struct ct_source **ret_source, struct ct_error *reterr);

#endif
