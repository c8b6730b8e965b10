/* SPDX-License-Identifier: MIT */
/*
 * corotracer overhead: measures what tracing costs a command on this machine: pairs of runs, one traced and one
 * untraced, each pair in the opposite order of the previous pair.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "exits.h"
#include "overhead.h"
#include "pairs.h"
#include "private_folder.h"
#include "output.h"
#include "say.h"

#define DEFAULT_PAIRS 10u
#define PAIRS_MAX 1000u
#define HOUR_SECONDS 3600.0
#define DAY_SECONDS 86400.0

static const struct {
	const char *name;
	const char *key;
	const char *unit;
} figures[NR_OVERHEAD_FIGURES] = {
	[OVERHEAD_WALL] = {"wall time", "wall", "s"},
	[OVERHEAD_CPU] = {"CPU of the command", "cpu", "s"},
	[OVERHEAD_THROUGHPUT] = {"throughput", "throughput", ""},
	[OVERHEAD_LATENCY] = {"latency", "latency", ""},
};

struct overhead {
	struct overhead_command command;
	regex_t patterns[NR_OVERHEAD_FIGURES];
	struct private_folder folder;
	uint32_t nr_wanted;
	uint32_t nr_pairs;         /* complete pairs */
	struct overhead_run *runs; /* untraced and traced, alternating */
};

/* ---------------------------------------------------------------- one measured value of all pairs */

struct compared {
	double untraced, traced; /* medians */
	struct pairs ratio;
};

static bool is_asked_for(const struct overhead *overhead, int figure)
{
	return figure < OVERHEAD_THROUGHPUT || overhead->command.patterns[figure];
}

static double ratio_of(double traced, double untraced)
{
	if (untraced != 0)
		return traced / untraced;
	return traced == 0 ? 1 : INFINITY;
}

/* False: out of memory. */
static bool compare(const struct overhead *overhead, int figure, struct compared *ret_compared)
{
	double *values = calloc(overhead->nr_pairs * 3 + 1, sizeof(*values));
	uint32_t count = overhead->nr_pairs, i;

	if (!values)
		return false;
	for (i = 0; i < count; i++) {
		double untraced = overhead->runs[2 * i].figures[figure];
		double traced = overhead->runs[2 * i + 1].figures[figure];

		values[i] = untraced;
		values[count + i] = traced;
		values[2 * count + i] = ratio_of(traced, untraced);
	}
	ret_compared->untraced = pairs_of(values, count).median;
	ret_compared->traced = pairs_of(values + count, count).median;
	ret_compared->ratio = pairs_of(values + 2 * (size_t)count, count);
	free(values);
	return true;
}

/* Averages over the traced runs. */
struct engine {
	double cpu;
	double wall;
	double nr_events;
	double nr_lost;
	double nr_bytes;
};

static struct engine mean_of(const struct overhead *overhead)
{
	struct engine mean = {0};
	uint32_t i;

	for (i = 0; i < overhead->nr_pairs; i++) {
		const struct overhead_run *traced = &overhead->runs[2 * i + 1];

		mean.cpu += traced->engine_cpu / overhead->nr_pairs;
		mean.wall += traced->figures[OVERHEAD_WALL] / overhead->nr_pairs;
		mean.nr_events += (double)traced->nr_events / overhead->nr_pairs;
		mean.nr_lost += (double)traced->nr_lost / overhead->nr_pairs;
		mean.nr_bytes += (double)traced->nr_bytes / overhead->nr_pairs;
	}
	return mean;
}

/* The exit status of the first run that failed; 0: none failed. */
static int failure_of(const struct overhead *overhead)
{
	uint32_t i;

	for (i = 0; i < 2 * overhead->nr_pairs; i++)
		if (overhead->runs[i].exit_status)
			return overhead->runs[i].exit_status;
	return 0;
}

/* ---------------------------------------------------------------- text */

static void print_row(int figure, const struct compared *compared)
{
	const struct pairs *ratio = &compared->ratio;

	printf("  %-20s%12.4g%-2s%12.4g%-2s%9.3f", figures[figure].name, compared->untraced,
		figures[figure].unit, compared->traced, figures[figure].unit, ratio->median);
	if (ratio->coverage > 0)
		printf("   %.3f to %.3f", ratio->low, ratio->high);
	putchar('\n');
}

/* The coverage depends only on the number of pairs. */
static void print_heading(double coverage)
{
	printf("\n  %-20s%12s  %12s  %9s", "medians", "untraced", "traced", "ratio");
	if (coverage > 0)
		printf("   interval (%.1f %%)", coverage * 100);
	putchar('\n');
}

