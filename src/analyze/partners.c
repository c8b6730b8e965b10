/* SPDX-License-Identifier: MIT */
/*
 * Partners, by their ids. The one that woke a coroutine least often makes room for a new one.
 */
#include <inttypes.h>

#include "analyze/lock_circle.h"
#include "analyze/pairs.h"
#include "analyze/parts.h"
#include "analyze/partners.h"
#include "analyze/provenance.h"
#include "analyze/waker_circle.h"
#include "analyze/wakers.h"

#define PARTNERS 6u
#define LEAST_EACH 2u

struct partner {
	uint64_t id;
	uint32_t count;
};

struct of_coro {
	struct partner at[PARTNERS];
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static struct partner *partner_in(struct of_coro *of, uint64_t id)
{
	struct partner *least = &of->at[0];
	unsigned i;

	for (i = 0; i < PARTNERS; i++) {
		if (of->at[i].id == id)
			return &of->at[i];
		if (of->at[i].count < least->count)
			least = &of->at[i];
	}
	*least = (struct partner){.id = id};
	return least;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of;

	if (!sight->by || sight->by == sight->coro || !model_is_awaiting(coro))
		return true;
	of = model_watch_rare(watch, sight->coro);
	partner_in(of, watch->model->coros.at[sight->by].id)->count++;
	return true;
}

const struct model_watcher analyze_partners_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(const struct analysis *analysis, uint32_t coro)
{
	return model_watch_rare(analyze_watch_by(analysis, &analyze_partners_watcher), coro);
}

/* How often did the coroutine with this id wake `coro`, as far as is known? */
static uint32_t count_wakes(const struct analysis *analysis, uint32_t coro, uint64_t id)
{
	const struct of_coro *of = record_of(analysis, coro);
	unsigned i;

	for (i = 0; i < PARTNERS; i++)
		if (of->at[i].id == id)
			return of->at[i].count;
	return 0;
}

/*
 * The coroutine in this place of the partners of `coro`, if both wait, for as long as what stands still lasts, and have
 * woken each other; 0: it is none.
 */
static uint32_t partner_at(const struct analysis *analysis, uint32_t coro, unsigned i)
{
	const struct model_coro *at = analysis->model->coros.at;
	const struct partner *partner = &record_of(analysis, coro)->at[i];
	uint32_t other;

	if (partner->count < LEAST_EACH || !analyze_wakers_is_bound(analysis, &at[coro]))
		return 0;
	other = model_find(analysis->model, at[coro].process, partner->id);
	return other && other != coro && analyze_wakers_is_bound(analysis, &at[other]) &&
			       analyze_stillness_lasts(
				       analysis, at[other].process, at[other].suspended) &&
			       count_wakes(analysis, other, at[coro].id) >= LEAST_EACH
		       ? other
		       : 0;
}

bool analyze_partners_are(const struct analysis *analysis, uint32_t coro, uint32_t other)
{
	unsigned i;

	for (i = 0; i < PARTNERS; i++)
		if (partner_at(analysis, coro, i) == other)
			return true;
	return false;
}

uint32_t analyze_partners_next(const struct analysis *analysis, uint32_t coro, unsigned *at)
{
	const struct of_coro *of = record_of(analysis, coro);
	const struct model_coro *coros = analysis->model->coros.at;
	uint32_t found = 0;

	while (!found && *at < PARTNERS) {
		found = model_find(analysis->model, coros[coro].process, of->at[(*at)++].id);
		if (coros[found].state >= CT_STATE_DONE)
			found = 0;
	}
	return found;
}

/* ---------------------------------------------------------------- folding groups */

/* The only member of the group, if nothing but its wait was found; 0: the group has more. */
static uint32_t only_wait_of(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = analyze_group_first(analysis, group);

	return group->count == 1 && analyze_lock_circle_leaves_bare(analysis, first) ? first->coro
										     : 0;
}

static bool stands_for(
	const struct analysis *analysis, const struct group *other, const struct group *group)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t coro = only_wait_of(analysis, group), before = only_wait_of(analysis, other);

