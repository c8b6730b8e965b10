/* SPDX-License-Identifier: MIT */
/*
 * Left in a lull (left_behind.h): nothing but beats has moved since the coroutine began to wait, and what it waits for
 * speaks against its going on. What may still come is asked in each case: a signal, a client, a sleeper's message.
 */
#include "analyze/closed_groups.h"
#include "analyze/errands.h"
#include "analyze/facing.h"
#include "analyze/rounds.h"
#include "analyze/runtime_words.h"
#include "analyze/wakers.h"
#include "rules/left_behind.h"
#include "rules/parts.h"

bool rules_left_in_lull_is_never_idle(
	const struct analysis *analysis, const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	return (kind == CTP_RESOURCE_LOCK || kind == CTP_RESOURCE_CHANNEL) &&
	       model_is_unnamed(coro->wait_object) && !analyze_ties_may_be_idle(analysis, coro);
}

/* Have at least two coroutines that were started at the same site ended, each within a tenth of its time? */
static bool is_last(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model, coro->spawn_site);
	const struct histogram *lives = model_histogram(times ? times->lives : NULL);

	return coro->spawn_site && coro->created != CT_NO_TIME && lives->count >= 2 &&
	       (uint64_t)(analysis->parties[coro->process].end - coro->created) / TIMES_LONGER >
		       lives->max;
}

/* A consumer waits for long if a signal, or something unrecorded, brings it work. */
static bool may_be_consumer(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_rounds_come_back(analysis, coro) &&
	       (!analysis->parties[coro->process].was_looked_at ||
		       model_process_is_reachable(&analysis->model->processes[coro->process]));
}

/* May this coroutine be waiting for a signal? A signal reaches a goroutine as a message. */
static bool may_hear_signal(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_rounds_lull(analysis, coro->process)->may_bring_signal &&
	       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_CHANNEL;
}

bool rules_left_in_lull_may_be_signalled(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return may_hear_signal(analysis, coro) &&
	       analyze_runtime_words_is(analysis, coro, GO_WORD_SELECT);
}

/*
 * Have all gone that the coroutine waits for: its children, while it is the last one or waits for ends? If a timer
 * ended its waits there before, a timer may do so again.
 */
static bool is_parting(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct lull *lull = analyze_rounds_lull(analysis, coro->process);
	uint32_t index = model_index(analysis->model, coro);

	return !may_hear_signal(analysis, coro) && rules_left_behind_outlasts(analysis, coro, 0) &&
	       (analyze_rounds_has_nobody_left(analysis, index) ||
		       analyze_errands_are_over(analysis, coro) ||
		       (lull->nr_waiting == 1 && model_is_unnamed(coro->wait_object) &&
			       analyze_rounds_has_lost_the_last(analysis, index)));
}

/*
 * Does it wait for the end of others, and have those ended that the waiting function started? Others may live, such as
 * a clock that was started elsewhere.
 */
static bool is_left(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_wait_is_for_ends(coro) && rules_left_behind_outlasts(analysis, coro, 0) &&
	       analyze_errands_are_over_there(analysis, coro);
}

static bool is_asking(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_wakers_were_its_own(analysis, coro) &&
	       !rules_left_in_lull_may_be_signalled(analysis, coro);
}

/* New coroutines from the network release no lock, and are none of those that are joined. */
static enum left_kind kind_at_acceptor(
	const struct analysis *analysis, const struct model_coro *coro)
{
	if (analyze_wait_is_for_ends(coro) && is_parting(analysis, coro))
		return KIND_PARTING;
	if (is_left(analysis, coro))
		return KIND_LEFT;
	return analyze_rounds_is_left_alone(analysis, model_index(analysis->model, coro))
		       ? KIND_ALONE
		       : KIND_NONE;
}

/*
 * Without beats this is a standstill, unless the program's end hides that. The rule standstill finds no waits for
 * unnamed objects.
 */
static bool is_standstill(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_rounds_lull(analysis, coro->process)->from >=
		       analysis->stills[coro->process].moment &&
	       !model_is_unnamed(coro->wait_object);
}

/*
 * Do all living coroutines wait for a lock, a condition or the end of others? A signal does not end such waits, and
 * no timer has ended one so far. Coroutines that wait for ends wait for the others, none of which is a beat.
 */
static bool is_locked_in(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct lull *lull = analyze_rounds_lull(analysis, coro->process);

	return !lull->nr_hearing && model_is_unnamed(coro->wait_object) &&
	       rules_left_behind_outlasts(analysis, coro, 0) &&
	       !analyze_wakers_come_anew(analysis, coro) &&
	       (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_CONDITION ||
		       (lull->nr_joining == lull->nr_waiting && !lull->has_joined_beat));
}

/* A wait for a condition counts even if no wait there is over; other waits count only if at least one is over. */
static bool is_stuck_member(
	const struct analysis *analysis, const struct model_coro *coro, bool *ret_is_bound)
{
	*ret_is_bound |= CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_CONDITION;
	return rules_left_behind_outlasts(analysis, coro, 1) ||
	       (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_CONDITION &&
		       rules_left_behind_outlasts(analysis, coro, 0));
}

