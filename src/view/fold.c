/* SPDX-License-Identifier: MIT */
/*
 * Turns events into rows: each event as it is, and what the model makes of it: states when they are left, wakes, and
 * everything that ends. The model needs no history for that: rows are packed as they come.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "event/kind_words.h"
#include "view/folding.h"
#include "view/lane_calls.h"

/* ---------------------------------------------------------------- rows of events */

static uint32_t woken_by(struct model *model, const struct ct_event *wake)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(wake->object);

	switch (CTP_HANDLE_RESOURCE(wake->object)) {
	case CTP_RESOURCE_COROUTINE:
		return model_find(model, wake->process, identity);
	case CTP_RESOURCE_FRAME:
		return model_find_frame(model, wake->process, identity);
	case CTP_RESOURCE_REMOTE:
		return model_find_remote(model, wake->object);
	default:
		return 0;
	}
}

/* Adds the row before the model applies the wake, with everything as it was. */
static bool add_wake(struct fold *fold, const struct ct_event *event)
{
	struct model *model = fold->model;
	uint32_t woken = woken_by(model, event);
	uint32_t top = model->threads[event->thread].top;
	bool has_id = CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE;
	uint64_t id = woken    ? model->coros.at[woken].id
		      : has_id ? CTP_HANDLE_IDENTITY(event->object)
			       : 0;
	const int64_t row[] = {
#define MAKES_WAKES ~,
#include "view/cells.h"
#undef MAKES_WAKES
	};

	return view_fold_add(fold, CT_VIEW_WAKES, row);
}

static bool add_value(struct fold *fold, const struct ct_event *event)
{
	const struct ct_tables *tables = fold->view->tables;
	const char *name = event->site < tables->nr_sites ? tables->sites[event->site].reason : "";
	const int64_t row[] = {
#define MAKES_COUNTER_VALUES ~,
#include "view/cells.h"
#undef MAKES_COUNTER_VALUES
	};

	return view_fold_add(fold, CT_VIEW_COUNTER_VALUES, row);
}

/* The kernel's sampler does not know the coroutine: it is the one that runs there. */
static bool add_sample(struct fold *fold, const struct ct_event *event)
{
	const struct model *model = fold->model;
	uint32_t top = model->threads[event->thread].top;
	const int64_t row[] = {
#define MAKES_SAMPLES ~,
#include "view/cells.h"
#undef MAKES_SAMPLES
	};

	return view_fold_add(fold, CT_VIEW_SAMPLES, row);
}

static struct fold_off *off_of(struct fold *fold, uint32_t coro)
{
	uint32_t at;

	if (map_get(&fold->off_at, coro, &at))
		return &fold->offs.at[at - 1];
	if (!vec_push(&fold->offs, (struct fold_off){0}) ||
		!map_put(&fold->off_at, coro, (uint32_t)fold->offs.count))
		return NULL;
	return &fold->offs.at[fold->offs.count - 1];
}

/* Counts a time for the run that it was in. */
static bool count_off(struct fold *fold, const struct ct_event *event, uint32_t coro)
{
	struct fold_off *off = off_of(fold, coro);
	int64_t *sum;

	if (!off)
		return false;
	off->nr_preempted += event->argument && !(event->flags & CTP_OFF_GOES_ON);
	sum = event->argument ? &off->preempted_ns : &off->waited_ns;
	if (event->object > INT64_MAX || __builtin_add_overflow(*sum, (int64_t)event->object, sum))
		*sum = INT64_MAX;
	return true;
}

static bool add_off(struct fold *fold, const struct ct_event *event)
{
	const struct model *model = fold->model;
	uint32_t top = model->threads[event->thread].top;
	const int64_t row[] = {
#define MAKES_OFF_CPU ~,
#include "view/cells.h"
#undef MAKES_OFF_CPU
	};

	return view_fold_add(fold, CT_VIEW_OFF_CPU, row) && (!top || count_off(fold, event, top));
}

