/* SPDX-License-Identifier: MIT */
/*
 * Proofs: rules write down the claims behind a Proven candidate, the checker compares them with the events alone, and
 * a candidate with a claim that does not hold is lowered.
 */
#include <inttypes.h>

#include "analyze/proof.h"
#include "claim/checker.h"

/* Each candidate has several claims. A finding with more members is proven by this many of them. */
#define MOST_CERTIFIED 65536u

static bool is_to_certify(const struct analysis *analysis, const struct candidate *candidate)
{
	return candidate->grade == CT_GRADE_PROVEN &&
	       !analyze_rule_of(analysis, candidate)->is_fact;
}

static void certify(struct analysis *analysis, struct candidate *candidate)
{
	const struct rule *rule = analyze_rule_of(analysis, candidate);

	candidate->first_claim = (uint32_t)analysis->claims.list.count;
	if (rule->certify)
		rule->certify(analysis, candidate, &analysis->claims);
	candidate->nr_claims = (uint32_t)analysis->claims.list.count - candidate->first_claim;
	if (!candidate->nr_claims)
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_UNPROVEN);
}

static void certify_all(struct analysis *analysis)
{
	uint32_t nr_certified = 0;
	size_t i;

	for (i = 0; i < analysis->candidates.count && nr_certified < MOST_CERTIFIED; i++) {
		if (!is_to_certify(analysis, &analysis->candidates.at[i]))
			continue;
		certify(analysis, &analysis->candidates.at[i]);
		nr_certified++;
	}
	analysis->is_broken |= analysis->claims.is_broken;
}

static void lower_unproven(struct analysis *analysis, struct candidate *candidate)
{
	static const enum reason reasons[NR_CLAIM_KINDS] = {
#define X(name, fails) REASON_##name,
#define AS(name, reason) REASON_##reason,
#include "claim/claims.def"
#undef AS
#undef X
	};
	uint32_t i;

	for (i = 0; i < candidate->nr_claims; i++) {
		const struct claim *claim = &analysis->claims.list.at[candidate->first_claim + i];

		if (!claim->holds)
			analyze_candidate_limit(candidate, CT_GRADE_LIKELY, reasons[claim->kind]);
	}
}

enum ct_status analyze_proof_check(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr)
{
	enum ct_status status;
	size_t i;

	certify_all(analysis);
	if (!analysis->claims.list.count)
		return CT_OK;
	status = claim_check(source, &analysis->claims, reterr);
	for (i = 0; status == CT_OK && i < analysis->candidates.count; i++)
		lower_unproven(analysis, &analysis->candidates.at[i]);
	return status;
}

/* ---------------------------------------------------------------- claims of several rules */

void analyze_claim_stays(const struct analysis *analysis, uint32_t index, bool are_wakes_meant,
	struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct claim stays = {
		.kind = CLAIM_NOTHING,
		.process = coro->process,
		.subject = claim_coro(coro->id),
		.frames = {coro->rare->frame, coro->rare->address},
		.kinds = CLAIM_RUNS | (are_wakes_meant ? CLAIM_KIND(WAKE) : 0),
		.after = coro->wait_event,
		.before = coro->state == CT_STATE_DESTROYED ? coro->rare->destroy_event
							    : CLAIM_NO_EVENT,
	};

	claim_told(claims, coro->wait_event, CLAIM_KIND(SUSPEND) | CLAIM_KIND(SWITCH),
		claim_coro(coro->id));
	claim_add(claims, &stays);
}

void analyze_claim_nobody_left(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	analyze_claim_stays(analysis, candidate->coro, true, claims);
	claim_asleep(claims, coro->process);
	claim_whole(
		claims, coro->process, 0, FROM_THE_BEGINNING, analysis->parties[coro->process].end);
}

void analyze_claim_kept(const struct model_object *object, struct claims *claims)
{
	struct claim kept = {
		.kind = CLAIM_NOTHING,
		.process = object->process,
		.subject = object->handle,
		.kinds = CLAIM_KIND(RELEASE) | CLAIM_KIND(HAND_OVER),
		.after = object->owner_event,
		.before = CLAIM_NO_EVENT,
	};

	claim_told(claims, object->owner_event, CLAIM_KIND(ACQUIRE) | CLAIM_KIND(HAND_OVER),
		object->handle);
	claim_add(claims, &kept);
}

