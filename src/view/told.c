/* SPDX-License-Identifier: MIT */
/*
 * The judgement, and the tables of the trace, as rows: one function for each table, one row each.
 */
#include <stdlib.h>

#include <stdio.h>

#include "base/failure.h"
#include "rules/rules.h"
#include "say/say.h"
#include "textrace/names.h"
#include "view/view.h"

struct telling {
	struct ct_view *view;
	const struct ct_report *report;
	const struct ct_worker **worker_of; /* by thread; NULL: it is none */
	bool is_broken;                     /* out of memory */
};

static void add(struct telling *telling, enum ct_view_table table, const int64_t *row)
{
	telling->is_broken |= !column_log_add(&telling->view->logs[table], row);
}

static int64_t text_of(struct telling *telling, const char *text)
{
	int64_t number = view_text(telling->view, VIEW_TOLD, text);

	telling->is_broken |= number < 0;
	return number;
}

static int64_t place_of(struct telling *telling, uint32_t site)
{
	struct text text = {0};
	int64_t number;

	if (!site)
		return 0;
	say_place(&text, telling->view->tables, site);
	number = text.is_broken
			 ? -1
			 : view_text_copy(telling->view, VIEW_TOLD, text_peek(&text), text.length);
	text_fini(&text);
	telling->is_broken |= number < 0;
	return number;
}

/* ---------------------------------------------------------------- the trace's own tables */

static int64_t run_of(struct telling *telling)
{
	const struct ct_tables *tables = telling->view->tables;
	char run[2 * sizeof(tables->run_id) + 1];
	int64_t number;
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
	number = view_text_copy(telling->view, VIEW_TOLD, run, 2 * sizeof(tables->run_id));
	telling->is_broken |= number < 0;
	return number;
}

static void tell_trace(struct telling *telling)
{
	const struct ct_tables *tables = telling->view->tables;
	const struct ct_quality *quality = &telling->report->quality;
	const int64_t row[CT_VIEW_NR_TRACE] = {
		[CT_VIEW_TRACE_RUN] = run_of(telling),
		[CT_VIEW_TRACE_HOST] = text_of(telling, tables->host),
		[CT_VIEW_TRACE_CLOCK] = text_of(telling, tables->clock),
		[CT_VIEW_TRACE_EPOCH_REALTIME] = tables->epoch_realtime_ns,
		[CT_VIEW_TRACE_EPOCH_MONOTONIC] = tables->epoch_monotonic_ns,
		[CT_VIEW_TRACE_FROM] = quality->observed_from,
		[CT_VIEW_TRACE_UNTIL] = quality->observed_until,
		[CT_VIEW_TRACE_IS_COMPLETE] = tables->is_complete,
		[CT_VIEW_TRACE_HAS_NO_END] = tables->has_no_end,
		[CT_VIEW_TRACE_NR_EVENTS] = (int64_t)quality->nr_events,
		[CT_VIEW_TRACE_NR_LOST] = (int64_t)quality->nr_lost,
		[CT_VIEW_TRACE_NR_LEFT_OUT] = (int64_t)quality->nr_left_out,
		[CT_VIEW_TRACE_NR_IMPOSSIBLE] = (int64_t)quality->nr_impossible,
		[CT_VIEW_TRACE_REASON] = text_of(telling, tables->reason),
	};

	add(telling, CT_VIEW_TRACE, row);
}

static void tell_process(struct telling *telling, uint32_t number)
{
	const struct ct_process *process = &telling->view->tables->processes[number];
	const char *ending = textrace_name(TEXTRACE_ENDINGS, process->ending);
	const int64_t row[CT_VIEW_NR_PROCESSES] = {
		[CT_VIEW_PROCESSES_PROCESS] = number,
		[CT_VIEW_PROCESSES_PID] = (int64_t)process->pid,
		[CT_VIEW_PROCESSES_PROGRAM] = text_of(telling, process->program),
		[CT_VIEW_PROCESSES_COMMAND_LINE] = text_of(telling, process->command_line),
		[CT_VIEW_PROCESSES_ATTACHED] = process->attached,
		[CT_VIEW_PROCESSES_ENDED] = process->ended,
		[CT_VIEW_PROCESSES_ENDING] = text_of(telling, ending ? ending : ""),
		[CT_VIEW_PROCESSES_ENDING_VALUE] = process->ending_value,
		[CT_VIEW_PROCESSES_HAS_PROBE] = process->has_probe,
		[CT_VIEW_PROCESSES_HAS_LEDGER] = process->has_ledger,
	};

	add(telling, CT_VIEW_PROCESSES, row);
}

