/* SPDX-License-Identifier: MIT */
/*
 * Finds the rest at which a process is judged besides its end, makes the source as it was then, and merges the two
 * reports.
 *
 * A finding about a rest is what would have been found if the program had been killed then. The last rest of a
 * program that simply goes on working does not count: most of the coroutines that ran since must have ended, and the
 * process must have ended soon after, or done nothing more. If the signal came during normal work, or interrupted no
 * call because the program was about to work, all coroutines must have ended.
 */
#include <inttypes.h>

#include "analyze/last_rest.h"
#include "analyze/parts.h"

/*
 * Limits for a program that only ends: the time from the rest to the end of the process, or of all its coroutines,
 * and the number of runs in that time.
 */
#define LONGEST_END_NS INT64_C(10000000000)
#define LIVED_ON_NS INT64_C(1000000000)
#define RUNS_A_COROUTINE 8u
#define RUNS_BESIDES 64u

/* ---------------------------------------------------------------- the choice of the rest */

/*
 * Coroutines that have not ended, except a runtime's own: of those that existed at the rest, and of those that ran
 * since.
 */
struct survivors {
	uint64_t nr_left;
	uint64_t nr_ran;
};

static struct survivors count_survivors(const struct model *model, uint32_t process, ct_time since)
{
	struct survivors survivors = {0};
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process != process || coro->state >= CT_STATE_DONE ||
			model_is_of_runtime(coro))
			continue;
		survivors.nr_left += coro->created < since;
		survivors.nr_ran += coro->resumed != CT_NO_TIME && coro->resumed >= since;
	}
	return survivors;
}

/* Did everything after the rest only end the program? */
static bool is_before_the_end(const struct analysis *analysis, uint32_t process,
	const struct model_stillness *stillness, bool must_end_all)
{
	const struct model_process *at = &analysis->model->processes[process];
	ct_time ended = analysis->tables->processes[process].ended;
	struct survivors survivors;

	if (stillness->until == CT_NO_TIME || !stillness->nr_alive ||
		at->nr_runs - stillness->nr_runs >
			stillness->nr_alive * RUNS_A_COROUTINE + RUNS_BESIDES)
		return false;
	survivors = count_survivors(analysis->model, process, stillness->until);
	if (must_end_all && (survivors.nr_left || survivors.nr_ran))
		return false;
	/* A process may live long after its coroutines because it joins threads. */
	if (!survivors.nr_left && !survivors.nr_ran)
		ended = at->stepped;
	if (ended - stillness->until > LONGEST_END_NS)
		return false;
	return survivors.nr_left < stillness->nr_alive &&
	       survivors.nr_ran <= stillness->nr_alive - survivors.nr_left;
}

/* The first rest that a signal ended: a second signal comes to a program that is already ending. */
static const struct model_stillness *first_interruption(const struct analysis *analysis,
	uint32_t process, const struct model_stillness interruptions[MODEL_INTERRUPTIONS])
{
	const struct model_stillness *first = NULL;
	uint32_t i;

	for (i = 0; i < MODEL_INTERRUPTIONS; i++) {
		const struct model_stillness *stillness = &interruptions[i];

		if (is_before_the_end(analysis, process, stillness, stillness->is_busy) &&
			(!first || stillness->until < first->until))
			first = stillness;
	}
	return first;
}

static struct last_rest last_rest_of(const struct analysis *analysis, uint32_t process)
{
	const struct model_process *at = &analysis->model->processes[process];
	const struct model_stillness *last = &at->stillness;
	const struct ct_process *told = &analysis->tables->processes[process];
	bool is_signaled = told->ending == CT_ENDING_SIGNALED;
	const struct model_stillness *first;

	if (!process || told->ended == CT_NO_TIME)
		return (struct last_rest){.until = CT_NO_TIME};
	first = first_interruption(analysis, process, at->interruptions);
	if (!first)
		first = first_interruption(analysis, process, at->interrupted_busy);
	if (first)
		return (struct last_rest){.from = first->from,
			.until = first->until,
			.is_by_signal = true,
			.is_busy = first->is_busy,
			.lived_on_ns = told->ended - at->stepped};
	if ((is_signaled || analysis->parties[process].has_given_up) &&
		is_before_the_end(analysis, process, last, false))
		return (struct last_rest){
			.from = last->from, .until = last->until, .is_by_signal = is_signaled};
	if (is_signaled && is_before_the_end(analysis, process, &at->pause, true))
		return (struct last_rest){.from = at->pause.from,
			.until = at->pause.until,
			.is_by_signal = true,
			.is_before_signal = true,
			.lived_on_ns = told->ended - at->stepped};
	return (struct last_rest){.until = CT_NO_TIME};
}

/* ---------------------------------------------------------------- the source up to the rest */

