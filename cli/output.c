/* SPDX-License-Identifier: MIT */
/*
 * Outputs are checked before anything is written, and taken away where the user breaks off.
 *
 * In the handler only the kernel is asked: the unfinished file is ours where one of our descriptors is of the
 * file that stands under that name, and holds its lock, as every writer of an output does.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "output.h"
#include "say.h"

#define DESCRIPTORS_MAX 256

bool output_is_terminal(const char *output)
{
	return strcmp(output, "-") == 0 && isatty(STDOUT_FILENO);
}

bool output_is_coloured(uint64_t when, const char *output)
{
	const char *terminal = getenv("TERM"), *unwanted = getenv("NO_COLOR");

	if (when)
		return when == 1;
	return output_is_terminal(output) && !(unwanted && *unwanted) && terminal &&
	       strcmp(terminal, "dumb") != 0;
}

bool output_is_good(const char *command, const char *output)
{
	const char *complaint = NULL;

	if (!*output)
		complaint = "option '--output' needs the name of a file";
	else if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
		complaint = "a trace is no text: it does not belong on a terminal";
	if (complaint)
		say_usage(command, complaint);
	return !complaint;
}

bool output_replaces(const char *input, const char *output)
{
	struct stat one, other;

	if (strcmp(input, "-") == 0 || strcmp(output, "-") == 0)
		return false;
	if (stat(input, &one) < 0 || stat(output, &other) < 0 || !S_ISREG(one.st_mode) ||
		one.st_dev != other.st_dev || one.st_ino != other.st_ino)
		return false;
	say_sentence("'%s' is the trace itself: name another output", output);
	return true;
}

static char partial_path[PATH_MAX];

static void remove_ours(void)
{
	struct stat named, held;
	int descriptor;

	if (lstat(partial_path, &named) < 0)
		return;
	for (descriptor = STDERR_FILENO + 1; descriptor < DESCRIPTORS_MAX; descriptor++) {
		if (fstat(descriptor, &held) < 0 || held.st_dev != named.st_dev ||
			held.st_ino != named.st_ino)
			continue;
		if (flock(descriptor, LOCK_EX | LOCK_NB) == 0)
			unlink(partial_path);
		return;
	}
}

/* The signal is raised again, with its default action by now: a parent that waits for us sees what ended us. */
static void on_signal(int number)
{
	remove_ours();
	raise(number);
}

void output_guard(const char *path)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;
	size_t i;
	int length = snprintf(partial_path, sizeof(partial_path), "%s.partial", path);

	if (strcmp(path, "-") == 0 || length < 0 || (size_t)length >= sizeof(partial_path))
		return;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

/* ---------------------------------------------------------------- a sign of life */

/*
 * A timer's signal writes a line that was made beforehand: the work itself, one call into the library, knows nothing of
 * it.
 */
static char line[160];
static size_t line_bytes;
static volatile sig_atomic_t nr_ticks; /* between the handler and the thread that it interrupts */
static struct sigaction alarm_before;
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
	is_ticking = sigaction(SIGALRM, &action, &alarm_before) == 0 &&
		     setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

void progress_end(void)
{
	static const struct itimerval none = {.it_value = {0}};
	static const char wipe[] = "\r\033[K";

	if (!is_ticking)
		return;
	setitimer(ITIMER_REAL, &none, NULL);
	sigaction(SIGALRM, &alarm_before, NULL);
	is_ticking = false;
	if (nr_ticks)
		(void)!write(STDERR_FILENO, wipe, sizeof(wipe) - 1);
}