/*
 * Is this the member of a closed group that began to wait first, and does a member wait for a condition? A message
 * could come from anywhere; a condition is no message.
 */
static bool is_closed_in(const struct analysis *analysis, const struct model_coro *coro)
{
	struct closed_group group = analyze_closed_group_of(analysis, coro);
	bool is_bound = false;
	unsigned i;

	for (i = 0; i < group.count; i++) {
		const struct model_coro *member = &analysis->model->coros.at[group.members[i]];

		if (member->suspended < coro->suspended ||
			!is_stuck_member(analysis, member, &is_bound))
			return false;
	}
	return is_bound;
}

/*
 * Does it wait for the end of others, and do all others, except beats, wait for what only it has ever brought them? No
 * signal may come to any of them.
 */
static bool is_mutual(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct lull *lull = analyze_rounds_lull(analysis, coro->process);
	uint32_t count;

	if (!analyze_wait_is_for_ends(coro) || lull->may_bring_signal ||
		!rules_left_behind_outlasts(analysis, coro, 0) ||
		analyze_rounds_nr_children(analysis, model_index(analysis->model, coro)) + 1 <
			lull->nr_waiting)
		return false;
	count = analyze_dependants_of(analysis, coro).count;
	return count && count + 1 == lull->nr_waiting;
}

static enum left_kind kind_of_wait(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct lull *lull = analyze_rounds_lull(analysis, coro->process);

	if (lull->from == CT_NO_TIME || coro->suspended > lull->from ||
		is_standstill(analysis, coro))
		return KIND_NONE;
	if (analyze_facing_is(analysis, coro))
		return KIND_FACING;
	/* A sleeper may bring a message, or release a lock, unless such waits ended beside its sleep. */
	if (lull->sleeps_from != CT_NO_TIME && !analyze_rounds_ends_beside_sleepers(analysis, coro))
		return KIND_NONE;
	if (rules_left_in_lull_is_never_idle(analysis, coro))
		return KIND_STUCK;
	if (rules_told_before_is(analysis, coro))
		return KIND_TOLD;
	if (lull->has_acceptor)
		return kind_at_acceptor(analysis, coro);
	if (rules_left_behind_outlasts(analysis, coro, 1) &&
		!(analyze_rounds_come_back(analysis, coro) &&
			(may_be_consumer(analysis, coro) ||
				analysis->stills[coro->process].hears_datagrams ||
				!rules_left_behind_outlasts(analysis, coro, FEW_WAITS))))
		return analyze_wakers_are_gone(analysis, coro, 1) ? KIND_BEREFT : KIND_STILL;
	if (is_closed_in(analysis, coro))
		return KIND_CLOSED;
	if (is_mutual(analysis, coro))
		return KIND_MUTUAL;
	if (is_last(analysis, coro) && !may_hear_signal(analysis, coro))
		return KIND_LAST;
	/* A listener is open, to which only the process itself has connected: new clients may come. */
	if (analysis->stills[coro->process].outside_descriptor)
		return kind_at_acceptor(analysis, coro);
	if (is_parting(analysis, coro))
		return KIND_PARTING;
	if (is_left(analysis, coro))
		return KIND_LEFT;
	if (analyze_rounds_is_left_alone(analysis, model_index(analysis->model, coro)))
		return KIND_ALONE;
	if (is_asking(analysis, coro))
		return KIND_ASKING;
	if (model_is_unnamed(coro->wait_object) && analyze_wakers_are_all_gone(analysis, coro))
		return KIND_FORSAKEN;
	return is_locked_in(analysis, coro) ? KIND_STUCK : KIND_NONE;
}

/*
 * A yield counts as a wait only if the coroutine was passed over. If sleeps also end at this place, because
 * everything goes through one scheduler call, or if beats wait there, only a coroutine that came back again and again
 * has a habit.
 */
static bool is_forgotten(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro);

	if (!analyze_rounds_is_passed_over(analysis, index))
		return false;
	if (analyze_rounds_has_beat(analysis, coro))
		return analyze_rounds_is_overdue(analysis, index);
	return rules_left_behind_outlasts(analysis, coro, FEW_WAITS) &&
	       !analyze_rounds_come_back(analysis, coro);
}

static enum left_kind kind_of_yield(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct lull *lull = analyze_rounds_lull(analysis, coro->process);
	bool is_in_lull = lull->from != CT_NO_TIME && lull->sleeps_from == CT_NO_TIME &&
			  coro->suspended <= lull->from;

	return is_in_lull && is_forgotten(analysis, coro) ? KIND_PASSED : KIND_NONE;
}

enum left_kind rules_left_in_lull_kind(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return coro->point == CTP_POINT_AWAIT ? kind_of_wait(analysis, coro)
					      : kind_of_yield(analysis, coro);
}