void analyze_claim_two_runs(const struct analysis *analysis, const struct model_conflict *conflict,
	struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[conflict->coro];
	uint64_t subject = claim_coro(coro->id);
	uint64_t resumes = CLAIM_KIND(RESUME) | CLAIM_KIND(SWITCH);
	struct claim overlap = {
		.kind = CLAIM_OVERLAP,
		.process = coro->process,
		.subject = subject,
		.kinds = CLAIM_LEAVES,
		.after = conflict->run_event,
		.before = conflict->sequence,
	};

	claim_told(claims, conflict->run_event, resumes, subject);
	claim_told(claims, conflict->sequence, resumes, subject);
	claim_at_switch(claims, conflict->run_event);
	claim_at_switch(claims, conflict->sequence);
	claim_add(claims, &overlap);
}

/* ---------------------------------------------------------------- into the report */

/* "suspend or switch" */
static const char *words_kinds(struct analysis *analysis, uint64_t kinds)
{
	const char *words = "";
	unsigned kind;

	for (kind = 0; kind < 64; kind++)
		if (kinds >> kind & 1)
			words = analyze_say(analysis, "%s%s%s", words, *words ? " or " : "",
				ct_kind_name(kind));
	return words;
}

static const char *words_subject(struct analysis *analysis, const struct claim *claim)
{
	return claim->subject ? analyze_say(analysis, " of %s",
					analyze_words_resource(analysis, claim->subject, 0))
			      : "";
}

static const char *words_end(struct analysis *analysis, uint64_t event)
{
	return event == CLAIM_NO_EVENT ? "the end" : analyze_say(analysis, "event %" PRIu64, event);
}

static const char *words_whole(struct analysis *analysis, const struct claim *claim)
{
	const char *whose =
		claim->thread ? analyze_words_thread(analysis, claim->thread) : "the process";
	ct_time from = claim->from < 0 ? 0 : claim->from;

	return analyze_say(analysis, "no event of %s is missing from %s to %s", whose,
		analyze_words_duration(analysis, from),
		analyze_words_duration(analysis, claim->until));
}

static const char *words_claim(struct analysis *analysis, const struct claim *claim)
{
	switch (claim->kind) {
	case CLAIM_TOLD:
		return analyze_say(analysis, "event %" PRIu64 " is a %s%s", claim->after,
			words_kinds(analysis, claim->kinds), words_subject(analysis, claim));
	case CLAIM_AT_SWITCH:
		return analyze_say(
			analysis, "event %" PRIu64 " was written at the switch", claim->after);
	case CLAIM_NOTHING:
		return analyze_say(analysis, "no %s%s from event %" PRIu64 " to %s",
			words_kinds(analysis, claim->kinds), words_subject(analysis, claim),
			claim->after, words_end(analysis, claim->before));
	case CLAIM_ORDER:
		return analyze_say(analysis,
			"event %" PRIu64 " came before event %" PRIu64
			", whatever the clocks' reach",
			claim->after, claim->before);
	case CLAIM_OVERLAP:
		return analyze_say(analysis,
			"what event %" PRIu64 " began goes on after event %" PRIu64
			", for longer than the clocks' reach",
			claim->after, claim->before);
	case CLAIM_WHOLE:
		return words_whole(analysis, claim);
	case CLAIM_ASLEEP:
		return "at the end each thread of the process sleeps without time-out, or is over";
	case CLAIM_WAKES:
		return analyze_say(analysis, "other waits at %s end by a recorded wake",
			analyze_words_place(analysis, claim->site));
	default:
		return "";
	}
}

void analyze_proof_fill(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct ct_claim *claims =
		analyze_array(analysis, first->nr_claims, sizeof(struct ct_claim));
	uint32_t i;

	if (!claims)
		return;
	for (i = 0; i < first->nr_claims; i++) {
		const struct claim *claim = &analysis->claims.list.at[first->first_claim + i];

		claims[i] = (struct ct_claim){
			.text = words_claim(analysis, claim),
			.holds = claim->holds,
			.against = claim->against,
		};
	}
	finding->claims = claims;
	finding->nr_claims = first->nr_claims;
}