static bool is_before(const struct last_rests *rests, const struct ct_event *event)
{
	const struct last_rest *of = &rests->of[event->process];

	return of->until == CT_NO_TIME || event->time < of->until;
}

/* Does a thread's handler of the signal say what it has interrupted there? */
static bool is_interrupted_place(const struct last_rests *rests, const struct ct_event *event)
{
	const struct last_rest *of = &rests->of[event->process];

	return event->kind == CTP_KIND_MARK && event->argument == CTP_MARK_THREAD_AT &&
	       !of->is_place_told && event->object == rests->tables.threads[event->thread].tid;
}

/* Keeps the first such place, as something that an observer saw: it is no sign that the thread went on. */
static bool keep_place(struct last_rests *rests, struct ct_event *event)
{
	if (!is_interrupted_place(rests, event))
		return false;
	rests->of[event->process].is_place_told = true;
	event->thread = 0;
	return true;
}

/* Removes later events from a run, in the reader's own buffer. */
static void leave_out(struct last_rests *rests, struct ct_event *room, struct ct_events *events)
{
	size_t i, nr_kept = 0;

	for (i = 0; i < events->count; i++) {
		if (!is_before(rests, &room[i]) && !keep_place(rests, &room[i]))
			continue;
		if (nr_kept != i)
			room[nr_kept] = room[i];
		nr_kept++;
	}
	events->count = nr_kept;
	events->rows = NULL;
}

static enum ct_status next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct last_rests *rests = (struct last_rests *)source;
	struct ct_event *room = events->room;
	size_t capacity = events->capacity;
	enum ct_status status;

	do {
		status = source_fill(rests->all, room, capacity, events, reterr);
		if (status == CT_OK)
			leave_out(rests, room, events);
	} while (status == CT_OK && !events->count);
	return status;
}

static enum ct_status reset(struct ct_source *source, struct ct_error *reterr)
{
	struct last_rests *rests = (struct last_rests *)source;
	uint32_t i;

	for (i = 0; i < rests->tables.nr_processes; i++)
		rests->of[i].is_place_told = false;
	return source_reset(rests->all, reterr);
}

static void close_nothing(struct ct_source *source)
{
	(void)source;
}

/*
 * Ends the processes with their rests. What ended the program came later; and a watchdog that lets everything be
 * destroyed does not show that everything hung.
 */
static void end_at_rests(const struct analysis *analysis, const struct last_rests *rests,
	struct ct_process *processes)
{
	uint32_t i;

	for (i = 0; i < analysis->tables->nr_processes; i++) {
		processes[i] = analysis->tables->processes[i];
		if (rests->of[i].until == CT_NO_TIME)
			continue;
		processes[i].ended = rests->of[i].until;
		processes[i].ending = CT_ENDING_UNKNOWN;
		processes[i].ending_value = 0;
	}
}

bool analyze_last_rest_find(
	struct analysis *analysis, struct ct_source *source, struct last_rests *rests)
{
	static const struct ct_source_ops ops = {
		.next = next, .reset = reset, .close = close_nothing};
	uint32_t count = analysis->tables->nr_processes, i;
	struct ct_process *processes = analyze_array(analysis, count, sizeof(*processes));
	bool is_found = false;

	*rests = (struct last_rests){.all = source, .tables = *analysis->tables};
	rests->of = analyze_array(analysis, count, sizeof(*rests->of));
	for (i = 0; !analysis->is_broken && i < count; i++) {
		rests->of[i] = last_rest_of(analysis, i);
		is_found |= rests->of[i].until != CT_NO_TIME;
	}
	if (!is_found)
		return false;
	end_at_rests(analysis, rests, processes);
	rests->tables.processes = processes;
	rests->source.ops = &ops;
	rests->source.tables = &rests->tables;
	rests->source.order = source->order;
	rests->source.is_ordered = source->is_ordered;
	rests->source.most_bytes = source->most_bytes;
	rests->source.goes_on = source->goes_on;
	rests->source.was_damaged = source->was_damaged;
	return true;
}

/* ---------------------------------------------------------------- one report of two */

static bool says_the_same(const struct ct_finding *one, const struct ct_finding *other)
{
	return one->rule == other->rule && one->process == other->process &&
	       one->wait_site == other->wait_site && one->cause_site == other->cause_site;
}

static bool is_said(const struct ct_report *report, const struct ct_finding *finding)
{
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		if (says_the_same(&report->findings[i], finding))
			return true;
	return false;
}

/* When all are cancelled at once, those that run last run late: the program was not made for that. */
static bool is_of_the_end(const struct last_rests *rests, const struct ct_finding *finding)
{
	const struct last_rest *of = &rests->of[finding->process];

	return finding->rule == CT_RULE_STARVATION && of->until != CT_NO_TIME && of->is_by_signal &&
	       finding->nr_members && finding->members[0].since >= of->until;
}

