/* SPDX-License-Identifier: MIT */
/*
 * Sleeping on words that targets write (sleep.h). The engine and its thread wait for each other on one word, `turn`:
 * the engine waits while the thread looks at epoll, the thread waits while the engine does. The side that changes the
 * word wakes the other side.
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp.h"
#include "collect/sleep.h"
#include "base/thread.h"

#define SECOND_NS UINT64_C(1000000000)

/* ------------------------------------------------------------------ system calls */

static bool barrier_is_known(void)
{
	long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

/* A barrier on every processor that runs a thread of a registered process, and on this processor. */
static bool barrier_everywhere(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) == 0;
}

/* Waits for the words. Returns false if the kernel has no such call. */
static bool wait_for_words(struct futex_waitv *waits, unsigned count, uint64_t deadline_ns)
{
	const struct timespec deadline = {
		.tv_sec = (time_t)(deadline_ns / SECOND_NS),
		.tv_nsec = (long)(deadline_ns % SECOND_NS),
	};

	return syscall(SYS_futex_waitv, waits, count, 0, &deadline, CLOCK_MONOTONIC) >= 0 ||
	       (errno != ENOSYS && errno != EPERM);
}

/* ------------------------------------------------------------------ the thread that looks at epoll */

static bool turn_is(const struct sleep *sleep, enum sleep_turn turn)
{
	return ctp_load_acquire(&sleep->turn) == turn; /* P13 */
}

static void turn_announce(struct sleep *sleep)
{
	syscall(SYS_futex, &sleep->turn, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void turn_set(struct sleep *sleep, enum sleep_turn turn)
{
	ctp_store_release(&sleep->turn, turn); /* P13 */
	turn_announce(sleep);
}

/* Ends the thread's own turn, unless the thread is to end. */
static void turn_give_back(struct sleep *sleep)
{
	uint32_t present = SLEEP_THREAD_LOOKS;

	__atomic_compare_exchange_n(&sleep->turn, &present, SLEEP_ENGINE_LOOKS, false,
		__ATOMIC_RELEASE, __ATOMIC_RELAXED); /* P13 */
	turn_announce(sleep);
}

static void *watch(void *context)
{
	struct sleep *sleep = context;
	struct pollfd both[] = {{sleep->epoll, POLLIN, 0}, {sleep->stop, POLLIN, 0}};

	while (!turn_is(sleep, SLEEP_ENDS)) {
		if (turn_is(sleep, SLEEP_ENGINE_LOOKS)) {
			syscall(SYS_futex, &sleep->turn, FUTEX_WAIT_PRIVATE, SLEEP_ENGINE_LOOKS,
				NULL, NULL, 0);
			continue;
		}
		poll(both, 2, -1);
		turn_give_back(sleep);
	}
	return NULL;
}

static bool watch_start(struct sleep *sleep)
{
	sleep->stop = eventfd(0, EFD_CLOEXEC);
	if (sleep->stop < 0)
		return false;
	sleep->has_thread = thread_start(&sleep->thread, watch, sleep) == 0;
	if (!sleep->has_thread)
		close(sleep->stop);
	return sleep->has_thread;
}

/* ------------------------------------------------------------------ sleeping */

void collect_sleep_init(struct sleep *sleep, int epoll)
{
	*sleep = (struct sleep){.epoll = epoll, .is_possible = barrier_is_known()};
}

void collect_sleep_fini(struct sleep *sleep)
{
	const uint64_t one = 1;

	if (!sleep->has_thread)
		return;
	turn_set(sleep, SLEEP_ENDS);
	(void)!write(sleep->stop, &one, sizeof(one));
	pthread_join(sleep->thread, NULL);
	close(sleep->stop);
	sleep->has_thread = false;
}

static void words_set(const struct sleep_words *words, uint32_t value)
{
	unsigned i;

	for (i = 0; i < words->count; i++)
		ctp_store_relaxed(words->at[i], value);
}

static bool wait_asleep(struct sleep *sleep, const struct sleep_words *words, uint64_t deadline_ns)
{
	struct futex_waitv waits[SLEEP_WORDS + 1];
	unsigned i;

	for (i = 0; i < words->count; i++)
		waits[i] = (struct futex_waitv){
			.val = 1, .uaddr = (uintptr_t)words->at[i], .flags = FUTEX_32};
	waits[i] = (struct futex_waitv){.val = SLEEP_THREAD_LOOKS,
		.uaddr = (uintptr_t)&sleep->turn,
		.flags = FUTEX_32 | FUTEX_PRIVATE_FLAG};
	return wait_for_words(waits, words->count + 1, deadline_ns);
}

bool collect_sleep_until(struct sleep *sleep, const struct sleep_words *words, uint64_t deadline_ns,
	const struct sleep_news *news)
{
	if (!sleep->is_possible)
		return false;
	if (!sleep->has_thread && !watch_start(sleep)) {
		sleep->is_possible = false;
		return false;
	}
	if (turn_is(sleep, SLEEP_ENGINE_LOOKS))
		turn_set(sleep, SLEEP_THREAD_LOOKS);
	words_set(words, 1); /* P12 */
	sleep->is_possible = barrier_everywhere();
	if (sleep->is_possible && !news->is_there(news->context))
		sleep->is_possible = wait_asleep(sleep, words, deadline_ns);
	words_set(words, 0);
	return sleep->is_possible;
}
