/* SPDX-License-Identifier: MIT */
/*
 * corotracer why: prints what one coroutine waits for, and which one must go on first.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

#define IDS_NAMED 5u

/* An id is a whole number; "c1025", as dump prints it, is accepted too. */
static bool read_id(const char *text, uint64_t *ret_id)
{
	return value_number(text + (*text == 'c'), ret_id);
}

static bool has_begun_late(const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->quality.nr_losses; i++)
		if (report->quality.losses[i].reason == CTP_LOSS_BEFORE)
			return true;
	return false;
}

struct ids {
	uint64_t least;
	uint64_t most;
};

/* The ids in the trace; `most` is 0 if there are none, or if they could not be read. */
static struct ids ids_of(struct ct_trace *trace)
{
	struct ids ids = {UINT64_MAX, 0};
	const struct ct_event *event;

	if (ct_trace_rewind(trace, NULL))
		return ids;
	while (ct_trace_next(trace, &event, NULL) == CT_OK) {
		if (!ct_event_has_coro(event) || !event->coro)
			continue;
		ids.least = event->coro < ids.least ? event->coro : ids.least;
		ids.most = event->coro > ids.most ? event->coro : ids.most;
	}
	return ids;
}

/* "; findings are about 3, 7, 12 and 44 more", from the first finding; empty without findings. */
static void add_members(char *text, size_t nr_bytes, const struct ct_report *report)
{
	const struct ct_finding *first = report->findings;
	size_t used = 0;
	uint32_t i;

	text[0] = '\0';
	if (!report->nr_findings || !first->nr_members)
		return;
	for (i = 0; i < first->nr_members && i < IDS_NAMED; i++)
		used += (size_t)snprintf(text + used, nr_bytes - used, "%s%llu",
			i ? ", " : "; the first finding is about ",
			(unsigned long long)first->members[i].coro.id);
	if (first->nr_members > IDS_NAMED)
		snprintf(text + used, nr_bytes - used, " and %u more",
			(unsigned)first->nr_members - IDS_NAMED);
}

static void say_not_in_trace(const struct judgement *judgement, uint64_t id)
{
	struct ids ids = ids_of(judgement->trace);
	char members[256];

	add_members(members, sizeof(members), judgement->report);
	if (ids.most)
		say_sentence("no coroutine %llu is in the trace, which has %s, with ids from %llu "
			     "to %llu%s",
			(unsigned long long)id,
			said_count(judgement->report->quality.nr_coros, "coroutine", "coroutines")
				.text,
			(unsigned long long)ids.least, (unsigned long long)ids.most, members);
	else
		say_sentence("no coroutine %llu is in the trace, which has none; 'corotracer "
			     "report' says why, and what was seen in memory, if somebody looked",
			(unsigned long long)id);
}

/* If a flight recorder was read, its ids are its own, and a second reading finds the same ids. */
static void say_absent(const struct judgement *judgement, uint64_t id)
{
	const struct ct_report *report = judgement->report;

	if (!report->live.pid)
		say_not_in_trace(judgement, id);
	else if (has_begun_late(report))
		say_sentence(
			"no coroutine %llu of process %llu is known; without a flight recorder ids "
			"are new each time somebody attaches, and only coroutines that do "
			"something "
			"meanwhile are seen: start the program with COROTRACER_FLIGHT=,64M",
			(unsigned long long)id, (unsigned long long)report->live.pid);
	else
		say_sentence("no coroutine %llu is among those of process %llu in what its flight "
			     "recorder kept",
			(unsigned long long)id, (unsigned long long)report->live.pid);
}

static int print(const struct judgement *judgement, enum ct_report_format format, uint64_t id)
{
	struct ct_report_options options = {
		.size = sizeof(options), .format = format, .is_why = true};
	const struct ct_report *report = judgement->report;
	bool is_absent = report->nr_why == 0;
	struct ct_error error;
	enum ct_status status = CT_OK;

	/* What the threads do is useful in any case. */
	if (!is_absent || (report->live.nr_looks && format != CT_REPORT_DOT))
		status = ct_report_write(report, &options, "-", &error);
	if (status)
		return say_failure(status, &error);
	if (!is_absent)
		return 0;
	say_absent(judgement, id);
	judgement_tell_without_room(report);
	return ct_status_exit_code(CT_ERR_NOT_FOUND);
}

/* ---------------------------------------------------------------- by name */

/* The coroutines with this name. */
struct named {
	uint64_t coro; /* the first of them */
	uint64_t pid;
	uint64_t nr_others;
};

/* 0: the event does not name a coroutine. */
static uint64_t coro_named(const struct ct_event *event)
{
	if (event->kind != CTP_KIND_NAME)
		return 0;
	if (!event->object)
		return event->coro;
	return CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE
		       ? CTP_HANDLE_IDENTITY(event->object)
		       : 0;
}

