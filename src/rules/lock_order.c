/* SPDX-License-Identifier: MIT */
/*
 * Lock order: one coroutine took lock A and then lock B, another one B and then A. It went well this time.
 *
 * Silent where both had taken a third lock before (a gate); where one was over before the other began, or one did so
 * while the program warmed up and the other afterwards; where they are in a deadlock already; and where events are
 * missing. Whether a lock was only tried is not told.
 */
#include <inttypes.h>

#include "rules/parts.h"

struct search {
	struct analysis *analysis;
	bool *was_told;  /* by coroutine: a graver finding speaks of it; in the scratch arena */
	struct map told; /* kind of finding << 32 | coroutine: an enum member, once it was met */
};

/* What has become of a coroutine in a finding of one kind. */
enum member { MEMBER_LEFT_OUT, MEMBER_TOLD };

static bool have_common_gate(const struct model_nesting *a, const struct model_nesting *b)
{
	uint32_t i, k;

	/* There are more than are known. */
	if (a->nr_gates > MODEL_GATES || b->nr_gates > MODEL_GATES)
		return true;
	for (i = 0; i < a->nr_gates; i++)
		for (k = 0; k < b->nr_gates; k++)
			if (a->gates[i] == b->gates[k])
				return true;
	return false;
}

/* Did this one do so at a time when the other one had been created? Then the two could have met. */
static bool was_there(const struct model_coro *other, const struct model_nesting *nesting)
{
	return other->created == CT_NO_TIME || nesting->last >= other->created;
}

/* One while the program warmed up, the other one afterwards. */
static bool are_phases(const struct analysis *analysis, uint32_t process,
	const struct model_nesting *a, const struct model_nesting *b)
{
	ct_time warm = analysis->model->processes[process].warm_up_until;

	return warm != CT_NO_TIME && ((a->last < warm && b->outer_taken.time >= warm) ||
					     (b->last < warm && a->outer_taken.time >= warm));
}

static bool can_collide(
	const struct search *search, const struct model_nesting *a, const struct model_nesting *b)
{
	const struct analysis *analysis = search->analysis;
	const struct model_coro *first = &analysis->model->coros.at[a->coro];
	const struct model_coro *second = &analysis->model->coros.at[b->coro];

	return a->coro != b->coro && !have_common_gate(a, b) && was_there(second, a) &&
	       was_there(first, b) && !are_phases(analysis, first->process, a, b) &&
	       !(search->was_told[a->coro] && search->was_told[b->coro]);
}

static uint32_t hash_of_sites(const struct model_nesting *a, const struct model_nesting *b)
{
	const uint32_t sites[] = {
		a->outer_taken.site, a->inner_taken.site, b->outer_taken.site, b->inner_taken.site};
	uint32_t hash = 0, i;

	for (i = 0; i < 4; i++)
		hash = (hash ^ sites[i]) * 2654435761u;
	return hash;
}

static ct_time older(ct_time a, ct_time b)
{
	return a < b ? a : b;
}

static uint64_t member_key(const struct candidate *candidate)
{
	return (uint64_t)candidate->variant << 32 | candidate->coro;
}

static void note_member(
	struct search *search, const struct candidate *candidate, enum member member)
{
	search->analysis->is_broken |= !map_put(&search->told, member_key(candidate), member);
}

/* One coroutine may do so with many locks: it is one member of the finding. */
static void add_once(struct search *search, const struct candidate *candidate)
{
	uint32_t before;

	if (map_get(&search->told, member_key(candidate), &before)) {
		if (before == MEMBER_TOLD)
			return;
		search->analysis->nr_allowed--;
	}
	note_member(search, candidate, MEMBER_TOLD);
	analyze_candidate_add(search->analysis, candidate);
}

static void leave_out(struct search *search, const struct candidate *candidate)
{
	uint32_t before;

	if (map_get(&search->told, member_key(candidate), &before))
		return;
	note_member(search, candidate, MEMBER_LEFT_OUT);
	search->analysis->nr_allowed++;
}