static bool find_workers(struct telling *telling)
{
	const struct ct_statistics *statistics = &telling->report->statistics;
	uint32_t nr_threads = telling->view->tables->nr_threads, i;

	telling->worker_of = calloc(nr_threads + 1u, sizeof(struct ct_worker *));
	for (i = 0; telling->worker_of && i < statistics->nr_workers; i++)
		telling->worker_of[statistics->workers[i].thread] = &statistics->workers[i];
	return telling->worker_of != NULL;
}

static void tell_thread(struct telling *telling, uint32_t number)
{
	static const struct ct_worker nobody;
	const struct ct_thread *thread = &telling->view->tables->threads[number];
	const struct ct_worker *worker = telling->worker_of[number];
	const struct ct_worker *times = worker ? worker : &nobody;
	const int64_t row[CT_VIEW_NR_THREADS] = {
		[CT_VIEW_THREADS_THREAD] = number,
		[CT_VIEW_THREADS_PROCESS] = thread->process,
		[CT_VIEW_THREADS_TID] = (int64_t)thread->tid,
		[CT_VIEW_THREADS_NAME] = text_of(telling, thread->name),
		[CT_VIEW_THREADS_STARTED] = thread->started,
		[CT_VIEW_THREADS_STOPPED] = thread->stopped,
		[CT_VIEW_THREADS_IS_WORKER] = worker != NULL,
		[CT_VIEW_THREADS_RUNNING] = times->running_ns,
		[CT_VIEW_THREADS_SCHEDULING] = times->scheduling_ns,
		[CT_VIEW_THREADS_BLOCKED] = times->blocked_ns,
		[CT_VIEW_THREADS_IDLE] = times->idle_ns,
		[CT_VIEW_THREADS_NR_RESUMES] = (int64_t)times->nr_resumes,
	};

	add(telling, CT_VIEW_THREADS, row);
}

static void tell_site(struct telling *telling, uint32_t number)
{
	const struct ct_site *site = &telling->view->tables->sites[number];
	const int64_t row[CT_VIEW_NR_SITES] = {
		[CT_VIEW_SITES_SITE] = number,
		[CT_VIEW_SITES_PROCESS] = site->process,
		[CT_VIEW_SITES_PLACE] = place_of(telling, number),
		[CT_VIEW_SITES_FUNCTION] = text_of(telling, site->function),
		[CT_VIEW_SITES_FILE] = text_of(telling, site->file),
		[CT_VIEW_SITES_LINE] = site->line,
		[CT_VIEW_SITES_COLUMN_NUMBER] = site->column,
		[CT_VIEW_SITES_REASON] = text_of(telling, site->reason),
		[CT_VIEW_SITES_MODULE] = text_of(telling, site->module),
		[CT_VIEW_SITES_MODULE_OFFSET] = (int64_t)site->module_offset,
		[CT_VIEW_SITES_CALLERS] = text_of(telling, site->callers),
		[CT_VIEW_SITES_FORM] = text_of(telling, site->form ? ct_form_name(site->form) : ""),
	};

	add(telling, CT_VIEW_SITES, row);
}

static void tell_loss(struct telling *telling, const struct ct_loss *loss)
{
	const int64_t row[CT_VIEW_NR_LOSSES] = {
		[CT_VIEW_LOSSES_PROCESS] = loss->process,
		[CT_VIEW_LOSSES_THREAD] = loss->thread,
		[CT_VIEW_LOSSES_COROUTINE] = (int64_t)loss->coro,
		[CT_VIEW_LOSSES_REASON] = text_of(telling, ct_loss_name(loss->reason)),
		[CT_VIEW_LOSSES_NR_EVENTS] = (int64_t)loss->count,
		[CT_VIEW_LOSSES_FIRST] = loss->first,
		[CT_VIEW_LOSSES_LAST] = loss->last,
	};

	add(telling, CT_VIEW_LOSSES, row);
}

