/* SPDX-License-Identifier: MIT */
/*
 * Checks that a loss never makes a finding graver. Each case's trace is judged unchanged, and then many times with
 * events missing: some events are replaced at random by the `lost` records that an honest probe would write, or only
 * such records are added. Then
 *
 *	nothing is Proven that was not Proven before, whatever is missing, and
 *	if only records of loss were added, no grade rises at all, and no new finding appears.
 *
 * Changes that do not matter must change nothing: if all times are an hour later, or coroutines have other numbers, the
 * findings are the same.
 *
 * `lossy [--seed SEED] [--times COUNT] FILE...`: tests each case from that seed on, COUNT times as often as below.
 * `./dev soak lossy` does so many times, from a new seed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rules.h"
#include "case_file.h"
#include "event/kind_words.h"
#include "check.h"
#include "base/vec.h"

/*
 * Events that are judged for each case, and the least number of rounds. Builds with the address sanitizer lose other
 * events than builds without it, so that neither repeats what the other judged.
 */
#define EVENTS_JUDGED 25000u
#define LEAST_ROUNDS 10u
#define MOST_ROUNDS 250u
#if defined(__SANITIZE_ADDRESS__)
#define SEED 42u
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEED 42u
#endif
#endif
#ifndef SEED
#define SEED 43u
#endif

struct replay {
	struct ct_source source;
	VEC(struct ct_event) events;
	size_t at;
};

static enum ct_status replay_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct replay *replay = (struct replay *)source;

	(void)reterr;
	if (replay->at == replay->events.count)
		return CT_END;
	*events = (struct ct_events){.at = &replay->events.at[replay->at++], .count = 1};
	return CT_OK;
}

static enum ct_status replay_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct replay *)source)->at = 0;
	return CT_OK;
}

static void replay_close(struct ct_source *source)
{
	(void)source;
}

static const struct ct_source_ops replay_ops = {
	.next = replay_next, .reset = replay_reset, .close = replay_close};

/* ---------------------------------------------------------------- random numbers */

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
	chance_state = chance_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(chance_state >> 33) % below;
}

/* ---------------------------------------------------------------- losing events */

static void keep(struct replay *replay, const struct ct_event *event)
{
	if (!vec_push(&replay->events, *event))
		exit(1);
	replay->events.at[replay->events.count - 1].sequence = replay->events.count - 1;
}

/*
 * Adds the record that stands before the first event after a gap: it has the event's place and the gap's beginning.
 */
static void keep_lost(struct replay *replay, const struct ct_event *after, ct_time first)
{
	struct ct_event lost = {
		.time = after->time,
		.coro = (uint64_t)first,
		.object = 1,
		.kind = CTP_KIND_LOST,
		.argument = CTP_LOSS_FULL,
		.process = after->process,
		.thread = after->thread,
	};

	keep(replay, &lost);
}

/* The records of the engine itself and of the kernel have no writer that could lose them. */
static bool can_be_lost(const struct ct_event *event)
{
	return event->thread != 0 && !kind_is_observed(event->kind) && event->kind != CTP_KIND_LOST;
}

/* One event in `one_in` is lost; each thread reports its gap before its next event. */
static void lose(const struct replay *whole, struct replay *lossy, uint32_t one_in)
{
	size_t nr_threads = whole->source.tables->nr_threads, i;
	ct_time *gap = calloc(nr_threads, sizeof(*gap));

	for (i = 0; i < nr_threads; i++)
		gap[i] = CT_NO_TIME;
	for (i = 0; i < whole->events.count; i++) {
		const struct ct_event *event = &whole->events.at[i];

		if (can_be_lost(event) && chance(one_in) == 0) {
			if (gap[event->thread] == CT_NO_TIME)
				gap[event->thread] = event->time;
			continue;
		}
		if (can_be_lost(event) && gap[event->thread] != CT_NO_TIME) {
			keep_lost(lossy, event, gap[event->thread]);
			gap[event->thread] = CT_NO_TIME;
		}
		keep(lossy, event);
	}
	free(gap);
}