	return other != group && before && analyze_partners_are(analysis, before, coro) &&
	       analyze_group_first(analysis, other)->grade ==
		       analyze_group_first(analysis, group)->grade &&
	       analyze_group_first(analysis, other)->rule ==
		       analyze_group_first(analysis, group)->rule &&
	       (!group->nr_parents || group->parent == other->parent) &&
	       analyze_pairs_goes_first(&at[before], &at[coro]);
}

static bool is_second(const struct analysis *analysis, const struct group *group)
{
	size_t i;

	if (!only_wait_of(analysis, group))
		return false;
	for (i = 0; i < analysis->groups.count; i++)
		if (stands_for(analysis, &analysis->groups.at[i], group))
			return true;
	return false;
}

void analyze_partners_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_second);
}

/* ---------------------------------------------------------------- the evidence */

/* Has `coro` run since the last wake between the two, which came from `other`? Then its turn to wake has passed. */
static bool has_missed_turn(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *other)
{
	const struct model_waking wake = model_wake_last(coro), back = model_wake_last(other);

	return wake.time != CT_NO_TIME && &analysis->model->coros.at[wake.coro] == other &&
	       coro->resumed >= wake.time && back.time != CT_NO_TIME && back.time < wake.time;
}

static const char *words_turn(
	struct analysis *analysis, const struct model_coro *coro, const struct model_coro *other)
{
	bool is_own = has_missed_turn(analysis, coro, other);

	if (!is_own && !has_missed_turn(analysis, other, coro))
		return "";
	return analyze_say(analysis,
		"; the last wake between them was for %s, which ran after it, and did not wake %s",
		is_own ? "this one" : analyze_words_coro(analysis, other),
		is_own ? analyze_words_coro(analysis, other) : "this one");
}

static void tell_partners(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t index = analyze_group_first(analysis, group)->coro;
	unsigned i;

	for (i = 0; i < PARTNERS; i++) {
		uint32_t other = partner_at(analysis, index, i);

		if (!other || analyze_group_has(analysis, group, other) ||
			analyze_pairs_other(analysis, &at[index]) == other ||
			analyze_waker_circle_has(analysis, &at[index], other))
			continue;
		analyze_story_evidence(analysis, story,
			"%s, which waits since %s at %s, and this one have woken each other, "
			"%" PRIu32 " and %" PRIu32 " times: they may wait for each other%s",
			analyze_words_coro(analysis, &at[other]),
			analyze_words_time(analysis, at[other].suspended),
			analyze_words_place(analysis, at[other].wait_site),
			count_wakes(analysis, index, at[other].id),
			count_wakes(analysis, other, at[index].id),
			words_turn(analysis, &at[index], &at[other]));
		analyze_story_party(analysis, story, other, 0);
	}
}

/* The one that was woken last at this place, and has ended since: had it woken members of the group before? */
static void tell_ended(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *at = analyze_group_first(analysis, group);
	const struct model_coro *coros = analysis->model->coros.at;
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, &coros[at->coro]);
	uint32_t nr_wakes = 0, nr_members = 0, i;

	if (!relay || !relay->whom || coros[relay->whom].state < CT_STATE_DONE)
		return;
	for (i = 0; i < group->count; i++) {
		uint32_t count = count_wakes(analysis, at[i].coro, coros[relay->whom].id);

		nr_wakes += count;
		nr_members += count > 0;
	}
	if (nr_members == group->count)
		analyze_story_evidence(analysis, story,
			"coroutine %" PRIu64 ", which has ended, had woken %s before, %" PRIu32
			" times in all",
			coros[relay->whom].id, group->count == 1 ? "this one" : "each of them",
			nr_wakes);
}

void analyze_partners_tell(
	struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = analyze_group_first(analysis, group);

	if (first->rule != CT_RULE_LOST_WAKEUP ||
		analysis->model->coros.at[first->coro].state != CT_STATE_WAITING)
		return;
	tell_partners(analysis, group, story);
	tell_ended(analysis, group, story);
}
