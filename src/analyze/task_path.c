/* SPDX-License-Identifier: MIT */
/*
 * A task's critical path: what its duration consisted of, from its end back to its beginning.
 *
 * The trace is read once more, up to the task's end, by a model that keeps the history of each coroutine. The path
 * begins at the end and goes back along the coroutine that ended the task. Where that coroutine waited, the path goes
 * to the coroutine that made it go on, and to what that coroutine did meanwhile. At the beginning of the wait the
 * path returns to the first coroutine. If that coroutine did not work for the task yet, the path stays on the waker,
 * which brought the task to it. A coroutine that was created on the way is preceded by its creator. Each instant is
 * counted once, so the stretches of depth 0 add up to the duration, and so do the stretches that are not followed
 * further.
 *
 * Time only decreases along the path, so each coroutine's intervals are visited once. Time before the beginning of
 * the history is reported as unknown.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/parts.h"
#include "base/failure.h"

#define DEEPEST 32u
/* Limit of steps between coroutines in which no time passes: by the clocks, these may be a circle. */
#define HOPS_MAX 64u

struct task_path {
	struct analysis *analysis;
	struct model *model; /* as it was when the task ended */
	struct model_history history;
	uint64_t id; /* 0: the task is identified by its first event */
	uint64_t event;
	uint32_t process;
	uint32_t site;
	bool has_begun;
	bool has_ended;
	ct_time begun;
	ct_time ended;
	uint32_t ender; /* the coroutine that ended it; 0: none */
	VEC(struct ct_stretch) stretches;
	bool is_broken;
};

/* ---------------------------------------------------------------- the choice of the task */

static const struct model_span *find_span(const struct model *model, const char *name)
{
	const struct model_span *found = NULL;
	size_t i;

	for (i = 1; i < model->spans.count; i++) {
		const struct model_span *span = &model->spans.at[i];

		if (span->kind == CTP_KIND_TASK_BEGIN && span->nr_begun &&
			strcmp(span->name, name) == 0 &&
			(!found || span->longest_ns > found->longest_ns))
			found = span;
	}
	return found;
}

static bool choose(struct task_path *path, const char *which)
{
	const struct model_span *span = find_span(path->analysis->model, which);
	char *end;

	if (span) {
		path->event = span->longest_event;
		return true;
	}
	path->id = isdigit((unsigned char)*which) ? strtoull(which, &end, 10) : 0;
	return path->id && !*end;
}

static bool is_beginning(const struct task_path *path, const struct ct_event *event)
{
	if (event->kind != CTP_KIND_TASK_BEGIN || path->has_begun)
		return false;
	return path->id ? event->object == path->id : event->sequence == path->event;
}

static void begin(struct task_path *path, const struct ct_event *event)
{
	path->has_begun = true;
	path->id = event->object;
	path->event = event->sequence;
	path->process = event->process;
	path->site = event->site;
	path->begun = event->time;
	path->history.from = event->time;
	path->model->history = &path->history;
}

static bool is_end(const struct task_path *path, const struct ct_event *event)
{
	return path->has_begun && event->process == path->process && event->object == path->id &&
	       event->sequence != path->event &&
	       (event->kind == CTP_KIND_TASK_END || event->kind == CTP_KIND_TASK_BEGIN);
}

/* The coroutine that changed last, of those that worked for the task at its end. */
static uint32_t last_worker(const struct task_path *path)
{
	const struct model *model = path->model;
	uint32_t task, coro, last = 0;

	if (!map_get(&model->processes[path->process].tasks, path->id, &task))
		return 0;
	for (coro = model->tasks.at[task].workers; coro; coro = model_work_of(model, coro)->next)
		if (!last || model->coros.at[coro].changed > model->coros.at[last].changed)
			last = coro;
	return last;
}

static void end(struct task_path *path, const struct ct_event *event)
{
	path->has_ended = true;
	path->ended = event->time;
	path->ender = event->coro ? model_find(path->model, event->process, event->coro)
				  : path->model->threads[event->thread].top;
	if (!path->ender)
		path->ender = last_worker(path);
}

static enum ct_status read_to_end(
	struct task_path *path, struct ct_source *source, struct ct_error *reterr)
{
	const struct ct_event *event;
	enum ct_status status = source_reset(source, reterr);
	bool is_possible;

	while (status == CT_OK && !path->has_ended) {
		status = source_next(source, &event, reterr);
		if (status != CT_OK)
			break;
		is_possible = model_is_possible(path->model, event);
		if (is_possible && is_end(path, event)) {
			end(path, event);
			break;
		}
		if (is_possible && is_beginning(path, event))
			begin(path, event);
		path->history.event = event;
		status = model_apply(path->model, event, reterr);
	}
	if (status == CT_END) {
		path->ended = path->has_begun ? model_end_of(path->model, path->process) : 0;
		path->ender = path->has_begun ? last_worker(path) : 0;
	}
	return status == CT_END ? CT_OK : status;
}

/* ---------------------------------------------------------------- the path */

/* The coroutine's interval just before `time`. False: none is known. */
static bool find_interval(
	struct task_path *path, uint32_t coro, ct_time time, struct model_interval *ret_interval)
{
	struct model_history *history = &path->history;
	const struct model_interval *at;