/*
 * The gravest findings first; within one grade those of the rest come before those of the end, each in its report's
 * order.
 */
static void merge_findings(struct analysis *analysis, const struct last_rests *rests,
	struct ct_report *report, const struct ct_report *before)
{
	uint32_t most = report->nr_findings + before->nr_findings, count = 0, i;
	struct ct_finding *merged = analyze_array(analysis, most, sizeof(*merged));
	enum ct_grade grade;

	for (grade = CT_GRADE_PROVEN; merged && grade > CT_GRADE_NONE; grade--) {
		for (i = 0; i < before->nr_findings; i++)
			if (before->findings[i].grade == grade)
				merged[count++] = before->findings[i];
		for (i = 0; i < report->nr_findings; i++)
			if (report->findings[i].grade == grade &&
				!is_said(before, &report->findings[i]) &&
				!is_of_the_end(rests, &report->findings[i]))
				merged[count++] = report->findings[i];
	}
	report->findings = merged;
	report->nr_findings = count;
}

static bool is_remarked(const struct ct_report *report, const char *remark)
{
	uint32_t i;

	for (i = 0; i < report->nr_remarks; i++)
		if (strcmp(report->remarks[i], remark) == 0)
			return true;
	return false;
}

static void merge_remarks(
	struct analysis *analysis, struct ct_report *report, const struct ct_report *before)
{
	uint32_t most = report->nr_remarks + before->nr_remarks, count = 0, i;
	const char **merged = analyze_array(analysis, most, sizeof(*merged));

	for (i = 0; merged && i < report->nr_remarks; i++)
		merged[count++] = report->remarks[i];
	for (i = 0; merged && i < before->nr_remarks; i++)
		if (!is_remarked(report, before->remarks[i]))
			merged[count++] = before->remarks[i];
	report->remarks = merged;
	report->nr_remarks = count;
}

void analyze_last_rest_merge(struct analysis *analysis, const struct last_rests *rests,
	struct ct_report *report, const struct ct_report *before)
{
	merge_findings(analysis, rests, report, before);
	merge_remarks(analysis, report, before);
	report->waiting = before->waiting;
	report->nr_waiting = before->nr_waiting;
	report->advice = before->advice;
	report->nr_advice = before->nr_advice;
	if (!before->nr_why)
		return;
	report->why_coro = before->why_coro;
	report->why = before->why;
	report->nr_why = before->nr_why;
	report->awaits = before->awaits;
	report->nr_awaits = before->nr_awaits;
}

/* ---------------------------------------------------------------- words */

static const char *words_end(
	struct analysis *analysis, const struct last_rests *rests, uint32_t process)
{
	const struct ct_process *told = &rests->all->tables->processes[process];

	if (!rests->of[process].is_by_signal)
		return "until it ended itself in failure";
	if (rests->of[process].is_before_signal)
		return analyze_say(analysis, "and %s came about then",
			analyze_words_signal(analysis, told->ending_value));
	return told->ending == CT_ENDING_SIGNALED && rests->of[process].lived_on_ns < LIVED_ON_NS
		       ? analyze_say(analysis, "until %s came",
				 analyze_words_signal(analysis, told->ending_value))
		       : "until a signal came";
}

/* "" if the process ended with its coroutines. */
static const char *words_rest(struct analysis *analysis, const struct last_rest *of)
{
	return of->lived_on_ns < LIVED_ON_NS
		       ? ""
		       : analyze_say(analysis, ", and the process lived on for %s without any",
				 analyze_words_duration(analysis, of->lived_on_ns));
}

static void remark(struct analysis *analysis, const struct last_rests *rests, uint32_t process)
{
	const struct last_rest *of = &rests->of[process];
	const struct ct_process *told = &rests->tables.processes[process];
	const char *until = analyze_words_duration(analysis, of->until);

	if (of->is_busy)
		analyze_quality_remark(analysis,
			"a signal came at %s, by which all coroutines of process %" PRIu64
			" have ended%s; the report shows who waited then, not at the end",
			until, told->pid, words_rest(analysis, of));
	else
		analyze_quality_remark(analysis,
			"no coroutine of process %" PRIu64 " did anything from %s to %s, %s%s; the "
			"report shows who waited then, not at the end",
			told->pid, analyze_words_duration(analysis, of->from), until,
			words_end(analysis, rests, process), words_rest(analysis, of));
}

void analyze_last_rest_remark(struct analysis *analysis, const struct last_rests *rests)
{
	uint32_t i;

	for (i = 0; i < rests->tables.nr_processes; i++)
		if (rests->of[i].until != CT_NO_TIME)
			remark(analysis, rests, i);
}
