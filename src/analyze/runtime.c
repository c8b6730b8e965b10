/* SPDX-License-Identifier: MIT */
/*
 * What runtimes did besides running coroutines, for the report: processors, pauses and collection, and the tasks that
 * ran during them.
 */
#include <stdlib.h>

#include "analyze/parts.h"

/* ---------------------------------------------------------------- processors */

static int compare_processors(const void *left, const void *right)
{
	const struct ct_processor *a = left, *b = right;

	return a->number < b->number ? -1 : a->number > b->number;
}

static void export_processors(struct analysis *analysis, const struct model_runtime *runtime,
	struct ct_runtime *ret_runtime)
{
	struct ct_processor *rows =
		analyze_array(analysis, runtime->processors.count, sizeof(*rows));
	uint32_t i, count = (uint32_t)runtime->processors.count - 1;

	if (!rows)
		return;
	for (i = 0; i < count; i++) {
		const struct model_processor *from = &runtime->processors.at[i + 1];

		rows[i] = (struct ct_processor){
			.number = from->number,
			.running_ns = from->spent[CTP_PROCESSOR_RUNNING],
			.syscall_ns = from->spent[CTP_PROCESSOR_SYSCALL],
			.idle_ns = from->spent[CTP_PROCESSOR_IDLE],
			.untold_ns = from->spent[CTP_PROCESSOR_UNSEEN],
			.nr_taken = from->nr_taken,
		};
	}
	qsort(rows, count, sizeof(*rows), compare_processors);
	ret_runtime->processors = rows;
	ret_runtime->nr_processors = count;
}

/* ---------------------------------------------------------------- ranges */

static int64_t total_of(const struct ct_range *range)
{
	return range->durations.total_ns + range->open.total_ns;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct ct_range *a = left, *b = right;

	if (total_of(a) != total_of(b))
		return total_of(a) < total_of(b) ? 1 : -1;
	return a->site < b->site ? -1 : a->site > b->site;
}

static void export_ranges(struct analysis *analysis, const struct model_runtime *runtime,
	struct ct_runtime *ret_runtime)
{
	struct ct_range *rows = analyze_array(analysis, runtime->sums.count + 1, sizeof(*rows));
	uint32_t i;

	if (!rows)
		return;
	for (i = 0; i < runtime->sums.count; i++) {
		const struct model_range_sum *from = &runtime->sums.at[i];

		rows[i] = (struct ct_range){
			.kind = ct_range_name(from->kind),
			.name = from->site < analysis->tables->nr_sites
					? analysis->tables->sites[from->site].reason
					: "",
			.site = from->site,
			.durations =
				analyze_statistics_distribution(model_histogram(from->durations)),
			.open = from->open,
		};
	}
	qsort(rows, i, sizeof(*rows), compare_ranges);
	ret_runtime->ranges = rows;
	ret_runtime->nr_ranges = i;
}

/* ---------------------------------------------------------------- tasks during ranges */

/* Adds one of the slowest tasks; `until` is its end, or the end of observation. */
static void add_task(struct analysis *analysis, const struct model_runtime *runtime,
	const struct model_task *task, int64_t duration_ns, struct ct_runtime *ret_runtime)
{
	struct ct_met_task *row =
		(struct ct_met_task *)(uintptr_t)&ret_runtime->met[ret_runtime->nr_met];

	*row = (struct ct_met_task){
		.id = task->id,
		.name = analysis->model->spans.at[task->span].name,
		.begun = task->begun,
		.event = task->event,
		.duration_ns = duration_ns,
		.paused_ns = model_paused_between(runtime, task->begun, task->begun + duration_ns),
		.assisted_ns = task->assisted_ns,
	};
	ret_runtime->nr_met += row->paused_ns || row->assisted_ns;
}

static void export_met(struct analysis *analysis, uint32_t process,
	const struct model_runtime *runtime, struct ct_runtime *ret_runtime)
{
	const struct model *model = analysis->model;
	uint32_t i;

	ret_runtime->met = analyze_array(analysis, MODEL_SLOWEST + 1, sizeof(*ret_runtime->met));
	for (i = 0; ret_runtime->met && i < model->nr_slowest; i++)
		if (model->slowest[i].task.process == process)
			add_task(analysis, runtime, &model->slowest[i].task,
				model->slowest[i].duration, ret_runtime);
}

/* ---------------------------------------------------------------- all */

static struct ct_runtime export_one(struct analysis *analysis, uint32_t process)
{
	const struct model_runtime *from = analysis->model->processes[process].runtime;
	struct ct_runtime runtime = {
		.process = process,
		.paused_ns = from->paused_ns,
		.assisted_ns = from->assisted_ns,
		.idle_ready_ns = from->idle_ready_ns,
		.short_ns = from->short_ns,
		.processors_ns = from->processors_ns,
		.nr_swept_bytes = from->nr_swept_bytes,
		.nr_reclaimed_bytes = from->nr_reclaimed_bytes,
		.nr_samples = from->nr_samples,
		.nr_coros_most = analysis->model->processes[process].nr_alive_most,
		.coros_most_time = analysis->model->processes[process].alive_most_time,
		.utilization_mean = 1,
		.nr_refused = from->nr_refused,
	};

	export_processors(analysis, from, &runtime);
	export_ranges(analysis, from, &runtime);
	export_met(analysis, process, from, &runtime);
	analyze_utilization_export(
		analysis, from, model_end_of(analysis->model, process), &runtime);
	return runtime;
}

void analyze_runtime_export(struct analysis *analysis, struct ct_report *report)
{
	const struct model *model = analysis->model;
	struct ct_runtime *runtimes;
	uint32_t i, count = 0;

	for (i = 0; i < model->nr_processes; i++)
		count += model->processes[i].runtime != NULL;
	runtimes = analyze_array(analysis, count + 1, sizeof(*runtimes));
	for (i = 0; runtimes && i < model->nr_processes; i++)
		if (model->processes[i].runtime)
			runtimes[report->nr_runtimes++] = export_one(analysis, i);
	report->runtimes = runtimes;
}