/* A gap that no record of the thread reports is known to the engine, which puts it into the tables. */
static struct ct_loss *losses_at_end(
	const struct replay *whole, const struct replay *lossy, struct ct_tables *tables)
{
	uint32_t count = tables->nr_losses, thread;
	struct ct_loss *losses = calloc(count + tables->nr_threads, sizeof(*losses));

	if (count)
		memcpy(losses, tables->losses, count * sizeof(*losses));
	for (thread = 1; thread < tables->nr_threads; thread++) {
		ct_time last = CT_NO_TIME, kept = CT_NO_TIME;
		size_t i;

		for (i = 0; i < whole->events.count; i++)
			if (whole->events.at[i].thread == thread &&
				can_be_lost(&whole->events.at[i]))
				last = whole->events.at[i].time;
		for (i = 0; i < lossy->events.count; i++)
			if (lossy->events.at[i].thread == thread &&
				can_be_lost(&lossy->events.at[i]))
				kept = lossy->events.at[i].time;
		if (last == kept)
			continue;
		losses[count++] = (struct ct_loss){
			.process = tables->threads[thread].process,
			.thread = thread,
			.count = 1,
			.first = kept == CT_NO_TIME ? 0 : kept,
			.last = last,
		};
	}
	tables->losses = losses;
	tables->nr_losses = count;
	return losses;
}

/* Reports losses although no event is lost. */
static void add_losses(const struct replay *whole, struct replay *lossy, uint32_t one_in)
{
	size_t i;

	for (i = 0; i < whole->events.count; i++) {
		const struct ct_event *event = &whole->events.at[i];

		if (can_be_lost(event) && chance(one_in) == 0)
			keep_lost(lossy, event, event->time - (ct_time)chance(1000000));
		keep(lossy, event);
	}
}

/* ---------------------------------------------------------------- comparisons */

/* The grade of a rule for one coroutine (0: for the process as a whole). */
static enum ct_grade grade_of(
	const struct ct_report *report, const struct ct_finding *like, uint64_t id)
{
	enum ct_grade grade = CT_GRADE_NONE;
	uint32_t i, j;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];
		bool is_same =
			!id && finding->rule == like->rule && finding->process == like->process;

		for (j = 0; j < finding->nr_members; j++)
			is_same |= finding->rule == like->rule &&
				   finding->process == like->process &&
				   finding->members[j].coro.id == id;
		if (is_same && finding->grade > grade)
			grade = finding->grade;
	}
	return grade;
}

static bool is_graver(const struct ct_finding *finding, uint64_t id, const struct ct_report *before,
	enum ct_grade tolerated)
{
	return finding->grade > tolerated && finding->grade > grade_of(before, finding, id);
}

/* A crash is certain whatever is missing; its coroutine is reported only if it is known. */
static bool has_risen(
	const struct ct_report *after, const struct ct_report *before, enum ct_grade tolerated)
{
	uint32_t i, j;

	for (i = 0; i < after->nr_findings; i++) {
		const struct ct_finding *finding = &after->findings[i];

		if (finding->rule == CT_RULE_CRASH) {
			if (is_graver(finding, 0, before, tolerated))
				return true;
			continue;
		}
		for (j = 0; j < finding->nr_members; j++)
			if (is_graver(finding, finding->members[j].coro.id, before, tolerated))
				return true;
	}
	return false;
}

static void show(const struct case_file *file, unsigned round, const struct ct_report *report)
{
	struct text text = {0};

	case_print(&text, report);
	fprintf(stderr, "%s, round %u:\n%s", file->path, round, text_peek(&text));
	text_fini(&text);
}

static void try_round(const struct case_file *file, const struct replay *whole,
	const struct ct_report *before, unsigned round)
{
	bool is_adding = round % 3 == 0;
	struct ct_tables tables = *whole->source.tables;
	struct replay lossy = {.source = {.ops = &replay_ops, .tables = &tables}};
	struct ct_loss *losses = NULL;
	const struct ct_report *after;
	bool is_wrong;

	if (is_adding) {
		add_losses(whole, &lossy, 1 + chance(6));
	} else {
		lose(whole, &lossy, 2 + chance(8));
		losses = losses_at_end(whole, &lossy, &tables);
	}
	after = case_judge(file, &lossy.source);
	is_wrong = has_risen(after, before, is_adding ? CT_GRADE_NONE : CT_GRADE_LIKELY);
	if (is_wrong)
		show(file, round, after);
	CHECK(!is_wrong);
	analyze_report_free(after);
	vec_fini(&lossy.events);
	free(losses);
}

