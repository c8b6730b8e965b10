/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc about this process, and about children that do what is to be read.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system_calls.h"
#include "check.h"
#include "kernel/procfs.h"
#include "kernel/procfs_maps.h"

static bool find_mapping(const void *address, struct procfs_mapping *ret_mapping)
{
	uint64_t wanted = (uint64_t)(uintptr_t)address;
	struct procfs_maps maps;
	bool is_found = false;

	if (!procfs_maps_open(&maps, getpid()))
		return false;
	while (!is_found && procfs_maps_next(&maps, ret_mapping))
		is_found = wanted >= ret_mapping->start && wanted < ret_mapping->end;
	if (is_found)
		CHECK((ret_mapping->path[0] == '/') == ret_mapping->is_code);
	procfs_maps_close(&maps);
	return is_found;
}

static void test_maps(void)
{
	void *own = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct procfs_mapping mapping;
	struct procfs_maps none;

	CHECK(find_mapping((const void *)(uintptr_t)test_maps, &mapping));
	CHECK(mapping.is_code && !mapping.is_shared && mapping.inode != 0);
	CHECK(find_mapping(own, &mapping));
	CHECK(!mapping.is_code && !mapping.is_shared && mapping.inode == 0);
	CHECK(!procfs_maps_open(&none, INT32_MAX));
	munmap(own, 4096);
}

/* The program's name looks like what follows it in the line. */
static void test_stat(void)
{
	struct procfs_stat stat;

	prctl(PR_SET_NAME, "a) Z 1 (b");
	CHECK(procfs_stat(getpid(), &stat));
	CHECK_EQUAL(stat.state, 'R');
	CHECK_EQUAL(stat.parent, getppid());
	CHECK(!stat.is_dying);
	CHECK(!procfs_stat(INT32_MAX, &stat));
}

static bool is_other(void *context, int child)
{
	return child != *(const pid_t *)context;
}

static void test_ended_child(void)
{
	struct procfs_stat stat;
	siginfo_t information;
	pid_t child = fork();

	if (child == 0)
		_exit(3);
	CHECK(!procfs_children(getpid(), is_other, &child));
	waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT);
	CHECK(procfs_stat(child, &stat));
	CHECK_EQUAL(stat.state, 'Z');
	CHECK_EQUAL(stat.parent, getpid());
	CHECK_EQUAL(WEXITSTATUS(stat.exit_status), 3);
	waitpid(child, NULL, 0);
	CHECK(procfs_children(getpid(), is_other, &child));
}

static void catch_it(int number)
{
	(void)number;
}

static void test_signals(int folder)
{
	struct procfs_signals signals;
	uint64_t user1 = UINT64_C(1) << (SIGUSR1 - 1), user2 = UINT64_C(1) << (SIGUSR2 - 1);
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	signal(SIGUSR2, catch_it);
	kill(getpid(), SIGUSR1);
	CHECK(procfs_signals_at(folder, &signals));
	CHECK_EQUAL(signals.pending, user1);
	CHECK_EQUAL(signals.blocked & (user1 | user2), user1);
	CHECK_EQUAL(signals.caught & (user1 | user2), user2);
	CHECK_EQUAL(signals.ignored & (user1 | user2), 0);
	signal(SIGUSR1, SIG_IGN); /* it is gone with this */
	CHECK(procfs_signals_at(folder, &signals));
	CHECK_EQUAL(signals.pending, 0);
	CHECK_EQUAL(signals.ignored & (user1 | user2), user1);
}

static void test_timer(int folder)
{
	const struct itimerspec hour = {.it_value = {.tv_sec = 3600}};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	CHECK(!procfs_is_timer_armed_at(folder, timer));
	timerfd_settime(timer, 0, &hour, NULL);
	CHECK(procfs_is_timer_armed_at(folder, timer));
	close(timer);
	CHECK(!procfs_is_timer_armed_at(folder, timer));
}

struct reader {
	int pipe[2];
	pid_t tid;
	ssize_t nr_read; /* of the thread, until it is joined */
};

static void *read_pipe(void *argument)
{
	struct reader *reader = argument;
	char byte;

	__atomic_store_n(&reader->tid, gettid(), __ATOMIC_RELEASE);
	reader->nr_read = read(reader->pipe[0], &byte, 1);
	return NULL;
}

static void test_call(int folder)
{
	uint64_t arguments[PROCFS_ARGUMENTS], tid = 0;
	struct procfs_account account;
	struct reader reader = {.tid = 0};
	int32_t call;
	pthread_t thread;

	CHECK_EQUAL(pipe(reader.pipe), 0);
	CHECK_EQUAL(pthread_create(&thread, NULL, read_pipe, &reader), 0);
	do {
		sched_yield();
		tid = (uint64_t)__atomic_load_n(&reader.tid, __ATOMIC_ACQUIRE);
		call = tid ? procfs_call_at(folder, tid, arguments) : PROCFS_NO_CALL;
	} while (call != SYSTEM_CALL_read && (call != PROCFS_UNKNOWN_CALL || tid == 0));
	if (call == SYSTEM_CALL_read)
		CHECK_EQUAL(arguments[0], reader.pipe[0]);
	CHECK_EQUAL(procfs_process_of(tid), getpid());
	if (procfs_account(getpid(), tid, &account))
		CHECK(account.nr_turns > 0);
	CHECK(!procfs_account(getpid(), INT32_MAX, &account) && account.nr_turns == 0);
	close(reader.pipe[1]);
	pthread_join(thread, NULL);
	CHECK_EQUAL(reader.nr_read, 0);
	close(reader.pipe[0]);
	CHECK_EQUAL(procfs_call_at(folder, INT32_MAX, arguments), PROCFS_UNKNOWN_CALL);
}

int main(void)
{
	int folder = procfs_open(getpid());

	CHECK(folder >= 0);
	test_maps();
	test_stat();
	test_ended_child();
	test_signals(folder);
	test_timer(folder);
	test_call(folder);
	close(folder);
	return check_result();
}