static void print_engine(const struct engine *mean)
{
	double a_second = mean->wall > 0 ? mean->nr_bytes / mean->wall : 0;

	printf("\n  the engine          %.3g s of CPU a run\n", mean->cpu);
	printf("  recorded            %s a run, %s a second, %s lost; %s\n",
		said_count((uint64_t)mean->nr_events, "event", "events").text,
		said_count((uint64_t)(mean->wall > 0 ? mean->nr_events / mean->wall : 0), "event",
			"events")
			.text,
		said_count((uint64_t)ceil(mean->nr_lost), "event", "events").text,
		said_bytes((uint64_t)mean->nr_bytes).text);
	if (mean->nr_events == 0)
		return;
	printf("  a flight recorder   of an hour takes about %s, of a day %s (run --flight)\n",
		said_bytes((uint64_t)(a_second * HOUR_SECONDS)).text,
		said_bytes((uint64_t)(a_second * DAY_SECONDS)).text);
}

static bool print_text(const struct overhead *overhead)
{
	struct engine mean = mean_of(overhead);
	struct compared compared;
	int figure;

	printf("corotracer overhead: ");
	print_safe(stdout, overhead->command.words[0]);
	printf(", %u %s of runs, traced and untraced in turn\n", overhead->nr_pairs,
		overhead->nr_pairs == 1 ? "pair" : "pairs");
	for (figure = 0; figure < NR_OVERHEAD_FIGURES; figure++) {
		if (!is_asked_for(overhead, figure))
			continue;
		if (!compare(overhead, figure, &compared))
			return false;
		if (figure == OVERHEAD_WALL)
			print_heading(compared.ratio.coverage);
		print_row(figure, &compared);
	}
	print_engine(&mean);
	if (failure_of(overhead))
		printf("\n  The command ended with %d: this is what a run that fails costs.\n",
			failure_of(overhead));
	if (!overhead->runs[1].has_probe)
		puts("\n  The command has no probe: this is what the descriptor ledger costs "
		     "alone.");
	return true;
}

/* ---------------------------------------------------------------- JSON */

static void print_member(const char *key, double value, bool is_known)
{
	if (is_known && isfinite(value))
		printf("\"%s\": %.9g", key, value);
	else
		printf("\"%s\": null", key);
}

static void print_figure(int figure, const struct compared *compared)
{
	const struct pairs *ratio = &compared->ratio;
	bool has_interval = ratio->coverage > 0;

	printf("  \"%s\": {\"untraced\": %.9g, \"traced\": %.9g, ", figures[figure].key,
		compared->untraced, compared->traced);
	print_member("ratio", ratio->median, true);
	fputs(", ", stdout);
	print_member("low", ratio->low, has_interval);
	fputs(", ", stdout);
	print_member("high", ratio->high, has_interval);
	fputs(", ", stdout);
	print_member("coverage", ratio->coverage, has_interval);
	puts("},");
}

static bool print_json(const struct overhead *overhead)
{
	struct engine mean = mean_of(overhead);
	struct compared compared;
	int figure;

	printf("{\n  \"pairs\": %u,\n", overhead->nr_pairs);
	for (figure = 0; figure < NR_OVERHEAD_FIGURES; figure++) {
		if (!is_asked_for(overhead, figure))
			continue;
		if (!compare(overhead, figure, &compared))
			return false;
		print_figure(figure, &compared);
	}
	printf("  \"exit_status\": %d,\n", failure_of(overhead));
	printf("  \"has_probe\": %s,\n", overhead->runs[1].has_probe ? "true" : "false");
	printf("  \"engine_cpu_seconds\": %.6g,\n  \"events\": %.0f,\n  \"lost\": %.0f,\n",
		mean.cpu, mean.nr_events, ceil(mean.nr_lost));
	printf("  \"trace_bytes\": %.0f,\n  \"trace_bytes_a_second\": %.0f\n}\n", mean.nr_bytes,
		mean.wall > 0 ? mean.nr_bytes / mean.wall : 0);
	return true;
}

/* ---------------------------------------------------------------- running */

/* If only one run of a pair fails, the values cannot be compared. */
static int check_exits(const struct overhead_run *pair)
{
	if (pair[0].exit_status != pair[1].exit_status && !overhead_was_interrupted()) {
		say_sentence(
			"overhead: untraced the command ended with %d, traced with %d: they cannot "
			"be compared",
			pair[0].exit_status, pair[1].exit_status);
		return ct_status_exit_code(CT_ERR_CORRUPT);
	}
	return 0;
}

static bool was_not_started(int exit_status)
{
	if (exit_status != EXIT_NOT_FOUND && exit_status != EXIT_NOT_EXECUTABLE)
		return false;
	say_sentence("overhead: the command cannot be started, or ended with %d", exit_status);
	return true;
}

