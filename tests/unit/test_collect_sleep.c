/* SPDX-License-Identifier: MIT */
/*
 * The engine's sleep: what ends it, and that the engine sleeps only if it will be woken. Protocol rules P-90, P-93 and
 * P-94. If a wake were lost, the test would not end.
 *
 * argv[1] is tests/targets/collect_target.
 */
#include <linux/futex.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "base/clock.h"
#include "collect/collect.h"
#include "keep_sink.h"
#include "collect/sleep.h"

#define ROUNDS 300

static const char *target;
static struct sleep asleep;
static int waiting, arrivals;
static struct sleep_words words; /* two, in memory that processes could share */

static bool has_none(void *context)
{
	(void)context;
	return false;
}

static bool has_some(void *context)
{
	++*(unsigned *)context;
	return true;
}

static const struct sleep_news silence = {NULL, has_none};

static void open_all(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	uint32_t *memory =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	waiting = epoll_create1(EPOLL_CLOEXEC);
	arrivals = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (memory == MAP_FAILED || epoll_ctl(waiting, EPOLL_CTL_ADD, arrivals, &event))
		exit(1);
	words = (struct sleep_words){{memory, memory + 16}, 2};
	collect_sleep_init(&asleep, waiting);
}

static void close_all(void)
{
	collect_sleep_fini(&asleep);
	munmap(words.at[0], 4096);
	close(arrivals);
	close(waiting);
}

static bool are_words_zero(void)
{
	return ctp_load_relaxed(words.at[0]) == 0 && ctp_load_relaxed(words.at[1]) == 0;
}

/* -------------------------------------------------------------------- ends of a sleep */

static void *wake_by_word(void *word)
{
	while (__atomic_exchange_n((uint32_t *)word, 0, __ATOMIC_ACQ_REL) != 1)
		;
	syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return NULL;
}

static void *wake_by_arrival(void *unused)
{
	const uint64_t one = 1;

	while (ctp_load_relaxed(words.at[0]) != 1)
		;
	(void)!write(arrivals, &one, sizeof(one));
	return unused;
}

static void *wake_by_signal(void *sleeper)
{
	while (ctp_load_relaxed(words.at[0]) != 1)
		;
	/* Repeats the signal until the sleep is over, because the first one may come before the wait. */
	while (ctp_load_relaxed(words.at[0]) == 1)
		pthread_kill(*(pthread_t *)sleeper, SIGUSR1);
	return NULL;
}

static void sleep_beside(void *(*other)(void *), void *argument)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, other, argument) == 0);
	CHECK(collect_sleep_until(&asleep, &words, UINT64_MAX, &silence));
	CHECK(are_words_zero());
	pthread_join(thread, NULL);
}

static void take_arrival(void)
{
	struct epoll_event event;
	uint64_t count;

	CHECK(epoll_wait(waiting, &event, 1, 0) == 1);
	CHECK(read(arrivals, &count, sizeof(count)) == sizeof(count));
}

/* P-90 */
static void test_words(void)
{
	unsigned i;

	for (i = 0; i < ROUNDS; i++)
		sleep_beside(wake_by_word, words.at[i % 2]);
}

static void test_arrivals(void)
{
	unsigned i;

	for (i = 0; i < ROUNDS; i++) {
		sleep_beside(wake_by_arrival, NULL);
		take_arrival();
		/* The thread that polls epoll continues to poll while there are no events. */
		sleep_beside(wake_by_word, words.at[1]);
	}
}

/* An arrival before the sleep ends the sleep, too. */
static void test_arrival_before(void)
{
	const uint64_t one = 1;

	CHECK(write(arrivals, &one, sizeof(one)) == sizeof(one));
	CHECK(collect_sleep_until(&asleep, &words, UINT64_MAX, &silence));
	take_arrival();
}

static void test_deadline(void)
{
	uint64_t deadline_ns = clock_monotonic_ns() + 2000000;

	CHECK(collect_sleep_until(&asleep, &words, deadline_ns, &silence));
	CHECK(clock_monotonic_ns() >= deadline_ns);
	CHECK(collect_sleep_until(&asleep, &words, 1, &silence));
	CHECK(are_words_zero());
}

static void on_signal(int number)
{
	(void)number;
}

static void test_signal(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	pthread_t self = pthread_self();

	sigaction(SIGUSR1, &action, NULL);
	sleep_beside(wake_by_signal, &self);
}

/* P-90: an event that came in between is not waited for. */
static void test_news(void)
{
	unsigned nr_looks = 0;
	const struct sleep_news news = {&nr_looks, has_some};

	CHECK(collect_sleep_until(&asleep, &words, UINT64_MAX, &news));
	CHECK_EQUAL(nr_looks, 1);
	CHECK(are_words_zero());
}

/* ------------------------------------------------------------------ the collector */

static void check_run(const char *what, const char *argument, uint64_t nr_events)
{
	const char *command[] = {target, what, argument, NULL};
	struct ct_record_options options = {
		.size = sizeof(options), .command = (char *const *)(uintptr_t)command};
	struct ct_record_stats stats;
	struct collect *collect;
	struct keep_sink keep;
	struct ct_error trouble;
	enum ct_status status;

	keep_init(&keep);
	CHECK_EQUAL(collect_open(&options, &keep.sink, &collect, &trouble), CT_OK);
	while ((status = collect_step(collect, -1, &trouble)) == CT_OK)
		;
	CHECK_EQUAL(status, CT_END);
	collect_stats(collect, &stats);
	CHECK_EQUAL(stats.ending, CT_ENDING_EXITED);
	CHECK_EQUAL(stats.ending_value, 0);
	CHECK_EQUAL(stats.nr_events - keep_count_kind(&keep, CTP_KIND_THREAD_TIME) -
			    keep_count_kind(&keep, CTP_KIND_THREAD_STATE),
		nr_events);
	CHECK_EQUAL(stats.nr_lost, 0);
	collect_close(collect);
	keep_fini(&keep);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	target = argv[1];
	open_all();
	if (!asleep.is_possible)
		SKIP("the kernel has no such barrier");
	test_words();
	test_arrivals();
	test_arrival_before();
	test_deadline();
	test_signal();
	test_news();
	close_all();
	/*
	 * The target writes an event each time it sees that the engine sleeps (P-90, P-91), and one at its beginning.
	 */
	check_run("sleep", "10", 12);
	/* P-93: a target that will not wake the engine never sees it asleep. */
	check_run("awake", NULL, 2);
	return check_result();
}
