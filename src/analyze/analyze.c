/* SPDX-License-Identifier: MIT */
/*
 * The order of the judgement: read the source, ask every rule, group the candidates, read the source again for
 * evidence, report.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/asked.h"
#include "analyze/asking.h"
#include "analyze/batches.h"
#include "analyze/by_timer.h"
#include "analyze/called_off.h"
#include "analyze/closed_groups.h"
#include "analyze/companions.h"
#include "analyze/cut_children.h"
#include "analyze/ended_taker.h"
#include "analyze/ended_wakers.h"
#include "analyze/errands.h"
#include "analyze/fruitless.h"
#include "analyze/giver_circle.h"
#include "analyze/gone_waiters.h"
#include "analyze/held.h"
#include "analyze/joins.h"
#include "analyze/last_rest.h"
#include "analyze/late_notifies.h"
#include "analyze/lock_given.h"
#include "analyze/long_runs.h"
#include "analyze/merged.h"
#include "analyze/omitted.h"
#include "analyze/overlooked.h"
#include "analyze/own_wakers.h"
#include "analyze/partners.h"
#include "analyze/parts.h"
#include "analyze/passages.h"
#include "analyze/passed.h"
#include "analyze/proof.h"
#include "analyze/provenance.h"
#include "analyze/read_habits.h"
#include "analyze/resumers.h"
#include "analyze/rounds.h"
#include "analyze/same_locks.h"
#include "analyze/spent.h"
#include "analyze/standing.h"
#include "analyze/successors.h"
#include "analyze/telling.h"
#include "analyze/tried.h"
#include "analyze/unanswered.h"
#include "analyze/waker_circle.h"
#include "analyze/wakers.h"
#include "analyze/waking_threads.h"
#include "analyze/why_live.h"
#include "base/count.h"
#include "base/failure.h"
#include "base/known_options.h"
#include "event/places.h"

struct owned_report {
	struct ct_report report; /* first: a pointer to it is a pointer to the owned_report */
	struct arena arena;
};

/* Has this line of the table the same rule as the line before? A rule is asked only once. */
static bool is_second(const struct analysis *analysis, const struct rule *const *rule)
{
	return rule > analysis->rules->in_order && rule[0] == rule[-1];
}

static bool does_watch(const struct rule *rule)
{
	const struct model_watcher *watcher = &rule->watcher;

	return watcher->nr_bytes || watcher->nr_coro_bytes || watcher->nr_place_bytes;
}

/* Registers the watchers. False: out of memory. */
static bool let_watch(struct analysis *analysis)
{
	const struct rule *const *rule;

	if (!model_watch(analysis->model, &analyze_provenance_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_batches_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_companions_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_partners_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_joins_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_merged_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_by_timer_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_late_notifies_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_tried_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_asked_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_asking_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_lock_given_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_passed_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_held_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_closed_groups_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_waking_threads_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_omitted_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_fruitless_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_overlooked_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_wakers_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_rounds_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_errands_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_resumers_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_read_habits_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_called_off_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_ended_taker_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_ended_wakers_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_own_wakers_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_spent_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_passages_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_cut_children_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_gone_waiters_watcher, analysis) ||
		!model_watch(analysis->model, &analyze_unanswered_watcher, analysis) ||
		(analysis->why_coro &&
			!model_watch(analysis->model, &analyze_long_runs_watcher, analysis)))
		return false;
	for (rule = analysis->rules->in_order; *rule; rule++)
		if (!is_second(analysis, rule) && does_watch(*rule) &&
			!model_watch(analysis->model, &(*rule)->watcher, analysis))
			return false;
	return true;
}

static enum ct_status apply(void *context, const struct ct_event *event, struct ct_error *reterr)
{
	struct analysis *analysis = context;

	if (!analyze_telling_note(analysis->telling, analysis->model->tables, event))
		return ct_fail_memory(reterr);
	return model_apply(analysis->model, event, reterr);
}

static enum ct_status read_all(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr)
{
	enum ct_status status;

	analyze_telling_clear(analysis->telling);
	status = source_each(source, apply, analysis, reterr);
	if (status)
		return status;
	if (source->order)
		model_take_order(analysis->model, source->order);
	return model_finish(analysis->model, reterr);
}

