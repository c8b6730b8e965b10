/* SPDX-License-Identifier: MIT */
/*
 * A recording of a process that knows nothing of its coroutines, as the descriptor ledger's, and what was found in the
 * memory of the same process meanwhile, as one source.
 */
#ifndef STAGES_JOINED_H
#define STAGES_JOINED_H

#include "stream/stream.h"

/*
 * joined_open: makes a source of both, which it takes over, also if that fails. `present` has one process, whose
 * coroutines are all that are told of; its events are in order. CT_ERR_NOT_FOUND: the recording has no such process, or
 * a probe of it, so that it knows coroutines.
 */
enum ct_status joined_open(struct ct_source *past, struct ct_source *present,
	struct ct_source **ret_source, struct ct_error *reterr);

#endif
