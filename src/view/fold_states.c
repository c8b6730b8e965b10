/* SPDX-License-Identifier: MIT */
/*
 * Coroutines: a row for each state that they left, and in the end one for each coroutine.
 */
#include "say/say.h"
#include "view/folding.h"

/* The longest times of a coroutine. */
struct longest {
	int64_t run_ns;
	int64_t wait_ns;
	int64_t delay_ns;
	uint32_t wait_site;
};

/* Kept for coroutines that are alive and have done more than their first run. */
struct of_coro {
	struct longest longest;
	bool is_kept;
};

static struct longest longest_of(const struct fold *fold, uint32_t coro)
{
	const struct of_coro *of = model_watch_coro(fold->watch, coro);
	const struct model *model = fold->model;

	if (of->is_kept)
		return of->longest;
	return (struct longest){
		.run_ns = model_spent(model, &model->coros.at[coro], CT_STATE_RUNNING)};
}

/* If there was only one run, that is the longest; nothing is kept for it. */
static bool is_first_run(const struct fold *fold, const struct model_interval *interval)
{
	const struct of_coro *of = model_watch_coro(fold->watch, interval->coro);

	return !of->is_kept && fold->model->coros.at[interval->coro].nr_resumes <= 1 &&
	       (interval->state == CT_STATE_UNSEEN ||
		       (interval->state == CT_STATE_RUNNING && interval->next == CT_STATE_WAITING));
}

static void take_longest(struct longest *longest, const struct model_interval *interval, int64_t ns)
{
	if (interval->state == CT_STATE_RUNNING && ns > longest->run_ns)
		longest->run_ns = ns;
	if (interval->state == CT_STATE_READY && ns > longest->delay_ns)
		longest->delay_ns = ns;
	if (interval->state != CT_STATE_WAITING || ns <= longest->wait_ns)
		return;
	longest->wait_ns = ns;
	longest->wait_site = interval->site;
}

/* ---------------------------------------------------------------- states */

/* The time as the model counts it; on a thread whose clock went back it may be negative. */
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

/* What was counted for the coroutine's run, which ends here: it is given back. */
static struct fold_off take_off(struct fold *fold, const struct model_interval *interval)
{
	struct fold_off off = {0};
	uint32_t at;

	if (interval->state != CT_STATE_RUNNING || !map_get(&fold->off_at, interval->coro, &at))
		return off;
	off = fold->offs.at[at - 1];
	map_remove(&fold->off_at, interval->coro);
	if (!fold->off_at.count)
		fold->offs.count = 0;
	return off;
}

static bool add_state(
	struct fold *fold, const struct model_interval *interval, int64_t ns, bool is_open)
{
	struct fold_off off = take_off(fold, interval);
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

static bool take_state(struct fold *fold, const struct model_interval *interval, bool is_open,
	struct longest *longest)
{
	int64_t ns = observed_ns(fold->model, interval->from, interval->until);

	if (interval->state >= CT_STATE_DONE)
		return true;
	take_longest(longest, interval, ns);
	if (interval->state == CT_STATE_WAITING && interval->object &&
		!view_fold_things_wait(fold, fold->model->coros.at[interval->coro].process,
			interval->object, ns, is_open))
		return false;
	return add_state(fold, interval, ns, is_open);
}

bool view_fold_states_take(
	void *context, const struct model *model, const struct model_interval *interval)
{
	struct fold *fold = context;
	struct longest longest;

	if (model->from != CT_NO_TIME && interval->until < model->from)
		return true;
	longest = longest_of(fold, interval->coro);
	if (!take_state(fold, interval, false, &longest))
		return false;
	if (!is_first_run(fold, interval))
		*(struct of_coro *)model_watch_coro(fold->watch, interval->coro) =
			(struct of_coro){longest, true};
	return true;
}

/* ---------------------------------------------------------------- coroutines */

/* The name that the program gave it, or else its function's name. */
static int64_t name_of(struct fold *fold, const struct model_coro *coro)
{
	const struct ct_tables *tables = fold->view->tables;
	uint32_t site = coro->rare->name_site ? coro->rare->name_site : coro->rare->function_site;
	struct text text = {0};
	int64_t number;

	if (!site || site >= tables->nr_sites)
		return 0;
	if (fold->name_of_site[site])
		return fold->name_of_site[site] - 1;
	if (coro->rare->name_site)
		text_add(&text, tables->sites[site].reason);
	else
		say_site_function(&text, tables, site);
	number = view_text_take(fold->view, VIEW_FOLDED, &text);
	fold->name_of_site[site] = number + 1;
	return number;
}

static bool add_coro(struct fold *fold, uint32_t index, const struct longest *longest)
{
	const struct model *model = fold->model;
	const struct model_coro *coro = &model->coros.at[index];
	const int64_t row[] = {
#define MAKES_COROUTINES ~,
#include "view/cells.h"
#undef MAKES_COROUTINES
	};

	return view_fold_add(fold, CT_VIEW_COROUTINES, row);
}

/* ---------------------------------------------------------------- the watcher */

static bool begin(struct model_watch *watch, const void *settings)
{
	*(struct fold **)watch->memory = (struct fold *)(uintptr_t)settings;
	return true;
}

static bool gone(struct model_watch *watch, uint32_t coro)
{
	struct fold *fold = *(struct fold **)watch->memory;
	struct longest longest = longest_of(fold, coro);

	return fold->model->coros.at[coro].is_remains || add_coro(fold, coro, &longest);
}

const struct model_watcher view_fold_states_watcher = {
	.nr_bytes = sizeof(struct fold *),
	.nr_coro_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_TASK_END] = view_fold_things_task_end,
		[MODEL_REGION_END] = view_fold_things_region_end,
		[MODEL_RANGE_END] = view_fold_things_range_end,
		[MODEL_DROP] = view_fold_things_drop,
		[MODEL_CLOSE] = view_fold_things_close},
	.begin = begin,
	.gone = gone,
};

static bool finish_coro(struct fold *fold, uint32_t index)
{
	const struct model_coro *coro = &fold->model->coros.at[index];
	struct model_interval open = model_interval_open(fold->model, index);
	struct longest longest = longest_of(fold, index);
	ct_time end = model_end_of(fold->model, coro->process);

	if (coro->is_remains)
		return true;
	open.until = end > coro->changed ? end : coro->changed;
	return take_state(fold, &open, true, &longest) && add_coro(fold, index, &longest);
}

bool view_fold_states_finish(struct fold *fold)
{
	bool is_added = true;
	uint32_t i;

	for (i = 1; is_added && i < fold->model->coros.count; i++)
		is_added = finish_coro(fold, i);
	return is_added;
}
