/* SPDX-License-Identifier: MIT */
/*
 * Coroutines left behind: a coroutine waits far longer than any other has waited at this place, or than coroutines
 * have lived that were started with it. What else must hold depends on what the trace has of the wait. If the trace
 * has nothing but the wait: other coroutines go on meanwhile, or many have gone on there since, and the coroutine is no
 * worker of a server without clients. If coroutines ended earlier waits there: none of them is left (analyze/wakers.h).
 * Otherwise: nothing but beats has moved since, or all its children have ended, as they had each time before it went on
 * (analyze/rounds.h).
 */
#include "analyze/asking.h"
#include "analyze/called_off.h"
#include "analyze/closed_groups.h"
#include "analyze/ended_taker.h"
#include "analyze/errands.h"
#include "analyze/fruitless.h"
#include "analyze/giver_circle.h"
#include "analyze/held.h"
#include "analyze/lock_circle.h"
#include "analyze/overlooked.h"
#include "analyze/own_wakers.h"
#include "analyze/resumers.h"
#include "analyze/rounds.h"
#include "analyze/runtime_words.h"
#include "analyze/same_locks.h"
#include "analyze/send_circle.h"
#include "analyze/spent.h"
#include "analyze/stopped_clock.h"
#include "analyze/unanswered.h"
#include "analyze/wakers.h"
#include "analyze/waking_threads.h"
#include "rules/left_behind.h"
#include "rules/parts.h"

#define LEAST_WAITS 10u /* fewer do not show how long such a wait takes */

bool rules_left_behind_outlasts(
	const struct analysis *analysis, const struct model_coro *coro, unsigned least)
{
	const struct histogram *waits = model_waits_at(analysis->model, coro->wait_site);

	return waits->count >= least &&
	       (uint64_t)analyze_waited_ns(analysis, coro) / TIMES_LONGER > waits->max;
}

bool rules_left_behind_is_longest(const struct analysis *analysis, const struct model_coro *coro)
{
	return rules_left_behind_outlasts(analysis, coro, 0);
}

/* ---------------------------------------------------------------- slow: others go on */

/* Do other coroutines still run as before? */
static bool do_others_go_on(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time last = analysis->model->processes[coro->process].last_run;

	return last != CT_NO_TIME && analysis->parties[coro->process].end - last <
					     analyze_waited_ns(analysis, coro) / TIMES_LONGER;
}

static bool has_outside(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct stillness *still = &analysis->stills[coro->process];

	return still->is_open_to_others || still->waits_for_network || still->waits_for_clients;
}

/* May others bring more work? Anybody may send datagrams, even if only the program itself has sent any so far. */
static bool may_get_work(const struct analysis *analysis, const struct model_coro *coro)
{
	return has_outside(analysis, coro) || analysis->stills[coro->process].hears_datagrams;
}

/* A server's workers come back for more, and have nothing to do while nobody asks for anything. */
static bool may_be_unemployed(const struct analysis *analysis, const struct model_coro *coro)
{
	return may_get_work(analysis, coro) && analyze_rounds_come_back(analysis, coro);
}

/* Has the trace nothing but the wait itself? On a stack, where who came last goes on first, others wait for long. */
static bool is_unexplained(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model, coro->wait_site);

	return !coro->wait_object && !coro->rare->descriptor && !coro->turns->nr_wakes &&
	       coro->nr_resumes && rules_left_behind_outlasts(analysis, coro, LEAST_WAITS) &&
	       times->nr_unwoken >= times->waits->count &&
	       times->nr_in_turn > times->waits->count / TIMES_LONGER;
}

/* Others go on; or their load is over, and many waits there had ended by then. */
static enum left_kind kind_of_slow(const struct analysis *analysis, const struct model_coro *coro)
{
	enum left_kind kind = KIND_NONE;

	if (coro->point != CTP_POINT_AWAIT || !is_unexplained(analysis, coro))
		return KIND_NONE;
	if (do_others_go_on(analysis, coro))
		kind = KIND_SLOW;
	else if (analyze_asking_was_passed(analysis, coro))
		kind = KIND_PASSED_BY;
	if (kind == KIND_NONE || analyze_party_may_have_gone_on(analysis, coro) ||
		may_be_unemployed(analysis, coro) ||
		analyze_runtime_words_say_sleep(analysis, coro))
		return KIND_NONE;
	return kind;
}

