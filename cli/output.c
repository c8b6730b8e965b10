/* SPDX-License-Identifier: MIT */
/*
 * Outputs are checked before anything is written, and taken away where the user breaks off.
 *
 * In the handler only the kernel is asked: the unfinished file is ours where one of our descriptors is of the
 * file that stands under that name, and holds its lock, as every writer of an output does.
 */
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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
