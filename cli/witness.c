/* SPDX-License-Identifier: MIT */
/*
 * The witness blocks all signals, so a signal that it gets stays pending. When asked about a signal, the witness takes
 * it if it is pending. The kernel delivers a signal to the members of a group beginning with the process that joined
 * last, so the witness has the signal before we do. The witness ends when we end, however that happens, because the
 * socket between us closes; it keeps nothing else open. The witness is not our child, so that only the program is found
 * among our children.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monotonic.h"
#include "witness.h"

/* The longest wait for an answer: a stopped witness gives none. */
#define PATIENCE_MS 1000
#define NS_OF_MS INT64_C(1000000)

static int channel = -1; /* to the witness; -1: there is none */

static bool take_pending(int number)
{
	const struct timespec now = {0};
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, number);
	return sigtimedwait(&wanted, NULL, &now) == number;
}

static _Noreturn void attend(int its_end)
{
	unsigned char number, answer;

	if (dup2(its_end, 0) < 0 || close_range(1, UINT_MAX, 0) < 0)
		_exit(1);
	while (read(0, &number, 1) == 1) {
		answer = take_pending(number);
		if (write(0, &answer, 1) != 1)
			break;
	}
	_exit(0);
}

/* Forks a child, which forks the witness and ends. */
static void leave_behind(int its_end)
{
	pid_t child = fork();

	if (child == 0) {
		if (fork() == 0)
			attend(its_end);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

void witness_start(void)
{
	sigset_t all, before;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	leave_behind(ends[1]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	channel = ends[0];
}

/* Another signal may interrupt the wait for the answer, which says nothing about the witness. */
static bool is_answered(void)
{
	struct pollfd answered = {.fd = channel, .events = POLLIN};
	int64_t deadline_ns = monotonic_ns() + PATIENCE_MS * NS_OF_MS, left_ms = PATIENCE_MS;
	int nr_ready;

	do {
		nr_ready = poll(&answered, 1, (int)left_ms);
		left_ms = (deadline_ns - monotonic_ns()) / NS_OF_MS;
	} while (nr_ready < 0 && errno == EINTR && left_ms > 0);
	return nr_ready == 1;
}

bool witness_saw(int number)
{
	unsigned char asked = (unsigned char)number, answer = 0;

	if (channel < 0)
		return false;
	if (send(channel, &asked, 1, MSG_NOSIGNAL) == 1 && is_answered() &&
		read(channel, &answer, 1) == 1)
		return answer;
	witness_stop();
	return false;
}

void witness_stop(void)
{
	if (channel < 0)
		return;
	close(channel);
	channel = -1;
}
