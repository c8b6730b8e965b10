/* SPDX-License-Identifier: MIT */
/*
 * Loss never makes a finding graver. Each case's trace is judged as it is, and then many times with
 * events missing: some removed at random, with the `lost` records that an honest probe would write
 *in their place, or only such records added. Then
 *
 *	nothing is Proven that was not Proven before, whatever is missing, and
 *	where nothing but records of loss was added, no grade rises at all, and no finding appears.
 *
 * `lossy FILE...`; the numbers that chance takes are always the same ones.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "case_file.h"
#include "check.h"
#include "vec.h"

#define ROUNDS 1000

struct replay {
	struct ct_source source;
	VEC(struct ct_event) events;
	size_t at;
};

static enum ct_status replay_next(
	struct ct_source *source, const struct ct_event **ret_event, struct ct_error *reterr)
{
	struct replay *replay = (struct replay *)source;

	(void)reterr;
	if (replay->at == replay->events.count)
		return CT_END;
	*ret_event = &replay->events.at[replay->at++];
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

static const struct ct_source_ops replay_ops = {replay_next, replay_reset, replay_close};

/* ---------------------------------------------------------------- chance */

static uint64_t chance_state;

static uint32_t chance(uint32_t below)
{
	chance_state = chance_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(chance_state >> 33) % below;
}

/* ---------------------------------------------------------------- losing */

static void keep(struct replay *replay, const struct ct_event *event)
{
	if (!vec_push(&replay->events, *event))
		exit(1);
	replay->events.at[replay->events.count - 1].sequence = replay->events.count - 1;
}

/*
 * The record that stands before the first event after a gap: the event's place, the gap's
 * beginning.
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

/* The engine's own records and those of the kernel's are written by nobody who could lose them. */
static bool can_be_lost(const struct ct_event *event)
{
	return event->thread != 0 && event->kind != CTP_KIND_THREAD_STATE &&
	       event->kind != CTP_KIND_LOST;
}

/* One event in `one_in` is gone; each thread tells of its gap before its next event. */
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

/* What no record of the thread tells of any more, the engine knows, and says in the tables. */
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

/* Nothing is gone, but somebody says so. */
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

/* ---------------------------------------------------------------- comparing */

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

/* A crash is certain whatever is missing, and whom it hit is told only where that is known. */
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

static const struct ct_report *judge(struct ct_source *source, const struct case_file *file)
{
	const struct ct_report *report;
	struct ct_error error;

	if (analyze_source(source, &file->options, &report, &error) != CT_OK) {
		fprintf(stderr, "%s: %s\n", file->path, error.text);
		exit(1);
	}
	return report;
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
	struct replay lossy = {.source = {&replay_ops, &tables}};
	struct ct_loss *losses = NULL;
	const struct ct_report *after;
	bool is_wrong;

	if (is_adding) {
		add_losses(whole, &lossy, 1 + chance(6));
	} else {
		lose(whole, &lossy, 2 + chance(8));
		losses = losses_at_end(whole, &lossy, &tables);
	}
	after = judge(&lossy.source, file);
	is_wrong = has_risen(after, before, is_adding ? CT_GRADE_NONE : CT_GRADE_LIKELY);
	if (is_wrong)
		show(file, round, after);
	CHECK(!is_wrong);
	analyze_report_free(after);
	vec_fini(&lossy.events);
	free(losses);
}

static void try_case(const char *path)
{
	struct replay whole = {.source = {&replay_ops, NULL}};
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
	before = judge(&whole.source, &file);
	for (round = 0; round < ROUNDS; round++)
		try_round(&file, &whole, before, round);
	analyze_report_free(before);
	vec_fini(&whole.events);
	source_close(source);
	case_fini(&file);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		chance_state = 42;
		try_case(argv[i]);
	}
	return check_result();
}
