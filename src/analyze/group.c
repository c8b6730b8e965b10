/* SPDX-License-Identifier: MIT */
/*
 * From candidates to findings: candidates that share a rule, a grade, a site and a cause become one finding with a
 * count. 47 stuck readers are one finding, not 47.
 */
#include <stdlib.h>

#include "analyze/hot.h"
#include "analyze/batches.h"
#include "analyze/companions.h"
#include "analyze/consequences.h"
#include "analyze/joins.h"
#include "analyze/kin_circle.h"
#include "analyze/pairs.h"
#include "analyze/partners.h"
#include "analyze/parts.h"
#include "analyze/proof.h"
#include "analyze/lock_circle.h"
#include "analyze/own_line.h"
#include "analyze/same_locks.h"
#include "analyze/vain_timers.h"
#include "analyze/waker_circle.h"
#include "say/say.h"

/* ---------------------------------------------------------------- order */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_causes(const struct candidate *a, const struct candidate *b)
{
	int order = COMPARE(b->grade, a->grade);

	if (!order)
		order = COMPARE(a->rule, b->rule);
	if (!order)
		order = COMPARE(a->process, b->process);
	if (!order)
		order = COMPARE(a->wait_site, b->wait_site);
	if (!order)
		order = COMPARE(a->cause_site, b->cause_site);
	if (!order)
		order = COMPARE(a->variant, b->variant);
	return order ? order : COMPARE(a->circle, b->circle);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = compare_causes(a, b);

	if (!order)
		order = a->is_newest_first ? COMPARE(b->since, a->since)
					   : COMPARE(a->since, b->since);
	return order ? order : COMPARE(a->coro, b->coro);
}

static bool is_cause(const struct analysis *analysis, const struct candidate *candidate)
{
	return candidate->is_cause || analyze_rule_of(analysis, candidate)->is_cause;
}

/*
 * Larger groups come first. But many may be idle where they wait, while of one there may be more to say; and a
 * library's own coroutines mostly wait for work.
 */
static uint32_t weight_of(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];

	if (first->rule == CT_RULE_LOST_WAKEUP && first->has_story)
		return UINT32_MAX;
	if (first->is_bare &&
		say_is_installed(say_peek_site(analysis->tables, first->wait_site)->file))
		return 0;
	return group->count;
}

static int compare_groups(const void *left, const void *right, void *context)
{
	const struct analysis *analysis = context;
	const struct group *a = left, *b = right;
	const struct candidate *first = &analysis->candidates.at[a->first];
	const struct candidate *second = &analysis->candidates.at[b->first];
	int order = COMPARE(a->is_last, b->is_last);

	if (!order)
		order = COMPARE(second->grade, first->grade);
	/* Rules of events come before rules that may explain them. */
	if (!order)
		order = COMPARE(analyze_rule_of(analysis, second)->is_fact,
			analyze_rule_of(analysis, first)->is_fact);
	if (!order)
		order = COMPARE(is_cause(analysis, second), is_cause(analysis, first));
	if (!order)
		order = COMPARE(a->rank, b->rank);
	/* What is done seldom is the likelier cause of two circles; what is in none (0) comes after these. */
	if (!order)
		order = COMPARE(a->nr_ended - 1, b->nr_ended - 1);
	/*
	 * A group whose first member started a stuck coroutine comes later: the member may wait for that coroutine's
	 * end.
	 */
	if (!order)
		order = COMPARE(a->descendant != 0, b->descendant != 0);
	if (!order)
		order = COMPARE(weight_of(analysis, b), weight_of(analysis, a));
	return order ? order : COMPARE(a->first, b->first);
}

/* Does another group say why this process was ended? */
bool analyze_candidate_explains(const struct analysis *analysis, const struct candidate *candidate)
{
	return !analyze_rule_of(analysis, candidate)->is_no_explanation || candidate->is_cause;
}

static bool has_reason(const struct analysis *analysis, uint32_t process)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++) {
		const struct candidate *first =
			&analysis->candidates.at[analysis->groups.at[i].first];

		if (first->process == process && !analyze_rule_of(analysis, first)->is_fact &&
			analyze_candidate_explains(analysis, first))
			return true;
	}
	return false;
}

static void put_ends_last(struct analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++) {
		struct group *group = &analysis->groups.at[i];
		const struct candidate *first = &analysis->candidates.at[group->first];

		group->is_last = first->is_end && has_reason(analysis, first->process);
	}
}

static void set_circles(struct analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->candidates.count; i++) {
		struct candidate *at = &analysis->candidates.at[i];
		const struct model_coro *coro = &analysis->model->coros.at[at->coro];

		if (at->rule == CT_RULE_LOST_WAKEUP && at->is_bare &&
			coro->state == CT_STATE_WAITING)
			at->circle = analyze_waker_circle_apart(analysis, coro);
	}
}

