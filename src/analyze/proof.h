/* SPDX-License-Identifier: MIT */
/*
 * Proofs: a rule states, for a Proven candidate, claims about events, and src/claim checks them against the events
 * alone.
 */
#ifndef ANALYZE_PROOF_H
#define ANALYZE_PROOF_H

#include "analyze/parts.h"
#include "claim/claim.h"

/*
 * analyze_proof_check: checks the claims of all Proven candidates against the events alone, for which it reads the
 * source again, and lowers the candidates with a claim that does not hold. Does nothing if no candidate is Proven.
 * analyze_proof_fill: copies the checked claims of a group's first member into its finding.
 */
enum ct_status analyze_proof_check(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr);
void analyze_proof_fill(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding);

/*
 * analyze_claim_stays: claims that the coroutine has not been resumed, ended or destroyed since its last suspend, up
 * to the end; nor woken, if are_wakes_meant.
 */
void analyze_claim_stays(const struct analysis *analysis, uint32_t coro, bool are_wakes_meant,
	struct claims *claims);

/*
 * analyze_claim_nobody_left: the `certify` of rules about a wait that nobody has ended. Claims that all threads of
 * the process sleep for good, and that no event is missing that may have ended the wait.
 */
void analyze_claim_nobody_left(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims);

/* analyze_claim_kept: claims that the lock was taken by the event that the model has, and not released since. */
void analyze_claim_kept(const struct model_object *object, struct claims *claims);

/* analyze_claim_two_runs: claims that both events began a run of the coroutine, and that the two runs overlap. */
void analyze_claim_two_runs(const struct analysis *analysis, const struct model_conflict *conflict,
	struct claims *claims);

#endif
