/* SPDX-License-Identifier: MIT */
/*
 * A target for the collector's tests. Its first argument says what it does:
 *
 *	three            attaches, writes three events, and exits at once
 *	silent STATUS    never attaches
 *	signal NUMBER    attaches, writes three events, and raises the signal
 *	flood FILE       writes without end, and counts in FILE (8 bytes) the events published
 *	threads NUMBER   that many threads write 100 events each
 *	child            forks; the child attaches, too, and lives on
 *	family           the same, and so does the parent
 *	orphan           the same as child, but the child ends first
 *	stall HOW        one coroutine waits, and the only thread goes to sleep: futex, futex-timed,
 *	                 epoll, epoll-timed, epoll-timer (with a timer armed), epoll-idle-timer,
 *	                 epoll-handler (of a signal), epoll-child (with one that sleeps), poll and select
 *	                 (of descriptors 5 and 7), poll-many (more than the engine reads)
 *	crowd NUMBER     the same, and that many threads sleep that never write an event
 *	signals          exits with the sum of what it inherited: 1 a signal is blocked, 2 SIGPIPE is ignored,
 *	                 4 SIGHUP is ignored, 8 SIGTERM is not at its default
 *	preload NAME     exits with 0 if LD_PRELOAD begins with NAME, else 1
 *	wait             attaches, and waits for a signal
 *	sleep NUMBER     writes an event, and another one each time the engine sleeps, so many times
 *	awake            attaches with a second thread; exits with 1 if the engine then sleeps
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ctp_probe.h"

#define LIFE_SECONDS 300 /* the program ends then, whatever happens to the test */
#define AWAKE_NS 1000000
#define AWAKE_MOMENTS 100 /* an engine that may sleep does so after some ten */

static void write_events(unsigned count)
{
	uint64_t coro = ctp_coro_new();
	unsigned i;

	for (i = 0; i < count; i++)
		ctp_suspend(
			coro, CTP_HANDLE(CTP_RESOURCE_OTHER, i), CTP_SITE("test"), CTP_POINT_AWAIT);
}

