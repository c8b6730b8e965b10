/* SPDX-License-Identifier: MIT */
/*
 * The sleep handshake on real processors: a target writes events at moments of its own choice, and an engine sleeps in
 * between. Protocol rules P-90 to P-92. A lost wake shows when the engine's deadline passes although there is an event.
 *
 *	stress_sleep ROUNDS [unregistered]
 *
 * Prints one JSON object. `unregistered`: the target has a second thread when it attaches, so it is not registered for
 * the barrier, and the engine sleeps all the same; then wakes can be lost. Exits with 1 if a wake was lost although the
 * target was registered.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"
#include "collect/sleep.h"

#define DEADLINE_NS \
	UINT64_C(3000000000) /* longer than a busy machine keeps the engine from running */
#define LOST_MOST 3u         /* more would show nothing new */
#define DELAY_MOST 1024u     /* iterations of a loop, each of less than a nanosecond */
#define DELAYING_BYTES (32u << 20)
#define DELAYING_STORES 24u

/* ------------------------------------------------------------------ the target */

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void delay(uint64_t *random)
{
	uint64_t steps;

	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	for (steps = (*random >> 40) % DELAY_MOST; steps > 0; steps--)
		__asm__ volatile("" : : : "memory");
}

/* Stores to lines that are in no cache: later stores wait for them, and loads do not. */
static void delay_stores(char *memory, uint64_t *random)
{
	unsigned i;

	for (i = 0; i < DELAYING_STORES; i++) {
		*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		memory[(*random >> 33) % DELAYING_BYTES] = 1;
	}
}

/* The next event comes some time after the previous one was taken. */
static void write_rounds(uint64_t rounds)
{
	char *memory = calloc(1, DELAYING_BYTES);
	uint64_t random = 1, i;

	if (!memory)
		_exit(2);
	for (i = 0; i < rounds; i++) {
		struct ctp_ring *ring;

		delay_stores(memory, &random);
		ctp_emit(0, i, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0));
		ring = ctp_thread_self()->ring;
		while (ctp_load_acquire(&ring->tail) < ctp_load_relaxed(&ring->head)) /* P2 */
			;
		delay(&random);
	}
}

static void run_target(uint64_t rounds, bool is_registered)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!is_registered && pthread_create(&thread, NULL, wait_for_ever, NULL))
		_exit(2);
	if (!ctp_attach())
		_exit(2);
	write_rounds(rounds);
	_exit(0);
}

/* ------------------------------------------------------------------ the engine */

static struct reader target;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool has_news(void *unused)
{
	struct ctp_ring *ring = reader_ring(&target, 0);

	(void)unused;
	return ctp_load_acquire(&ring->head) != ctp_load_relaxed(&ring->tail); /* P1 */
}

static void count(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	(void)ring;
	(void)position;
	*(uint64_t *)context += CTP_TAIL_KIND(record.tail) == CTP_KIND_COUNTER;
}

/* Returns the number of lost wakes. */
static uint64_t take_rounds(struct sleep *sleep, uint64_t rounds, uint64_t *ret_taken)
{
	const struct sleep_words words = {{&target.orders->sleeping}, 1};
	const struct sleep_news news = {NULL, has_news};
	uint64_t nr_lost = 0;

	while (*ret_taken < rounds && nr_lost < LOST_MOST) {
		uint64_t deadline = now_ns() + DEADLINE_NS;

		if (!collect_sleep_until(sleep, &words, deadline, &news))
			exit(1);
		nr_lost += has_news(NULL) && now_ns() >= deadline;
		reader_drain(&target, 0, UINT64_MAX, count, ret_taken);
	}
	return nr_lost;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 0, begin = now_ns(), taken = 0,
		 nr_lost;
	bool is_wanted = argc < 3 || strcmp(argv[2], "unregistered") != 0, is_registered;
	struct sleep sleep;
	pid_t child;

	collect_sleep_init(&sleep, epoll_create1(EPOLL_CLOEXEC));
	if (!sleep.is_possible)
		SKIP("the kernel has no such barrier");
	if (syscall(SYS_futex_waitv, NULL, 0, 0, NULL, CLOCK_MONOTONIC) < 0 && errno == ENOSYS)
		SKIP("the kernel waits for one futex at a time only");
	reader_listen();
	child = fork();
	if (child == 0)
		run_target(rounds, is_wanted);
	while (!reader_take(&target))
		;
	is_registered = target.header->features_compatible & CTP_FEATURE_WAKES;
	if (is_wanted && !is_registered)
		SKIP("the target has more than one thread: a sanitizer's");
	nr_lost = take_rounds(&sleep, rounds, &taken);
	collect_sleep_fini(&sleep);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("{\"rounds\": %" PRIu64 ", \"registered\": %s, \"lost\": %" PRIu64
	       ", \"seconds\": %.1f}\n",
		taken, is_registered ? "true" : "false", nr_lost, (double)(now_ns() - begin) / 1e9);
	return is_registered && nr_lost > 0;
}