/* Keeps the record of the coroutine that the user asks about, even if it ended long ago. */
static bool keep_asked(struct analysis *analysis)
{
	struct model_asked asked = {.kind = MODEL_KEPT_CORO, .name = analysis->why_coro};
	bool is_kept = true;
	size_t i;

	for (; asked.name && asked.process < analysis->model->nr_processes; asked.process++)
		is_kept &= model_keep(analysis->model, &asked);
	for (i = 0; i < analysis->kept.count; i++)
		is_kept &= model_keep(analysis->model, &analysis->kept.at[i]);
	return is_kept;
}

static enum ct_status fold_once(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr)
{
	enum ct_status status = model_new(source->tables, &analysis->model, reterr);

	if (status)
		return status;
	model_release_from(analysis->model, analysis->least_ended);
	model_bound(analysis->model, source->most_bytes);
	analysis->model->standstill_ns = LIMIT(analysis, STANDSTILL_TIME);
	if (!let_watch(analysis) || !keep_asked(analysis))
		return ct_fail_memory(reterr);
	return read_all(analysis, source, reterr);
}

/*
 * Takes over the list of records that were given back but turned out to matter: the next reading keeps them. False:
 * out of memory.
 */
static bool learn_asked(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 0; i < model->asked.count; i++)
		if (!vec_push(&analysis->kept, model->asked.at[i]))
			return false;
	return true;
}

/*
 * Each reading keeps more records than the one before. After the last reading, an interval that is still open is
 * reported as open.
 */
#define READINGS 4u

static enum ct_status fold(
	struct analysis *analysis, struct ct_source *source, struct ct_error *reterr)
{
	enum ct_status status = fold_once(analysis, source, reterr);
	unsigned readings;

	for (readings = 1; status == CT_OK && analysis->model->asked.count && readings < READINGS;
		readings++) {
		if (analysis->kept.count >= MODEL_ASKED)
			break;
		if (!learn_asked(analysis))
			return ct_fail_memory(reterr);
		model_free(analysis->model);
		analysis->model = NULL;
		status = fold_once(analysis, source, reterr);
	}
	return status;
}

static void make_findings(struct analysis *analysis, struct ct_report *report)
{
	struct ct_finding *findings =
		analyze_array(analysis, analysis->groups.count, sizeof(struct ct_finding));
	size_t i;

	if (!findings)
		return;
	for (i = 0; i < analysis->groups.count; i++)
		analyze_group_finding(analysis, &analysis->groups.at[i], &findings[i]);
	report->findings = findings;
	report->nr_findings = (uint32_t)analysis->groups.count;
}

static void make_remarks(struct analysis *analysis, struct ct_report *report)
{
	analyze_quality_remarks(analysis);
	report->remarks = analyze_kept(analysis, analysis->remarks.at, analysis->remarks.count,
		sizeof(*analysis->remarks.at));
	report->nr_remarks = report->remarks ? (uint32_t)analysis->remarks.count : 0;
}

static void find_all(struct analysis *analysis)
{
	const struct rule *const *rule;

	for (rule = analysis->rules->in_order; *rule; rule++) {
		if (is_second(analysis, rule))
			continue;
		if ((*rule)->finds_victims)
			analyze_ties_find_victims(analysis);
		analysis->nr_earlier = analysis->candidates.count;
		(*rule)->find(analysis);
	}
	analyze_ties_find_victims(analysis);
}

/* Events that were left out on purpose are not silence. */
static void survey_left_out(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = 0; i < model->gaps.count; i++) {
		uint32_t reason = model->gaps.at[i].reason;

		analysis->was_paused |= reason == CTP_LOSS_PAUSED;
		analysis->has_left_out |= ct_loss_was_asked(reason) && reason != CTP_LOSS_PAUSED &&
					  reason != CTP_LOSS_BEFORE;
	}
}

/* Marks the places about which the user wants to read nothing. */
static void allow(struct analysis *analysis, const char *pattern)
{
	bool has_matched = false;
	uint32_t i;

	for (i = 1; i < analysis->tables->nr_sites; i++) {
		if (!place_matches(pattern, &analysis->tables->sites[i]))
			continue;
		analysis->is_place_allowed[i] = true;
		has_matched = true;
	}
	if (!has_matched)
		analyze_quality_remark(
			analysis, "no place in the trace is like '%s', which was allowed", pattern);
}