/* ---------------------------------------------------------------- forsaken, deserted, joining */

/* New coroutines from outside may bring what consumers wait for, but they release no lock, and make no room. */
static bool is_forsaken(const struct analysis *analysis, const struct model_coro *coro)
{
	if (may_get_work(analysis, coro) && analyze_wakers_come_back(analysis, coro) &&
		!analyze_wakers_want_lock(analysis, coro) &&
		!analyze_unanswered_is_for_room(analysis, coro))
		return false;
	return analyze_wakers_are_gone(analysis, coro, WAKERS_HABIT);
}

/* The same for a lock or permits that serve those first that wait last, where single waits are long. */
static bool is_in_silence(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_runtime_words_say_claim(analysis, coro) &&
	       !(may_get_work(analysis, coro) && analyze_wakers_come_back(analysis, coro)) &&
	       analyze_wakers_fell_silent(analysis, coro);
}

/* Is it in a circle of givers that will not go on by itself? Consumers may be idle if others may bring them work. */
static bool is_in_circle(const struct analysis *analysis, uint32_t lead)
{
	const struct model_coro *coro = &analysis->model->coros.at[lead];

	return lead && rules_left_behind_outlasts(analysis, coro, 0) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       (analyze_giver_circle_wants_stock(analysis, lead) ||
		       !may_be_unemployed(analysis, coro));
}

/* A consumer is not deserted: it waits for what the thread has yet to receive. */
static bool is_deserted(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_wakers_is_bound(analysis, coro) &&
	       !analyze_wakers_come_back(analysis, coro) &&
	       !analyze_rounds_come_back(analysis, coro) &&
	       analyze_waking_threads_are_gone(analysis, coro);
}

/*
 * Do all that ended such waits wait there themselves, and did the last one that was woken do nothing, and pass the
 * wake on to nobody? The wake may have been meant for another one.
 */
static bool is_in_vain(const struct analysis *analysis, const struct model_coro *coro)
{
	return !coro->rare->descriptor && !has_outside(analysis, coro) &&
	       analyze_fruitless_was_last(analysis, coro) &&
	       analyze_wakers_wait_there(analysis, coro);
}

/* If something outside is open, children's ends count only if the children wake those that wait for their end. */
static bool may_be_for_outside(const struct analysis *analysis, const struct model_coro *coro)
{
	return has_outside(analysis, coro) &&
	       (!coro->wait_object || !analyze_rounds_are_ended_by_children(analysis, coro));
}

/* Is the awaited object certainly inside the program, or is nothing outside open? */
static bool is_joining(const struct analysis *analysis, const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);
	ct_time since;

	if (kind == CTP_RESOURCE_CHANNEL || kind == CTP_RESOURCE_QUEUE || coro->rare->descriptor ||
		may_be_for_outside(analysis, coro))
		return false;
	return analyze_rounds_outlasts_ends(analysis, model_index(analysis->model, coro), &since) &&
	       analyze_stillness_lasts(analysis, coro->process, since);
}

/*
 * May others count on the end of this wait? The end of work that others do, a lock, and room to send come at once, if
 * they ever did; messages and notifies come as it happens. What is not recorded may be either: it counts if others
 * that came later went on, nothing outside is known, and coroutines do not come back for more.
 */
static bool is_claim(const struct analysis *analysis, const struct model_coro *coro)
{
	bool is_passed = analyze_overlooked_is_passed(analysis, coro);

	if (analyze_wait_is_for_ends(coro))
		return true;
	if (coro->wait_object)
		return is_passed && rules_left_in_lull_is_never_idle(analysis, coro);
	return is_passed && !coro->rare->descriptor && !may_be_unemployed(analysis, coro) &&
	       !has_outside(analysis, coro) && !analyze_wakers_come_back(analysis, coro);
}

/* ---------------------------------------------------------------- which kind */

