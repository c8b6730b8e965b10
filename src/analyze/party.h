/* SPDX-License-Identifier: MIT */
/*
 * What could still act in each process at the end of observation; rules ask for it. A part of parts.h.
 *
 * A party, in this folder, is anything that could still act or wake a coroutine: a thread, a timer, another process,
 * a client. A party of a finding (story.h) is a coroutine, thread or resource that takes part in it.
 */
#ifndef ANALYZE_PARTY_H
#define ANALYZE_PARTY_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

struct analysis;
struct model_coro;
struct model_account;

/* What could still act in one process at the end of observation; computed once. */
struct party {
	bool has_ended_itself; /* it exited */
	bool has_ended_well;   /* it exited, with status 0 */
	/* it exited with another status, or ended itself by a signal, or has a thread that failed */
	bool has_given_up;
	bool has_crashed;
	bool was_looked_at;   /* the engine looked at threads of it */
	ct_time acted;        /* the last event of any thread; INT64_MIN: none */
	ct_time looked;       /* the last look at any thread; INT64_MIN: none */
	bool has_free_thread; /* a thread is not known to be blocked without time-out */
	bool has_sleeper;     /* a thread sleeps for a limited time */
	/* a thread is free, and its scheduler does not report that none of its timers is set */
	bool has_timed_thread;
	bool has_clock_thread; /* such a thread is no watchdog: it may keep timers */
	uint32_t nr_watchdogs; /* such threads that may be watchdogs, which keep no timers */
	/* every thread is known to be blocked without time-out, and nothing is ready */
	bool are_threads_known;
	/* a thread is neither known to be blocked without time-out, nor was it seen asleep for a time */
	bool has_busy_thread;
	/* every thread is known to be blocked or was seen asleep, and nothing is ready */
	bool are_threads_asleep;
	bool has_timer;        /* a timer or a deadline is still to come */
	bool has_waited_timer; /* such a timer is still to come, and a coroutine waits for it */
	bool is_alone; /* no other process, signal handler or io_uring can make its descriptors ready */
	bool has_armed;   /* a descriptor is armed or waited for, no matter who makes it ready */
	bool has_outside; /* a descriptor or process outside can still wake a coroutine */
	ct_time end;      /* the end of its observation */
	ct_time quiet;    /* the last moment since which every worker has been idle once */
	/* The same for threads that are certainly workers; at the end, workers that were seen asleep count as idle. */
	ct_time workers_quiet;
	/* since when the longest blocking call lasts that is no poll; INT64_MAX: none */
	ct_time blocked_since;
	/* end of the last worker; INT64_MAX: a worker still lives; INT64_MIN: there was none */
	ct_time workers_ended;
	/* The last time by which every timer that nobody waits for had fired; INT64_MAX: there is no such timer. */
	ct_time timers;
};

/* analyze_party_has_nobody_left: is it known that nothing in the process, and nothing outside, can still act? */
bool analyze_party_has_nobody_left(const struct party *party);
/*
 * analyze_party_says_nobody_is_left: the same, if schedulers are believed that report that none of their timers is
 * set.
 */
bool analyze_party_says_nobody_is_left(const struct party *party);
/*
 * analyze_party_has_failed_in_sleep: were all threads blocked for ever or asleep, at most one of them with a
 * time-out, and did the program then end itself in failure, perhaps by a watchdog or a failed assertion? What ended
 * the program might have woken a coroutine later, had all been well. False with two sleepers, because one may be a
 * coroutine's timer, and with a sleep that can be cut short, because it may be an event loop's wait for its next
 * timer.
 */
bool analyze_party_has_failed_in_sleep(const struct party *party);

/*
 * analyze_party_is_watchdog: did this thread, outside any coroutine, raise a signal as the program's own, and had it
 * written no event before, and slept at every look? What it slept for was the end, not a coroutine's wake.
 */
bool analyze_party_is_watchdog(const struct analysis *analysis, uint32_t thread);

/*
 * analyze_party_nr_connections: how many of the process's open connections are with peers outside of it, which decide
 * how long these live?
 */
uint32_t analyze_party_nr_connections(const struct analysis *analysis, uint32_t process);