static void look_at_name(const struct ct_tables *tables, const struct ct_event *event,
	const char *name, uint64_t pid, struct named *named)
{
	uint64_t coro = coro_named(event), present;

	if (!coro || event->site >= tables->nr_sites ||
		strcmp(tables->sites[event->site].reason, name) != 0)
		return;
	present = tables->processes[event->process].pid;
	if (pid && present != pid)
		return;
	if (!named->coro) {
		named->coro = coro;
		named->pid = present;
	} else if (named->coro != coro || named->pid != present) {
		named->nr_others++;
	}
}

static enum ct_status look_for_name(const char *path, const char *name, uint64_t pid,
	struct named *named, struct ct_error *reterr)
{
	struct ct_open_options opening = {.size = sizeof(opening), .no_symbols = true};
	const struct ct_event *event;
	struct ct_trace *trace;
	enum ct_status status;

	progress_begin_reading(path);
	status = ct_trace_open(path, &opening, &trace, reterr);
	if (status == CT_OK) {
		while ((status = ct_trace_next(trace, &event, reterr)) == CT_OK)
			look_at_name(ct_trace_tables(trace), event, name, pid, named);
		ct_trace_close(trace);
	}
	progress_end();
	return status < 0 ? status : CT_OK;
}

/* Finds the id and the process of the only coroutine with this name; returns the exit status. */
static int find_named(const char *path, const char *name, struct ct_analyze_options *options)
{
	struct named named = {0};
	struct ct_error error;
	enum ct_status status = look_for_name(path, name, options->why_pid, &named, &error);

	if (status)
		return say_failure(status, &error);
	if (!named.coro) {
		say_sentence("no coroutine is called '%s', and it is no id, which is a whole "
			     "number from 1 on",
			name);
		return ct_status_exit_code(CT_ERR_NOT_FOUND);
	}
	if (named.nr_others) {
		say_sentence("'%s' is the name of coroutine %llu, and of others: name one by its "
			     "id",
			name, (unsigned long long)named.coro);
		return ct_status_exit_code(CT_ERR_USAGE);
	}
	options->why_coro = named.coro;
	options->why_pid = named.pid;
	return 0;
}

/* Can the file be read twice, for the names and for the answer? */
static bool has_names(const struct subject *subject)
{
	const char *path = subject_file(subject);

	return path && input_is_sure(path);
}

/* ---------------------------------------------------------------- the command */

/* "ID FILE" is accepted like "FILE ID", because an id looks different from a file's name. */
static void put_in_order(struct arguments *arguments)
{
	char **words = arguments->operands, *first = words[0];
	uint64_t id;

	if (arguments->nr_operands != 2 || read_id(words[1], &id) || !read_id(words[0], &id) ||
		access(words[1], F_OK) != 0)
		return;
	words[0] = words[1];
	words[1] = first;
}

/* An ID alone is looked up in DEFAULT_TRACE; returns the exit status. */
static int read_operands(
	struct arguments *arguments, struct subject *subject, struct ct_analyze_options *options)
{
	static const char which[] =
		"which coroutine? its id is a number, as reports print it, or its "
		"name; for example: corotracer why " DEFAULT_TRACE " 1025";
	char **words = arguments->operands;
	const char *last;

	if (arguments->nr_operands == 0)
		return say_usage("why", which);
	if (arguments->nr_operands > 2)
		return say_usage("why", "one trace, and one coroutine");
	put_in_order(arguments);
	last = words[arguments->nr_operands - 1];
	if (!read_id(last, &options->why_coro) && arguments->nr_operands == 1)
		return say_usage("why", which);
	if (arguments->nr_operands == 1 && !arguments_take_default(arguments))
		return say_usage("why", "which trace? there is no " DEFAULT_TRACE
					" here; for example: corotracer why run.ctrace 1025");
	subject->operand = arguments->operands[0];
	if (options->why_coro)
		return 0;
	if (!has_names(subject))
		return say_usage("why", "the id of a coroutine is a whole number from 1 on");
	return find_named(subject->operand, last, options);
}

int command_why(const struct arguments *arguments)
{
	struct arguments completed = *arguments; /* the operands have room for one more */
	static const enum ct_report_format formats[] = {
		CT_REPORT_TEXT, CT_REPORT_JSON, CT_REPORT_DOT};
	struct ct_analyze_options options = {
		.size = sizeof(options),
		.why_pid = arguments->meaning[OPTION_WHY_PROCESS].number,
	};
	struct subject subject = {
		.no_symbols = arguments->value[OPTION_WHY_NO_SYMBOLS] != NULL,
		.duration = OPTION_WHY_DURATION,
	};
	struct judgement judgement;
	int exit_status = read_operands(&completed, &subject, &options);

	if (exit_status)
		return exit_status;
	if (subject_is_process(&subject)) {
		if (options.why_pid)
			return say_usage(
				"why", "'--process' goes with a trace: PID names the process");
		options.why_pid = (uint64_t)value_process(subject.operand);
	}
	exit_status = judgement_read(arguments, &subject, &options, &judgement);
	if (exit_status)
		return exit_status;
	exit_status = print(&judgement, formats[arguments->meaning[OPTION_WHY_FORMAT].number],
		options.why_coro);
	judgement_fini(&judgement);
	return exit_status;
}
