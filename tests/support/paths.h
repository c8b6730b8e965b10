/* SPDX-License-Identifier: MIT */
/*
 * Adds a task to any trace: it begins at one event and ends at another, each written by a coroutine. The critical path
 * of that task must add up to its duration, wherever it begins and ends (J-11).
 */
#ifndef TESTS_PATHS_H
#define TESTS_PATHS_H

#include <inttypes.h>
#include <stdio.h>

#include "rules/rules.h"
#include "stream/stream.h"

#define PATHS_TASK "987654321987654321"

struct paths_source {
	struct ct_source source;
	struct ct_source *under;
	uint64_t first; /* counts events of coroutines from 0: the task begins before this one */
	uint64_t last;  /* the task ends before this one, if there are that many */
	uint64_t nr_seen;
	struct ct_event put_in;
	const struct ct_event *kept; /* the event behind the one that was added */
};

static inline bool paths_puts_in(struct paths_source *paths, const struct ct_event *event)
{
	bool is_first, is_last;

	if (event->kind < CTP_KIND_CREATE || event->kind > CTP_KIND_SWITCH || !event->coro ||
		event->time <= 0)
		return false;
	is_first = paths->nr_seen == paths->first;
	is_last = paths->nr_seen == paths->last;
	paths->nr_seen++;
	if (!is_first && !is_last)
		return false;
	paths->put_in = *event;
	paths->put_in.kind = is_first ? CTP_KIND_TASK_BEGIN : CTP_KIND_TASK_END;
	paths->put_in.object = strtoull(PATHS_TASK, NULL, 10);
	paths->put_in.site = 0;
	return true;
}

static inline enum ct_status paths_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct paths_source *paths = (struct paths_source *)source;
	const struct ct_event *event = paths->kept;
	enum ct_status status = CT_OK;

	paths->kept = NULL;
	if (!event) {
		status = source_next(paths->under, &event, reterr);
		if (status)
			return status;
		if (paths_puts_in(paths, event)) {
			paths->kept = event;
			event = &paths->put_in;
		}
	}
	*events = (struct ct_events){
		.at = event, .count = 1, .are_carried = source_is_carried(paths->under)};
	return CT_OK;
}

static inline enum ct_status paths_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct paths_source *paths = (struct paths_source *)source;

	paths->nr_seen = 0;
	paths->kept = NULL;
	return source_reset(paths->under, reterr);
}

/* The source below is closed by its opener. */
static inline void paths_close(struct ct_source *source)
{
	(void)source;
}

/* Do the stretches inside the one at `at` add up to it? *ret_next: the stretch behind them. */
static inline bool paths_are_inside(const struct ct_path *path, uint32_t at, uint32_t *ret_next)
{
	const struct ct_stretch *outer = &path->stretches[at];
	ct_time time = outer->from;
	bool is_right = true;
	uint32_t i = at + 1;

	while (i < path->nr_stretches && path->stretches[i].depth > outer->depth) {
		is_right &= path->stretches[i].depth == outer->depth + 1 &&
			    path->stretches[i].from == time;
		time = path->stretches[i].until;
		is_right &= paths_are_inside(path, i, &i);
	}
	*ret_next = i;
	return is_right && outer->from < outer->until &&
	       (outer->is_followed ? time == outer->until : i == at + 1);
}

static inline bool paths_is_right(const struct ct_path *path)
{
	ct_time time = path->task.begun;
	int64_t sum = path->untold_ns + path->times.unseen_ns + path->times.ready_ns +
		      path->times.running_ns + path->times.waiting_ns + path->times.syscall_ns;
	int64_t waited = 0, parts = 0;
	bool is_right = true;
	uint32_t i;

	for (i = 0; i < path->nr_stretches;) {
		is_right &= path->stretches[i].depth == 0 && path->stretches[i].from == time;
		time = path->stretches[i].until;
		is_right &= paths_are_inside(path, i, &i);
	}
	for (i = 0; i < path->nr_waits; i++)
		waited += path->waits[i].total_ns;
	for (i = 0; i < path->nr_parts; i++)
		parts += path->parts[i].total_ns;
	if (path->task.duration_ns <= 0)
		return is_right && path->nr_stretches == 0;
	return is_right && time == path->task.begun + path->task.duration_ns &&
	       sum == path->task.duration_ns && waited == path->times.waiting_ns &&
	       parts == path->task.duration_ns;
}

/* paths_check: checks with a task between two events; without a task if there are too few events. */
static inline bool paths_check(struct ct_source *under, uint64_t first, uint64_t last)
{
	static const struct ct_source_ops ops = {
		.next = paths_next, .reset = paths_reset, .close = paths_close};
	struct paths_source paths = {.source = {.ops = &ops, .tables = under->tables},
		.under = under,
		.first = first,
		.last = last};
	struct ct_analyze_options options = {.size = sizeof(options), .path_task = PATHS_TASK};
	const struct ct_report *report;
	struct ct_error error;
	enum ct_status status = rules_judge(&paths.source, &options, NULL, &report, &error);
	bool is_right;

	if (status == CT_ERR_NOT_FOUND && paths.nr_seen <= first)
		return true;
	is_right = status == CT_OK && paths_is_right(report->path);
	if (!is_right)
		fprintf(stderr,
			"the path of a task from event %" PRIu64 " to %" PRIu64
			" does not add up: %s\n",
			first, last, status ? error.text : "");
	if (status == CT_OK)
		analyze_report_free(report);
	return is_right;
}

/* paths_check_all: checks with tasks that begin and end at several places of the trace, or do not end. */
static inline bool paths_check_all(struct ct_source *under)
{
	static const uint64_t ends[][2] = {
		{0, UINT64_MAX}, {1, 4}, {2, 9}, {4, 7}, {0, 16}, {7, UINT64_MAX}, {12, 60}};
	bool is_right = true;
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		is_right &= paths_check(under, ends[i][0], ends[i][1]);
	return is_right;
}

#endif
