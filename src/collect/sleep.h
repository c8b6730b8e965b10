/* SPDX-License-Identifier: MIT */
/*
 * The engine's half of the sleep handshake (P-90 to P-94): sleeping until a target publishes something, without cost to
 * busy targets, and without missing anything.
 *
 *	engine: sleeping = 1; barrier on every processor; if there are no new records: wait while sleeping is 1
 *	probe:  publish head; load sleeping; if it is 1: exchange it with 0, and wake the engine
 *
 * Neither side may load before its own store is visible. The probe has no fence for that: the engine's barrier
 * (membarrier) serves both sides. After the barrier, either the engine's second look sees a probe's head, or that
 * probe's load finds 1.
 *
 * epoll cannot wait for a futex. So while the engine sleeps, a thread watches the epoll descriptor for the engine, and
 * says by a futex of its own when the descriptor is ready. The engine and the thread share that futex, two descriptors,
 * and nothing else. The thread is made at the first sleep, and takes no signals.
 */
#ifndef COLLECT_SLEEP_H
#define COLLECT_SLEEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define SLEEP_WORDS 100u /* words that one sleep can wait for; the kernel's limit is 128 */

/* Which thread looks at the epoll descriptor. */
enum sleep_turn {
	SLEEP_ENGINE_LOOKS,
	SLEEP_THREAD_LOOKS,
	SLEEP_ENDS,
};

struct sleep {
	bool is_possible; /* the kernel has what is needed, and nothing has failed */
	bool has_thread;
	int epoll;
	int stop; /* an event descriptor, readable when the thread is to end */
	pthread_t thread;
	uint32_t turn; /* an enum sleep_turn, and a futex */
};

/* The words of segments on which the engine sleeps. The segments must stay mapped during the call. */
struct sleep_words {
	uint32_t *at[SLEEP_WORDS];
	unsigned count;
};

/* Says whether events came while the engine prepared to sleep. Called once, after the barrier. */
struct sleep_news {
	void *context;
	bool (*is_there)(void *context);
};

/*
 * collect_sleep_init: asks the kernel whether sleeping is possible. `epoll` is the caller's, and must stay open until
 * collect_sleep_fini.
 */
void collect_sleep_init(struct sleep *sleep, int epoll);

/*
 * collect_sleep_until: returns when there are new records, when a probe has found the engine asleep, when epoll is
 * ready, when a signal handler has run, or when CLOCK_MONOTONIC reaches `deadline_ns`; the caller finds out which. All
 * words are 0 afterwards. Returns false without waiting if sleeping is not possible, now or ever.
 */
bool collect_sleep_until(struct sleep *sleep, const struct sleep_words *words, uint64_t deadline_ns,
	const struct sleep_news *news);

/* collect_sleep_fini: ends the thread. */
void collect_sleep_fini(struct sleep *sleep);

#endif
