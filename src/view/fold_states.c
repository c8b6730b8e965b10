/* SPDX-License-Identifier: MIT */
/*
 * Coroutines: each state that they left, and at last themselves.
 */
#include "say/say.h"
#include "view/folding.h"

/* What a view keeps of a coroutine while it is alive. */
struct longest {
	int64_t ns[CT_STATE_DONE]; /* of each state */
	uint32_t wait_site;
};

static struct longest *longest_of(const struct fold *fold, uint32_t coro)
{
	return model_watch_coro(fold->watch, coro);
}

/* ---------------------------------------------------------------- states */

/* As the model counts it: of a thread whose clock went back it may be less than nothing. */
static int64_t observed_ns(const struct model *model, ct_time from, ct_time until)
{
	if (model->from != CT_NO_TIME && from < model->from)
		from = model->from;
	return until - from;
}

static int64_t id_of(const struct model *model, uint32_t coro)
{
	return coro < model->coros.count ? (int64_t)model->coros.at[coro].id : 0;
}

static bool add_state(
	struct fold *fold, const struct model_interval *interval, int64_t ns, bool is_open)
{
	const struct model *model = fold->model;
	const struct model_coro *coro = &model->coros.at[interval->coro];
	bool runs_now = interval->state == CT_STATE_READY && !is_open;
	const int64_t row[CT_VIEW_NR_STATES] = {
		[CT_VIEW_STATES_COROUTINE] = (int64_t)coro->id,
		[CT_VIEW_STATES_PROCESS] = coro->process,
		[CT_VIEW_STATES_STATE] = interval->state,
		[CT_VIEW_STATES_FROM] = interval->from,
		[CT_VIEW_STATES_UNTIL] = interval->until,
		[CT_VIEW_STATES_DURATION] = ns,
		[CT_VIEW_STATES_IS_OPEN] = is_open,
		[CT_VIEW_STATES_NEXT] = is_open ? ct_view_none(CT_VIEW_TYPE_STATE) : interval->next,
		[CT_VIEW_STATES_THREAD] = runs_now ? fold->event.thread : interval->thread,
		[CT_VIEW_STATES_SITE] = model_place(model, interval->site),
		[CT_VIEW_STATES_OBJECT] = (int64_t)interval->object,
		[CT_VIEW_STATES_IS_YIELD] = interval->has_yielded,
		[CT_VIEW_STATES_WAKER] = id_of(model, interval->waker),
		[CT_VIEW_STATES_WAKER_THREAD] = interval->waker_thread,
		[CT_VIEW_STATES_WAKER_SITE] = model_place(model, interval->waker_site),
		[CT_VIEW_STATES_HOLDER] = id_of(model, interval->holder),
		[CT_VIEW_STATES_HOLDER_SITE] = model_place(model, interval->holder_site),
		[CT_VIEW_STATES_TASK] = (int64_t)interval->task,
	};

	return view_fold_add(fold, CT_VIEW_STATES, row);
}

static bool take_state(struct fold *fold, const struct model_interval *interval, bool is_open)
{
	int64_t ns = observed_ns(fold->model, interval->from, interval->until);
	struct longest *longest = longest_of(fold, interval->coro);

	if (interval->state >= CT_STATE_DONE)
		return true;
	if (ns > longest->ns[interval->state]) {
		longest->ns[interval->state] = ns;
		if (interval->state == CT_STATE_WAITING)
			longest->wait_site = interval->site;
	}
	if (interval->state == CT_STATE_WAITING && interval->object &&
		!view_fold_things_wait(fold, fold->model->coros.at[interval->coro].process,
			interval->object, ns, is_open))
		return false;
	return add_state(fold, interval, ns, is_open);
}

bool view_fold_states_take(
	void *context, const struct model *model, const struct model_interval *interval)
{
	if (model->from != CT_NO_TIME && interval->until < model->from)
		return true;
	return take_state(context, interval, false);
}

/* ---------------------------------------------------------------- coroutines */

/* The name that the program gave it, or else its function's. */
static int64_t name_of(struct fold *fold, const struct model_coro *coro)
{
	const struct ct_tables *tables = fold->view->tables;
	uint32_t site = coro->name_site ? coro->name_site : coro->function_site;
	struct text text = {0};
	int64_t number;

	if (!site || site >= tables->nr_sites)
		return 0;
	if (fold->name_of_site[site])
		return fold->name_of_site[site] - 1;
	if (coro->name_site)
		text_add(&text, tables->sites[site].reason);
	else
		say_site_function(&text, tables, site);
	number = text.is_broken
			 ? -1
			 : view_text_copy(fold->view, VIEW_FOLDED, text_peek(&text), text.length);
	text_fini(&text);
	fold->name_of_site[site] = number + 1;
	return number;
}

