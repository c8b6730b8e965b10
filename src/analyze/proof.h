/* SPDX-License-Identifier: MIT */
/*
 * Proofs: from what a rule says of a Proven candidate to claims, which src/claim holds against the events alone.
 */
#ifndef ANALYZE_PROOF_H
#define ANALYZE_PROOF_H

#include "analyze/parts.h"
#include "claim/claim.h"

/*
 * analyze_proof_check: has the claims of all candidates that are Proven held against the events alone, which reads the
 * source again, and lowers those of which a claim does not hold. Nothing where no candidate is Proven.
 * analyze_proof_fill: the claims of a group's first member, decided, into its finding.
 */
enum ct_status analyze_proof_check(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr);
void analyze_proof_fill(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

/*
 * analyze_claim_stays: claims that the coroutine, suspended by its last suspend, has not been woken (where
 * wakes are meant), resumed, ended or destroyed since, up to the end.
 */
void analyze_claim_stays(const struct analysis *analysis, uint32_t coro, bool are_wakes_meant,
	struct claims *claims);

/*
 * analyze_claim_nobody_left: a rule's certify, of a wait that nobody has ended: all threads of the process sleep for
 * good, and no event is missing that may have ended it.
 */
void analyze_claim_nobody_left(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims);

/* analyze_claim_kept: claims that the lock was taken by the event that the model has, and not given back since. */
void analyze_claim_kept(const struct model_object *object, struct claims *claims);

/* analyze_claim_two_runs: claims that both events began a run of the coroutine, and that the two runs overlap. */
void analyze_claim_two_runs(const struct analysis *analysis, const struct model_conflict *conflict,
	struct claims *claims);

#endif
