/* SPDX-License-Identifier: MIT */
/*
 * Rounds: what coroutines do again and again. One that only comes back to a place, at an even rate, is a beat: it goes
 * by a clock, and what it does there is of use to nobody else. One that goes on from a place whenever those that it had
 * started have ended waits there for their end.
 *
 * A lull is the time in which nothing but beats has moved: all others wait, and nobody who could end that is known.
 */
#ifndef ANALYZE_ROUNDS_H
#define ANALYZE_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/ct.h"
#include "model/watcher.h"

struct analysis;
struct model_coro;
struct story;

/* analyze_rounds_watcher: looks on, and keeps the above; the judgement lets it watch. */
extern const struct model_watcher analyze_rounds_watcher;

/*
 * analyze_rounds_come_back: does it wait where those who went on come back to wait again, as it may have itself, one in
 * ten at least? So consumers do; a coroutine that asks for something goes on with it.
 */
bool analyze_rounds_come_back(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_rounds_outlasts_ends: its waits at this place ended soon after the end of those that it had started, twice at
 * least, and no wake of another one, or of a thread, ended them; and this one has gone on for ten times as long since
 * the last end. *ret_since: when that was. analyze_rounds_are_ended_by_children: nine of ten such waits there were
 * ended by a wake of those that it had started, so that wakes are told.
 */
bool analyze_rounds_outlasts_ends(
	const struct analysis *analysis, uint32_t coro, ct_time *ret_since);

bool analyze_rounds_are_ended_by_children(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_rounds_tell_ends: evidence of that. */
void analyze_rounds_tell_ends(struct analysis *analysis, struct story *story, uint32_t coro);

/*
 * analyze_rounds_has_nobody_left: two at least that it had started ended while it waits, and none is left. Where it
 * waits for the end of others, and is not told of which, those do not count that join and have nobody left themselves:
 * beats and acceptors may be what it waits for. analyze_rounds_is_left_alone: the same of those that were started
 * beside it, where nobody is left that it had started; there those do not count that end nothing for others: beats,
 * acceptors, others that join.
 */
bool analyze_rounds_has_nobody_left(const struct analysis *analysis, uint32_t coro);
bool analyze_rounds_is_left_alone(const struct analysis *analysis, uint32_t coro);

/* analyze_rounds_has_lost_the_last: one at least that it had started ended while it waits, and none is left. */
bool analyze_rounds_has_lost_the_last(const struct analysis *analysis, uint32_t coro);

/*
 * analyze_rounds_has_just_come: does it run since a moment ago, after a rest that began at *ret_rest_from, or because a
 * timer of its runtime began it? So does a coroutine that ends the trace: it waited for a signal, or looks after all.
 */
bool analyze_rounds_has_just_come(
	const struct analysis *analysis, uint32_t coro, ct_time *ret_rest_from);

/*
 * analyze_rounds_is_passed_over: it only gave up its thread, which slept ten times since, and others went on then: it
 * waits. A generator is none: another coroutine asks it for more, or does not.
 * analyze_rounds_tell_turns: evidence of that.
 */
bool analyze_rounds_is_passed_over(const struct analysis *analysis, uint32_t coro);
void analyze_rounds_tell_turns(struct analysis *analysis, struct story *story, uint32_t coro);

/*
 * analyze_rounds_is_overdue: it came back to where it waits ten times in a row, and never took a tenth of the time that
 * it has taken by now. analyze_rounds_has_beat: does a beat wait at the same place?
 */
bool analyze_rounds_is_overdue(const struct analysis *analysis, uint32_t coro);
bool analyze_rounds_has_beat(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_rounds_is_beat: does it come back at an even rate, and is not long overdue? */
bool analyze_rounds_is_beat(const struct analysis *analysis, uint32_t coro);

/* A time without anything but beats, up to the end. */
struct lull {
	ct_time from;        /* CT_NO_TIME: there is none */
	uint32_t beat;       /* one of those that went on; 0: none did */
	uint32_t nr_waiting; /* all but beats, and those that end the trace */
	uint32_t nr_hearing; /* of these, not for a lock, a condition or the end of others */
	uint32_t nr_joining; /* of these, for the end of others */
	uint32_t nr_ending;  /* who ends the trace, or has come to do so */
	bool has_acceptor; /* and new ones may come by the network, with no word for those that are there */
	bool has_joined_beat; /* one that joins others has started a beat, and may wait for its end */
	bool may_bring_signal; /* a message may tell of one */
};

/* analyze_rounds_survey: finds the lulls of all processes. analyze_rounds_lull: that of one. */
void analyze_rounds_survey(struct analysis *analysis);
const struct lull *analyze_rounds_lull(const struct analysis *analysis, uint32_t process);

#endif