/* False: nothing is said of these two, or nothing is known for sure. Others may do the same. */
static bool judge(struct search *search, uint32_t index, uint32_t opposite)
{
	struct analysis *analysis = search->analysis;
	const struct model *model = analysis->model;
	const struct model_nesting *a = &model->nestings.at[index];
	const struct model_nesting *b = &model->nestings.at[opposite];
	const struct model_coro *first = &model->coros.at[a->coro];
	const struct model_coro *second = &model->coros.at[b->coro];
	struct candidate candidate = {
		.rule = CT_RULE_LOCK_ORDER,
		.grade = CT_GRADE_SUSPECT,
		.process = first->process,
		.coro = a->coro,
		.descriptor = first->descriptor,
		.cause_site = a->inner_taken.site,
		.variant = hash_of_sites(a, b),
		.subject = index,
		.opposite = opposite,
		.since = a->inner_taken.time,
	};
	struct candidate other = candidate;

	other.coro = b->coro;
	other.descriptor = second->descriptor;
	other.since = b->inner_taken.time;
	if (!analyze_candidate_outlives_gaps(analysis, &candidate,
		    older(analyze_candidate_life_start(analysis, first),
			    analyze_candidate_life_start(analysis, second)),
		    a->last > b->last ? a->last : b->last))
		return false;
	if (analyze_candidate_is_allowed(analysis, &candidate) ||
		analyze_candidate_is_allowed(analysis, &other)) {
		leave_out(search, &candidate);
		leave_out(search, &other);
		return false;
	}
	add_once(search, &candidate);
	add_once(search, &other);
	return true;
}

/* Who took the same two locks the other way round, up to the first of whom there is something to say. */
static bool look_at_opposites(struct search *search, uint32_t index)
{
	const struct model *model = search->analysis->model;
	const struct model_nesting *nesting = &model->nestings.at[index];
	uint64_t pair = (uint64_t)nesting->inner << 32 | nesting->outer;
	uint32_t at = 0;

	map_get(&model->nesting_at, pair, &at);
	for (; at; at = model->nestings.at[at].next)
		if (can_collide(search, nesting, &model->nestings.at[at]) &&
			judge(search, index, at))
			return true;
	return false;
}

/* All that took these two locks in this order, up to the first that meets somebody. */
static void look_at_pair(struct search *search, uint32_t first)
{
	uint32_t at = first;

	while (at && !look_at_opposites(search, at))
		at = search->analysis->model->nestings.at[at].next;
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	struct search search = {.analysis = analysis};
	uint32_t i;

	search.was_told = arena_array(&analysis->scratch, model->coros.count, sizeof(bool));
	if (!search.was_told) {
		analysis->is_broken = true;
		return;
	}
	memcpy(search.was_told, analysis->is_told, model->coros.count * sizeof(bool));
	for (i = 1; i < model->nestings.count; i++)
		if (model->nestings.at[i].nr_of_pair &&
			model->nestings.at[i].outer < model->nestings.at[i].inner)
			look_at_pair(&search, i);
	map_fini(&search.told);
}

/* ---------------------------------------------------------------- telling it */

static void tell_taking(struct analysis *analysis, const struct model_nesting *nesting,
	const struct model_taking *taking, uint32_t object, struct story *story)
{
	const struct model_object *lock = &analysis->model->objects.at[object];
	const char *name = model_resource_name(analysis->model, lock->process, lock->handle);
	struct ct_step step = {
		.time = taking->time,
		.site = taking->site,
		.thread = taking->thread,
		.coro = analysis->model->coros.at[nesting->coro].id,
		.sequence = taking->event,
		.text = analyze_say(analysis, "took %s%s%s%s",
			analyze_words_resource(analysis, lock->handle, 0), *name ? " (" : "", name,
			*name ? ")" : ""),
	};

	analyze_story_step(analysis, story, &step);
}

static void tell_nesting(
	struct analysis *analysis, const struct model_nesting *nesting, struct story *story)
{
	tell_taking(analysis, nesting, &nesting->outer_taken, nesting->outer, story);
	tell_taking(analysis, nesting, &nesting->inner_taken, nesting->inner, story);
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct model *model = analysis->model;
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_nesting *a = &model->nestings.at[first->subject];
	const struct model_nesting *b = &model->nestings.at[first->opposite];
	struct story story = {0};

	finding->title = analyze_say(analysis,
		"coroutines take two locks in one order at %s, and in the other one at %s",
		analyze_words_place(analysis, a->inner_taken.site),
		analyze_words_place(analysis, b->inner_taken.site));
	tell_nesting(analysis, a, &story);
	tell_nesting(analysis, b, &story);
	analyze_story_end(analysis, &story, finding);
}

const struct rule rules_lock_order = {
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
