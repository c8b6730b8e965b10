/* SPDX-License-Identifier: MIT */
/*
 * Reading the facts of a process from /proc: here this process, whose threads have misleading names.
 */
#include "base/system_calls.h"
#include "check.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/live.h"

#define MISLEADING ") R 1 (\n\x1b[2J"

static int ends[2];
static _Atomic pid_t reader;

static struct live *look_at(pid_t pid)
{
	struct live *live = NULL;

	CHECK_EQUAL(live_look(pid, &live, NULL), CT_OK);
	return live;
}

static void *read_for_ever(void *unused)
{
	static char byte;

	(void)unused;
	pthread_setname_np(pthread_self(), MISLEADING);
	reader = gettid();
	return read(ends[0], &byte, 1) == 1 ? &byte : NULL;
}

/* The facts about a thread are read one by one: it may fall asleep between two of them. */
static bool is_asleep(const struct live *live)
{
	const struct live_thread *thread = reader ? live_thread_of(live, (uint64_t)reader) : NULL;

	return thread && thread->state == 'S' &&
	       (live->are_calls_hidden || thread->call == SYSTEM_CALL_read);
}

/* The thread is about to sleep; returns the first look that finds it asleep. */
static struct live *look_until_it_sleeps(void)
{
	struct live *live = look_at(getpid());

	while (!is_asleep(live)) {
		live_free(live);
		sched_yield();
		live = look_at(getpid());
	}
	return live;
}

static void test_thread(void)
{
	const struct live_descriptor *descriptor;
	const struct live_thread *thread;
	struct live *live;
	pthread_t handle;
	void *byte;

	CHECK(pipe(ends) == 0);
	CHECK(pthread_create(&handle, NULL, read_for_ever, NULL) == 0);
	live = look_until_it_sleeps();
	thread = live_thread_of(live, (uint64_t)reader);
	CHECK(!strchr(thread->name, '\n'));
	CHECK_EQUAL(strncmp(thread->name, ") R 1 (", 7), 0);
	CHECK_TEXT(live_state_words(thread->state), "sleeps");
	if (!live->are_calls_hidden) {
		CHECK_EQUAL(thread->call, SYSTEM_CALL_read);
		CHECK_TEXT(system_call_name(thread->call), "read");
		CHECK_EQUAL(thread->descriptor, ends[0]);
	}
	descriptor = live_descriptor_of(live, ends[0]);
	CHECK(descriptor && descriptor->inode != 0);
	CHECK_TEXT(descriptor ? live_kind_name(descriptor) : "", "pipe");
	CHECK(!live->is_cut && !live->has_ended && !live->is_without_descriptors);
	live_free(live);
	CHECK(write(ends[1], "x", 1) == 1);
	CHECK(pthread_join(handle, &byte) == 0 && byte);
}

/* An instance keeps an entry as long as the registered file lives, whatever happens to the number. */
static void test_watches(void)
{
	struct epoll_event wanted = {.events = EPOLLIN | EPOLLET}, nothing = {.events = 0};
	int instance = epoll_create1(0), first = eventfd(0, 0), second = eventfd(0, 0);
	int copy = dup(ends[0]), kept = dup(copy);
	const struct live_watch *watch;
	struct live *live;

	CHECK(epoll_ctl(instance, EPOLL_CTL_ADD, first, &wanted) == 0);
	CHECK(epoll_ctl(instance, EPOLL_CTL_ADD, second, &nothing) == 0);
	CHECK(epoll_ctl(instance, EPOLL_CTL_ADD, copy, &wanted) == 0);
	CHECK(dup2(ends[1], copy) == copy);
	live = look_at(getpid());
	watch = live_next_watch(live, first, NULL);
	CHECK(watch && watch->epoll == instance && live_is_armed(watch));
	CHECK(watch && !live_next_watch(live, first, watch));
	watch = live_next_watch(live, second, NULL);
	CHECK(watch && watch->epoll == instance);
	CHECK(!live_next_watch(live, instance, NULL));
	CHECK_TEXT(live_kind_words(live_descriptor_of(live, instance)), "an epoll instance");
	CHECK_TEXT(live_kind_words(live_descriptor_of(live, first)), "an eventfd");
	watch = live_next_watch(live, copy, NULL);
	CHECK(watch && watch->epoll == instance);
	live_free(live);
	CHECK(close(instance) + close(first) + close(second) + close(copy) + close(kept) == 0);
}

static void test_others(void)
{
	struct live *live = NULL;
	struct ct_error error;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	CHECK(child > 0 && waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT) == 0);
	live = look_at(child); /* it has ended, and its parent has not waited for it */
	CHECK(live->has_ended);
	CHECK_EQUAL(live->descriptors.count, 0);
	live_free(live);
	CHECK(waitpid(child, NULL, 0) == child);
	CHECK_EQUAL(live_look(child, &live, &error), CT_ERR_NOT_FOUND);
	CHECK(strstr(error.text, "has ended") != NULL);
	live_free(NULL);
}

static void test_words(void)
{
	const struct live_descriptor none = {.link = ""}, strange = {.link = "anon_inode:[new]"};
	const struct live_descriptor file = {.link = "/tmp/socket:[1]"};

	CHECK(!live_is_about_descriptor(-1) && !live_is_about_descriptor(INT32_MAX));
	CHECK(live_is_about_descriptor(SYSTEM_CALL_epoll_pwait) &&
		!live_is_about_descriptor(SYSTEM_CALL_futex));
	CHECK_TEXT(live_state_words('?'), "is in a state of its own");
	CHECK_TEXT(live_kind_name(&none), "other");
	CHECK_TEXT(live_kind_name(&strange), "other");
	CHECK_TEXT(live_kind_name(&file), "file");
}

int main(void)
{
	test_thread();
	test_watches();
	test_others();
	test_words();
	return check_result();
}