static void tell_note(struct telling *telling, const struct ct_note *note)
{
	const int64_t row[CT_VIEW_NR_NOTES] = {
		[CT_VIEW_NOTES_NOTE] = text_of(telling, note->text),
		[CT_VIEW_NOTES_COUNT] = (int64_t)note->count,
	};

	add(telling, CT_VIEW_NOTES, row);
}

/* ---------------------------------------------------------------- findings */

static void tell_member(struct telling *telling, uint32_t finding, const struct ct_member *member)
{
	const int64_t row[CT_VIEW_NR_FINDING_COROUTINES] = {
		[CT_VIEW_FINDING_COROUTINES_FINDING] = finding,
		[CT_VIEW_FINDING_COROUTINES_PROCESS] = member->coro.process,
		[CT_VIEW_FINDING_COROUTINES_COROUTINE] = (int64_t)member->coro.id,
		[CT_VIEW_FINDING_COROUTINES_STATE] = member->coro.state,
		[CT_VIEW_FINDING_COROUTINES_SINCE] = member->since,
		[CT_VIEW_FINDING_COROUTINES_WAITS_FOR] = text_of(telling, member->resource),
		[CT_VIEW_FINDING_COROUTINES_WAIT_SITE] = member->coro.wait_site,
		[CT_VIEW_FINDING_COROUTINES_SPAWN_SITE] = member->coro.spawn_site,
		[CT_VIEW_FINDING_COROUTINES_NAME] = text_of(telling, member->name),
		[CT_VIEW_FINDING_COROUTINES_TASK] = text_of(telling, member->task),
	};

	add(telling, CT_VIEW_FINDING_COROUTINES, row);
}

static void tell_step(
	struct telling *telling, uint32_t finding, uint32_t number, const struct ct_step *step)
{
	const int64_t row[CT_VIEW_NR_FINDING_STEPS] = {
		[CT_VIEW_FINDING_STEPS_FINDING] = finding,
		[CT_VIEW_FINDING_STEPS_STEP] = number,
		[CT_VIEW_FINDING_STEPS_TIME] = step->time,
		[CT_VIEW_FINDING_STEPS_STEP_TEXT] = text_of(telling, step->text),
		[CT_VIEW_FINDING_STEPS_SITE] = step->site,
		[CT_VIEW_FINDING_STEPS_THREAD] = step->thread,
		[CT_VIEW_FINDING_STEPS_COROUTINE] = (int64_t)step->coro,
		[CT_VIEW_FINDING_STEPS_EVENT] = (int64_t)step->sequence,
	};

	add(telling, CT_VIEW_FINDING_STEPS, row);
}

static void tell_finding(struct telling *telling, uint32_t number, const struct ct_finding *finding)
{
	const int64_t row[CT_VIEW_NR_FINDINGS] = {
		[CT_VIEW_FINDINGS_FINDING] = number,
		[CT_VIEW_FINDINGS_RULE] = text_of(telling, ct_rule_name(finding->rule)),
		[CT_VIEW_FINDINGS_GRADE] = text_of(telling, ct_grade_name(finding->grade)),
		[CT_VIEW_FINDINGS_PROCESS] = finding->process,
		[CT_VIEW_FINDINGS_TITLE] = text_of(telling, finding->title),
		[CT_VIEW_FINDINGS_WAIT_SITE] = finding->wait_site,
		[CT_VIEW_FINDINGS_CAUSE_SITE] = finding->cause_site,
		[CT_VIEW_FINDINGS_NR_COROUTINES] = finding->nr_members,
		[CT_VIEW_FINDINGS_NR_LOST_NEARBY] = (int64_t)finding->nr_lost_nearby,
		[CT_VIEW_FINDINGS_FIRST_EVENT] = (int64_t)finding->first_sequence,
		[CT_VIEW_FINDINGS_LAST_EVENT] = (int64_t)finding->last_sequence,
		[CT_VIEW_FINDINGS_WRONG_IF] = text_of(telling, ct_rule_wrong_if(finding->rule)),
		[CT_VIEW_FINDINGS_NEXT_STEP] = text_of(telling, finding->next_step),
	};
	uint32_t i;

	add(telling, CT_VIEW_FINDINGS, row);
	for (i = 0; i < finding->nr_members; i++)
		tell_member(telling, number, &finding->members[i]);
	for (i = 0; i < finding->nr_steps; i++)
		tell_step(telling, number, i + 1, &finding->steps[i]);
}