	*ret_interval = model_interval_open(path->model, coro);
	if (ret_interval->from < time)
		return ret_interval->state < CT_STATE_DONE;
	if (coro >= history->last.count)
		return false;
	while ((at = model_history_at(history, history->last.at[coro]))) {
		*ret_interval = *at;
		if (at->from < time)
			return at->state < CT_STATE_DONE;
		history->last.at[coro] = at->before;
	}
	return false;
}

static struct ct_stretch stretch_of(
	const struct task_path *path, const struct model_interval *interval, unsigned depth)
{
	const struct model_coro *coros = path->model->coros.at;

	return (struct ct_stretch){
		.coro = coros[interval->coro].id,
		.thread = interval->thread,
		.state = (enum ct_state)interval->state,
		.site = interval->site,
		.object = interval->object,
		.waker = coros[interval->waker].id,
		.waker_thread = interval->waker_thread,
		.waker_site = interval->waker_site,
		.holder = coros[interval->holder].id,
		.holder_site = interval->holder_site,
		.depth = depth,
		.has_yielded = interval->has_yielded,
	};
}

static void push(struct task_path *path, struct ct_stretch stretch, ct_time from, ct_time until)
{
	stretch.from = from;
	stretch.until = until;
	path->is_broken |= !vec_push(&path->stretches, stretch);
}

static bool is_stopped(const struct model_interval *interval)
{
	return interval->state == CT_STATE_WAITING || interval->state == CT_STATE_UNSEEN;
}

/* The creator of the coroutine; 0: not known, or the history does not reach back to the creation. */
static uint32_t creator(const struct task_path *path, uint32_t coro, ct_time time)
{
	const struct model_coro *at = &path->model->coros.at[coro];

	return (at->flags & MODEL_CORO_WAS_CREATED) && at->created >= time ? at->parent : 0;
}

static void follow(
	struct task_path *path, uint32_t coro, ct_time lower, ct_time upper, unsigned depth);

/* Takes one state of the coroutine, from `time` back to `from`. */
static void take(struct task_path *path, const struct model_interval *interval, ct_time from,
	ct_time time, unsigned depth)
{
	struct ct_stretch stretch = stretch_of(path, interval, depth);

	stretch.is_followed = is_stopped(interval) && interval->waker && depth < DEEPEST;
	if (stretch.is_followed)
		follow(path, interval->waker, from, time, depth + 1);
	push(path, stretch, from, time);
}

/* Follows the path from `upper` back to `lower`. Pushes the stretches in that order, the latest first. */
static void follow(
	struct task_path *path, uint32_t coro, ct_time lower, ct_time upper, unsigned depth)
{
	struct model_interval interval;
	ct_time time = upper, from;
	unsigned nr_hops = 0;

	while (coro && time > lower && nr_hops < HOPS_MAX && !path->is_broken) {
		if (!find_interval(path, coro, time, &interval)) {
			coro = creator(path, coro, time);
			nr_hops++;
			continue;
		}
		if (depth == 0 && is_stopped(&interval) && interval.waker &&
			interval.task != path->id) {
			coro = interval.waker;
			nr_hops++;
			continue;
		}
		from = interval.from > lower ? interval.from : lower;
		take(path, &interval, from, time, depth);
		time = from;
		nr_hops = 0;
	}
	if (time > lower)
		push(path, (struct ct_stretch){.depth = depth}, lower, time);
}

static void turn_round(struct task_path *path)
{
	size_t first = 0, last = path->stretches.count;
	struct ct_stretch kept;

	for (; first + 1 < last; first++) {
		kept = path->stretches.at[first];
		path->stretches.at[first] = path->stretches.at[--last];
		path->stretches.at[last] = kept;
	}
}

/* ---------------------------------------------------------------- the parts */