/* ---------------------------------------------------------------- changes that do not matter */

#define SHIFT_NS INT64_C(3600000000000)

/* Rows with impossible times stay unchanged. */
static bool is_in_window(const struct ct_tables *tables, ct_time time)
{
	return time != CT_NO_TIME && time >= tables->observed_from &&
	       time <= tables->observed_until + INT64_C(10000000000) &&
	       (time != 0 || tables->observed_from == 0);
}

static ct_time later(const struct ct_tables *tables, ct_time time)
{
	return is_in_window(tables, time) ? time + SHIFT_NS : time;
}

static void shift_event(const struct ct_tables *tables, struct ct_event *event)
{
	event->time = later(tables, event->time);
	if (event->kind == CTP_KIND_LOST)
		event->coro = (uint64_t)later(tables, (ct_time)event->coro);
}

/* Times on the program's own clock stay unchanged; that clock is assumed to have begun an hour earlier. */
static void shift_tables(const struct ct_tables *whole, struct ct_tables *tables)
{
	struct ct_process *processes = calloc(whole->nr_processes + 1, sizeof(*processes));
	struct ct_thread *threads = calloc(whole->nr_threads + 1, sizeof(*threads));
	struct ct_loss *losses = calloc(whole->nr_losses + 1, sizeof(*losses));
	uint32_t i;

	*tables = *whole;
	tables->observed_from += SHIFT_NS;
	tables->observed_until += SHIFT_NS;
	tables->epoch_monotonic_ns -= SHIFT_NS;
	for (i = 0; i < whole->nr_processes; i++) {
		processes[i] = whole->processes[i];
		processes[i].attached = later(whole, processes[i].attached);
		processes[i].ended = later(whole, processes[i].ended);
	}
	for (i = 0; i < whole->nr_threads; i++) {
		threads[i] = whole->threads[i];
		threads[i].started = later(whole, threads[i].started);
		threads[i].stopped = later(whole, threads[i].stopped);
	}
	for (i = 0; i < whole->nr_losses; i++) {
		losses[i] = whole->losses[i];
		losses[i].first = later(whole, losses[i].first);
		losses[i].last = later(whole, losses[i].last);
	}
	tables->processes = processes;
	tables->threads = threads;
	tables->losses = losses;
}

/* The factor is odd, so different numbers stay different. */
static uint64_t renamed(uint64_t id)
{
	return id ? (id * 7919 + 4711) & ((UINT64_C(1) << 34) - 1) : 0;
}

static bool is_of_coroutine(uint8_t kind)
{
	return (kind >= CTP_KIND_CREATE && kind <= CTP_KIND_SWITCH) ||
	       (kind >= CTP_KIND_SYSCALL_BEGIN && kind <= CTP_KIND_SAMPLE) ||
	       kind == CTP_KIND_TASK_BEGIN;
}

static void rename_event(struct ct_event *event)
{
	bool is_detail = event->kind == CTP_KIND_DETAIL;
	bool is_held = event->kind == CTP_KIND_MARK && event->argument == CTP_MARK_HELD;
	bool is_handle = CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE;
	bool is_remote = CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_REMOTE;

	if (is_of_coroutine(event->kind) || event->kind == CTP_KIND_MARK || is_detail)
		event->coro = renamed(event->coro);
	if (event->kind == CTP_KIND_SWITCH || event->kind == CTP_KIND_AWAIT ||
		event->kind == CTP_KIND_AWAIT_DONE ||
		(is_detail && event->argument == CTP_DETAIL_RECEIVER))
		event->object = renamed(event->object);
	else if (is_handle && (is_of_coroutine(event->kind) || is_detail || is_held))
		event->object = CTP_HANDLE(
			CTP_RESOURCE_COROUTINE, renamed(CTP_HANDLE_IDENTITY(event->object)));
	else if (is_remote && event->kind == CTP_KIND_WAKE)
		event->object = CTP_REMOTE(
			CTP_REMOTE_PID(event->object), renamed(CTP_REMOTE_CORO(event->object)));
}