static void survey_allowed(struct analysis *analysis)
{
	size_t i;

	if (!analysis->thresholds || !analysis->thresholds->allowed.count)
		return;
	analysis->is_place_allowed = analyze_scratch(
		analysis, analysis->tables->nr_sites + 1, sizeof(*analysis->is_place_allowed));
	if (!analysis->is_place_allowed)
		return;
	for (i = 0; i < analysis->thresholds->allowed.count; i++)
		allow(analysis, analysis->thresholds->allowed.at[i]);
}

/*
 * Completes the tables: a thread's name given by the program replaces the kernel's name, and facts are added that
 * only the opener of the trace knows.
 */
static bool complete_tables(struct analysis *analysis, const struct ct_source *source)
{
	const struct ct_tables *told = analysis->tables;
	struct ct_tables *tables = analyze_array(analysis, 1, sizeof(*tables));
	struct ct_thread *threads = analyze_array(analysis, told->nr_threads, sizeof(*threads));
	uint32_t i;

	if (!tables || !threads)
		return false;
	memcpy(threads, told->threads, told->nr_threads * sizeof(*threads));
	for (i = 1; i < told->nr_threads; i++) {
		const char *name =
			analyze_words_site(analysis, analysis->model->threads[i].name_site);

		threads[i].name = *name ? name : threads[i].name;
	}
	*tables = *told;
	tables->threads = threads;
	tables->goes_on = source->goes_on;
	tables->is_damaged |= source->was_damaged;
	analysis->tables = tables;
	return true;
}

static enum ct_status judge(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr)
{
	enum ct_status status;

	analyze_party_survey(analysis);
	if (analysis->is_broken)
		return ct_fail_memory(reterr);
	analyze_stillness_survey(analysis);
	if (analysis->is_broken)
		return ct_fail_memory(reterr);
	analyze_rounds_survey(analysis);
	analyze_overlooked_survey(analysis);
	analyze_errands_survey(analysis);
	analyze_ties_survey(analysis);
	analyze_giver_circle_survey(analysis);
	analyze_waker_circle_begin(analysis);
	analyze_ended_taker_begin(analysis);
	analyze_same_locks_begin(analysis);
	analyze_own_wakers_survey(analysis);
	analyze_successors_survey(analysis);
	survey_left_out(analysis);
	status = analyze_why_check(analysis, reterr);
	if (status)
		return status;
	analysis->is_told =
		analyze_scratch(analysis, analysis->model->coros.count, sizeof(*analysis->is_told));
	if (analysis->is_broken || !complete_tables(analysis, source))
		return ct_fail_memory(reterr);
	survey_allowed(analysis);
	find_all(analysis);
	status = analyze_proof_check(analysis, source, reterr);
	if (status != CT_OK)
		return status;
	analyze_group_candidates(analysis);
	status = analyze_evidence_collect(analysis, source, reterr);
	if (status != CT_OK)
		return status;
	report->tables = analysis->tables;
	make_findings(analysis, report);
	analyze_quality_fill(analysis, &report->quality);
	analyze_annotations_export(analysis, report);
	analyze_statistics_export(analysis, &report->statistics);
	analyze_runtime_export(analysis, report);
	status = analyze_task_path_export(analysis, source, report, reterr);
	if (status == CT_OK)
		status = analyze_breakdown_export(analysis, source, report, reterr);
	if (status != CT_OK)
		return status;
	make_remarks(analysis, report);
	analyze_waiting_list(analysis, report);
	analyze_advice_export(analysis, report);
	analyze_telling_export(analysis, analysis->telling, report);
	if (analysis->live->pid)
		analyze_why_live_export(analysis, report);
	if (analysis->why_coro)
		analyze_why_tell(analysis, report);
	return analysis->is_broken ? ct_fail_memory(reterr) : CT_OK;
}

static void take_options(struct analysis *analysis, const struct ct_analyze_options *options)
{
	struct ct_analyze_options known;
	unsigned i;

	known_options(&known, sizeof(known), options);
	analysis->thresholds = known.thresholds;
	for (i = 0; i < CT_NR_THRESHOLDS; i++)
		analysis->limits[i] = ct_thresholds_value(known.thresholds, (enum ct_threshold)i);
	analysis->why_coro = known.why_coro;
	analysis->why_pid = known.why_pid;
	analysis->path_task = known.path_task;
	analysis->by = known.by;
	analysis->sort = known.sort;
	analysis->max_rows = known.max_rows;
	if (analyze_breakdown_is_wanted(analysis))
		analysis->least_ended = UINT32_MAX;
}