void analyze_group_candidates(struct analysis *analysis)
{
	struct candidate *at = analysis->candidates.at;
	size_t count = analysis->candidates.count, first = 0, next;

	if (!count)
		return;
	set_circles(analysis);
	qsort(at, count, sizeof(*at), compare_candidates);
	while (first < count) {
		struct group group = {.first = (uint32_t)first};

		for (next = first + 1; next < count; next++) {
			if (compare_causes(&at[first], &at[next]) != 0)
				break;
		}
		group.count = (uint32_t)(next - first);
		if (!vec_push(&analysis->groups, group))
			analysis->is_broken = true;
		first = next;
	}
	if (analysis->groups.count > 1) {
		analyze_batches_survey(analysis);
		analyze_companions_survey(analysis);
		analyze_joins_survey(analysis);
		analyze_waker_circle_survey(analysis);
		analyze_kin_circle_survey(analysis);
		analyze_pairs_survey(analysis);
		analyze_partners_survey(analysis);
		analyze_lock_circle_survey(analysis);
		analyze_same_locks_survey(analysis);
		put_ends_last(analysis);
	}
	analyze_consequences_survey(analysis);
	if (analysis->groups.count)
		qsort_r(analysis->groups.at, analysis->groups.count, sizeof(*analysis->groups.at),
			compare_groups, analysis);
}

/* ---------------------------------------------------------------- the finding */

static const struct ct_event *events_in_order(
	struct analysis *analysis, const struct member_events *ring, uint32_t *ret_count)
{
	uint64_t count = ring->count < MEMBER_EVENTS ? ring->count : MEMBER_EVENTS, i;
	struct ct_event *events = analyze_array(analysis, count, sizeof(*events));

	if (!events)
		return NULL;
	for (i = 0; i < count; i++)
		events[i] = ring->at[(ring->count - count + i) % MEMBER_EVENTS];
	*ret_count = (uint32_t)count;
	return events;
}

static const char *const *texts_in_order(
	struct analysis *analysis, const struct member_events *ring, uint32_t count)
{
	const char **texts = analyze_array(analysis, count, sizeof(*texts));
	uint32_t i;

	for (i = 0; texts && i < count; i++) {
		uint64_t place = (ring->count - count + i) % MEMBER_EVENTS;

		texts[i] = analyze_words_annotation(analysis, &ring->at[place], ring->text[place]);
	}
	return texts;
}

static struct ct_step cause_of(struct analysis *analysis, const struct candidate *candidate)
{
	struct ct_step cause = {.time = CT_NO_TIME, .text = "", .sequence = UINT64_MAX};

	if (analyze_rule_of(analysis, candidate)->tell_cause)
		analyze_rule_of(analysis, candidate)->tell_cause(analysis, candidate, &cause);
	return cause;
}

/*
 * Until when the finding holds for a member: until it was over, the member ended, or the observation of its process
 * did.
 */
static ct_time until_of(const struct analysis *analysis, const struct candidate *candidate)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	if (candidate->until)
		return candidate->until;
	if (coro->state == CT_STATE_DONE && coro->changed > candidate->since)
		return coro->changed;
	if (coro->state == CT_STATE_DESTROYED && coro->rare->destroyed != CT_NO_TIME &&
		coro->rare->destroyed > candidate->since)
		return coro->rare->destroyed;
	return analysis->parties[candidate->process].end;
}

static void fill_member(struct analysis *analysis, const struct candidate *candidate,
	const struct member_events *events, struct ct_member *member)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	model_export(analysis->model, candidate->coro, &member->coro);
	member->since = candidate->since;
	member->until = until_of(analysis, candidate);
	member->is_over = candidate->until != 0;
	member->cause = cause_of(analysis, candidate);
	member->resource = coro->suspended == CT_NO_TIME ? "" : analyze_words_wait(analysis, coro);
	member->name = analyze_words_site(analysis, coro->rare->name_site);
	member->task = analyze_words_task(analysis, candidate->coro);
	if (!events)
		return;
	member->events = events_in_order(analysis, events, &member->nr_events);
	member->event_texts = texts_in_order(analysis, events, member->nr_events);
}

static void fill_members(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *at = &analysis->candidates.at[group->first];
	struct ct_member *members;
	uint32_t i;

	if (!at->coro)
		return;
	members = analyze_array(analysis, group->count, sizeof(*members));
	if (!members)
		return;
	for (i = 0; i < group->count; i++)
		fill_member(analysis, &at[i], i < group->nr_examples ? group->examples[i] : NULL,
			&members[i]);
	finding->members = members;
	finding->nr_members = group->count;
}

static void fill_lowered(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *at = &analysis->candidates.at[group->first];
	const char **sentences = analyze_array(analysis, NR_REASONS, sizeof(*sentences));
	uint64_t reasons = 0;
	uint32_t i;

	if (!sentences)
		return;
	for (i = 0; i < group->count; i++) {
		reasons |= at[i].reasons;
		if (at[i].nr_lost > finding->nr_lost_nearby)
			finding->nr_lost_nearby = at[i].nr_lost;
	}
	for (i = 0; i < NR_REASONS; i++) {
		if (reasons & (UINT64_C(1) << i))
			sentences[finding->nr_lowered++] = analyze_words_reason((enum reason)i);
	}
	finding->lowered = sentences;
}