/* Rule, grade, places and members, with times and numbers as in the report of the whole trace. */
static void print_essence(
	struct text *text, const struct ct_report *report, ct_time shift, bool is_renamed)
{
	uint32_t i, j;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];

		text_format(text, "finding %d %d @%u @%u:", finding->rule, finding->grade,
			finding->wait_site, finding->cause_site);
		for (j = 0; j < finding->nr_members; j++) {
			uint64_t id = finding->members[j].coro.id;
			ct_time since = finding->members[j].since;

			text_format(text, " c%llu %lld",
				(unsigned long long)(is_renamed ? id : renamed(id)),
				(long long)(since == CT_NO_TIME ? since : since - shift));
		}
		for (j = 0; j < finding->nr_steps; j++)
			text_format(
				text, " %u@%u", finding->steps[j].thread, finding->steps[j].site);
		text_format(text, "; lost %llu, lowered %u\n",
			(unsigned long long)finding->nr_lost_nearby, finding->nr_lowered);
	}
}

static void try_same(const struct case_file *file, const struct replay *whole,
	const struct ct_report *before, bool is_shift)
{
	struct ct_tables tables = *whole->source.tables;
	struct replay other = {.source = {.ops = &replay_ops, .tables = &tables}};
	struct text expected = {0}, said = {0};
	const struct ct_report *after;
	size_t i;

	if (is_shift)
		shift_tables(whole->source.tables, &tables);
	for (i = 0; i < whole->events.count; i++) {
		struct ct_event event = whole->events.at[i];

		if (is_shift)
			shift_event(whole->source.tables, &event);
		else
			rename_event(&event);
		keep(&other, &event);
	}
	after = case_judge(file, &other.source);
	text_format(&expected, "%s\n", file->path);
	text_format(&said, "%s\n", file->path);
	print_essence(&expected, before, 0, false);
	print_essence(&said, after, is_shift ? SHIFT_NS : 0, !is_shift);
	CHECK_TEXT(text_peek(&said), text_peek(&expected));
	analyze_report_free(after);
	vec_fini(&other.events);
	text_fini(&expected);
	text_fini(&said);
	if (is_shift) {
		free((void *)(uintptr_t)tables.processes);
		free((void *)(uintptr_t)tables.threads);
		free((void *)(uintptr_t)tables.losses);
	}
}

static unsigned rounds_of(const struct replay *whole)
{
	size_t rounds = EVENTS_JUDGED / (whole->events.count + 1);

	if (rounds > MOST_ROUNDS)
		return MOST_ROUNDS;
	return rounds < LEAST_ROUNDS ? LEAST_ROUNDS : (unsigned)rounds;
}

static void try_case(const char *path, unsigned times)
{
	struct replay whole = {.source = {.ops = &replay_ops}};
	const struct ct_report *before;
	const struct ct_event *event;
	struct ct_source *source;
	struct case_file file;
	unsigned round;

	case_read(path, &file);
	source = case_open(&file);
	whole.source.tables = source->tables;
	while (source_next(source, &event, NULL) == CT_OK)
		keep(&whole, event);
	before = case_judge(&file, &whole.source);
	try_same(&file, &whole, before, true);
	try_same(&file, &whole, before, false);
	for (round = 0; round < times * rounds_of(&whole); round++)
		try_round(&file, &whole, before, round);
	analyze_report_free(before);
	vec_fini(&whole.events);
	source_close(source);
	case_fini(&file);
}

int main(int argc, char **argv)
{
	uint64_t seed = SEED;
	unsigned times = 1;
	int i;

	for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2)
		if (strcmp(argv[i], "--seed") == 0)
			seed = strtoull(argv[i + 1], NULL, 10);
		else
			times = (unsigned)strtoul(argv[i + 1], NULL, 10);
	printf("SEED=%" PRIu64 "\n", seed);
	for (; i < argc; i++) {
		chance_state = seed;
		try_case(argv[i], times);
	}
	return check_result();
}