static bool add_coro(struct fold *fold, uint32_t index)
{
	const struct model *model = fold->model;
	const struct model_coro *coro = &model->coros.at[index];
	const struct longest *longest = longest_of(fold, index);
	const int64_t row[CT_VIEW_NR_COROUTINES] = {
		[CT_VIEW_COROUTINES_COROUTINE] = (int64_t)coro->id,
		[CT_VIEW_COROUTINES_PROCESS] = coro->process,
		[CT_VIEW_COROUTINES_NAME] = name_of(fold, coro),
		[CT_VIEW_COROUTINES_STATE] = coro->state,
		[CT_VIEW_COROUTINES_SINCE] = coro->changed,
		[CT_VIEW_COROUTINES_CREATED] = coro->created,
		[CT_VIEW_COROUTINES_DESTROYED] = coro->destroyed,
		[CT_VIEW_COROUTINES_PARENT] = id_of(model, coro->parent),
		[CT_VIEW_COROUTINES_SPAWN_SITE] = model_place(model, coro->spawn_site),
		[CT_VIEW_COROUTINES_FUNCTION_SITE] = model_place(model, coro->function_site),
		[CT_VIEW_COROUTINES_WAIT_SITE] = model_place(model, coro->wait_site),
		[CT_VIEW_COROUTINES_WAIT_OBJECT] = (int64_t)coro->wait_object,
		[CT_VIEW_COROUTINES_THREAD] = coro->thread,
		[CT_VIEW_COROUTINES_TASK] = (int64_t)model_work_of(model, index)->task,
		[CT_VIEW_COROUTINES_MARK] = coro->mark,
		[CT_VIEW_COROUTINES_NR_RESUMES] = coro->nr_resumes,
		[CT_VIEW_COROUTINES_NR_WAKES] = coro->nr_wakes,
		[CT_VIEW_COROUTINES_NR_MIGRATIONS] = coro->nr_migrations,
		[CT_VIEW_COROUTINES_NR_EVENTS] = (int64_t)coro->nr_events,
		[CT_VIEW_COROUTINES_UNSEEN] = coro->spent[CT_STATE_UNSEEN],
		[CT_VIEW_COROUTINES_READY] = coro->spent[CT_STATE_READY],
		[CT_VIEW_COROUTINES_RUNNING] = coro->spent[CT_STATE_RUNNING],
		[CT_VIEW_COROUTINES_WAITING] = coro->spent[CT_STATE_WAITING],
		[CT_VIEW_COROUTINES_SYSCALL] = coro->spent[CT_STATE_SYSCALL],
		[CT_VIEW_COROUTINES_LONGEST_WAIT] = longest->ns[CT_STATE_WAITING],
		[CT_VIEW_COROUTINES_LONGEST_WAIT_SITE] = model_place(model, longest->wait_site),
		[CT_VIEW_COROUTINES_LONGEST_DELAY] = longest->ns[CT_STATE_READY],
		[CT_VIEW_COROUTINES_LONGEST_RUN] = longest->ns[CT_STATE_RUNNING],
		[CT_VIEW_COROUTINES_LAST_EVENT] = (int64_t)coro->last_event,
	};

	return row[CT_VIEW_COROUTINES_NAME] >= 0 && view_fold_add(fold, CT_VIEW_COROUTINES, row);
}

/* ---------------------------------------------------------------- looking on */

static bool begin(struct model_watch *watch, const void *settings)
{
	*(struct fold **)watch->memory = (struct fold *)(uintptr_t)settings;
	return true;
}

static bool gone(struct model_watch *watch, uint32_t coro)
{
	struct fold *fold = *(struct fold **)watch->memory;

	return fold->model->coros.at[coro].is_remains || add_coro(fold, coro);
}

const struct model_watcher view_fold_states_watcher = {
	.nr_bytes = sizeof(struct fold *),
	.nr_coro_bytes = sizeof(struct longest),
	.looks = {[MODEL_TASK_END] = view_fold_things_task_end,
		[MODEL_REGION_END] = view_fold_things_region_end,
		[MODEL_RANGE_END] = view_fold_things_range_end,
		[MODEL_CLOSE] = view_fold_things_close},
	.begin = begin,
	.gone = gone,
};

static bool finish_coro(struct fold *fold, uint32_t index)
{
	const struct model_coro *coro = &fold->model->coros.at[index];
	struct model_interval open = model_interval_open(fold->model, index);
	ct_time end = model_end_of(fold->model, coro->process);

	if (coro->is_remains)
		return true;
	open.until = end > coro->changed ? end : coro->changed;
	return take_state(fold, &open, true) && add_coro(fold, index);
}

bool view_fold_states_finish(struct fold *fold)
{
	bool is_added = true;
	uint32_t i;

	for (i = 1; is_added && i < fold->model->coros.count; i++)
		is_added = finish_coro(fold, i);
	return is_added;
}
