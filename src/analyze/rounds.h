/* SPDX-License-Identifier: MIT */
/*
 * Rounds: what coroutines do again and again. A coroutine that only comes back to a place, at an even rate, is a
 * beat: the clock drives it, and what it does there is of no use to others. A coroutine that goes on from a place
 * whenever coroutines that it had started have ended waits there for their end.
 *
 * A lull is a time in which nothing but beats has moved: all other coroutines wait, and nothing is known that could
 * end their waits.
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

/* analyze_rounds_watcher: the watcher that records the rounds; the judgement registers it. */
extern const struct model_watcher analyze_rounds_watcher;

/*
 * analyze_rounds_come_back: at the place where the coroutine waits, do coroutines that went on come back to wait
 * again, at least one in ten of them? The coroutine itself may be one. Consumers come back; a coroutine that asks for
 * something goes on with the answer.
 */
bool analyze_rounds_come_back(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_rounds_outlasts_ends: has this wait gone on, since the last end of a child, ten times longer than any
 * finished wait at this place did? The waits there must have ended soon after the end of the waiting coroutine's
 * children, at least twice, and not by a wake of another coroutine or a thread. *ret_since: the last end of a child,
 * or the beginning of the wait if that is later. analyze_rounds_are_ended_by_children: were nine of ten such waits
 * ended by a wake of a coroutine that the waiting one had started, so that the trace has these wakes?
 */
bool analyze_rounds_outlasts_ends(
	const struct analysis *analysis, uint32_t coro, ct_time *ret_since);

bool analyze_rounds_are_ended_by_children(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_rounds_tell_ends: adds evidence of such ends. */
void analyze_rounds_tell_ends(struct analysis *analysis, struct story *story, uint32_t coro);

/* analyze_rounds_nr_children: how many children of the coroutine live. */
uint32_t analyze_rounds_nr_children(const struct analysis *analysis, uint32_t coro);

/*
 * analyze_rounds_has_nobody_left: have at least two children of the coroutine ended while it waits, and is no child
 * left? If the coroutine waits for the end of coroutines that are not named, children do not count that wait for ends
 * themselves and have no child left. Beats and acceptors count: it may wait for their end.
 *
 * analyze_rounds_is_left_alone: the same of siblings, for a coroutine that has no child left itself. Siblings do not
 * count that end no waits of others: beats, acceptors, coroutines that wait for ends themselves.
 */
bool analyze_rounds_has_nobody_left(const struct analysis *analysis, uint32_t coro);
bool analyze_rounds_is_left_alone(const struct analysis *analysis, uint32_t coro);

/*
 * analyze_rounds_has_lost_the_last: has at least one child of the coroutine ended while it waits, and is no child
 * left that may still end?
 */
bool analyze_rounds_has_lost_the_last(const struct analysis *analysis, uint32_t coro);

/*
 * analyze_rounds_has_just_come: has the coroutine been running only for a moment, after a rest that began at
 * *ret_rest_from, or because a timer of its runtime started it? A coroutine that ends the trace is like that: it
 * waited for a signal, or supervises the others.
 */
bool analyze_rounds_has_just_come(
	const struct analysis *analysis, uint32_t coro, ct_time *ret_rest_from);

/*
 * analyze_rounds_is_passed_over: has the coroutine only yielded its thread, which since then slept ten times and let
 * others go on each time? Then the coroutine waits. A generator does not count: its consumer resumes it, or does not.
 * analyze_rounds_tell_turns: adds evidence of these turns.
 */
bool analyze_rounds_is_passed_over(const struct analysis *analysis, uint32_t coro);
void analyze_rounds_tell_turns(struct analysis *analysis, struct story *story, uint32_t coro);

/*
 * analyze_rounds_is_overdue: did the coroutine come back to the place where it waits ten times in a row, and never
 * take a tenth of the time that it has taken now? analyze_rounds_has_beat: does a beat, or a coroutine that a beat
 * has started since it began, wait at the same place?
 */
bool analyze_rounds_is_overdue(const struct analysis *analysis, uint32_t coro);
bool analyze_rounds_has_beat(const struct analysis *analysis, const struct model_coro *coro);

/* analyze_rounds_is_beat: does the coroutine come back at an even rate, and is it not long overdue? */
bool analyze_rounds_is_beat(const struct analysis *analysis, uint32_t coro);

/* A time with nothing but beats, up to the end. */
struct lull {
	ct_time from;  /* CT_NO_TIME: there is no lull */
	uint32_t beat; /* one of the beats that went on; 0: none did */
	/* since when the last one sleeps that is no beat; CT_NO_TIME: there is none */
	ct_time sleeps_from;
	uint32_t nr_waiting; /* all coroutines except beats and those that end the trace */
	/* of these, coroutines that wait for anything but an unnamed lock, condition or event */
	uint32_t nr_hearing;
	/* of these, those that wait for an event, such as the end of others */
	uint32_t nr_joining;
	uint32_t nr_ending; /* coroutines that end the trace, or have just come to do so */
	/* new coroutines may come from the network, and bring nothing to those that wait */
	bool has_acceptor;
	/* a coroutine that waits for the end of others has started a beat, and may wait for its end */
	bool has_joined_beat;
	bool may_bring_signal; /* a signal may come as a message to a coroutine */
};

/*
 * analyze_rounds_ends_beside_sleepers: have at least three waits that began after the lull's sleepers fell asleep ended
 * at the place of this one, and has none of the sleepers itself woken one there? Then these sleepers did not end them.
 */
bool analyze_rounds_ends_beside_sleepers(
	const struct analysis *analysis, const struct model_coro *coro);

/* analyze_rounds_survey: finds the lulls of all processes. analyze_rounds_lull: returns the lull of one process. */
void analyze_rounds_survey(struct analysis *analysis);
const struct lull *analyze_rounds_lull(const struct analysis *analysis, uint32_t process);

#endif
