/* SPDX-License-Identifier: MIT */
/*
 * corotracer info: prints what a trace contains, without judging it.
 */
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "command.h"
#include "corotracer/ct.h"
#include "output.h"
#include "say.h"
#include "subject.h"

#define NR_KINDS 256
#define MAX_ROWS 32u

/* Counts from one pass over the events. */
struct counted {
	uint64_t nr_events;
	uint64_t nr_by_kind[NR_KINDS];
	uint64_t nr_lost[NR_KINDS]; /* by reason: losses that the program itself recorded */
	ct_time first;
	ct_time last;
};

/* Sums saturate at UINT64_MAX, which is then printed as a minimum. */
static void add(uint64_t *sum, uint64_t count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = UINT64_MAX;
}

static enum ct_status count_events(
	struct ct_trace *trace, struct counted *counted, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status;

	*counted = (struct counted){.first = CT_NO_TIME, .last = CT_NO_TIME};
	while ((status = ct_trace_next(trace, &event, reterr)) == CT_OK) {
		if (ct_trace_is_carried(trace))
			continue;
		if (counted->nr_events++ == 0)
			counted->first = event->time;
		counted->last = event->time;
		counted->nr_by_kind[event->kind]++;
		if (event->kind == CTP_KIND_LOST)
			add(&counted->nr_lost[event->argument], event->object);
	}
	return status < 0 ? status : CT_OK;
}

static void label(const char *name)
{
	printf("%-14s", name);
}

static void print_date(const struct ct_tables *tables)
{
	time_t seconds = (time_t)(tables->epoch_realtime_ns / 1000000000);
	struct tm fields;
	char date[40] = "not known";

	if (tables->epoch_realtime_ns > 0 && gmtime_r(&seconds, &fields))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", &fields);
	label("began");
	puts(date);
}

static void print_run(const struct ct_tables *tables)
{
	size_t i;

	label("run");
	for (i = 0; i < sizeof(tables->run_id); i++)
		printf("%02x", tables->run_id[i]);
	putchar('\n');
	label("host");
	print_safe(stdout, *tables->host ? tables->host : "not known");
	putchar('\n');
	print_date(tables);
	label("observed");
	if (tables->observed_from == CT_NO_TIME || tables->observed_until == CT_NO_TIME)
		puts("not known");
	else
		puts(said_span(tables->observed_until - tables->observed_from).text);
	label("clock");
	print_safe(stdout, *tables->clock ? tables->clock : "not known");
	if (tables->clock_hz > 0)
		printf(" at %.0f Hz", tables->clock_hz);
	printf(", %s %s\n", strcmp(tables->clock, "coarse") == 0 ? "in steps of up to" : "skew",
		said_span(tables->clock_skew_ns).text);
	if (tables->reach_ns) {
		label("reach");
		printf("time-stamps may lie up to %s before their events\n",
			said_span(tables->reach_ns).text);
	}
}

static void print_ending(const struct ct_process *process)
{
	const char *name;

	switch (process->ending) {
	case CT_ENDING_EXITED:
		printf("exit status %d", process->ending_value);
		break;
	case CT_ENDING_SIGNALED:
		name = sigabbrev_np(process->ending_value);
		printf("ended by signal %d%s%s%s", process->ending_value, name ? ", SIG" : "",
			name ? name : "",
			process->was_killed_by_engine_user ? ", which its user sent" : "");
		break;
	case CT_ENDING_DETACHED:
		fputs("still running when observation ended", stdout);
		break;
	case CT_ENDING_UNKNOWN:
		fputs("its end is not in the trace", stdout);
		break;
	}
}

static void print_process(const struct ct_process *process)
{
	label("process");
	if (process->pid)
		printf("%" PRIu64 " ", process->pid);
	print_safe(stdout, *process->program ? process->program : "not known");
	fputs(": ", stdout);
	print_ending(process);
	/* A process without an id comes from a trace format to which nothing attaches. */
	if (process->pid)
		printf("; %s%s%s", process->has_probe ? "probe" : "no probe",
			process->has_ledger ? ", descriptor ledger" : ", no descriptor ledger",
			process->attached == CT_NO_TIME ? ", never attached" : "");
	putchar('\n');
	if (!*process->command_line)
		return;
	label("command");
	print_safe(stdout, process->command_line);
	putchar('\n');
}

/* Prints how many of `count` have no row. */
static void print_left_out(const char *name, uint32_t count)
{
	if (count <= MAX_ROWS)
		return;
	label(name);
	printf("... and %" PRIu32 " more\n", count - MAX_ROWS);
}

static void print_places(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 1; i < tables->nr_processes && i <= MAX_ROWS; i++)
		print_process(&tables->processes[i]);
	print_left_out("process", tables->nr_processes - 1);
	label("threads");
	printf("%" PRIu32 "\n", tables->nr_threads - 1);
	label("sites");
	printf("%" PRIu32 "\n", tables->nr_sites - 1);
}

/* Losses whose number of events is unknown. */
static const struct {
	unsigned reason;
	const char *words;
} uncounted[] = {
	{CTP_LOSS_BEFORE, "what the program did before the recording"},
	{CTP_LOSS_OPEN_END, "what was to be written behind the last heartbeat: the end is missing"},
};
#define NR_UNCOUNTED (sizeof(uncounted) / sizeof(uncounted[0]))

