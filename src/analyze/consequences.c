/* SPDX-License-Identifier: MIT */
/*
 * Consequences, found by the last wake of each coroutine and by the last wake at the place where it waits.
 */
#include "analyze/asked.h"
#include "analyze/consequences.h"
#include "analyze/errands.h"
#include "analyze/giver_circle.h"
#include "analyze/kin_circle.h"
#include "analyze/lock_circle.h"
#include "analyze/odd_ones.h"
#include "analyze/partners.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/rounds.h"
#include "analyze/runtime_words.h"
#include "analyze/same_locks.h"
#include "analyze/send_circle.h"
#include "analyze/successors.h"
#include "analyze/waker_circle.h"
#include "analyze/wakers.h"

#define MEMBERS_ASKED 64u /* groups with more members hold nobody up */
#define COROS_ASKED 4096u /* all pairs of more coroutines would take too long to look at */
#define PLACES_TOLD 4u
#define STEPS 4u /* coroutines in a row that only wait for the next one */

/* ---------------------------------------------------------------- ranks */

static bool is_circle(const struct analysis *analysis, const struct candidate *candidate)
{
	const struct model_coro *coro = coro_at(analysis, candidate->coro);

	if (candidate->rule == CT_RULE_MUTEX_DEADLOCK || candidate->rule == CT_RULE_AWAIT_CYCLE)
		return true;
	return candidate->rule == CT_RULE_LOST_WAKEUP && coro->state == CT_STATE_WAITING &&
	       (analyze_giver_circle_of(analysis, candidate->coro) ||
		       analyze_kin_circle_any(analysis, coro) ||
		       analyze_waker_circle_of(analysis, coro) ||
		       analyze_lock_circle_joiner(analysis, coro) ||
		       analyze_lock_circle_is_own(analysis, coro) ||
		       analyze_same_locks_holder(analysis, coro) ||
		       analyze_send_circle_is(analysis, coro));
}

/* Has the one ended in vain that it had started for what it waits for? */
static bool has_failed_errand(const struct analysis *analysis, const struct candidate *candidate)
{
	return candidate->rule == CT_RULE_LOST_WAKEUP && candidate->coro &&
	       analyze_errands_have_failed(analysis, coro_at(analysis, candidate->coro));
}

static enum rank rank_of_wait(const struct analysis *analysis, const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	if (coro->state != CT_STATE_WAITING)
		return RANK_OTHER;
	if (!model_is_unnamed(coro->wait_object))
		return kind == CTP_RESOURCE_CHANNEL &&
				       analyze_runtime_words_say_send(analysis, coro)
			       ? RANK_CLAIM
			       : RANK_OTHER;
	if (analyze_ties_may_be_idle(analysis, coro))
		return RANK_IDLE;
	return kind == CTP_RESOURCE_LOCK || kind == CTP_RESOURCE_CHANNEL ? RANK_CLAIM : RANK_OTHER;
}

/* Does it wait for the next message, as it does again and again, and has perhaps nothing to do? */
static bool is_between_messages(const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && !model_is_unnamed(coro->wait_object) &&
	       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_CHANNEL &&
	       !analyze_runtime_words_say_send(analysis, coro) &&
	       !analyze_ties_object(analysis, coro)->givers.had_stock &&
	       analyze_rounds_come_back(analysis, coro);
}

static enum rank rank_of(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = analyze_group_first(analysis, group);
	uint32_t i;

	for (i = 0; i < group->count && i < MEMBERS_ASKED; i++)
		if (is_circle(analysis, &first[i]) || has_failed_errand(analysis, &first[i]))
			return RANK_CAUSE;
	if (first->rule != CT_RULE_LOST_WAKEUP)
		return RANK_OTHER;
	return first->is_bare && !first->has_story &&
			       is_between_messages(analysis, coro_at(analysis, first->coro))
		       ? RANK_IDLE
		       : rank_of_wait(analysis, coro_at(analysis, first->coro));
}

/* ---------------------------------------------------------------- who is held up */

/* Is this coroutine stuck together with this member: in its circle, or at a lock of the same type? */
static bool is_beside(
	const struct analysis *analysis, const struct model_coro *member, uint32_t index)
{
	const struct model_coro *coro = coro_at(analysis, index);

	if (coro->process != member->process || member->state != CT_STATE_WAITING)
		return false;
	return analyze_lock_circle_joiner(analysis, member) == index ||
	       analyze_same_locks_holder(analysis, member) == index ||
	       analyze_giver_circle_has(analysis, member, index) ||
	       analyze_kin_circle_any(analysis, member) == index ||
	       analyze_waker_circle_has(analysis, member, index) ||
	       (analyze_ties_is_for_untold_lock(member) && analyze_ties_is_for_untold_lock(coro) &&
		       analyze_same_locks_are_of_type(
			       analysis, member->wait_site, coro->wait_site));
}

