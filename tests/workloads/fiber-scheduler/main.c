/* SPDX-License-Identifier: MIT */
/*
 * Plays one scenario on the fiber scheduler, watches it, and reports how it ended.
 *
 *	example-fibers [--scenario NAME] [--workers N] [--log FILE]
 *
 * If nothing happens for longer than PATIENCE_NS while fibers are alive, these fibers are stuck: the program prints how
 * many, and ends. Exit status 0: fibers are stuck, or all fibers have ended with the right result; 1: the result is
 * wrong; 2: usage.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "stage.h"
#include "truth.h"

#define PATIENCE_NS UINT64_C(1500000000)
#define TICK_MICROSECONDS 10000

struct options {
	enum fault fault; /* whose scenario is played */
	unsigned nr_workers;
	const char *log;
};

/* ---------------------------------------------------------------- the clock of the main thread */

/*
 * The main thread waits without time-out, and every tick rings its bell. So it never counts as a thread that might wake
 * a fiber after a while.
 */
static struct bell tick;

static void on_alarm(int number)
{
	int kept = errno;

	(void)number;
	bell_ring(&tick);
	errno = kept;
}

static void start_ticking(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	struct itimerval period = {
		.it_interval = {.tv_usec = TICK_MICROSECONDS},
		.it_value = {.tv_usec = TICK_MICROSECONDS},
	};

	bell_init(&tick);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &period, NULL);
}

static void stop_ticking(void)
{
	struct itimerval never = {0};

	setitimer(ITIMER_REAL, &never, NULL);
}

/* Threads that are created between these two calls never see an alarm. */
static void hold_alarms(int how)
{
	sigset_t alarms;

	sigemptyset(&alarms);
	sigaddset(&alarms, SIGALRM);
	pthread_sigmask(how, &alarms, NULL);
}

/* ---------------------------------------------------------------- looking after a scenario */

struct watch {
	unsigned next_step;
	uint64_t nr_moves;
	uint64_t moved_ns;
};

static bool stands_still(struct watch *watch)
{
	uint64_t nr_moves = scheduler_nr_moves(stage_scheduler());
	uint64_t now_ns = fiber_now_ns();

	if (nr_moves != watch->nr_moves) {
		watch->nr_moves = nr_moves;
		watch->moved_ns = now_ns;
	}
	return now_ns - watch->moved_ns > PATIENCE_NS;
}

/* Waits until all fibers have ended, or the program stands still, or the scenario says that it is over. */
static void look_after(const struct scenario *scenario)
{
	struct watch watch = {.moved_ns = fiber_now_ns()};

	while (scheduler_nr_alive(stage_scheduler()) > 0 && !stage_has_ended()) {
		if (scenario->step && scheduler_is_quiet(stage_scheduler()) &&
			scenario->step(watch.next_step)) {
			watch.next_step++;
			watch.moved_ns = fiber_now_ns();
		}
		if (stands_still(&watch))
			return;
		bell_await(&tick);
	}
}

static int play(const struct scenario *scenario)
{
	unsigned nr_stuck;

	scenario->begin();
	look_after(scenario);
	stop_ticking();
	ctp_mark(0, CTP_MARK_PHASE, 0, CTP_SITE("shutdown"));
	nr_stuck = stage_tell();
	if (nr_stuck > 0) {
		/* Threads may be blocked for ever, and stacks are in use: the end of the process frees them. */
		fprintf(stderr, "%u fibers are stuck\n", nr_stuck);
		return 0;
	}
	stage_close();
	return !scenario->is_right || scenario->is_right() ? 0 : 1;
}

/* ---------------------------------------------------------------- the command line */

static void print_usage(FILE *stream)
{
	fprintf(stream,
		"usage: example-fibers [--scenario NAME] [--workers N] [--log FILE]\n\n"
		"  %-16s %s\n",
		fault_name(NO_FAULT), fault_meaning(NO_FAULT));
#define X(name, letter, text, meaning) fprintf(stream, "  %-16s %s\n", text, meaning);
#include "faults.def"
#undef X
}

static bool find_scenario(const char *name, enum fault *ret_fault)
{
	static const enum fault all[] = {
		NO_FAULT,
#define X(name, letter, text, meaning) name,
#include "faults.def"
#undef X
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(fault_name(all[i]), name) == 0) {
			*ret_fault = all[i];
			return true;
		}
	}
	return false;
}

static bool parse_workers(const char *text, unsigned *ret_number)
{
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	*ret_number = (unsigned)number;
	return *end == '\0' && number >= 1 && number <= WORKERS_MAX;
}

static bool parse(int nr_arguments, char **arguments, struct options *options)
{
	static const struct option known[] = {
		{"scenario", required_argument, NULL, 's'},
		{"workers", required_argument, NULL, 'w'},
		{"log", required_argument, NULL, 'l'},
		{0},
	};
	bool is_good = true;
	int letter;

	while (is_good && (letter = getopt_long(nr_arguments, arguments, "", known, NULL)) >= 0) {
		if (letter == 's')
			is_good = find_scenario(optarg, &options->fault);
		else if (letter == 'w')
			is_good = parse_workers(optarg, &options->nr_workers);
		else if (letter == 'l')
			options->log = optarg;
		else
			is_good = false;
	}
	return is_good && optind == nr_arguments;
}

int main(int nr_arguments, char **arguments)
{
	struct options options = {.fault = FAULT_PLANTED};
	const struct scenario *scenario;

	if (!parse(nr_arguments, arguments, &options)) {
		print_usage(stderr);
		return 2;
	}
	if (!truth_open(options.log)) {
		perror(options.log);
		return 2;
	}
	ctp_attach();
	scenario = stage_scenario(options.fault);
	if (options.nr_workers == 0)
		options.nr_workers = scenario->nr_workers;
	truth_line("scenario name=%s fault=%c workers=%u", fault_name(options.fault),
		FAULT_PLANTED == NO_FAULT ? '-' : (int)FAULT_PLANTED, options.nr_workers);
	hold_alarms(SIG_BLOCK);
	stage_open(options.nr_workers);
	hold_alarms(SIG_UNBLOCK);
	start_ticking();
	return play(scenario);
}