static int run_pair(struct overhead *overhead, uint32_t number, struct overhead_run *pair)
{
	unsigned first = number % 2;
	int exit_status = overhead_measure(&overhead->command, first, &pair[first]);

	if (!exit_status && was_not_started(pair[first].exit_status))
		exit_status = pair[first].exit_status;
	if (!exit_status && !overhead_was_interrupted())
		exit_status = overhead_measure(&overhead->command, !first, &pair[!first]);
	if (exit_status || overhead_was_interrupted())
		return exit_status;
	return check_exits(pair);
}

/* The first pair warms caches, and is not counted. */
static int run_pairs(struct overhead *overhead)
{
	struct overhead_run warming[2];
	int exit_status = run_pair(overhead, 0, warming);
	uint32_t i;

	for (i = 0; i < overhead->nr_wanted && !exit_status && !overhead_was_interrupted(); i++) {
		exit_status = run_pair(overhead, i, &overhead->runs[(size_t)2 * i]);
		overhead->nr_pairs += !exit_status && !overhead_was_interrupted();
	}
	return exit_status;
}

static int tell(const struct overhead *overhead, bool is_json)
{
	bool is_printed;

	if (!overhead->nr_pairs) {
		say_sentence("overhead: no pair of runs came to its end");
		return EXIT_SIGNALED + overhead_was_interrupted();
	}
	is_printed = is_json ? print_json(overhead) : print_text(overhead);
	if (!is_printed)
		return say_no_memory();
	if (overhead_was_interrupted()) {
		flush_output();
		return EXIT_SIGNALED + overhead_was_interrupted();
	}
	return flush_output();
}

/* ---------------------------------------------------------------- the command */

/* False, after printing so: not an extended regular expression with one part in brackets. */
static bool read_pattern(struct overhead *overhead, int figure, const char *given)
{
	regex_t *pattern = &overhead->patterns[figure];

	if (!given)
		return true;
	if (regcomp(pattern, given, REG_EXTENDED | REG_NEWLINE) != 0) {
		say_usage("overhead",
			"a pattern is an extended regular expression, as grep -E takes it");
		return false;
	}
	overhead->command.patterns[figure] = pattern;
	if (pattern->re_nsub >= 1)
		return true;
	say_usage(
		"overhead", "a pattern has the number in brackets: 'requests a second: ([0-9.]+)'");
	return false;
}

static bool make_folder(struct overhead *overhead)
{
	if (!private_folder_make(&overhead->folder, "run.ctrace")) {
		say_sentence("overhead: cannot make a folder for traces: %s", strerror(errno));
		return false;
	}
	overhead->command.trace = overhead->folder.file;
	return true;
}

static int perform(struct overhead *overhead, bool is_json)
{
	int exit_status;

	overhead->runs = calloc((size_t)overhead->nr_wanted * 2, sizeof(*overhead->runs));
	if (!overhead->runs || !make_folder(overhead))
		return ct_status_exit_code(CT_ERR_SYSTEM);
	overhead_watch_signals();
	progress_begin("measuring", overhead->command.words[0]);
	exit_status = run_pairs(overhead);
	progress_end();
	private_folder_remove(&overhead->folder);
	return exit_status ? exit_status : tell(overhead, is_json);
}

static void release(struct overhead *overhead)
{
	int figure;

	for (figure = 0; figure < NR_OVERHEAD_FIGURES; figure++)
		if (overhead->command.patterns[figure])
			regfree(&overhead->patterns[figure]);
	free(overhead->runs);
}

int command_overhead(const struct arguments *arguments)
{
	uint32_t given = arguments_count(arguments, OPTION_OVERHEAD_PAIRS);
	struct overhead overhead = {
		.command.words = arguments->operands,
		.nr_wanted = given ? given : DEFAULT_PAIRS,
	};
	bool is_json = arguments->meaning[OPTION_OVERHEAD_FORMAT].number == 1;
	int exit_status = ct_status_exit_code(CT_ERR_USAGE);

	if (!arguments->nr_operands)
		return say_usage(
			"overhead", "which program? for example: corotracer overhead -- ./app");
	if (overhead.nr_wanted > PAIRS_MAX)
		return say_usage("overhead", "'--pairs' takes 1000 at most");
	if (read_pattern(
		    &overhead, OVERHEAD_THROUGHPUT, arguments->value[OPTION_OVERHEAD_THROUGHPUT]) &&
		read_pattern(
			&overhead, OVERHEAD_LATENCY, arguments->value[OPTION_OVERHEAD_LATENCY]))
		exit_status = perform(&overhead, is_json);
	release(&overhead);
	return exit_status;
}