/* The engine's losses are in the table; the program's losses are among its events. */
static void print_losses(const struct ct_tables *tables, const struct counted *counted)
{
	uint64_t nr_by_reason[NR_KINDS], total = 0;
	bool is_there[NR_UNCOUNTED];
	unsigned reason;
	uint32_t i;

	memcpy(nr_by_reason, counted->nr_lost, sizeof(nr_by_reason));
	for (i = 0; i < tables->nr_losses; i++)
		add(&nr_by_reason[tables->losses[i].reason % NR_KINDS], tables->losses[i].count);
	for (i = 0; i < NR_UNCOUNTED; i++) {
		is_there[i] = nr_by_reason[uncounted[i].reason] > 0;
		nr_by_reason[uncounted[i].reason] = 0;
	}
	for (reason = 0; reason < NR_KINDS; reason++)
		add(&total, nr_by_reason[reason]);
	label("lost");
	puts(said_count(total, "event", "events").text);
	for (reason = 0; reason < NR_KINDS; reason++) {
		if (nr_by_reason[reason])
			printf("  %-27s %s\n", ct_loss_name(reason),
				said_count(nr_by_reason[reason], "", "").text);
	}
	for (i = 0; i < NR_UNCOUNTED; i++) {
		if (!is_there[i])
			continue;
		label("not known");
		puts(uncounted[i].words);
	}
}

static void print_kinds(const struct counted *counted)
{
	unsigned kind;

	for (kind = 0; kind < NR_KINDS; kind++) {
		const char *name = ct_kind_name(kind);
		struct said count;

		if (!counted->nr_by_kind[kind])
			continue;
		count = said_count(counted->nr_by_kind[kind], "", "");
		if (strcmp(name, "unknown") == 0)
			printf("  kind %-17u%14s\n", kind, count.text);
		else
			printf("  %-22s%14s\n", name, count.text);
	}
}

static void print_size(const char *path, uint64_t nr_events)
{
	struct stat status;

	if (strcmp(path, "-") == 0 || stat(path, &status) < 0 || !S_ISREG(status.st_mode))
		return;
	label("size");
	fputs(said_bytes((uint64_t)status.st_size).text, stdout);
	if (nr_events)
		printf(", %.1f bytes an event", (double)status.st_size / (double)nr_events);
	putchar('\n');
}

static void print_state(const struct ct_tables *tables)
{
	uint32_t i;

	label("has its end");
	puts(tables->has_no_end       ? "its form does not record it"
		: tables->is_complete ? "yes"
				      : "no");
	for (i = 0; i < tables->nr_notes && i < MAX_ROWS; i++) {
		label("note");
		print_safe(stdout, tables->notes[i].text);
		if (tables->notes[i].count > 1)
			printf(" (%" PRIu64 " times)", tables->notes[i].count);
		putchar('\n');
	}
	print_left_out("note", tables->nr_notes);
	for (i = 0; i < tables->nr_sights && i < MAX_ROWS; i++) {
		label("seen");
		if (tables->sights[i].coro)
			printf("of coroutine %" PRIu64 ", ", tables->sights[i].coro);
		print_safe(stdout, tables->sights[i].text);
		putchar('\n');
	}
	print_left_out("sight", tables->nr_sights);
}

/* Prints, for a trace file, which part of the recording it is. */
static void print_part(const struct ct_tables *tables)
{
	if (tables->first_generation == 0)
		return;
	label("generations");
	printf("%" PRIu32 " to %" PRIu32 "; ", tables->first_generation, tables->last_generation);
	if (tables->nr_before || tables->first_generation > 1)
		printf("%s before them", said_count(tables->nr_before, "event", "events").text);
	else
		fputs("from the beginning of the recording", stdout);
	puts(tables->is_cut ? "; it goes on behind them" : "");
	if (tables->nr_carried) {
		label("carried");
		fputs(said_count(tables->nr_carried, "event tells", "events tell").text, stdout);
		printf(" how things stood at %s", said_span(tables->observed_from).text);
		if (tables->nr_not_carried)
			printf("; %s found no room",
				said_count(tables->nr_not_carried, "", "").text);
		putchar('\n');
	}
	if (*tables->reason) {
		label("written for");
		print_safe(stdout, tables->reason);
		putchar('\n');
	}
}

static void print_info(
	const char *path, const struct ct_tables *tables, const struct counted *counted)
{
	print_run(tables);
	print_places(tables);
	print_state(tables);
	print_part(tables);
	label("packed");
	puts(tables->is_packed ? "yes, with zstd" : "no");
	if (tables->most_live) {
		label("alive at once");
		puts(said_count(tables->most_live, "coroutine", "coroutines").text);
	}
	print_size(path, counted->nr_events);
	print_losses(tables, counted);
	label("events");
	puts(said_count(counted->nr_events, "", "").text);
	print_kinds(counted);
}

int command_info(const struct arguments *arguments)
{
	struct ct_open_options options = {.size = sizeof(options), .no_symbols = true};
	const char *path = arguments->operands[0];
	struct counted counted;
	struct ct_trace *trace;
	struct ct_error error;
	enum ct_status status;

	progress_begin_reading(path);
	status = ct_trace_open(path, &options, &trace, &error);
	if (status == CT_OK) {
		damage_note(trace, path);
		status = count_events(trace, &counted, &error);
		progress_end();
		if (status == CT_OK)
			print_info(path, ct_trace_tables(trace), &counted);
		ct_trace_close(trace);
	}
	progress_end();
	if (status)
		return say_failure(status, &error);
	return flush_output();
}