static void run_flood(const char *path)
{
	int descriptor = open(path, O_RDWR);
	uint64_t *published;
	uint64_t i;

	published =
		mmap(NULL, sizeof(*published), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	if (published == MAP_FAILED)
		_exit(2);
	for (i = 1;; i++) {
		ctp_suspend(1, i, CTP_SITE("flood"), CTP_POINT_AWAIT);
		ctp_store_release(published, i);
	}
}

static void *run_thread(void *unused)
{
	(void)unused;
	write_events(100);
	return NULL;
}

static void run_threads(unsigned count)
{
	pthread_t thread;
	unsigned i;

	for (i = 0; i < count; i++) {
		if (pthread_create(&thread, NULL, run_thread, NULL))
			_exit(2);
		pthread_join(thread, NULL);
	}
}

/* Returns once the child has written its events, and, unless it lives on, has ended. */
static void run_child(bool lives_on)
{
	int ready[2];
	char byte;
	pid_t child;

	if (pipe(ready))
		_exit(2);
	child = fork();
	if (child == 0) {
		alarm(LIFE_SECONDS);
		ctp_attach();
		write_events(3);
		if (!lives_on)
			_exit(5);
		if (write(ready[1], "", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != lives_on)
		_exit(2);
	if (!lives_on)
		waitpid(child, NULL, 0);
	write_events(3);
}

static void make_timer(long seconds)
{
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct itimerspec when = {.it_value.tv_sec = seconds};

	if (timer < 0 || timerfd_settime(timer, 0, &when, NULL))
		_exit(2);
}

static void ignore(int number)
{
	(void)number;
}

static void *sleep_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Waits for a pipe's end, which has two numbers. */
static void wait_for_pipe(const char *how)
{
	static struct pollfd many[300];
	struct pollfd two[] = {{5, POLLIN, 0}, {-1, POLLIN, 0}, {7, POLLOUT | POLLIN, 0}};
	fd_set readable, writable;
	int ends[2], i;

	if (pipe(ends) || dup2(ends[0], 5) != 5 || dup2(ends[0], 7) != 7)
		_exit(2);
	FD_ZERO(&readable);
	FD_ZERO(&writable);
	FD_SET(5, &readable);
	FD_SET(7, &readable);
	FD_SET(7, &writable);
	for (i = 0; i < 300; i++)
		many[i] = two[0];
	if (strcmp(how, "select") == 0)
		select(8, &readable, &writable, NULL, NULL);
	else if (strcmp(how, "poll") == 0)
		poll(two, 3, -1);
	else
		poll(many, 300, -1);
}

static void run_stall(const char *how)
{
	const struct timespec hour = {.tv_sec = 3600};
	uint64_t coro = ctp_coro_new();
	int poll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	uint32_t word = 0;

	ctp_create(coro, 0, CTP_SITE("spawned"));
	ctp_suspend(coro, 0, CTP_SITE("stuck"), CTP_POINT_AWAIT);
	if (strcmp(how, "epoll-timer") == 0)
		make_timer(3600);
	if (strcmp(how, "epoll-idle-timer") == 0)
		make_timer(0);
	if (strcmp(how, "epoll-handler") == 0)
		signal(SIGUSR1, ignore);
	if (strcmp(how, "epoll-child") == 0 && fork() == 0) {
		alarm(LIFE_SECONDS);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sleep_for_ever(NULL);
	}
	for (;;) {
		if (strncmp(how, "poll", 4) == 0 || strcmp(how, "select") == 0)
			wait_for_pipe(how);
		else if (strncmp(how, "epoll", 5) == 0)
			epoll_pwait(poll, &event, 1, strcmp(how, "epoll-timed") == 0 ? 3600000 : -1,
				NULL);
		else
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0,
				strcmp(how, "futex-timed") == 0 ? &hour : NULL, NULL, 0);
	}
}

static void run_crowd(unsigned count)
{
	pthread_attr_t small;
	pthread_t thread;
	unsigned i;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (i = 0; i < count; i++)
		if (pthread_create(&thread, &small, sleep_for_ever, NULL))
			_exit(2);
	run_stall("futex");
}

static bool does_engine_sleep(void)
{
	return ctp_load_relaxed(&ctp_orders_page.orders.sleeping) == 1;
}

static int run_sleep(int count)
{
	write_events(1);
	for (; count > 0; count--) {
		while (!does_engine_sleep())
			sched_yield();
		write_events(1);
		if (does_engine_sleep())
			return 1;
	}
	return 0;
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static int run_awake(void)
{
	const struct timespec moment = {0, AWAKE_NS};
	pthread_t thread;
	unsigned i;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL) || !ctp_attach())
		return 2;
	write_events(1);
	for (i = 0; i < AWAKE_MOMENTS; i++) {
		if (does_engine_sleep())
			return 1;
		nanosleep(&moment, NULL);
	}
	return 0;
}

static int describe_signals(void)
{
	struct sigaction present;
	sigset_t blocked;
	int what = 0;
	int number;

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (number = 1; number < NSIG; number++)
		what |= sigismember(&blocked, number) == 1;
	sigaction(SIGPIPE, NULL, &present);
	what |= present.sa_handler == SIG_IGN ? 2 : 0;
	sigaction(SIGHUP, NULL, &present);
	what |= present.sa_handler == SIG_IGN ? 4 : 0;
	sigaction(SIGTERM, NULL, &present);
	what |= present.sa_handler != SIG_DFL ? 8 : 0;
	return what;
}

static int is_preloaded(const char *name)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strncmp(preload, name, strlen(name)) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;

	alarm(LIFE_SECONDS);
	if (strcmp(what, "silent") == 0)
		return number;
	if (strcmp(what, "signals") == 0)
		return describe_signals();
	if (strcmp(what, "preload") == 0 && argc > 2)
		return is_preloaded(argv[2]);
	if (strcmp(what, "awake") == 0)
		return run_awake();
	if (!ctp_attach())
		return 3;
	if (strcmp(what, "sleep") == 0)
		return run_sleep(number);
	if (strcmp(what, "three") == 0) {
		write_events(3);
		_exit(0);
	} else if (strcmp(what, "signal") == 0) {
		write_events(3);
		raise(number);
	} else if (strcmp(what, "flood") == 0) {
		run_flood(argv[2]);
	} else if (strcmp(what, "threads") == 0) {
		run_threads((unsigned)number);
	} else if (strcmp(what, "crowd") == 0) {
		run_crowd((unsigned)number);
	} else if (strcmp(what, "child") == 0) {
		run_child(true);
	} else if (strcmp(what, "family") == 0) {
		run_child(true);
		for (;;)
			pause();
	} else if (strcmp(what, "orphan") == 0) {
		run_child(false);
	} else if (strcmp(what, "stall") == 0) {
		run_stall(argc > 2 ? argv[2] : "");
	} else if (strcmp(what, "wait") == 0) {
		write_events(3);
		for (;;)
			pause();
	}
	return 0;
}