/* Is this coroutine stuck with the group? */
static bool is_stuck_with(
	const struct analysis *analysis, const struct group *group, uint32_t index)
{
	uint32_t i;

	if (!index || coro_at(analysis, index)->state != CT_STATE_WAITING ||
		group->count > MEMBERS_ASKED)
		return false;
	if (analyze_group_has(analysis, group, index) || group->lacked_by == index)
		return true;
	for (i = 0; i < group->count; i++)
		if (is_beside(analysis,
			    coro_at(analysis, analyze_group_first(analysis, group)[i].coro), index))
			return true;
	return false;
}

/* One of those stuck with the group whom this coroutine woke last, as by a message that it sent; 0: none. */
static uint32_t taker_of(const struct analysis *analysis, const struct group *group, uint32_t index)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (coro_at(analysis, i)->turns->wake.coro == index &&
			is_stuck_with(analysis, group, i))
			return i;
	return 0;
}

static uint32_t upheld_by(
	const struct analysis *analysis, const struct group *group, uint32_t index, unsigned steps);

/* Is this coroutine stuck with the group, or held up by it? */
static bool is_held_up(
	const struct analysis *analysis, const struct group *group, uint32_t index, unsigned steps)
{
	return is_stuck_with(analysis, group, index) ||
	       (index && steps && upheld_by(analysis, group, index, steps - 1));
}

/* The one that ended the last wait where this one waits, or does so since that one has ended; 0: none. */
static uint32_t ender_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);

	return relay ? analyze_successors_of(analysis, relay->last.coro) : 0;
}

/* One that waits for the end of others waits for those that it started, rather than they for it. */
static bool joins(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && analyze_wait_is_for_ends(coro);
}

/*
 * The one that started this coroutine, or one of those that have woken it, that is held up, if all of the latter that
 * live wait; 0: none.
 */
static uint32_t partner_of(
	const struct analysis *analysis, const struct group *group, uint32_t index, unsigned steps)
{
	uint32_t partner = 0, next;
	unsigned at = 0;

	if (rank_of_wait(analysis, coro_at(analysis, index)) != RANK_IDLE)
		return 0;
	while ((next = analyze_partners_next(analysis, index, &at)) != 0) {
		if (!analyze_wakers_is_bound(analysis, coro_at(analysis, next)))
			return 0;
		if (!partner && is_held_up(analysis, group, next, steps))
			partner = next;
	}
	next = coro_at(analysis, index)->parent;
	return !joins(coro_at(analysis, next)) && is_held_up(analysis, group, next, steps)
		       ? next
		       : partner;
}

/*
 * The first one that is held up of these: the coroutine that ended the last wait where this one waits, that woke it
 * last, that it had woken before its wait, that has ever woken it; or, if it waits to send, that took the last that it
 * sent. 0: none.
 */
static uint32_t upheld_by(
	const struct analysis *analysis, const struct group *group, uint32_t index, unsigned steps)
{
	const struct model_coro *coro = coro_at(analysis, index);
	enum rank rank = rank_of_wait(analysis, coro);
	uint32_t by;

	if (rank <= group->rank || !analyze_wakers_is_bound(analysis, coro) ||
		is_stuck_with(analysis, group, index))
		return 0;
	by = ender_of(analysis, coro);
	if (!analyze_ties_is_for_untold_lock(coro) && is_held_up(analysis, group, by, steps))
		return by;
	if (rank == RANK_CLAIM)
		return taker_of(analysis, group, index);
	by = coro->turns->wake.coro;
	if (is_held_up(analysis, group, by, steps))
		return by;
	by = analyze_asked_whom(analysis, coro);
	if (is_held_up(analysis, group, by, steps))
		return by;
	return partner_of(analysis, group, index, steps);
}

/*
 * Does the group hold up every member of the other one? If such waits are usual in idle programs, over half suffice:
 * the rest may wait for those that have ended.
 */
static bool holds_up(
	const struct analysis *analysis, const struct group *group, const struct group *other)
{
	const struct candidate *at = analyze_group_first(analysis, other);
	uint32_t nr_upheld = 0, i;

	if (group->rank >= other->rank || group->rank > RANK_CLAIM ||
		analyze_group_first(analysis, group)->grade < at->grade ||
		other->count > MEMBERS_ASKED)
		return false;
	for (i = 0; i < other->count; i++) {
		if (!at[i].coro || !at[i].is_bare)
			return false;
		nr_upheld += upheld_by(analysis, group, at[i].coro, STEPS) != 0;
	}
	return nr_upheld == other->count ||
	       (other->rank == RANK_IDLE && nr_upheld > other->count / 2);
}

static bool is_consequence(const struct analysis *analysis, const struct group *group)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++)
		if (holds_up(analysis, &analysis->groups.at[i], group))
			return true;
	return false;
}

