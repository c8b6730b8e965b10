/* SPDX-License-Identifier: MIT */
/*
 * The witness has every signal blocked, so that what comes stays pending. Asked for a signal, the witness takes it, if
 * it is there. The kernel goes through a group from the process that joined last, so that the witness has a signal
 * before we do. The witness ends with us, however we end, since the socket between the two does, and keeps nothing else
 * open. Only the program is our child, for whoever looks for it there, and not the witness.
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

/* Nobody waits longer for an answer: a witness that was stopped gives none. */
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

/* A child that leaves the witness behind. */
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

/* The next signal interrupts the wait for the answer, and says nothing of the witness. */
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