static bool add_fault(struct fold *fold, const struct ct_event *event)
{
	const struct ct_tables *tables = fold->view->tables;
	const struct model *model = fold->model;
	uint32_t top = model->threads[event->thread].top;
	const int64_t row[] = {
#define MAKES_PAGE_FAULTS ~,
#include "view/cells.h"
#undef MAKES_PAGE_FAULTS
	};

	return view_fold_add(fold, CT_VIEW_PAGE_FAULTS, row);
}

static bool add_rows(struct fold *fold, const struct ct_event *event)
{
	if (!column_log_add(&fold->view->moments, &event->time))
		return false;
	if (!model_is_possible(fold->model, event))
		return true;
	if (event->kind == CTP_KIND_WAKE)
		return add_wake(fold, event);
	if (event->kind == CTP_KIND_COUNTER)
		return add_value(fold, event);
	if (event->kind == CTP_KIND_SAMPLE)
		return add_sample(fold, event);
	if (event->kind == CTP_KIND_THREAD_OFF)
		return add_off(fold, event);
	if (event->kind == CTP_KIND_PAGE_FAULT)
		return add_fault(fold, event);
	if (event->kind == CTP_KIND_BLOCK_END || event->kind == CTP_KIND_SYSCALL_END)
		return view_calls_end(fold, event);
	return true;
}

/* ---------------------------------------------------------------- reading */

static enum ct_status take_run(
	struct fold *fold, const struct ct_events *events, struct ct_error *reterr)
{
	size_t i;

	for (i = 0; i < events->count; i++) {
		enum ct_status status;

		if (!events->are_carried && !add_rows(fold, &events->at[i]))
			return ct_fail_memory(reterr);
		fold->event = events->at[i];
		fold->history.event = &fold->event;
		status = model_apply(fold->model, &events->at[i], reterr);
		if (status)
			return status;
		if (fold->history.is_broken)
			return ct_fail_memory(reterr);
	}
	return CT_OK;
}

static enum ct_status read_events(struct fold *fold, struct ct_error *reterr)
{
	enum ct_status status = source_reset(fold->view->source, reterr);
	struct ct_events events;

	pass_begin(fold->view->pass, "reading", fold->view->tables->nr_events);
	while (status == CT_OK) {
		status = source_next_run(fold->view->source, &events, reterr);
		if (status == CT_OK)
			status = take_run(fold, &events, reterr);
		if (status == CT_OK)
			pass_advance(fold->view->pass, events.count);
	}
	return status == CT_END ? CT_OK : status;
}

static enum ct_status finish(struct fold *fold, struct ct_error *reterr)
{
	enum ct_status status = model_finish(fold->model, reterr);

	if (status)
		return status;
	if (fold->history.is_broken || !view_fold_states_finish(fold) ||
		!view_fold_things_finish(fold) || !view_calls_finish(fold))
		return ct_fail_memory(reterr);
	return CT_OK;
}

static enum ct_status read_all(struct fold *fold, struct ct_error *reterr)
{
	enum ct_status status = model_new(fold->view->tables, &fold->model, reterr);

	if (status)
		return status;
	model_bound(fold->model, fold->view->source->most_bytes);
	fold->model->history = &fold->history;
	fold->watch = model_watch(fold->model, &view_fold_states_watcher, fold);
	fold->name_of_site = calloc(fold->view->tables->nr_sites + 1u, sizeof(*fold->name_of_site));
	if (!fold->watch || !fold->name_of_site ||
		!vec_push(&fold->objects, (struct fold_object){0}))
		return ct_fail_memory(reterr);
	status = read_events(fold, reterr);
	return status == CT_OK ? finish(fold, reterr) : status;
}

enum ct_status view_fold(struct ct_view *view, struct ct_error *reterr)
{
	struct fold fold = {.view = view,
		.history = {.take = view_fold_states_take, .context = &fold, .from = CT_NO_TIME}};
	enum ct_status status = read_all(&fold, reterr);

	if (fold.model && fold.model->nr_without_room > view->nr_without_room)
		view->nr_without_room = fold.model->nr_without_room;
	model_history_fini(&fold.history);
	vec_fini(&fold.objects);
	map_fini(&fold.object_at);
	vec_fini(&fold.offs);
	map_fini(&fold.off_at);
	free(fold.name_of_site);
	model_free(fold.model);
	return status;
}
