/* SPDX-License-Identifier: MIT */
/*
 * What epoll instances of this process wait for: descriptors whose other ends this process has, and others.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "check.h"
#include "kernel/inside.h"
#include "kernel/procfs.h"

static int folder;

static void arm(int epoll, int descriptor)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0);
}

static bool is_own(int descriptor)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	bool is_own;

	arm(epoll, descriptor);
	is_own = inside_is_poll_own(folder, epoll);
	close(epoll);
	return is_own;
}

static void test_pipe(void)
{
	int ends[2], copy;

	CHECK(pipe(ends) == 0);
	CHECK(is_own(ends[0]));
	copy = dup(ends[1]);
	close(ends[1]);
	CHECK(is_own(ends[0]));
	close(copy);
	CHECK(!is_own(ends[0]));
	close(ends[0]);
}

static void test_socket_pair(void)
{
	int ends[2], copy;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	copy = dup(ends[0]);
	close(ends[0]);
	CHECK(is_own(copy));
	close(ends[1]);
	CHECK(!is_own(copy));
	close(copy);
}

static void test_listener(void)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un {
		sa_family_t family;
	} address = {AF_UNIX}; /* the kernel chooses a name */

	CHECK(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(listener, 1) == 0);
	CHECK(!is_own(listener));
	close(listener);
}

static void test_timer(void)
{
	struct itimerspec hour = {.it_value = {.tv_sec = 3600}};
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);

	CHECK(is_own(timer));
	CHECK(timerfd_settime(timer, 0, &hour, NULL) == 0);
	CHECK(!is_own(timer));
	close(timer);
}

/* An entry of a file whose number now means another file; and an entry that has been reported, and waits no more. */
static void test_entries(void)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLONESHOT};
	int epoll = epoll_create1(EPOLL_CLOEXEC), ends[2], others[2], listener = -1, copy;

	CHECK(pipe(ends) == 0 && pipe(others) == 0);
	arm(epoll, ends[0]);
	copy = dup(ends[0]);
	CHECK(dup2(others[0], ends[0]) == ends[0]);
	CHECK(!inside_is_poll_own(folder, epoll));
	close(copy);
	CHECK(inside_is_poll_own(folder, epoll));
	listener = socket(AF_INET, SOCK_DGRAM, 0);
	event.events = EPOLLOUT | EPOLLONESHOT;
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event) == 0);
	CHECK(!inside_is_poll_own(folder, epoll));
	CHECK(epoll_wait(epoll, &event, 1, 1000) == 1);
	CHECK(inside_is_poll_own(folder, epoll));
	close(listener);
	close(ends[0]);
	close(ends[1]);
	close(others[0]);
	close(others[1]);
	CHECK(!inside_is_poll_own(folder, others[0]));
	close(epoll);
}

int main(void)
{
	int event = eventfd(0, 0);

	folder = procfs_open(getpid());
	CHECK(is_own(event));
	test_pipe();
	test_socket_pair();
	test_listener();
	test_timer();
	test_entries();
	close(event);
	close(folder);
	return check_result();
}
