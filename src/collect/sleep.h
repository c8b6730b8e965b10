/* SPDX-License-Identifier: MIT */
/*
 * The engine's half of the sleep handshake (P-90 to P-94): to sleep until a target publishes something, at no cost to
 * targets that are busy, and with nothing missed.
 *
 *	engine: sleeping = 1; barrier on every processor; are there news?; wait while sleeping is 1
 *	probe:  publish head; load sleeping; where it is 1: exchange it with 0, and wake
 *
 * Neither side may load before its own store is seen. The probe has no fence for that: the engine's barrier
 * (membarrier) stands for both. After it, either the head of a probe is seen by the second look, or that probe's
 * load finds 1.
 *
 * A futex cannot be waited for by epoll, so what epoll watches for the engine is watched by a thread while the
 * engine sleeps: it looks at the epoll descriptor, and says by a futex of its own when that is ready. The two
 * share that futex, two descriptors, and nothing else. The thread is made at the first sleep, and takes no signals.
 */
#ifndef COLLECT_SLEEP_H
#define COLLECT_SLEEP_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLEEP_WORDS 100u /* that one sleep can wait for; the kernel takes 128 */

/* The thread whose turn it is to look at epoll. */
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
	uint32_t turn; /* enum sleep_turn, a futex */
};

/* The words of segments on which the engine sleeps. The segments stay mapped during the call. */
struct sleep_words {
	uint32_t *at[SLEEP_WORDS];
	unsigned count;
};

/* Events that came while the engine was on its way to sleep. Called once, after the barrier. */
struct sleep_news {
	void *context;
	bool (*is_there)(void *context);
};

/* collect_sleep_init: asks the kernel. `epoll` is the caller's, and open until collect_sleep_fini. */
void collect_sleep_init(struct sleep *sleep, int epoll);

/*
 * collect_sleep_until: returns when there are news, a probe has found the engine asleep, epoll is ready, a signal
 * handler has run, or CLOCK_MONOTONIC is at `deadline_ns`. Which of these is for the caller to see. All words are 0
 * afterwards. False: sleeping is not possible, now or ever; nothing was waited for.
 */
bool collect_sleep_until(struct sleep *sleep, const struct sleep_words *words, uint64_t deadline_ns,
	const struct sleep_news *news);

/* collect_sleep_fini: ends the thread. */
void collect_sleep_fini(struct sleep *sleep);

#endif
