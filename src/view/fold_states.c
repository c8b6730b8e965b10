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
	const int64_t row[] = {
#define MAKES_STATES ~,
#include "view/cells.h"
#undef MAKES_STATES
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
	number = view_text_take(fold->view, VIEW_FOLDED, &text);
	fold->name_of_site[site] = number + 1;
	return number;
}

static bool add_coro(struct fold *fold, uint32_t index)
{
	const struct model *model = fold->model;
	const struct model_coro *coro = &model->coros.at[index];
	const struct longest *longest = longest_of(fold, index);
	const int64_t row[] = {
#define MAKES_COROUTINES ~,
#include "view/cells.h"
#undef MAKES_COROUTINES
	};

	return view_fold_add(fold, CT_VIEW_COROUTINES, row);
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
