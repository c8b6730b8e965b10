/* SPDX-License-Identifier: MIT */
/*
 * Provenance, in words: for whom the last wake at a place was, and what became of that one.
 */
#include <inttypes.h>

#include "analyze/fruitless.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"

/* A lock goes to the coroutine that was woken for it, and its release wakes the next one that waits. */
static const char *words_kept(const struct provenance_relay *relay, const struct model_coro *coro)
{
	return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK &&
			       coro->suspended < relay->lost_time
		       ? ": it may have kept the lock"
		       : "";
}

/* Whom one that "woke nobody there" did wake; "" if it woke nobody at all. */
static const char *words_elsewhere(
	struct analysis *analysis, const struct provenance_relay *relay, bool is_habit)
{
	return relay->elsewhere && !is_habit
		       ? analyze_say(analysis, ", but coroutine %" PRIu64 ", which waited at %s",
				 relay->elsewhere,
				 analyze_words_place(analysis, relay->elsewhere_site))
		       : "";
}

const char *analyze_provenance_words_whom(struct analysis *analysis,
	const struct provenance_relay *relay, const struct model_coro *coro)
{
	const struct model_coro *whom = &analysis->model->coros.at[relay->whom];
	const char *who = analyze_words_coro(analysis, whom);
	bool is_habit = analyze_provenance_is_passed_on(analysis, relay);

	if (relay->lost && (is_habit || !whom->is_presumed_done))
		return analyze_say(analysis, "%s, which %s %s later and %s%s%s", who,
			analyze_words_how_ended(analysis, whom->process, whom->id),
			analyze_words_duration(analysis, relay->lost_time - relay->last.time),
			is_habit ? "passed it on to nobody" : "woke nobody there",
			words_elsewhere(analysis, relay, is_habit), words_kept(relay, coro));
	if (whom->state >= CT_STATE_DONE && !whom->is_presumed_done)
		return analyze_say(
			analysis, "%s, which %s", who, analyze_words_ended(analysis, whom));
	if (relay->last.time >= coro->suspended && whom->wait_site == relay->site &&
		whom->turns->wake.time == relay->last.time &&
		analyze_fruitless_is_told(analysis, whom))
		return analyze_say(analysis,
			"%s, which waits there again %s later, and woke nobody", who,
			analyze_words_duration(analysis, whom->suspended - relay->last.time));
	return who;
}
