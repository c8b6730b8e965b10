/* SPDX-License-Identifier: MIT */
/*
 * Outputs are checked before anything is written, and unfinished ones are removed when the user interrupts.
 *
 * The signal handler uses only system calls. The unfinished file is ours if one of our descriptors refers to the file
 * with that name and holds its lock, as every writer of an output does.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
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

/* ---------------------------------------------------------------- files that existed before */

bool output_is_other(const struct stat *before, const struct stat *now)
{
	return now->st_ino != before->st_ino || now->st_dev != before->st_dev ||
	       now->st_mtim.tv_sec != before->st_mtim.tv_sec ||
	       now->st_mtim.tv_nsec != before->st_mtim.tv_nsec;
}

static struct {
	char *path;
	struct stat before; /* of the name itself, even if it is a link */
} noted;

/*
 * A device or a pipe behind a link is written to; a file, or a link to a file, is replaced by a new file of that name.
 */
static bool will_be_replaced(const char *path)
{
	struct stat behind;

	if (lstat(path, &noted.before) < 0)
		return false;
	return S_ISREG(noted.before.st_mode) ||
	       (S_ISLNK(noted.before.st_mode) &&
		       (stat(path, &behind) < 0 || S_ISREG(behind.st_mode)));
}

void output_note(const char *path)
{
	if (noted.path || strcmp(path, "-") == 0 || !will_be_replaced(path))
		return;
	noted.path = strdup(path);
}

void output_tell_replaced(void)
{
	struct stat now;

	if (!noted.path)
		return;
	if (lstat(noted.path, &now) == 0 && output_is_other(&noted.before, &now))
		say_sentence(
			S_ISLNK(noted.before.st_mode)
				? "'%s' was a link, and was replaced; what it names is as it was"
				: "'%s' was there before, and was replaced",
			noted.path);
	free(noted.path);
	noted.path = NULL;
}

/* ---------------------------------------------------------------- unfinished outputs */

static char partial_path[PATH_MAX];

/* Only system calls are used here, too: to list the folder, and to remove each entry. */
static void remove_folder(int descriptor)
{
	_Alignas(struct dirent64) char entries[4096];
	ssize_t nr_bytes, at;

	while ((nr_bytes = getdents64(descriptor, entries, sizeof(entries))) > 0) {
		for (at = 0; at < nr_bytes;) {
			const struct dirent64 *entry = (const void *)(entries + at);

			unlinkat(descriptor, entry->d_name, 0);
			at += entry->d_reclen;
		}
	}
	rmdir(partial_path);
}

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
		if (flock(descriptor, LOCK_EX | LOCK_NB) < 0)
			return;
		if (S_ISDIR(named.st_mode))
			remove_folder(descriptor);
		else
			unlink(partial_path);
		return;
	}
}

/*
 * The signal is raised again, now with its default action, so that a parent that waits for us sees which signal ended
 * us.
 */
static void on_signal(int number)
{
	remove_ours();
	raise(number);
}

void output_guard(const char *path)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}, before;
	size_t i, named = strlen(path);
	int length;

	output_note(path);
	/* "run/" is a folder, which is made as "run.partial". */
	while (named > 1 && path[named - 1] == '/')
		named--;
	length = snprintf(partial_path, sizeof(partial_path), "%.*s.partial", (int)named, path);
	if (strcmp(path, "-") == 0 || length < 0 || (size_t)length >= sizeof(partial_path))
		return;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

/* ---------------------------------------------------------------- progress */

/*
 * A timer's signal writes a line that was prepared before, because the work itself is a single call into the library.
 */
static char line[240];
static size_t line_bytes;
static volatile sig_atomic_t nr_ticks; /* shared by the handler and the thread that it interrupts */
static struct sigaction alarm_before;
static bool is_ticking;
static bool is_terminal; /* else the sentence is a line, and the only output */

/* Work that reports its progress has its line written by progress_tell, once a tick. */
static volatile sig_atomic_t is_told;
static struct {
	sig_atomic_t shown; /* the value of nr_ticks when it was last shown */
	struct timespec began;
} phase_now;

static void on_tick(int number)
{
	int number_of_error = errno;

	(void)number;
	if (nr_ticks == 0)
		(void)!write(STDERR_FILENO, line, line_bytes);
	else if (!is_told && is_terminal)
		(void)!write(STDERR_FILENO, ".", 1);
	nr_ticks++;
	errno = number_of_error;
}

