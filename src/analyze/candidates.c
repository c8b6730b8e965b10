/* SPDX-License-Identifier: MIT */
/*
 * Candidates: added by rules, and lowered by what speaks against them.
 */
#include "analyze/parts.h"

static bool is_allowed(const struct analysis *analysis, uint32_t site)
{
	return site < analysis->tables->nr_sites && analysis->is_place_allowed[site];
}

bool analyze_candidate_is_allowed(
	const struct analysis *analysis, const struct candidate *candidate)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	if (!analysis->is_place_allowed || analyze_rule_of(analysis, candidate)->is_fact)
		return false;
	return is_allowed(analysis, candidate->wait_site) ||
	       is_allowed(analysis, candidate->cause_site) ||
	       (candidate->coro && (is_allowed(analysis, coro->wait_site) ||
					   is_allowed(analysis, coro->spawn_site) ||
					   is_allowed(analysis, coro->rare->function_site)));
}

void analyze_candidate_add(struct analysis *analysis, const struct candidate *candidate)
{
	struct candidate copy = *candidate;
	bool is_fact = analyze_rule_of(analysis, candidate)->is_fact;

	if (analyze_candidate_is_allowed(analysis, candidate)) {
		analysis->nr_allowed++;
		if (candidate->coro)
			analysis->is_told[candidate->coro] = true;
		return;
	}

	if (analysis->tables->has_no_end)
		analyze_candidate_limit(&copy, CT_GRADE_SUSPECT, REASON_NO_END);
	if (analysis->has_left_out && !is_fact)
		analyze_candidate_limit(&copy, CT_GRADE_SUSPECT, REASON_LEFT_OUT);
	if (!vec_push(&analysis->candidates, copy))
		analysis->is_broken = true;
	if (candidate->coro && !is_fact)
		analysis->is_told[candidate->coro] = true;
}

bool analyze_candidate_is_there(
	const struct analysis *analysis, enum ct_rule rule, uint32_t process, uint32_t coro)
{
	size_t i;

	for (i = 0; i < analysis->candidates.count; i++) {
		const struct candidate *candidate = &analysis->candidates.at[i];

		if (candidate->rule == rule && candidate->process == process &&
			(!coro || candidate->coro == coro))
			return true;
	}
	return false;
}

void analyze_candidate_lower(struct candidate *candidate, enum reason reason)
{
	if (candidate->grade <= CT_GRADE_SUSPECT)
		return;
	candidate->grade--;
	candidate->reasons |= UINT64_C(1) << reason;
}

void analyze_candidate_limit(struct candidate *candidate, enum ct_grade grade, enum reason reason)
{
	if (candidate->grade <= grade)
		return;
	candidate->grade = grade;
	candidate->reasons |= UINT64_C(1) << reason;
}

bool analyze_candidate_settle(struct analysis *analysis, struct candidate *candidate, ct_time since)
{
	const struct party *party = &analysis->parties[candidate->process];

	if (party->quiet <= since) {
		if (party->end - since <= LIMIT(analysis, GRACE))
			return false;
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_NOT_QUIET);
	}
	if (party->timers <= since)
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_TIMER);
	return true;
}

ct_time analyze_candidate_life_start(const struct analysis *analysis, const struct model_coro *coro)
{
	if (coro->created == CT_NO_TIME || !(coro->flags & MODEL_CORO_WAS_CREATED))
		return FROM_THE_BEGINNING;
	return coro->created - analysis->model->uncertainty_ns;
}

void analyze_candidate_lower_for_gaps(
	struct analysis *analysis, struct candidate *candidate, ct_time from, ct_time until)
{
	candidate->nr_lost = model_lost_between(analysis->model, candidate->process, from, until);
	if (candidate->nr_lost && analysis->was_paused)
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_LEFT_OUT);
	if (candidate->nr_lost &&
		model_lost_in_holes(analysis->model, candidate->process, from, until))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_GAP);
	if (candidate->nr_lost)
		analyze_candidate_lower(candidate, REASON_GAP);
}

void analyze_candidate_limit_for_lost_steps(
	const struct analysis *analysis, struct candidate *candidate)
{
	const struct model *model = analysis->model;

	if (model->nr_broken && model_lost_between(model, candidate->process, candidate->since,
					analysis->parties[candidate->process].end))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_GAP);
}

bool analyze_candidate_outlives_gaps(
	struct analysis *analysis, struct candidate *candidate, ct_time from, ct_time until)
{
	enum ct_grade before = candidate->grade;

	analyze_candidate_lower_for_gaps(analysis, candidate, from, until);
	return !candidate->nr_lost || candidate->grade < before;
}

bool analyze_contradiction_has_gap(
	const struct analysis *analysis, const struct contradiction *contradiction)
{
	const struct model *model = analysis->model;
	const ct_time *times = contradiction->times;
	ct_time from = (times[0] < times[1] ? times[0] : times[1]) - model->uncertainty_ns;
	ct_time until = (times[0] < times[1] ? times[1] : times[0]) + model->uncertainty_ns;
	size_t i;

	for (i = 0; i < 2; i++) {
		uint32_t thread = contradiction->threads[i];

		if (thread ? model_lost_on(model, thread, from, until)
			   : model_lost_between(model, contradiction->process, from, until))
			return true;
	}
	return false;
}