static void init_analysis(struct analysis *analysis, const struct analyze_terms *terms,
	const struct ct_analyze_options *options, struct arena *arena)
{
	static const struct analyze_live none;

	*analysis = (struct analysis){
		.rules = terms->rules,
		.live = terms->live ? terms->live : &none,
		.least_ended = terms->nr_ended,
		.arena = arena,
	};
	arena_init(&analysis->scratch);
	take_options(analysis, options);
}

static void fini_analysis(struct analysis *analysis)
{
	vec_fini(&analysis->candidates);
	vec_fini(&analysis->groups);
	claim_fini(&analysis->claims);
	vec_fini(&analysis->remarks);
	vec_fini(&analysis->kept);
	arena_fini(&analysis->scratch);
	analyze_telling_free(analysis->telling);
	model_free(analysis->model);
}

static enum ct_status fold_and_judge(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr)
{
	enum ct_status status;

	analysis->tables = source->tables;
	analysis->telling = analyze_telling_new();
	if (!analysis->telling)
		return ct_fail_memory(reterr);
	status = fold(analysis, source, reterr);
	return status == CT_OK ? judge(analysis, source, report, reterr) : status;
}

/* Judges the source again as it was at the end of each process's last rest, if there was any (last_rest.h). */
static enum ct_status judge_last_rest(struct analysis *analysis, struct ct_source *source,
	const struct ct_analyze_options *options, const struct analyze_terms *terms,
	struct ct_report *report, struct ct_error *reterr)
{
	struct ct_report before = {0};
	struct last_rests rests;
	struct analysis again;
	enum ct_status status;

	if (!analyze_last_rest_find(analysis, source, &rests))
		return analysis->is_broken ? ct_fail_memory(reterr) : CT_OK;
	init_analysis(&again, terms, options, analysis->arena);
	again.path_task = NULL;
	again.by = CT_BY_NONE;
	analyze_last_rest_remark(&again, &rests);
	status = fold_and_judge(&again, &rests.source, &before, reterr);
	fini_analysis(&again);
	if (status != CT_OK)
		return status;
	analyze_last_rest_merge(analysis, &rests, report, &before);
	return analysis->is_broken ? ct_fail_memory(reterr) : CT_OK;
}

enum ct_status analyze_source(struct ct_source *source, const struct ct_analyze_options *options,
	const struct analyze_terms *terms, const struct ct_report **ret_report,
	struct ct_error *reterr)
{
	struct owned_report *owned = calloc(1, sizeof(*owned));
	struct analysis analysis;
	enum ct_status status;

	if (!owned)
		return ct_fail_memory(reterr);
	arena_init(&owned->arena);
	init_analysis(&analysis, terms, options, &owned->arena);
	status = fold_and_judge(&analysis, source, &owned->report, reterr);
	if (status == CT_OK)
		status = judge_last_rest(&analysis, source, options, terms, &owned->report, reterr);
	if (status == CT_OK)
		analyze_standing_export(&analysis, &owned->report);
	if (status == CT_OK && analysis.is_broken)
		status = ct_fail_memory(reterr);
	fini_analysis(&analysis);
	if (status != CT_OK) {
		analyze_report_free(&owned->report);
		return status;
	}
	*ret_report = &owned->report;
	return CT_OK;
}

uint64_t analyze_report_without_room(const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;
	uint64_t nr_events = 0;
	uint32_t i;

	for (i = 0; i < quality->nr_losses; i++)
		if (quality->losses[i].reason == CTP_LOSS_NO_ROOM)
			count_add(&nr_events, quality->losses[i].count);
	return nr_events;
}

void analyze_report_free(const struct ct_report *report)
{
	struct owned_report *owned;

	if (!report)
		return;
	/* analyze_source made the report; only the caller's view of it is constant. */
	owned = (struct owned_report *)(uintptr_t)report;
	arena_fini(&owned->arena);
	free(owned);
}