/*
 * analyze_party_has_starved_worker: did a worker of the process wait for a processor for half of the time since
 * `since`, or did nobody look at it after that? A worker whose last event says that it sleeps may have been woken
 * without having had the time to record it. False if the kernel's accounts were never read.
 */
bool analyze_party_has_starved_worker(
	const struct analysis *analysis, uint32_t process, ct_time since);

/*
 * analyze_party_account: sums up the kernel's accounts of the process's workers between two times, or from the first
 * one to the end of the accounts. False: not known.
 */
bool analyze_party_account(const struct analysis *analysis, uint32_t process, ct_time from,
	ct_time until, struct model_account *ret_sum);

/* analyze_party_survey: fills analysis->parties. */
void analyze_party_survey(struct analysis *analysis);

/*
 * analyze_party_working_until: returns the end of observation, or the time at which the program announced its end,
 * whichever is earlier. If all threads were silent for over a second before that end, and the engine, which had looked
 * at them before, found none to look at: the time of their last event, because the kernel has ended them then. What
 * ends a process may last for seconds on a busy machine.
 */
ct_time analyze_party_working_until(const struct analysis *analysis, uint32_t process);

/*
 * analyze_party_ended_at_work: did coroutines run on until the program ended, so that what had stopped at `since` had
 * not stopped because of that end? After a quiet last tenth of this time it may have. True if it did not end itself
 * with status 0.
 */
bool analyze_party_ended_at_work(const struct analysis *analysis, uint32_t process, ct_time since);

/*
 * analyze_party_ended_amid_turn: was it all over at `end`, within the grace, before this thread looked for work again
 * after `since`? What it made ready then, as a library does whose close puts operations into a queue, had no turn.
 */
bool analyze_party_ended_amid_turn(
	const struct analysis *analysis, uint32_t thread, ct_time since, ct_time end);

/*
 * analyze_party_is_inside: can only the process itself, or the clock, make this descriptor ready?
 * analyze_party_has_own_clients: is it a listener to which only the process itself has connected so far, or a socket of
 * datagrams to which only the process itself has sent? Anybody could, so that it is not inside.
 * analyze_party_is_own: the same, provided that no other process has the descriptor and no signal handler uses it.
 * analyze_party_may_be_armed: is it armed, or a client's, or a listener, in a process that may have an io_uring, which
 * arms descriptors without a call that a ledger sees, as libuv's does?
 */
bool analyze_party_may_be_armed(const struct analysis *analysis, uint32_t descriptor);
bool analyze_party_is_inside(const struct analysis *analysis, uint32_t descriptor);
bool analyze_party_has_own_clients(const struct analysis *analysis, uint32_t descriptor);
bool analyze_party_is_own(const struct analysis *analysis, uint32_t descriptor);

/*
 * analyze_party_is_idle: does the program as a whole stand still, and can something outside make it go on? Then it is
 * idle.
 */
bool analyze_party_is_idle(const struct analysis *analysis, uint32_t process);

/*
 * analyze_party_may_have_gone_on: could this waiting coroutine have gone on in the missing events? Row formats say
 * which coroutine's events are missing; other formats do not.
 */
bool analyze_party_may_have_gone_on(const struct analysis *analysis, const struct model_coro *coro);

/*
 * analyze_party_is_at_work: was the process in normal work for a part of the time from `from` to `until`: neither
 * warming up all the time, nor shutting down since before `from`? For rules about how fast or how often something
 * happens.
 */
bool analyze_party_is_at_work(
	const struct analysis *analysis, uint32_t process, ct_time from, ct_time until);

/*
 * analyze_party_count_coros: counts, for each process, the coroutines for which `is_counted` returns true. The counts
 * are in the scratch arena. NULL: out of memory, which sets is_broken.
 */
uint64_t *analyze_party_count_coros(struct analysis *analysis,
	bool (*is_counted)(const struct analysis *analysis, uint32_t coro));

/* analyze_party_has_wakes: has the process recorded a wake, or may it have recorded one that names no coroutine? */
bool analyze_party_has_wakes(const struct analysis *analysis, uint32_t process);

#endif