static bool has_sent_in_vain(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time end = analysis->parties[coro->process].end;

	return analyze_errands_have_failed(analysis, coro) &&
	       !rules_left_in_lull_may_be_signalled(analysis, coro) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       !model_lost_between(analysis->model, coro->process, analysis->model->from, end) &&
	       analyze_party_is_at_work(analysis, coro->process, coro->suspended, end) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, end);
}

static enum left_kind kind_but_sent(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	ct_time end = analysis->parties[coro->process].end;
	uint32_t lead = analyze_giver_circle_of(analysis, model_index(model, coro));
	enum left_kind kind;

	if (!analyze_stillness_lasts(analysis, coro->process, coro->suspended))
		return KIND_NONE;
	if (analyze_runtime_words_send_to_nobody(analysis, coro))
		return KIND_NEVER;
	if (rules_left_behind_outlasts(analysis, coro, FEW_WAITS) &&
		analyze_held_is_kept(analysis, coro))
		return KIND_KEPT;
	if (analyze_held_is_at_work(analysis, coro))
		return KIND_NONE;
	kind = kind_of_slow(analysis, coro);
	if (kind != KIND_NONE)
		return kind;
	if (model_lost_between(model, coro->process, model->from, end) ||
		!analyze_party_is_at_work(analysis, coro->process, coro->suspended, end))
		return KIND_NONE;
	if (analyze_resumers_has_failed(analysis, coro))
		return KIND_UNRESUMED;
	if (coro->point != CTP_POINT_AWAIT)
		return rules_left_in_lull_kind(analysis, coro);
	if (rules_left_behind_outlasts(analysis, coro, FEW_WAITS) &&
		analyze_unanswered_taker(analysis, coro))
		return KIND_UNANSWERED;
	if (is_in_circle(analysis, lead))
		return &model->coros.at[lead] != coro                ? KIND_NONE
		       : analyze_giver_circle_is_own(analysis, lead) ? KIND_OWN
								     : KIND_GIVERS;
	if (analyze_called_off_is(analysis, coro))
		return KIND_CALLED_OFF;
	if (analyze_ended_taker_is(analysis, coro))
		return KIND_UNTAKEN;
	if (is_forsaken(analysis, coro))
		return KIND_FORSAKEN;
	if (is_in_silence(analysis, coro))
		return KIND_SILENT;
	if (analyze_spent_is(analysis, coro))
		return KIND_SPENT;
	if (is_in_vain(analysis, coro))
		return KIND_VAIN;
	if (is_deserted(analysis, coro))
		return KIND_DESERTED;
	if (analyze_lock_circle_is(analysis, coro))
		return KIND_HELD_UP;
	if (analyze_lock_circle_is_own(analysis, coro))
		return KIND_OWN_LOCK;
	if (analyze_same_locks_holder(analysis, coro))
		return KIND_CLAIMED;
	if (analyze_send_circle_is(analysis, coro))
		return KIND_CIRCLE;
	if (analyze_overlooked_is(analysis, coro) && is_claim(analysis, coro))
		return KIND_OVERLOOKED;
	if (analyze_ties_is_shutting_down(analysis, coro->process, end))
		return KIND_NONE;
	if (!may_get_work(analysis, coro) && analyze_overlooked_is_among_unserved(analysis, coro))
		return KIND_UNSERVED;
	if (!may_get_work(analysis, coro) && analyze_overlooked_is_left(analysis, coro))
		return KIND_OVERTAKEN;
	return is_joining(analysis, coro) ? KIND_JOINING : rules_left_in_lull_kind(analysis, coro);
}

/* Is it at a sleep that a timers' thread does not end, though all of it is recorded, and nobody ends the program? */
static bool has_stopped(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time end = analysis->parties[coro->process].end;

	return analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       analyze_stopped_clock_is(analysis, coro) &&
	       !model_lost_between(analysis->model, coro->process, analysis->model->from, end) &&
	       analyze_party_is_at_work(analysis, coro->process, coro->suspended, end) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, end);
}

/* Has its own waker ended, and can nobody outside bring anything instead? */
static bool is_widowed(const struct analysis *analysis, const struct model_coro *coro)
{
	return (!may_get_work(analysis, coro) || analyze_own_wakers_bring_others(analysis, coro)) &&
	       analyze_own_wakers_has_ended(analysis, coro);
}

