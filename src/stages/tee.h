/* SPDX-License-Identifier: MIT */
/* A sink that passes everything on to two others. */
#ifndef STAGES_TEE_H
#define STAGES_TEE_H

#include "stream/stream.h"

/*
 * tee_open: both sinks get everything, and are closed with the tee; on failure both stay the caller's. A failure of
 * `beside` is not a failure of the tee: `beside` gets nothing more, and is discarded at the close. CT_ERR_NO_MEMORY.
 */
enum ct_status tee_open(struct ct_sink *first, struct ct_sink *beside, struct ct_sink **ret_sink,
	struct ct_error *reterr);

#endif
