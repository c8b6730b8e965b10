/* SPDX-License-Identifier: MIT */
/*
 * The program's annotations for the report: tasks, regions and counters by name, and the text of messages.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/parts.h"

/* ---------------------------------------------------------------- words */

static const char *task_name(const struct analysis *analysis, const struct model_task *task)
{
	const char *name = analysis->model->spans.at[task->span].name;

	return *name ? name : "task";
}

const char *analyze_words_task(struct analysis *analysis, uint32_t coro)
{
	const struct model_task *task = model_task_of(analysis->model, coro);

	return task ? analyze_say(analysis, "%s %" PRIu64, task_name(analysis, task), task->id)
		    : "";
}

const char *analyze_words_site(const struct analysis *analysis, uint32_t site)
{
	return site && site < analysis->tables->nr_sites ? analysis->tables->sites[site].reason
							 : "";
}

/* The text of a message's site, with `more` in place of "{}", or appended if there is no "{}". */
static const char *words_message(struct analysis *analysis, const char *text, const char *more)
{
	const char *place = strstr(text, "{}");

	if (place)
		return analyze_say(
			analysis, "%.*s%s%s", (int)(place - text), text, more, place + 2);
	return analyze_say(analysis, "%s%s%s", text, *text && *more ? " " : "", more);
}

const char *analyze_words_annotation(
	struct analysis *analysis, const struct ct_event *event, const char *message)
{
	const char *name = analyze_words_site(analysis, event->site);
	char number[32];

	switch (event->kind) {
	case CTP_KIND_LOG:
		if (!(event->flags & CTP_LOG_HAS_NUMBER))
			return words_message(analysis, name, message);
		snprintf(number, sizeof(number), "%" PRId64, (int64_t)event->object);
		return words_message(analysis, name, number);
	case CTP_KIND_COUNTER:
		return analyze_say(analysis, "%s = %" PRId64, name, (int64_t)event->object);
	case CTP_KIND_TASK_BEGIN:
	case CTP_KIND_TASK_END:
	case CTP_KIND_TASK_SET:
		if (!event->object)
			return "none";
		return analyze_say(analysis, "%s %" PRIu64, *name ? name : "task", event->object);
	case CTP_KIND_REGION_BEGIN:
	case CTP_KIND_REGION_END:
	case CTP_KIND_NAME:
		return name;
	default:
		return "";
	}
}

/* ---------------------------------------------------------------- the report */

static int compare_waits(const void *left, const void *right)
{
	const struct ct_wait_time *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->resource < b->resource ? -1 : a->resource > b->resource;
}

const struct ct_wait_time *analyze_annotations_waits(
	struct analysis *analysis, const int64_t *waited, uint32_t *ret_count)
{
	struct ct_wait_time *waits = analyze_array(analysis, MODEL_NR_RESOURCES, sizeof(*waits));
	unsigned i;

	*ret_count = 0;
	for (i = 0; waits && i < MODEL_NR_RESOURCES; i++)
		if (waited[i] > 0)
			waits[(*ret_count)++] = (struct ct_wait_time){i, waited[i]};
	if (*ret_count)
		qsort(waits, *ret_count, sizeof(*waits), compare_waits);
	return waits;
}

static struct ct_span export_span(struct analysis *analysis, const struct model_span *span)
{
	struct ct_span exported = {
		.name = span->name,
		.process = span->process,
		.site = span->site,
		.is_task = span->kind == CTP_KIND_TASK_BEGIN,
		.nr_begun = span->nr_begun,
		.nr_ended = span->durations->count,
		.open = span->open,
		.durations = analyze_statistics_distribution(span->durations),
		.times = analyze_statistics_times(span->spent),
	};

	exported.waits = analyze_annotations_waits(analysis, span->waited, &exported.nr_waits);
	return exported;
}

static int64_t all_of(const struct ct_span *span)
{
	return span->durations.total_ns + span->open.total_ns;
}

/* Tasks come first; then the spans in which most time was spent. */
static int compare_spans(const void *left, const void *right)
{
	const struct ct_span *a = left, *b = right;

	if (a->is_task != b->is_task)
		return a->is_task ? -1 : 1;
	if (all_of(a) != all_of(b))
		return all_of(a) < all_of(b) ? 1 : -1;
	return a->site < b->site ? -1 : a->site > b->site;
}

static void export_spans(struct analysis *analysis, struct ct_report *report)
{
	const struct model *model = analysis->model;
	struct ct_span *spans = analyze_array(analysis, model->spans.count, sizeof(*spans));
	size_t i;

	report->spans = spans;
	for (i = 1; spans && i < model->spans.count; i++)
		if (model->spans.at[i].kind != CTP_KIND_COUNTER && model->spans.at[i].nr_begun)
			spans[report->nr_spans++] = export_span(analysis, &model->spans.at[i]);
	if (spans)
		qsort(spans, report->nr_spans, sizeof(*spans), compare_spans);
}

static void export_counters(struct analysis *analysis, struct ct_report *report)
{
	const struct model *model = analysis->model;
	struct ct_counter *counters =
		analyze_array(analysis, model->spans.count, sizeof(*counters));
	size_t i;

	report->counters = counters;
	for (i = 1; counters && i < model->spans.count; i++) {
		const struct model_span *span = &model->spans.at[i];

		if (span->kind == CTP_KIND_COUNTER)
			counters[report->nr_counters++] = (struct ct_counter){.name = span->name,
				.process = span->process,
				.site = span->site,
				.nr_values = span->nr_begun,
				.last = span->last,
				.least = span->least,
				.greatest = span->greatest,
				.last_time = span->last_time};
	}
}

static void export_slowest(struct analysis *analysis, struct ct_report *report)
{
	const struct model *model = analysis->model;
	struct ct_task *tasks = analyze_array(analysis, model->nr_slowest, sizeof(*tasks));
	uint32_t i;

	report->slowest = tasks;
	for (i = 0; tasks && i < model->nr_slowest; i++) {
		const struct model_slow *slow = &model->slowest[i];

		tasks[i] = (struct ct_task){
			.id = slow->task.id,
			.process = slow->task.process,
			.name = task_name(analysis, &slow->task),
			.begun = slow->task.begun,
			.duration_ns = slow->duration,
			.is_open = model_is_task_open(model, &slow->task),
			.event = slow->task.event,
			.times = analyze_statistics_times(slow->task.spent),
		};
	}
	report->nr_slowest = tasks ? model->nr_slowest : 0;
}

void analyze_annotations_export(struct analysis *analysis, struct ct_report *report)
{
	/* The names belong to the tables, which outlive the report. */
	export_spans(analysis, report);
	export_counters(analysis, report);
	export_slowest(analysis, report);
	report->nr_annotations_refused = analysis->model->nr_spans_refused;
}
