/* SPDX-License-Identifier: MIT */
/*
 * A scheduler sleeps without end in its own epoll, while a coroutine waits for a channel to which nothing is ever sent.
 * The arguments say what else could wake the scheduler; without arguments, nothing can.
 *
 *	event    an eventfd is armed
 *	timer    a timer is armed, and not set
 *	pipe     a pipe is armed; the process has both ends
 *	set      a timer is armed, and set
 *	socket   a listening socket is armed
 *	handler  a signal has a handler
 *	orphans  a handler for the end of a child, and one for a broken pipe; there is no child
 */
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include "corotracer/ctp_probe.h"
#include "need.h"

#define LIFE_SECONDS 3 /* the engine looks after one second of silence */

static void on_signal(int number)
{
	(void)number;
}

static void arm(int set, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	NEED(fd >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
}

static void arm_timer(int set, long seconds)
{
	struct itimerspec when = {.it_value.tv_sec = seconds};
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	NEED(timerfd_settime(timer, 0, &when, NULL) == 0);
	arm(set, timer);
}

static void arm_pipe(int set)
{
	int pair[2];

	NEED(pipe(pair) == 0);
	arm(set, pair[0]);
}

static void arm_socket(int set)
{
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	sa_family_t family = AF_UNIX; /* the kernel chooses a name */

	NEED(bind(listener, (struct sockaddr *)&family, sizeof(family)) == 0);
	NEED(listen(listener, 8) == 0);
	arm(set, listener);
}

static void prepare(int set, const char *what)
{
	if (strcmp(what, "event") == 0)
		arm(set, eventfd(0, EFD_NONBLOCK));
	else if (strcmp(what, "timer") == 0)
		arm_timer(set, 0);
	else if (strcmp(what, "set") == 0)
		arm_timer(set, 3600);
	else if (strcmp(what, "pipe") == 0)
		arm_pipe(set);
	else if (strcmp(what, "socket") == 0)
		arm_socket(set);
	else if (strcmp(what, "orphans") == 0)
		NEED(signal(SIGCHLD, on_signal) == SIG_DFL &&
			signal(SIGPIPE, on_signal) == SIG_DFL);
	else
		NEED(strcmp(what, "handler") == 0 && signal(SIGUSR1, on_signal) == SIG_DFL);
}

int main(int argc, char **argv)
{
	struct epoll_event event;
	uint64_t coro;
	int set, i;

	alarm(LIFE_SECONDS);
	NEED(ctp_attach());
	set = epoll_create1(EPOLL_CLOEXEC);
	for (i = 1; i < argc; i++)
		prepare(set, argv[i]);
	coro = ctp_coro_new();
	ctp_create(coro, 0, CTP_SITE("spawned"));
	ctp_resume(coro, CTP_POINT_AWAIT);
	ctp_suspend(coro, CTP_HANDLE(CTP_RESOURCE_CHANNEL, 0x5000), CTP_SITE("receive"),
		CTP_POINT_AWAIT);
	for (;;)
		epoll_wait(set, &event, 1, -1);
}