static void span(struct ct_finding *finding, uint64_t sequence)
{
	if (sequence == UINT64_MAX)
		return;
	if (sequence < finding->first_sequence)
		finding->first_sequence = sequence;
	if (sequence > finding->last_sequence)
		finding->last_sequence = sequence;
}

/*
 * Sets the range of event numbers of the finding: a dump from the first to the last event has every event that it
 * names.
 */
static void span_evidence(struct ct_finding *finding)
{
	uint32_t i, k;

	for (i = 0; i < finding->nr_steps; i++)
		span(finding, finding->steps[i].sequence);
	for (i = 0; i < finding->nr_members; i++) {
		for (k = 0; k < finding->members[i].nr_events; k++)
			span(finding, finding->members[i].events[k].sequence);
	}
	if (finding->first_sequence == UINT64_MAX)
		finding->last_sequence = UINT64_MAX;
}

#define PLACES 8u /* places at which members wait, listed in each finding */
#define PLACES_COUNTED 64u

static void count_place(
	struct ct_waiting places[PLACES_COUNTED], uint32_t *count, const struct ct_member *member)
{
	uint32_t i;

	for (i = 0; i < *count && places[i].site != member->coro.wait_site; i++)
		;
	if (i == PLACES_COUNTED)
		return;
	if (i == *count)
		places[(*count)++] = (struct ct_waiting){.site = member->coro.wait_site,
			.process = member->coro.process,
			.coro = member->coro.id,
			.since = member->since,
			.until = member->until};
	places[i].nr_coros++;
}

static int by_number(const void *left, const void *right)
{
	const struct ct_waiting *a = left, *b = right;

	return COMPARE(b->nr_coros, a->nr_coros);
}

/*
 * The site to look at first if the rule names none: the cause, else the wait, else the place at which most members
 * wait, else the first step with a place.
 */
static uint32_t look_site(const struct ct_finding *finding)
{
	uint32_t i;

	if (finding->cause_site || finding->wait_site)
		return finding->cause_site ? finding->cause_site : finding->wait_site;
	if (finding->nr_waits_at)
		return finding->waits_at[0].site;
	for (i = 0; i < finding->nr_steps; i++)
		if (finding->steps[i].site)
			return finding->steps[i].site;
	return finding->nr_members ? finding->members[0].coro.function_site : 0;
}

static void fill_places(struct analysis *analysis, struct ct_finding *finding)
{
	struct ct_waiting places[PLACES_COUNTED], *kept;
	uint32_t count = 0, i;

	for (i = 0; i < finding->nr_members; i++)
		if (finding->members[i].coro.state == CT_STATE_WAITING &&
			finding->members[i].coro.wait_site)
			count_place(places, &count, &finding->members[i]);
	qsort(places, count, sizeof(*places), by_number);
	count = count < PLACES ? count : PLACES;
	kept = analyze_kept(analysis, places, count, sizeof(*kept));
	for (i = 0; kept && i < count; i++)
		analyze_waiting_add_ended(analysis, &kept[i]);
	finding->waits_at = kept;
	finding->nr_waits_at = kept ? count : 0;
}

void analyze_group_tell(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct ct_finding finding = {.rule = first->rule, .next_step = ""};

	analyze_rule_of(analysis, first)->describe(analysis, group, story, &finding);
	analyze_story_order(story);
}

void analyze_group_finding(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct story story = {0};

	finding->rule = first->rule;
	finding->grade = first->grade;
	finding->process = first->process;
	finding->wait_site = first->wait_site;
	finding->cause_site = first->cause_site;
	finding->nr_peers = group->nr_peers > group->count ? group->nr_peers : group->count;
	finding->peers =
		group->nr_peers ? "started at the same place that reached the same wait" : "";
	finding->title = "";
	finding->picture = group->picture;
	finding->next_step = ct_rule_next_step(first->rule);
	finding->first_sequence = UINT64_MAX;
	fill_members(analysis, group, finding);
	fill_lowered(analysis, group, finding);
	analyze_proof_fill(analysis, group, finding);
	analyze_rule_of(analysis, first)->describe(analysis, group, &story, finding);
	analyze_hot_tell(analysis, group, &story, finding);
	analyze_batches_tell(analysis, group, &story);
	analyze_companions_tell(analysis, group, &story);
	analyze_joins_tell(analysis, group, &story);
	analyze_partners_tell(analysis, group, &story);
	analyze_vain_timers_tell(analysis, group, &story);
	analyze_consequences_tell(analysis, group, &story);
	analyze_frames_tell(analysis, group, &story);
	analyze_story_end(analysis, &story, finding);
	span_evidence(finding);
	fill_places(analysis, finding);
	if (!finding->look_site)
		finding->look_site = look_site(finding);
	finding->look_site = analyze_own_look(analysis, group, finding);
}
