/* SPDX-License-Identifier: MIT */
/*
 * Joins: two counts for each place, and the groups of candidates whose members wait for members of another group.
 */
#include <inttypes.h>

#include "analyze/joins.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"

#define SHARE_OTHER \
	10u /* at most one wait in so many at a place ended without the end of a child */

/* Waits at one place that are over. */
struct place {
	uint64_t nr_over;
	/* of these: a child of the waiting coroutine had ended since that one ran last */
	uint64_t nr_after_end;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool *has_ended_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct place *place = model_watch_place(watch, coro->wait_site);
	bool *has_ended = has_ended_of(watch, sight->coro);

	if (place && coro->suspended != CT_NO_TIME && coro->point == CTP_POINT_AWAIT) {
		place->nr_over++;
		place->nr_after_end += *has_ended;
	}
	if (*has_ended)
		*has_ended = false;
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	*has_ended_of(watch, watch->model->coros.at[sight->coro].parent) = true;
	return true;
}

const struct model_watcher analyze_joins_watcher = {
	.nr_coro_bytes = sizeof(bool),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_RUN] = look_at_run, [MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- who waits for whom */

/* Can this be a wait for a child's end? An awaited event may stand for that end, as a future does. */
static bool may_wait_for_end(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING &&
	       (analyze_ties_may_be_for_end(coro) ||
		       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_EVENT);
}

static const struct place *place_of(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_wait(analysis, &analyze_joins_watcher, coro);
}

/* Did the finished waits at this coroutine's place end as the waiting coroutine's children ended? */
static bool is_at_join(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->nr_over - place->nr_after_end <= place->nr_over / SHARE_OTHER;
}

/*
 * By coroutine: the number of its group, plus 1; and a stuck coroutine that it started, directly or not, and that
 * another group has.
 */
struct kin {
	uint32_t group;
	uint32_t child;
};

static const struct candidate *first_of(const struct analysis *analysis, uint32_t group)
{
	return &analysis->candidates.at[analysis->groups.at[group].first];
}

static bool is_graver(
	const struct analysis *analysis, const struct kin *kin, uint32_t child, uint32_t than)
{
	return !than || first_of(analysis, kin[child].group - 1)->grade >
				first_of(analysis, kin[than].group - 1)->grade;
}

static void note_parents(const struct analysis *analysis, struct kin *kin, uint32_t index)
{
	const struct model *model = analysis->model;
	uint32_t at = index, steps;

	for (steps = 0; at && steps < TIES_GENERATIONS; steps++) {
		at = model->coros.at[at].parent;
		if (at && kin[at].group && kin[at].group != kin[index].group &&
			may_wait_for_end(&model->coros.at[at]) &&
			is_graver(analysis, kin, index, kin[at].child))
			kin[at].child = index;
	}
}

/* Has the coroutine not ended, and is its finding more than a single event of the past? */
static bool is_stuck(const struct analysis *analysis, const struct kin *kin, uint32_t index)
{
	enum ct_rule rule = first_of(analysis, kin[index].group - 1)->rule;

	return analysis->model->coros.at[index].state < CT_STATE_DONE &&
	       !analysis->rules->by_number[rule]->is_fact;
}

static void find_kin(const struct analysis *analysis, struct kin *kin)
{
	uint32_t i, k;

	for (i = 0; i < analysis->groups.count; i++)
		for (k = 0; k < analysis->groups.at[i].count; k++)
			kin[first_of(analysis, i)[k].coro].group = i + 1;
	kin[0].group = 0;
	for (i = 1; i < analysis->model->coros.count; i++)
		if (kin[i].group && is_stuck(analysis, kin, i))
			note_parents(analysis, kin, i);
}

/* Does every member do nothing but wait for the end of a coroutine whose own group has at least the same grade? */
static bool does_join(
	const struct analysis *analysis, const struct kin *kin, const struct group *group)
{
	const struct candidate *at = &analysis->candidates.at[group->first];
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[at[i].coro];
		uint32_t child = kin[at[i].coro].child;

		if (!at[i].is_bare || !child ||
			first_of(analysis, kin[child].group - 1)->grade < at[i].grade ||
			!(is_at_join(analysis, coro) || analyze_ties_is_at_large(coro)))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- folding groups */

/* The group at the end of the chain of waits that is not folded into another group. */
static struct group *last_of(const struct analysis *analysis, const struct kin *kin,
	const bool *is_folded, uint32_t coro)
{
	while (is_folded[kin[coro].group - 1])
		coro = kin[coro].child;
	return &analysis->groups.at[kin[coro].group - 1];
}

static void fold(const struct analysis *analysis, const struct kin *kin, const bool *is_folded,
	const struct group *group)
{
	const struct candidate *at = &analysis->candidates.at[group->first];
	uint32_t i;

	for (i = 0; i < group->count; i++) {
		struct group *into = last_of(analysis, kin, is_folded, at[i].coro);

		if (!into->nr_parents++)
			into->parent = at[i].coro;
	}
}

void analyze_joins_survey(struct analysis *analysis)
{
	uint32_t count = (uint32_t)analysis->groups.count, i;
	struct kin *kin = analyze_scratch(analysis, analysis->model->coros.count, sizeof(*kin));
	bool *is_folded = analyze_scratch(analysis, count, sizeof(*is_folded));

	if (!kin || !is_folded)
		return;
	find_kin(analysis, kin);
	for (i = 0; i < count; i++)
		is_folded[i] = does_join(analysis, kin, &analysis->groups.at[i]);
	for (i = 0; i < count; i++) {
		analysis->groups.at[i].descendant = kin[first_of(analysis, i)->coro].child;
		if (is_folded[i])
			fold(analysis, kin, is_folded, &analysis->groups.at[i]);
	}
	analyze_groups_remove(analysis, is_folded);
}

/* ---------------------------------------------------------------- the evidence */

/* Certain if earlier waits at this place were joins; "perhaps" if no wait there is over. */
static const char *words_for_end(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = place_of(analysis, coro);

	return place && place->nr_over && is_at_join(analysis, coro)
		       ? ", where coroutines wait for such an end"
		       : ", perhaps for such an end";
}

static void tell_parents(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct model_coro *parent = &analysis->model->coros.at[group->parent];
	uint32_t nr_more = group->nr_parents - 1;
	const char *more = nr_more ? analyze_say(analysis, "; so do%s %u more",
					     nr_more == 1 ? "es" : "", nr_more)
				   : "";

	analyze_story_evidence(analysis, story, "%s, which started %s, waits at %s%s%s",
		analyze_words_coro(analysis, parent), group->count == 1 ? "it" : "some of them",
		analyze_words_place(analysis, parent->wait_site), words_for_end(analysis, parent),
		more);
	analyze_story_party(analysis, story, group->parent, 0);
}

/* Did the coroutine start this one in its last run, and does this one wait since? */
static bool is_started_last(
	const struct model_coro *coro, uint32_t parent, const struct model_coro *child)
{
	return child->parent == parent && child->state == CT_STATE_WAITING &&
	       child->created != CT_NO_TIME && coro->resumed != CT_NO_TIME &&
	       child->created >= coro->resumed && child->created <= coro->suspended &&
	       child->suspended >= coro->suspended;
}

/* The only coroutine that this one started in its last run, if it lives, and waits; 0: none, or there are several. */
static uint32_t started_last(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t found = 0, i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		if (!is_started_last(&at[index], index, &at[i]))
			continue;
		if (found)
			return 0;
		found = i;
	}
	return found;
}

/*
 * Adds where the last of a chain waits, each of which started the next one just before it began to wait, as a
 * coroutine does that awaits a task.
 */
static void tell_started_last(struct analysis *analysis, uint32_t index, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t last = 0, next = index, steps = 0;
	const char *how;

	if (coro->state != CT_STATE_WAITING || !analyze_ties_may_be_for_end(coro) ||
		coro->rare->deadline != CT_NO_TIME)
		return;
	while (steps < TIES_GENERATIONS && (next = started_last(analysis, next)) != 0) {
		last = next;
		steps++;
	}
	if (!last)
		return;
	coro = &analysis->model->coros.at[last];
	how = steps == 1 ? "" : steps == 2 ? " by way of another" : " by way of others";
	analyze_story_evidence(analysis, story,
		"%s, which it had started just before%s, waits itself, at %s: it may wait for the "
		"end of that coroutine",
		analyze_words_coro(analysis, coro), how,
		analyze_words_place(analysis, coro->wait_site));
	analyze_story_party(analysis, story, last, 0);
}

void analyze_joins_tell(struct analysis *analysis, const struct group *group, struct story *story)
{
	uint32_t first = analysis->candidates.at[group->first].coro;

	if (group->descendant)
		analyze_story_evidence(analysis, story,
			"coroutine %" PRIu64
			", which another finding is about, was started by it: it "
			"may wait for the end of that coroutine",
			analysis->model->coros.at[group->descendant].id);
	else if (first && analysis->candidates.at[group->first].is_bare)
		tell_started_last(analysis, first, story);
	if (group->nr_parents)
		tell_parents(analysis, group, story);
}