static enum left_kind kind_of(const struct analysis *analysis, const struct model_coro *coro)
{
	enum left_kind kind = kind_but_sent(analysis, coro);

	if (kind == KIND_NONE && has_stopped(analysis, coro))
		return KIND_STOPPED;
	/* That says more than how long it has waited. */
	if ((kind == KIND_NONE || kind == KIND_STILL || kind == KIND_BEREFT) &&
		has_sent_in_vain(analysis, coro))
		return KIND_SENT;
	if (kind != KIND_NONE || !rules_left_behind_outlasts(analysis, coro, 1))
		return kind;
	return analyze_held_is_circle(analysis, coro)         ? KIND_AWAITED
	       : is_widowed(analysis, coro)                   ? KIND_WIDOWED
	       : analyze_asking_is_outlasting(analysis, coro) ? KIND_OUTLASTING
	       : analyze_asking_is_in_silence(analysis, coro) ? KIND_ASKED
							      : KIND_NONE;
}

bool rules_left_behind_is_facing(const struct analysis *analysis, const struct model_coro *coro)
{
	return kind_of(analysis, coro) == KIND_FACING;
}

bool rules_left_behind_is_forgotten(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_held_is_lost(analysis, coro) &&
	       !analyze_ties_is_shutting_down(
		       analysis, coro->process, analysis->parties[coro->process].end);
}

bool rules_left_behind_has_habit(const struct analysis *analysis, const struct model_coro *coro)
{
	return !analyze_ties_is_at_large(coro) &&
	       rules_left_behind_outlasts(analysis, coro, FEW_WAITS);
}

bool rules_left_behind_is(const struct analysis *analysis, const struct model_coro *coro)
{
	return kind_of(analysis, coro) != KIND_NONE;
}

const char *rules_left_behind_words(const struct analysis *analysis, const struct model_coro *coro)
{
	static const char *const words[] = {
#define X(NAME, what, words) [KIND_##NAME] = words,
#include "rules/left_kinds.def"
#undef X
	};

	return words[kind_of(analysis, coro)];
}

void rules_left_behind_tell(struct analysis *analysis, const struct model_coro *coro,
	struct story *story, struct ct_finding *finding)
{
	static const struct {
		enum left_kind kind;
		void (*tell)(struct analysis *, struct story *, const struct model_coro *);
	} tells[] = {
		{KIND_OVERLOOKED, analyze_overlooked_tell},
		{KIND_SILENT, analyze_wakers_tell_others},
		{KIND_SPENT, analyze_spent_tell},
		{KIND_VAIN, analyze_fruitless_tell_last},
		{KIND_STOPPED, analyze_stopped_clock_tell},
		{KIND_UNSERVED, analyze_overlooked_tell_unserved},
		{KIND_OVERTAKEN, analyze_overlooked_tell_overtaken},
		{KIND_SLOW, analyze_asking_tell_passed},
		{KIND_PASSED_BY, analyze_asking_tell_passed},
		{KIND_OUTLASTING, analyze_asking_tell},
		{KIND_ASKED, analyze_asking_tell},
		{KIND_PARTING, analyze_errands_tell_over},
		{KIND_LEFT, analyze_errands_tell_over},
		{KIND_UNRESUMED, analyze_resumers_tell},
		{KIND_MUTUAL, analyze_dependants_tell},
		{KIND_CLOSED, analyze_closed_group_tell},
	};
	enum left_kind kind = kind_of(analysis, coro);
	size_t i;

	for (i = 0; i < sizeof(tells) / sizeof(*tells); i++)
		if (tells[i].kind == kind)
			tells[i].tell(analysis, story, coro);
	if (kind == KIND_STOPPED)
		finding->next_step = rules_overdue_next_step;
	if (kind == KIND_JOINING)
		analyze_rounds_tell_ends(analysis, story, model_index(analysis->model, coro));
	if (kind == KIND_PASSED)
		analyze_rounds_tell_turns(analysis, story, model_index(analysis->model, coro));
}