static void take_rank(const struct analysis *analysis, struct group *group)
{
	const struct candidate *first = analyze_group_first(analysis, group);
	const struct provenance_relay *relay =
		first->coro ? analyze_provenance_relay(analysis, coro_at(analysis, first->coro))
			    : NULL;

	if (analysis->model->coros.count <= COROS_ASKED)
		group->lacked_by = analyze_odd_ones_before(analysis, group);
	group->rank = group->lacked_by ? RANK_CAUSE : rank_of(analysis, group);
	if (group->rank == RANK_CAUSE && relay)
		group->nr_ended = relay->nr_woken;
}

/* Those that are done wait for the odd one, and are in no circle of their own. */
static void leave_to_odd_one(const struct analysis *analysis, struct group *group)
{
	const struct model_coro *coro =
		coro_at(analysis, analyze_group_first(analysis, group)->coro);
	uint32_t next = group->rank == RANK_CAUSE && !group->lacked_by
				? analyze_kin_circle_of(analysis, coro)
				: 0;
	size_t i;

	for (i = 0; next && i < analysis->groups.count; i++)
		if (analysis->groups.at[i].lacked_by == next)
			group->rank = rank_of_wait(analysis, coro);
}

void analyze_consequences_survey(struct analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++)
		take_rank(analysis, &analysis->groups.at[i]);
	for (i = 0; i < analysis->groups.count; i++)
		leave_to_odd_one(analysis, &analysis->groups.at[i]);
	if (analysis->groups.count > 1 && analysis->model->coros.count <= COROS_ASKED)
		analyze_groups_fold(analysis, is_consequence);
}

/* ---------------------------------------------------------------- the evidence */

/* Those that are held up at one place. */
struct row {
	uint32_t site;
	uint32_t count;
	/* the first one, and who holds it up */
	uint32_t first, by;
};

static bool has_group(const struct analysis *analysis, uint32_t index)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++)
		if (analyze_group_has(analysis, &analysis->groups.at[i], index))
			return true;
	return false;
}

static void count_row(
	const struct analysis *analysis, struct row rows[PLACES_TOLD], uint32_t index, uint32_t by)
{
	const struct model_coro *coro = coro_at(analysis, index);
	unsigned i;

	for (i = 0; i < PLACES_TOLD && rows[i].count && rows[i].site != coro->wait_site; i++)
		;
	if (i == PLACES_TOLD)
		return;
	if (!rows[i].count++) {
		rows[i].site = coro->wait_site;
		rows[i].first = index;
		rows[i].by = by;
	}
}

static const char *words_by(const struct analysis *analysis, const struct row *row)
{
	const struct model_coro *coro = coro_at(analysis, row->first);
	const struct provenance_relay *relay = analyze_provenance_relay(analysis, coro);

	if (coro->turns->wake.coro == row->by)
		return row->count == 1 ? "which woke it last" : "which woke one of them last";
	if (relay && relay->last.coro == row->by)
		return "which ended the last wait there";
	if (relay && analyze_successors_of(analysis, relay->last.coro) == row->by)
		return "started where the one was that ended the last wait there";
	if (analyze_asked_whom(analysis, coro) == row->by)
		return row->count == 1 ? "which it had woken before"
				       : "which one of them had woken before";
	if (rank_of_wait(analysis, coro) == RANK_CLAIM)
		return "which took what it had sent last";
	if (coro->parent == row->by)
		return row->count == 1 ? "which started it" : "which started one of them";
	return row->count == 1 ? "which has woken it before" : "which has woken one of them before";
}

void analyze_consequences_tell(
	struct analysis *analysis, const struct group *group, struct story *story)
{
	struct row rows[PLACES_TOLD] = {0};
	uint32_t i;

	if (group->count > MEMBERS_ASKED || analysis->model->coros.count > COROS_ASKED ||
		analyze_giver_circle_of(analysis, analyze_group_first(analysis, group)->coro))
		return;
	for (i = 1; group->rank <= RANK_CLAIM && i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = coro_at(analysis, i);
		uint32_t by = coro->process == analyze_group_first(analysis, group)->process
				      ? upheld_by(analysis, group, i, STEPS)
				      : 0;

		if (by && !has_group(analysis, i))
			count_row(analysis, rows, i, by);
	}
	for (i = 0; i < PLACES_TOLD && rows[i].count; i++)
		analyze_story_evidence(analysis, story,
			"%s %s at %s, as a consequence, perhaps: %s, %s, is held up itself, at %s",
			analyze_words_number(analysis, rows[i].count),
			rows[i].count == 1 ? "coroutine waits" : "coroutines wait",
			analyze_words_place(analysis, rows[i].site),
			analyze_words_coro(analysis, coro_at(analysis, rows[i].by)),
			words_by(analysis, &rows[i]),
			analyze_words_place(analysis, coro_at(analysis, rows[i].by)->wait_site));
}
