/* SPDX-License-Identifier: MIT */
/*
 * Circles over an unnamed lock (lock_circle.h).
 */

#include "analyze/lock_circle.h"
#include "analyze/parts.h"
#include "analyze/same_locks.h"
#include "analyze/stillness.h"
#include "say/say.h"

#define MEMBERS_ASKED 64u /* groups with more members are kept */

/* The site of the wait, by whose stack it is known from which calls it came. */
static uint32_t site_of(const struct model_coro *coro)
{
	return coro->rare->wait_call ? coro->rare->wait_call : coro->wait_site;
}

/* ---------------------------------------------------------------- the other side */

/* Does this coroutine wait for the end of others in a method of the type in whose method the waiter is? */
static bool joins(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_coro *waiter)
{
	return coro->state == CT_STATE_WAITING && analyze_wait_is_for_ends(coro) &&
	       analyze_same_locks_are_of_type(analysis, site_of(waiter), coro->wait_site) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended);
}

uint32_t analyze_lock_circle_joiner(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t index = coro->parent, steps;

	if (coro->state != CT_STATE_WAITING || !analyze_ties_is_for_untold_lock(coro))
		return 0;
	for (steps = 0; index && steps < TIES_GENERATIONS; steps++) {
		if (joins(analysis, &at[index], coro))
			return index;
		index = at[index].parent;
	}
	return 0;
}

bool analyze_lock_circle_is(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_lock_circle_joiner(analysis, coro) != 0;
}

/* ---------------------------------------------------------------- the same coroutine */

/*
 * Calls around a wait: a method of the type in which it waits, and what that calls of something else: a callback, which
 * may have been called with the lock held. Indices into ct_tables.stacks; 0: none.
 */
struct calls {
	uint32_t outer;
	uint32_t between;
};

static struct calls calls_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_tables *tables = analysis->tables;
	uint32_t row = say_peek_site(tables, site_of(coro))->stack;
	struct calls calls = {0};
	bool is_inside = false;

	for (row = row < tables->nr_stacks ? row : 0; row; row = tables->stacks[row].caller) {
		bool is_method = analyze_same_locks_are_of_type(
			analysis, site_of(coro), tables->stacks[row].site);

		if (is_method && calls.between) {
			calls.outer = row;
			break;
		}
		is_inside |= is_method;
		if (is_inside && !is_method)
			calls.between = row;
	}
	return calls;
}

bool analyze_lock_circle_is_own(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t i;

	if (coro->state != CT_STATE_WAITING || !analyze_ties_is_for_untold_lock(coro))
		return false;
	if (!calls_of(analysis, coro).outer)
		return analyze_same_locks_twice(analysis, coro) != 0;
	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *other = &analysis->model->coros.at[i];

		if (other != coro && other->process == coro->process &&
			other->state == CT_STATE_WAITING &&
			analyze_ties_is_for_untold_lock(other) &&
			other->suspended > coro->resumed &&
			analyze_same_locks_are_of_type(analysis, site_of(coro), site_of(other)))
			return true;
	}
	return false;
}

bool analyze_lock_circle_leaves_bare(
	const struct analysis *analysis, const struct candidate *candidate)
{
	return candidate->is_bare &&
	       !analyze_lock_circle_is_own(analysis, &analysis->model->coros.at[candidate->coro]);
}

/* ---------------------------------------------------------------- folding */

/* Is a member of this group the lock's side of a circle whose other side is this coroutine, or started it? */
static bool holds_up(const struct analysis *analysis, const struct group *group, uint32_t index)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t i, joiner;

	for (i = 0; i < group->count && i < MEMBERS_ASKED; i++) {
		uint32_t coro = analysis->candidates.at[group->first + i].coro;

		joiner = coro ? analyze_lock_circle_joiner(analysis, &at[coro]) : 0;
		if (joiner && (joiner == index || at[index].parent == joiner))
			return true;
	}
	return false;
}

static bool is_held_up(const struct analysis *analysis, const struct group *group, uint32_t index)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++)
		if (&analysis->groups.at[i] != group &&
			holds_up(analysis, &analysis->groups.at[i], index))
			return true;
	return false;
}

static bool is_consequence(const struct analysis *analysis, const struct group *group)
{
	uint32_t i;

	if (group->count > MEMBERS_ASKED)
		return false;
	for (i = 0; i < group->count; i++) {
		const struct candidate *candidate = &analysis->candidates.at[group->first + i];

		if (!candidate->coro || candidate->rule != CT_RULE_LOST_WAKEUP ||
			candidate->grade != CT_GRADE_SUSPECT ||
			analyze_lock_circle_joiner(
				analysis, &analysis->model->coros.at[candidate->coro]) ||
			!is_held_up(analysis, group, candidate->coro))
			return false;
	}
	return group->count > 0;
}

void analyze_lock_circle_survey(struct analysis *analysis)
{
	analyze_groups_fold(analysis, is_consequence);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_joiner(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = analyze_lock_circle_joiner(analysis, coro);
	const struct model_coro *joiner = &analysis->model->coros.at[index];

	if (!index)
		return;
	analyze_story_evidence(analysis, story,
		"%s, from which it comes, waits for the end of others since %s, at %s, in a method "
		"of the same type, and may have that lock: a circle",
		analyze_words_coro(analysis, joiner),
		analyze_words_time(analysis, joiner->suspended),
		analyze_words_place(analysis, joiner->wait_site));
	analyze_story_party(analysis, story, index, 0);
}

static void tell_outer(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct ct_stack *stacks = analysis->tables->stacks;
	struct calls calls = calls_of(analysis, coro);

	if (!calls.outer) {
		uint32_t call = analyze_same_locks_twice(analysis, coro);

		if (call)
			analyze_story_evidence(analysis, story,
				"this wait was called from %s, behind a line of that function at "
				"which others wait for the lock, and nobody else is known to have "
				"it: all that are in methods of the type wait for it",
				analyze_words_place(analysis, call));
		return;
	}
	analyze_story_evidence(analysis, story,
		"this wait was called by way of %s, from %s, in a method of the same type: the "
		"coroutine may have that lock itself",
		analyze_words_place(analysis, stacks[calls.between].site),
		analyze_words_place(analysis, stacks[calls.outer].site));
}

void analyze_lock_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	if (coro->state != CT_STATE_WAITING || !analyze_ties_is_for_untold_lock(coro))
		return;
	tell_outer(analysis, story, coro);
	tell_joiner(analysis, story, coro);
}