/* Why an input may never come; "": it is a file, or an existing pipe. */
static const char *patience_for(const char *path)
{
	struct stat about;

	if (strcmp(path, "-") == 0)
		return isatty(STDIN_FILENO)
			       ? ", a terminal: what is typed is the trace, until Ctrl-D"
			       : "";
	return stat(path, &about) == 0 && S_ISFIFO(about.st_mode)
		       ? ", a FIFO: that waits until somebody has written to it and closed it"
		       : "";
}

static void make_line(const char *what, const char *path, const char *more)
{
	size_t i;

	snprintf(line, sizeof(line), "%scorotracer: %s %.100s%s%s", is_terminal ? "\r" : "", what,
		strcmp(path, "-") == 0 ? "standard input" : path, more, is_terminal ? " " : "");
	hide_passwords(line);
	line_bytes = strlen(line);
	for (i = is_terminal; i < line_bytes; i++) {
		if ((unsigned char)line[i] < 0x20 || (unsigned char)line[i] >= 0x7f)
			line[i] = '?';
	}
	if (!is_terminal)
		line[line_bytes++] = '\n';
}

/* The first tick writes the sentence, and each later tick a dot. */
static void begin(const char *what, const char *path, const char *more)
{
	struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
	struct itimerval timer = {.it_interval = {.tv_sec = 1}, .it_value = {.tv_sec = 1}};

	is_terminal = isatty(STDERR_FILENO);
	if ((!is_terminal && !*more) || is_ticking)
		return;
	make_line(what, path, more);
	nr_ticks = is_told = phase_now.shown = 0;
	is_ticking = sigaction(SIGALRM, &action, &alarm_before) == 0 &&
		     setitimer(ITIMER_REAL, &timer, NULL) == 0;
}

void progress_begin(const char *what, const char *path)
{
	begin(what, path, "");
}

void progress_begin_input(const char *what, const char *path)
{
	begin(what, path, patience_for(path));
}

void progress_begin_reading(const char *path)
{
	progress_begin_input("reading", path);
}

bool input_is_sure(const char *path)
{
	return !*patience_for(path);
}

static int64_t since_ns(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - then->tv_sec) * INT64_C(1000000000) + now.tv_nsec - then->tv_nsec;
}

/* "\rcorotracer: writing run.csv: 1,200,000 of 4,000,000, 300,000 a second, 9.33 s left" */
static void show(const char *phase, uint64_t done, uint64_t total)
{
	int64_t elapsed_ns = since_ns(&phase_now.began);
	double rate = elapsed_ns > 0 ? (double)done * 1e9 / (double)elapsed_ns : 0;
	char shown[400];
	int length = snprintf(shown, sizeof(shown), "%.*s", (int)line_bytes, line);

	length += snprintf(shown + length, sizeof(shown) - (size_t)length, "(%s)", phase);
	if (done)
		length += snprintf(shown + length, sizeof(shown) - (size_t)length,
			" %s%s%s, %s a second", said_count(done, "", "").text, total ? " of " : "",
			total ? said_count(total, "", "").text : "",
			said_count((uint64_t)rate, "", "").text);
	if (done && total >= done)
		length += snprintf(shown + length, sizeof(shown) - (size_t)length, ", %s left",
			said_span((int64_t)((double)(total - done) * 1e9 / rate)).text);
	length += snprintf(shown + length, sizeof(shown) - (size_t)length, "\033[K");
	(void)!write(STDERR_FILENO, shown, (size_t)length);
}

void progress_tell(void *unused, const char *phase, uint64_t done, uint64_t total)
{
	sig_atomic_t tick = nr_ticks;

	(void)unused;
	if (!is_ticking || !is_terminal)
		return;
	if (done == 0)
		clock_gettime(CLOCK_MONOTONIC, &phase_now.began);
	is_told = done > 0;
	if (tick <= 1 || tick == phase_now.shown)
		return;
	phase_now.shown = tick;
	show(phase, done, total);
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
	if (nr_ticks && is_terminal)
		(void)!write(STDERR_FILENO, wipe, sizeof(wipe) - 1);
}
