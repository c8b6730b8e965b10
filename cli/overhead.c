/* SPDX-License-Identifier: MIT */
/*
 * The library itself waits for a traced command, so the CPU time of children is read from the kernel before and after.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "corotracer/ct.h"
#include "exits.h"
#include "overhead.h"
#include "say.h"

#define STEP_MS 100
#define PRINTED_MAX (1 << 20) /* the last bytes of the output that are searched */

static volatile sig_atomic_t interrupted;

static void note_signal(int number)
{
	interrupted = number;
}

void overhead_watch_signals(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = note_signal};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaction(numbers[i], &action, NULL);
}

int overhead_was_interrupted(void)
{
	return interrupted;
}

/* ---------------------------------------------------------------- measuring */

struct measure {
	struct timespec began;
	double children; /* CPU seconds so far */
	double self;
};

static double seconds_of(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

static double cpu_of(int whose)
{
	struct rusage usage;

	getrusage(whose, &usage);
	return seconds_of(&usage);
}

static void begin(struct measure *measure)
{
	clock_gettime(CLOCK_MONOTONIC, &measure->began);
	measure->children = cpu_of(RUSAGE_CHILDREN);
	measure->self = cpu_of(RUSAGE_SELF);
}

static void end(const struct measure *measure, struct overhead_run *run)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	run->figures[OVERHEAD_WALL] = (double)(now.tv_sec - measure->began.tv_sec) +
				      (double)(now.tv_nsec - measure->began.tv_nsec) / 1e9;
	run->figures[OVERHEAD_CPU] = cpu_of(RUSAGE_CHILDREN) - measure->children;
}

/* ---------------------------------------------------------------- untraced */

static int exit_status_of(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNALED + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return EXIT_NOT_FOUND;
		if (interrupted)
			kill(child, interrupted);
	}
	return exit_status_of(status);
}

static int run_untraced(const struct overhead_command *command, struct overhead_run *run)
{
	struct measure measure;
	pid_t child;

	begin(&measure);
	child = fork();
	if (child == 0) {
		execvp(command->words[0], command->words);
		_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
	}
	if (child < 0) {
		say_sentence("overhead: cannot start a process: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	run->exit_status = wait_for(child);
	end(&measure, run);
	return 0;
}

/* ---------------------------------------------------------------- traced */

static void harvest(struct ct_record *record)
{
	bool was_passed_on = false;

	while (ct_record_step(record, STEP_MS, NULL) == CT_OK) {
		if (interrupted && !was_passed_on)
			ct_record_signal(record, interrupted, false, NULL);
		was_passed_on = interrupted;
	}
}

static void take_stats(const struct ct_record *record, struct overhead_run *run)
{
	struct ct_record_stats stats;

	ct_record_stats(record, &stats);
	run->nr_events = stats.nr_events;
	run->nr_lost = stats.nr_lost;
	run->has_probe = stats.has_probe;
	run->exit_status = stats.ending == CT_ENDING_SIGNALED ? EXIT_SIGNALED + stats.ending_value
							      : stats.ending_value;
}

static int run_traced(const struct overhead_command *command, struct overhead_run *run)
{
	struct ct_record_options options = {
		.size = sizeof(options),
		.output = command->trace,
		.command = command->words,
	};
	struct measure measure;
	struct ct_record *record;
	struct ct_error error;
	struct stat trace;
	enum ct_status status;

	begin(&measure);
	status = ct_record_open(&options, &record, &error);
	if (status)
		return say_failure(status, &error);
	harvest(record);
	end(&measure, run);
	take_stats(record, run);
	status = ct_record_close(record, &error);
	if (status)
		return say_failure(status, &error);
	run->engine_cpu = cpu_of(RUSAGE_SELF) - measure.self;
	run->nr_bytes = stat(command->trace, &trace) == 0 ? (uint64_t)trace.st_size : 0;
	return 0;
}

/* ---------------------------------------------------------------- the command's output */

/* The end of the output, terminated, with zero bytes replaced by blanks; the caller frees it. */
static char *read_printed(int output)
{
	off_t size = lseek(output, 0, SEEK_END);
	off_t from = size > PRINTED_MAX ? size - PRINTED_MAX : 0;
	char *printed = calloc(1, (size_t)(size - from) + 1);
	ssize_t nr_bytes = printed ? pread(output, printed, (size_t)(size - from), from) : 0, i;

	for (i = 0; i < nr_bytes; i++)
		if (!printed[i])
			printed[i] = ' ';
	return printed;
}

static double number_at(const char *number)
{
	char *rest;
	double value = strtod(number, &rest);

	return rest == number || !isfinite(value) ? NAN : value;
}

/*
 * The last match counts, because summaries stand at the end. NAN if there is no match, or if the captured part is not a
 * number.
 */
static double find_number(const regex_t *pattern, const char *printed)
{
	regmatch_t matches[2];
	double found = NAN;
	int flags = 0;

	while (regexec(pattern, printed, 2, matches, flags) == 0) {
		if (matches[1].rm_so >= 0)
			found = number_at(printed + matches[1].rm_so);
		printed += matches[0].rm_eo;
		if (!*printed || matches[0].rm_eo == 0)
			break;
		flags = printed[-1] == '\n' ? 0 : REG_NOTBOL;
	}
	return found;
}

static int take_printed(
	const struct overhead_command *command, int output, struct overhead_run *run)
{
	char *printed = read_printed(output);
	int figure, exit_status = 0;

	if (!printed)
		return say_no_memory();
	for (figure = OVERHEAD_THROUGHPUT; figure <= OVERHEAD_LATENCY; figure++) {
		if (!command->patterns[figure])
			continue;
		run->figures[figure] = find_number(command->patterns[figure], printed);
		if (isnan(run->figures[figure]) && !interrupted) {
			say_sentence(
				"overhead: the command printed nothing that '%s' finds a number in",
				figure == OVERHEAD_THROUGHPUT ? "--throughput" : "--latency");
			exit_status = ct_status_exit_code(CT_ERR_NOT_FOUND);
		}
	}
	free(printed);
	return exit_status;
}

static bool is_searched(const struct overhead_command *command)
{
	return command->patterns[OVERHEAD_THROUGHPUT] || command->patterns[OVERHEAD_LATENCY];
}

/* Output that is not searched is not kept, because a command may print for hours. */
static int open_output(const struct overhead_command *command)
{
	if (is_searched(command))
		return memfd_create("output", MFD_CLOEXEC);
	return open("/dev/null", O_WRONLY | O_CLOEXEC);
}

int overhead_measure(
	const struct overhead_command *command, bool is_traced, struct overhead_run *ret_run)
{
	int output = open_output(command), ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	int exit_status;

	*ret_run = (struct overhead_run){0};
	if (output < 0 || ours < 0 || dup2(output, STDOUT_FILENO) < 0) {
		say_sentence("overhead: no room for the command's output: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	exit_status = is_traced ? run_traced(command, ret_run) : run_untraced(command, ret_run);
	dup2(ours, STDOUT_FILENO);
	close(ours);
	if (!exit_status && is_searched(command))
		exit_status = take_printed(command, output, ret_run);
	close(output);
	return exit_status;
}