static int compare_words(const uint64_t *a, const uint64_t *b, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* Stretches that are equal in these fields become one part. */
static int compare_kinds(const void *left, const void *right)
{
	const struct ct_stretch *a = left, *b = right;
	const uint64_t of_a[] = {
		a->coro, a->state, a->site, a->object, a->holder, a->holder_site, a->has_yielded};
	const uint64_t of_b[] = {
		b->coro, b->state, b->site, b->object, b->holder, b->holder_site, b->has_yielded};

	return compare_words(of_a, of_b, sizeof(of_a) / sizeof(of_a[0]));
}

static int compare_parts(const void *left, const void *right)
{
	const struct ct_path_part *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return compare_kinds(&a->longest, &b->longest);
}

static const char *resource_words(const struct task_path *path, const struct ct_stretch *stretch)
{
	struct analysis *analysis = path->analysis;
	const char *name = model_resource_name(analysis->model, path->process, stretch->object);
	const char *words;

	if (stretch->state != CT_STATE_WAITING)
		return "";
	if (stretch->has_yielded && !stretch->object)
		return "nothing: it yielded";
	words = analyze_words_resource(analysis, stretch->object, 0);
	return *name ? analyze_say(analysis, "%s %s", words, name) : words;
}

static void add_to_parts(struct ct_path_part *parts, uint32_t *nr, const struct ct_stretch *one)
{
	struct ct_path_part *part = *nr ? &parts[*nr - 1] : NULL;

	if (!part || compare_kinds(&part->longest, one) != 0) {
		part = &parts[(*nr)++];
		*part = (struct ct_path_part){.longest = *one};
	}
	part->total_ns += one->until - one->from;
	part->count++;
	if (one->until - one->from > part->longest.until - part->longest.from)
		part->longest = *one;
}

/* Chooses stretches in which the task's own coroutine waited, or else the stretches that are not followed. */
static bool is_chosen(const struct ct_stretch *stretch, bool is_of_waits)
{
	if (!is_of_waits)
		return !stretch->is_followed;
	return stretch->depth == 0 && stretch->coro && stretch->state == CT_STATE_WAITING;
}

static const struct ct_path_part *export_parts(
	struct task_path *path, bool is_of_waits, uint32_t *ret_count)
{
	size_t count = path->stretches.count, nr = 0, i;
	struct ct_stretch *chosen =
		arena_array(&path->analysis->scratch, count + 1, sizeof(*chosen));
	struct ct_path_part *parts = arena_array(path->analysis->arena, count + 1, sizeof(*parts));

	*ret_count = 0;
	path->is_broken |= !chosen || !parts;
	if (path->is_broken)
		return NULL;
	for (i = 0; i < count; i++)
		if (is_chosen(&path->stretches.at[i], is_of_waits))
			chosen[nr++] = path->stretches.at[i];
	qsort(chosen, nr, sizeof(*chosen), compare_kinds);
	for (i = 0; i < nr; i++)
		add_to_parts(parts, ret_count, &chosen[i]);
	for (i = 0; i < *ret_count; i++)
		parts[i].resource = resource_words(path, &parts[i].longest);
	qsort(parts, *ret_count, sizeof(*parts), compare_parts);
	return parts;
}

static void sum_up(const struct task_path *path, struct ct_path *ret_path)
{
	int64_t spent[CT_STATE_DONE] = {0};
	bool had_yielded = false;
	size_t i;

	for (i = 0; i < path->stretches.count; i++) {
		const struct ct_stretch *one = &path->stretches.at[i];

		if (one->depth)
			continue;
		if (one->has_yielded)
			ret_path->yielded_ns += one->until - one->from;
		ret_path->nr_yields += one->has_yielded && !had_yielded;
		had_yielded = one->has_yielded;
		if (one->coro)
			spent[one->state] += one->until - one->from;
		else
			ret_path->untold_ns += one->until - one->from;
	}
	ret_path->times = analyze_statistics_times(spent);
}

static void export_path(struct task_path *path, struct ct_report *report)
{
	struct analysis *analysis = path->analysis;
	struct ct_path *exported = analyze_array(analysis, 1, sizeof(*exported));
	struct ct_stretch *stretches =
		analyze_array(analysis, path->stretches.count + 1, sizeof(*stretches));
	const char *name = analyze_words_site(analysis, model_place(path->model, path->site));

	path->is_broken |= !exported || !stretches;
	if (path->is_broken)
		return;
	exported->task = (struct ct_task){
		.id = path->id,
		.process = path->process,
		.name = *name ? name : "task",
		.begun = path->begun,
		.duration_ns = path->ended - path->begun,
		.is_open = !path->has_ended,
		.event = path->event,
	};
	if (path->stretches.count)
		memcpy(stretches, path->stretches.at, path->stretches.count * sizeof(*stretches));
	exported->stretches = stretches;
	exported->nr_stretches = (uint32_t)path->stretches.count;
	if (path->history.count > MODEL_HISTORY)
		exported->nr_dropped = path->history.count - MODEL_HISTORY;
	sum_up(path, exported);
	exported->waits = export_parts(path, true, &exported->nr_waits);
	exported->parts = export_parts(path, false, &exported->nr_parts);
	report->path = exported;
}

static enum ct_status find_path(struct task_path *path, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr)
{
	const char *which = path->analysis->path_task;
	enum ct_status status = CT_OK;

	if (choose(path, which))
		status = read_to_end(path, source, reterr);
	if (status != CT_OK)
		return status;
	if (!path->has_begun)
		return ct_fail(reterr, CT_ERR_NOT_FOUND, "no task '%s' is in the trace", which);
	follow(path, path->ender, path->begun, path->ended, 0);
	turn_round(path);
	export_path(path, report);
	return path->is_broken || path->history.is_broken ? ct_fail_memory(reterr) : CT_OK;
}

enum ct_status analyze_task_path_export(struct analysis *analysis, struct ct_source *source,
	struct ct_report *report, struct ct_error *reterr)
{
	struct task_path path = {.analysis = analysis};
	enum ct_status status;

	if (!analysis->path_task)
		return CT_OK;
	status = model_new(source->tables, &path.model, reterr);
	if (status == CT_OK)
		status = find_path(&path, source, report, reterr);
	model_history_fini(&path.history);
	vec_fini(&path.stretches);
	model_free(path.model);
	return status;
}
