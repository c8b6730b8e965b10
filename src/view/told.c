/* SPDX-License-Identifier: MIT */
/*
 * Turns the judgement and the tables of the trace into rows: one function for each table, one call for each row.
 */
#include <stdlib.h>
#include <string.h>

#include <stdio.h>

#include "base/count.h"
#include "base/failure.h"
#include "rules/rules.h"
#include "say/say.h"
#include "textrace/names.h"
#include "view/view.h"

struct telling {
	struct ct_view *view;
	const struct ct_report *report;
	const struct ct_worker **worker_of; /* by thread; NULL: the thread is no worker */
};

static void add(struct telling *telling, enum ct_view_table table, const int64_t *row)
{
	telling->view->texts[VIEW_TOLD].is_broken |=
		!column_log_add(&telling->view->logs[table], row);
}

static int64_t text_of(struct telling *telling, const char *text)
{
	return view_text(telling->view, VIEW_TOLD, text);
}

static int64_t place_of(struct telling *telling, uint32_t site)
{
	struct text text = {0};

	if (!site)
		return 0;
	say_place(&text, telling->view->tables, site);
	return view_text_take(telling->view, VIEW_TOLD, &text);
}

/* ---------------------------------------------------------------- the trace's own tables */

static int64_t run_of(struct telling *telling)
{
	const struct ct_tables *tables = telling->view->tables;
	char run[2 * sizeof(tables->run_id) + 1];
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
	return view_text_copy(telling->view, VIEW_TOLD, run, 2 * sizeof(tables->run_id));
}

static void tell_trace(struct telling *telling)
{
	const struct ct_tables *tables = telling->view->tables;
	const struct ct_quality *quality = &telling->report->quality;
	const int64_t row[] = {
#define MAKES_TRACE ~,
#include "view/cells.h"
#undef MAKES_TRACE
	};

	add(telling, CT_VIEW_TRACE, row);
}

/* Two processes of one executable have the same: this is what tells releases apart. "": not known. */
static const char *build_id_of(const struct ct_tables *tables, uint32_t process)
{
	const char *program = tables->processes[process].program;
	uint32_t i;

	for (i = 1; i < tables->nr_mappings; i++)
		if (tables->mappings[i].process == process &&
			strcmp(tables->mappings[i].path, program) == 0)
			return tables->mappings[i].build_id;
	return "";
}

static void tell_process(struct telling *telling, uint32_t number)
{
	const struct ct_process *process = &telling->view->tables->processes[number];
	const char *ending = textrace_name(TEXTRACE_ENDINGS, process->ending);
	const int64_t row[] = {
#define MAKES_PROCESSES ~,
#include "view/cells.h"
#undef MAKES_PROCESSES
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
	const int64_t row[] = {
#define MAKES_THREADS ~,
#include "view/cells.h"
#undef MAKES_THREADS
	};

	add(telling, CT_VIEW_THREADS, row);
}

static void tell_site(struct telling *telling, uint32_t number)
{
	const struct ct_site *site = &telling->view->tables->sites[number];
	const int64_t row[] = {
#define MAKES_SITES ~,
#include "view/cells.h"
#undef MAKES_SITES
	};

	add(telling, CT_VIEW_SITES, row);
}

static void tell_loss(struct telling *telling, const struct ct_loss *loss)
{
	const int64_t row[] = {
#define MAKES_LOSSES ~,
#include "view/cells.h"
#undef MAKES_LOSSES
	};

	add(telling, CT_VIEW_LOSSES, row);
}

static void tell_note(struct telling *telling, const struct ct_note *note)
{
	const int64_t row[] = {
#define MAKES_NOTES ~,
#include "view/cells.h"
#undef MAKES_NOTES
	};

	add(telling, CT_VIEW_NOTES, row);
}

static void tell_sight(struct telling *telling, const struct ct_sight *sight)
{
	const int64_t row[] = {
#define MAKES_SIGHTS ~,
#include "view/cells.h"
#undef MAKES_SIGHTS
	};

	add(telling, CT_VIEW_SIGHTS, row);
}

/* ---------------------------------------------------------------- findings */

static void tell_member(struct telling *telling, uint32_t finding, const struct ct_member *member)
{
	const int64_t row[] = {
#define MAKES_FINDING_COROUTINES ~,
#include "view/cells.h"
#undef MAKES_FINDING_COROUTINES
	};

	add(telling, CT_VIEW_FINDING_COROUTINES, row);
}

static void tell_step(
	struct telling *telling, uint32_t finding, uint32_t number, const struct ct_step *step)
{
	const int64_t row[] = {
#define MAKES_FINDING_STEPS ~,
#include "view/cells.h"
#undef MAKES_FINDING_STEPS
	};

	add(telling, CT_VIEW_FINDING_STEPS, row);
}

static void tell_finding(struct telling *telling, uint32_t number, const struct ct_finding *finding)
{
	const int64_t row[] = {
#define MAKES_FINDINGS ~,
#include "view/cells.h"
#undef MAKES_FINDINGS
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
	const int64_t row[] = {
#define MAKES_PLACES ~,
#include "view/cells.h"
#undef MAKES_PLACES
	};

	add(telling, CT_VIEW_PLACES, row);
}

static void tell_span(struct telling *telling, const struct ct_span *span)
{
	const int64_t row[] = {
#define MAKES_SPANS ~,
#include "view/cells.h"
#undef MAKES_SPANS
	};

	add(telling, CT_VIEW_SPANS, row);
}

static void tell_counter(struct telling *telling, const struct ct_counter *counter)
{
	const int64_t row[] = {
#define MAKES_COUNTERS ~,
#include "view/cells.h"
#undef MAKES_COUNTERS
	};

	add(telling, CT_VIEW_COUNTERS, row);
}

static void tell_window(struct telling *telling, const struct ct_frame_window *window)
{
	const int64_t row[] = {
#define MAKES_MEMORY ~,
#include "view/cells.h"
#undef MAKES_MEMORY
	};

	add(telling, CT_VIEW_MEMORY, row);
}

/* ---------------------------------------------------------------- the whole */

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
	for (i = 0; i < tables->nr_sights; i++)
		tell_sight(telling, &tables->sights[i]);
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
	for (i = 0; i < report->statistics.nr_frame_windows; i++)
		tell_window(telling, &report->statistics.frame_windows[i]);
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
	uint64_t nr_without_room;

	if (status)
		return status;
	telling.report = view->report;
	nr_without_room = analyze_report_without_room(view->report);
	if (nr_without_room > view->nr_without_room)
		view->nr_without_room = nr_without_room;
	if (!find_workers(&telling))
		return ct_fail_memory(reterr);
	tell_tables(&telling);
	tell_report(&telling);
	free(telling.worker_of);
	return CT_OK;
}