/* ---------------------------------------------------------------- statistics */

static void tell_place(struct telling *telling, const struct ct_place *place)
{
	const int64_t row[CT_VIEW_NR_PLACES] = {
		[CT_VIEW_PLACES_SITE] = place->site,
		[CT_VIEW_PLACES_PROCESS] = place->process,
		[CT_VIEW_PLACES_PLACE] = place_of(telling, place->site),
		[CT_VIEW_PLACES_NR_WAITS] = (int64_t)place->waits.count,
		[CT_VIEW_PLACES_NR_WAITING] = (int64_t)place->waiting.count,
		[CT_VIEW_PLACES_WAITED] = place->waits.total_ns,
		[CT_VIEW_PLACES_WAITING] = place->waiting.total_ns,
		[CT_VIEW_PLACES_WAIT_P50] = place->waits.p50_ns,
		[CT_VIEW_PLACES_WAIT_P90] = place->waits.p90_ns,
		[CT_VIEW_PLACES_WAIT_P99] = place->waits.p99_ns,
		[CT_VIEW_PLACES_WAIT_MAX] = place->waits.max_ns,
		[CT_VIEW_PLACES_NR_DELAYS] = (int64_t)place->delays.count,
		[CT_VIEW_PLACES_DELAYED] = place->delays.total_ns,
		[CT_VIEW_PLACES_DELAY_P50] = place->delays.p50_ns,
		[CT_VIEW_PLACES_DELAY_P99] = place->delays.p99_ns,
		[CT_VIEW_PLACES_DELAY_MAX] = place->delays.max_ns,
		[CT_VIEW_PLACES_NR_RUNS] = (int64_t)place->runs.count,
		[CT_VIEW_PLACES_RAN] = place->runs.total_ns,
		[CT_VIEW_PLACES_RUN_P50] = place->runs.p50_ns,
		[CT_VIEW_PLACES_RUN_P99] = place->runs.p99_ns,
		[CT_VIEW_PLACES_RUN_MAX] = place->runs.max_ns,
		[CT_VIEW_PLACES_DELAYS_CAUSED] = (int64_t)place->delays_caused.count,
		[CT_VIEW_PLACES_DELAY_CAUSED_P99] = place->delays_caused.p99_ns,
	};

	add(telling, CT_VIEW_PLACES, row);
}

static void tell_span(struct telling *telling, const struct ct_span *span)
{
	const int64_t row[CT_VIEW_NR_SPANS] = {
		[CT_VIEW_SPANS_KIND] = text_of(telling, span->is_task ? "task" : "region"),
		[CT_VIEW_SPANS_NAME] = text_of(telling, span->name),
		[CT_VIEW_SPANS_PROCESS] = span->process,
		[CT_VIEW_SPANS_SITE] = span->site,
		[CT_VIEW_SPANS_NR_BEGUN] = (int64_t)span->nr_begun,
		[CT_VIEW_SPANS_NR_ENDED] = (int64_t)span->nr_ended,
		[CT_VIEW_SPANS_NR_OPEN] = (int64_t)span->open.count,
		[CT_VIEW_SPANS_TOTAL] = span->durations.total_ns,
		[CT_VIEW_SPANS_P50] = span->durations.p50_ns,
		[CT_VIEW_SPANS_P99] = span->durations.p99_ns,
		[CT_VIEW_SPANS_MAX] = span->durations.max_ns,
		[CT_VIEW_SPANS_P90] = span->durations.p90_ns,
		[CT_VIEW_SPANS_P95] = span->durations.p95_ns,
		[CT_VIEW_SPANS_P999] = span->durations.p999_ns,
		[CT_VIEW_SPANS_P9999] = span->durations.p9999_ns,
		[CT_VIEW_SPANS_OPEN] = span->open.total_ns,
		[CT_VIEW_SPANS_UNSEEN] = span->times.unseen_ns,
		[CT_VIEW_SPANS_READY] = span->times.ready_ns,
		[CT_VIEW_SPANS_RUNNING] = span->times.running_ns,
		[CT_VIEW_SPANS_WAITING] = span->times.waiting_ns,
		[CT_VIEW_SPANS_SYSCALL] = span->times.syscall_ns,
	};

	add(telling, CT_VIEW_SPANS, row);
}

