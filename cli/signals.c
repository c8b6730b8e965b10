/* SPDX-License-Identifier: MIT */
/*
 * Signals that the user sends to `corotracer run` go through a pipe into the loop.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "signals.h"
#include "witness.h"

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define NR_PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

/* The handler's message to the loop, small enough that a pipe takes it completely or not at all. */
struct arrival {
	int number;
	bool is_key; /* a key in the terminal: the whole foreground group has got the signal */
};

static int pipe_ends[2] = {-1, -1};
static unsigned nr_catches;
static bool is_to_end; /* the user wants to end */
static struct sigaction before[NR_PASSED_ON];

static void on_signal(int number, siginfo_t *information, void *context)
{
	struct arrival arrival = {
		.number = number,
		.is_key = information->si_code == SI_KERNEL,
	};
	int number_of_error = errno;

	(void)context;
	/* A full pipe contains thousands of signals that were not passed on yet, so one more may be lost. */
	(void)!write(pipe_ends[1], &arrival, sizeof(arrival));
	errno = number_of_error;
}

bool signals_catch(void)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	size_t i;

	if (nr_catches > 0) {
		nr_catches++;
		return true;
	}
	is_to_end = false;
	if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return false;
	nr_catches = 1;
	for (i = 0; i < NR_PASSED_ON; i++) {
		sigaction(passed_on[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(passed_on[i], &action, NULL);
	}
	return true;
}

int signals_descriptor(void)
{
	return pipe_ends[0];
}

/* False: there is none. */
static bool take_arrival(struct arrival *ret_arrival)
{
	if (read(pipe_ends[0], ret_arrival, sizeof(*ret_arrival)) != (ssize_t)sizeof(*ret_arrival))
		return false;
	is_to_end |= ret_arrival->number != SIGUSR1 && ret_arrival->number != SIGUSR2;
	return true;
}

/* A program that has left our group has not got signals to the group. */
static bool is_in_our_group(const struct ct_record *record)
{
	struct ct_record_stats stats;

	ct_record_stats(record, &stats);
	return getpgid((pid_t)stats.target_pid) == getpgrp();
}

int signals_take(int64_t pid, bool *ret_was_delivered)
{
	struct arrival arrival;

	if (!take_arrival(&arrival))
		return 0;
	*ret_was_delivered = arrival.is_key || (witness_saw(arrival.number) && pid > 0 &&
						       getpgid((pid_t)pid) == getpgrp());
	return arrival.number;
}

void signals_pass_on(struct ct_record *record, bool has_flight)
{
	struct arrival arrival;
	bool was_delivered;

	while (take_arrival(&arrival)) {
		was_delivered = witness_saw(arrival.number) && is_in_our_group(record);
		if (has_flight && arrival.number == SIGUSR1)
			ct_record_dump(record, "signal USR1", NULL);
		else
			ct_record_signal(
				record, arrival.number, arrival.is_key || was_delivered, NULL);
	}
}

void signals_wait_for_end(void)
{
	struct pollfd wake = {.fd = pipe_ends[0], .events = POLLIN};
	struct arrival arrival;

	for (;;) {
		while (take_arrival(&arrival))
			;
		if (is_to_end)
			return;
		(void)poll(&wake, 1, -1);
	}
}

void signals_release(void)
{
	size_t i;

	if (--nr_catches > 0)
		return;
	witness_stop();
	for (i = 0; i < NR_PASSED_ON; i++)
		sigaction(passed_on[i], &before[i], NULL);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
	pipe_ends[0] = pipe_ends[1] = -1;
}
