/* SPDX-License-Identifier: MIT */
/*
 * Facts about processes as a whole, which rules ask for. A part of parts.h.
 */
#ifndef ANALYZE_PARTY_H
#define ANALYZE_PARTY_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"

struct analysis;

/* Facts about a process as a whole at the end of observation; found out once. */
struct party {
	bool has_ended_itself; /* it exited */
	bool has_ended_well;   /* it exited, with status 0 */
	bool has_given_up;     /* it exited with another status, or ended itself by a signal */
	bool has_crashed;
	bool was_looked_at;   /* the engine saw threads of it */
	bool has_free_thread; /* one is not known to be blocked without time-out */
	bool has_sleeper;     /* a thread sleeps for a time */
	bool has_timed_thread; /* one is free, and does not say that no timer of its scheduler is set */
	bool has_clock_thread;  /* such a one may keep timers */
	uint32_t nr_watchdogs;  /* such ones that keep none */
	bool are_threads_known; /* every thread is known to be so, and nothing is ready */
	bool has_busy_thread;   /* one is known neither to be so, nor to have slept for a time */
	bool are_threads_asleep; /* every one is known to be one or the other, and nothing is ready */
	bool has_timer;          /* a timer or a deadline is still to come */
	bool has_waited_timer;   /* such a timer, and a coroutine waits for it */
	bool is_alone; /* no other process, signal handler or io_uring can make its descriptors ready */
	bool has_armed;   /* a descriptor is armed or waited for, whoever makes it ready */
	bool has_outside; /* a descriptor or process outside can still wake somebody */
	ct_time end;      /* it was observed until then */
	ct_time quiet;    /* the last moment since which every worker has been idle once */
	/* The same of threads that are workers for sure; at the end, those that lie asleep are idle. */
	ct_time workers_quiet;
	ct_time blocked_since; /* the longest blocking call that is no poll; INT64_MAX: none */
	ct_time workers_ended; /* when the last worker did; INT64_MAX: one is there; INT64_MIN: none was */
	/* The last moment at which timers that nobody waits for had fired since; INT64_MAX: none.
	 */
	ct_time timers;
};

/* analyze_party_has_nobody_left: is nobody there any more who could do anything, without the world outside? */
bool analyze_party_has_nobody_left(const struct party *party);
/* analyze_party_says_nobody_is_left: likewise, believing schedulers that say that none of their timers is set. */
bool analyze_party_says_nobody_is_left(const struct party *party);
/*
 * analyze_party_has_failed_in_sleep: were all threads but one blocked for ever, which slept, and did the program then
 * end itself in failure, by a watchdog or a failed assertion perhaps? What ended it might have woken somebody later,
 * had all been well. False with two sleepers, one of which may be a coroutine's timer, and with a wait that can be cut
 * short: it may be an event loop's, for the next of its timers.
 */
bool analyze_party_has_failed_in_sleep(const struct party *party);

/*
 * analyze_party_has_starved_worker: did a worker of the process wait for a processor for half of the time since then,
 * or was it not looked at again? One that says that it sleeps may have been woken, and not have come to tell of it.
 * False where the kernel's accounts were never asked.
 */
bool analyze_party_has_starved_worker(
	const struct analysis *analysis, uint32_t process, ct_time since);

/* analyze_party_survey: fills analysis->parties. */
void analyze_party_survey(struct analysis *analysis);

/* analyze_party_working_until: the end of observation, or when the program said that it ends. */
ct_time analyze_party_working_until(const struct analysis *analysis, uint32_t process);

/*
 * analyze_party_is_inside: can only the process itself, or time, make this descriptor ready? analyze_party_is_own: the
 * same, as long as no other process has the descriptor, and no handler of a signal uses it.
 */
bool analyze_party_is_inside(const struct analysis *analysis, uint32_t descriptor);
bool analyze_party_is_own(const struct analysis *analysis, uint32_t descriptor);

/*
 * analyze_party_is_at_work: was the process neither warming up all of the time from `from` to `until`, nor ending since
 * before? Meant for rules about how fast or how often something happens.
 */
bool analyze_party_is_at_work(
	const struct analysis *analysis, uint32_t process, ct_time from, ct_time until);

/*
 * analyze_party_count_coros: by process, of how many of its coroutines this is true. The counts lie in the scratch
 * arena; NULL: out of memory, which is noted.
 */
uint64_t *analyze_party_count_coros(struct analysis *analysis,
	bool (*is_counted)(const struct analysis *analysis, uint32_t coro));

#endif