static void tell_counter(struct telling *telling, const struct ct_counter *counter)
{
	const int64_t row[CT_VIEW_NR_COUNTERS] = {
		[CT_VIEW_COUNTERS_NAME] = text_of(telling, counter->name),
		[CT_VIEW_COUNTERS_PROCESS] = counter->process,
		[CT_VIEW_COUNTERS_SITE] = counter->site,
		[CT_VIEW_COUNTERS_NR_VALUES] = (int64_t)counter->nr_values,
		[CT_VIEW_COUNTERS_LAST] = counter->last,
		[CT_VIEW_COUNTERS_LAST_TIME] = counter->last_time,
		[CT_VIEW_COUNTERS_LEAST] = counter->least,
		[CT_VIEW_COUNTERS_GREATEST] = counter->greatest,
	};

	add(telling, CT_VIEW_COUNTERS, row);
}

/* ---------------------------------------------------------------- all */

static void tell_tables(struct telling *telling)
{
	const struct ct_tables *tables = telling->view->tables;
	const struct ct_quality *quality = &telling->report->quality;
	uint32_t i;

	tell_trace(telling);
	for (i = 1; i < tables->nr_processes; i++)
		tell_process(telling, i);
	for (i = 1; i < tables->nr_threads; i++)
		tell_thread(telling, i);
	for (i = 1; i < tables->nr_sites; i++)
		tell_site(telling, i);
	for (i = 0; i < quality->nr_losses; i++)
		tell_loss(telling, &quality->losses[i]);
	for (i = 0; i < tables->nr_notes; i++)
		tell_note(telling, &tables->notes[i]);
}

static void tell_report(struct telling *telling)
{
	const struct ct_report *report = telling->report;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		tell_finding(telling, i + 1, &report->findings[i]);
	for (i = 0; i < report->statistics.nr_places; i++)
		tell_place(telling, &report->statistics.places[i]);
	for (i = 0; i < report->nr_spans; i++)
		tell_span(telling, &report->spans[i]);
	for (i = 0; i < report->nr_counters; i++)
		tell_counter(telling, &report->counters[i]);
}

static enum ct_status judge(struct ct_view *view, const struct ct_analyze_options *options,
	const struct ct_report **ret_report, struct ct_error *reterr)
{
	enum ct_status status = source_reset(view->source, reterr);

	if (status)
		return status;
	return rules_judge(view->source, options, view->live, ret_report, reterr);
}

enum ct_status ct_view_why(struct ct_view *view, uint32_t process, uint64_t coro,
	const struct ct_report **ret_report, struct ct_error *reterr)
{
	struct ct_analyze_options options = {
		.size = sizeof(options), .thresholds = view->thresholds, .why_coro = coro};
	enum ct_status status;

	if (!process || process >= view->tables->nr_processes)
		return ct_fail(reterr, CT_ERR_USAGE, "the trace has no process %u", process);
	options.why_pid = view->tables->processes[process].pid;
	pthread_mutex_lock(&view->reading);
	status = judge(view, &options, ret_report, reterr);
	pthread_mutex_unlock(&view->reading);
	return status;
}

enum ct_status view_tell(struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_analyze_options options = {
		.size = sizeof(options), .thresholds = view->thresholds};
	struct telling telling = {.view = view};
	enum ct_status status = judge(view, &options, &view->report, reterr);

	if (status)
		return status;
	telling.report = view->report;
	if (!find_workers(&telling))
		return ct_fail_memory(reterr);
	tell_tables(&telling);
	tell_report(&telling);
	free(telling.worker_of);
	return telling.is_broken ? ct_fail_memory(reterr) : CT_OK;
}
