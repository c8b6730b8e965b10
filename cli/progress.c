/* SPDX-License-Identifier: MIT */
/*
 * A sign of life. A timer's signal writes a line that was made beforehand: the work itself, one call into
 * the library, knows nothing of it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "corotracer/ct.h"
#include "progress.h"

static char line[160];
static size_t line_bytes;
static volatile sig_atomic_t nr_ticks; /* between the handler and the thread that it interrupts */
static struct sigaction before;
static bool is_ticking;

static void on_tick(int number)
{
	int number_of_error = errno;

	(void)number;
	if (nr_ticks == 0)
		(void)!write(STDERR_FILENO, line, line_bytes);
	else
		(void)!write(STDERR_FILENO, ".", 1);
	nr_ticks = 1;
	errno = number_of_error;
}

/* The first tick writes the sentence, and each later one a dot. */
void progress_begin(const char *what, const char *path)
{
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};
	size_t i;

	if (!isatty(STDERR_FILENO) || is_ticking)
		return;
	snprintf(line, sizeof(line), "\rcorotracer: %s %.100s ", what,
		strcmp(path, "-") == 0 ? "standard input" : path);
	line_bytes = strlen(line);
	for (i = 1; i < line_bytes; i++) {
		if ((unsigned char)line[i] < 0x20 || (unsigned char)line[i] >= 0x7f)
			line[i] = '?';
	}
	nr_ticks = 0;
	is_ticking = sigaction(SIGALRM, &action, &before) == 0 &&
		     setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

void progress_end(void)
{
	static const struct itimerval none = {.it_value = {0}};
	static const char wipe[] = "\r\033[K";

	if (!is_ticking)
		return;
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &before, NULL);
	is_ticking = false;
	if (nr_ticks)
		(void)!write(STDERR_FILENO, wipe, sizeof(wipe) - 1);
}
