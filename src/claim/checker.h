/* SPDX-License-Identifier: MIT */
/*
 * The checker: compares claims with the events of a trace.
 *
 * The checker knows events, losses and claims, but neither the states of coroutines nor rules and grades: a rule's
 * mistake about the model cannot be repeated here. One reading decides all claims. A claim that names an event which
 * does not come does not hold.
 */
#ifndef CLAIM_CHECKER_H
#define CLAIM_CHECKER_H

#include "stream/stream.h"
#include "claim/claim.h"

/*
 * claim_check: reads the source from its beginning, and sets `holds` and `against` of each claim. Times and numbers of
 * threads are the source's. Fails with CT_ERR_NO_MEMORY, or as reading fails.
 */
enum ct_status claim_check(
	struct ct_source *source, struct claims *claims, struct ct_error *reterr);

#endif
