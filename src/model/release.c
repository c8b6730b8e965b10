/* SPDX-License-Identifier: MIT */
/*
 * Giving records back: marks the coroutines that must stay, adds up the others, and moves the remaining records
 * together. Every field of the model that names a coroutine is listed here once (each_table, each_of_coro), for
 * marking and for moving.
 */
#include <stdlib.h>

#include "model/release.h"

/* ---------------------------------------------------------------- all fields that name a coroutine */

static void each_of_rare(struct release *release, struct model_rare *rare, model_visitor *visit)
{
	visit(release, &rare->above, MODEL_MARK_SELF);
	visit(release, &rare->below, MODEL_MARK_SELF);
	visit(release, &rare->destroy_coro, MODEL_MARK_SELF);
	visit(release, &rare->resumer, MODEL_MARK_SELF);
}

static void each_of_turns(struct release *release, struct model_turns *turns, model_visitor *visit)
{
	visit(release, &turns->wake.coro, MODEL_MARK_SELF);
	visit(release, &turns->wake_before.coro, MODEL_MARK_SELF);
}

static void each_of_coro(struct release *release, struct model_coro *coro, model_visitor *visit)
{
	struct model *model = release->model;
	uint32_t index = model_index(model, coro);

	visit(release, &coro->parent, MODEL_MARK_SELF);
	if (coro->rare != &model_nothing_rare)
		each_of_rare(release, model_rare_of(model, coro), visit);
	if (coro->turns != &model_no_turns)
		each_of_turns(release, model_turns_of(model, coro), visit);
	if (index < model->works.count) {
		visit(release, &model->works.at[index].next, MODEL_MARK_SELF);
		visit(release, &model->works.at[index].before, MODEL_MARK_SELF);
	}
}

static void each_object(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i;

	for (i = 1; i < model->objects.count; i++) {
		struct model_object *object = &model->objects.at[i];

		if (object->owner != MODEL_OWNER_UNKNOWN)
			visit(release, &object->owner, MODEL_MARK_WHOLE);
		visit(release, &object->giver, MODEL_MARK_SELF);
		visit(release, &object->vain.coro, MODEL_MARK_SELF);
		visit(release, &object->found.coro, MODEL_MARK_SELF);
		visit(release, &object->cut, MODEL_MARK_WHOLE);
		visit(release, &object->changed_by_coro, MODEL_MARK_SELF);
	}
}

static void each_holding(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i;

	for (i = 1; i < model->holdings.count; i++) {
		visit(release, &model->holdings.at[i].first.coro, MODEL_MARK_WHOLE);
		visit(release, &model->holdings.at[i].second.coro, MODEL_MARK_WHOLE);
		visit(release, &model->holdings.at[i].ended.coro, MODEL_MARK_SELF);
	}
}

/* Conflicts and ghosts. */
static void each_step(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i;

	for (i = 0; i < model->ghosts.count; i++) {
		visit(release, &model->ghosts.at[i].coro, MODEL_MARK_WHOLE);
		visit(release, &model->ghosts.at[i].by, MODEL_MARK_SELF);
	}
	for (i = 1; i < model->conflicts.count; i++) {
		visit(release, &model->conflicts.at[i].coro, MODEL_MARK_WHOLE);
		visit(release, &model->conflicts.at[i].by, MODEL_MARK_SELF);
		visit(release, &model->conflicts.at[i].by_before, MODEL_MARK_SELF);
		visit(release, &model->conflicts.at[i].wakes[0].coro, MODEL_MARK_SELF);
		visit(release, &model->conflicts.at[i].wakes[1].coro, MODEL_MARK_SELF);
	}
	for (i = 0; i < model->crashes.count; i++)
		visit(release, &model->crashes.at[i].coro, MODEL_MARK_WHOLE);
}

static void each_task(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i;

	for (i = 1; i < model->tasks.count; i++)
		visit(release, &model->tasks.at[i].workers, MODEL_MARK_WHOLE);
}

static void each_place(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i;

	for (i = 0; i < model->tables->nr_sites + 1u; i++) {
		struct model_place_times *times = model->place_times[i];

		if (!times)
			continue;
		visit(release, &times->longest.coro, MODEL_MARK_SELF);
		visit(release, &times->cut, MODEL_MARK_WHOLE);
		visit(release, &times->most_delayed, MODEL_MARK_WHOLE);
		visit(release, &times->delayed_by.coro, MODEL_MARK_SELF);
		visit(release, &times->newest, MODEL_MARK_SELF);
	}
}

static void each_table(struct release *release, model_visitor *visit)
{
	struct model *model = release->model;
	size_t i, k;

	for (i = 0; i < model->nr_threads; i++) {
		for (k = 0; k < model->threads[i].nr_made; k++)
			visit(release, &model->threads[i].made[k], MODEL_MARK_SELF);
		visit(release, &model->threads[i].top, MODEL_MARK_WHOLE);
		visit(release, &model->threads[i].last_suspended, MODEL_MARK_WHOLE);
		visit(release, &model->threads[i].leaving, MODEL_MARK_WHOLE);
		visit(release, &model->threads[i].last_run.coro, MODEL_MARK_SELF);
	}
	for (i = 0; i < model->nr_processes; i++)
		visit(release, &model->processes[i].last_cut, MODEL_MARK_WHOLE);
	each_object(release, visit);
	each_holding(release, visit);
	each_step(release, visit);
	each_task(release, visit);
	model_watch_visit(release, visit);
	each_place(release, visit);
}

/* ---------------------------------------------------------------- marking */

static void mark(struct release *release, uint32_t *coro, enum model_mark how)
{
	if (release->to[*coro] < how)
		release->to[*coro] = how;
}

static bool has_to_stay(const struct model *model, const struct model_coro *coro)
{
	const struct model_work *work = model_work_of(model, model_index(model, coro));

	if (coro->state != CT_STATE_DESTROYED || coro->rare->epoch == model->epoch)
		return true;
	if (work->index || work->region || (coro->flags & MODEL_CORO_EARLY_RESUME))
		return true;
	return model_watch_keeps(model, model_index(model, coro)) ||
	       model_gone_is_kept(model, coro->process, MODEL_KEPT_CORO, coro->id) ||
	       (coro->rare->frame && model_gone_is_kept(model, coro->process, MODEL_KEPT_FRAME,
					     coro->rare->frame));
}

/* Marks the coroutines that a living one waits for, and its ancestors. */
static void mark_around(struct release *release, const struct model_coro *coro)
{
	struct model *model = release->model;
	uint32_t other, generation;

	if (coro->rare->nr_awaits == 1) {
		other = model_find(model, coro->process, coro->rare->awaited);
		mark(release, &other, MODEL_MARK_WHOLE);
	}
	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_COROUTINE) {
		other = model_find(model, coro->process, CTP_HANDLE_IDENTITY(coro->wait_object));
		mark(release, &other, MODEL_MARK_WHOLE);
	}
	other = coro->parent;
	for (generation = 0; other && generation < MODEL_ANCESTORS; generation++) {
		mark(release, &other, MODEL_MARK_SELF);
		other = coro_at(model, other)->parent;
	}
}

/* Coroutines that ran, were ready, waited or moved most are listed in reports even if they have ended. */
static void mark_most(struct release *release)
{
	struct model_most most[MODEL_NR_MEASURES];
	uint32_t measure, i;

	model_most_of(release->model, CT_STATE_DESTROYED, most);
	for (measure = 0; measure < MODEL_NR_MEASURES; measure++)
		for (i = 0; i < most[measure].count; i++)
			mark(release, &most[measure].coros[i], MODEL_MARK_SELF);
}

static void mark_all(struct release *release)
{
	struct model *model = release->model;
	uint32_t i;

	each_table(release, mark);
	for (i = 1; i < model->coros.count; i++) {
		if (!has_to_stay(model, coro_at(model, i)))
			continue;
		mark(release, &i, MODEL_MARK_WHOLE);
		if (coro_at(model, i)->state != CT_STATE_DESTROYED)
			mark_around(release, coro_at(model, i));
	}
	for (i = 1; i < model->coros.count; i++)
		if (release->to[i] == MODEL_MARK_WHOLE)
			each_of_coro(release, coro_at(model, i), mark);
	mark_most(release);
	model_release_mark_descriptors(release);
	for (i = 1; i < model->descriptors.count; i++)
		if (release->descriptor_to[i]) {
			mark(release, &model->descriptors.at[i].close_coro, MODEL_MARK_SELF);
			mark(release, &model->descriptors.at[i].disarm_coro, MODEL_MARK_SELF);
			mark(release, &model->descriptors.at[i].ended.coro, MODEL_MARK_SELF);
		}
}

/* ---------------------------------------------------------------- adding up, moving */

static void add_up(struct model *model, const struct model_coro *coro)
{
	unsigned state;

	if (coro->is_remains)
		return;
	if (model_is_of_runtime(coro)) {
		model->ended.nr_of_runtime++;
		return;
	}
	model->ended.count++;
	model->ended.nr_mid_life += !(coro->flags & MODEL_CORO_WAS_CREATED);
	model->ended.nr_resumes += coro->nr_resumes;
	model->ended.nr_migrations += coro->turns->nr_migrations;
	for (state = 0; state < CT_STATE_DESTROYED; state++)
		model->ended.spent[state] += model_spent(model, coro, state);
	model_times_end(model, coro);
}

static void move(struct release *release, uint32_t *coro, enum model_mark how)
{
	(void)how;
	*coro = release->to[*coro];
}

static void move_own(struct release *release, uint32_t *coro, enum model_mark how)
{
	release->is_cut |= *coro && !release->to[*coro];
	move(release, coro, how);
}

/* Replaces the marks of the records that stay by their new indexes; returns the index after the last. */
static uint32_t number(uint32_t *to, size_t count)
{
	uint32_t next = 1;
	size_t i;

	to[0] = 0;
	for (i = 1; i < count; i++)
		to[i] = to[i] ? next++ : 0;
	return next;
}

static bool take_runs(struct release *release)
{
	const uint32_t *to = release->to;
	struct release_run *last = NULL, next = {.count = 1};
	uint32_t i;

	for (i = 1; i < release->model->coros.count; i++) {
		if (!to[i] || to[i] == i)
			continue;
		if (last && last->from + last->count == i) {
			last->count++;
			continue;
		}
		next.from = i;
		next.to = to[i];
		if (!vec_push(&release->runs, next))
			return false;
		last = &release->runs.at[release->runs.count - 1];
	}
	return true;
}

static void move_coros(struct release *release)
{
	struct model *model = release->model;
	uint32_t count = 1, nr_works = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		struct model_coro *coro = coro_at(model, i);

		if (!release->to[i]) {
			add_up(model, coro);
			model_parts_give_back(model, coro);
			continue;
		}
		release->is_cut = false;
		each_of_coro(release, coro, move_own);
		coro->is_cut |=
			release->is_cut ||
			(coro->rare->descriptor && !release->descriptor_to[coro->rare->descriptor]);
		model_set_rare(
			model, coro, descriptor, release->descriptor_to[coro->rare->descriptor]);
		model_set_rare(model, coro, tried, release->descriptor_to[coro->rare->tried]);
		model->nr_ended += coro->state == CT_STATE_DESTROYED;
		if (i != count)
			*coro_at(model, count) = *coro;
		if (i < model->works.count) {
			model->works.at[count] = model->works.at[i];
			nr_works = count + 1;
		}
		count++;
	}
	model->coros.count = count;
	model->works.count = nr_works;
}

/* ---------------------------------------------------------------- all */

static bool reserve(struct release *release)
{
	struct model *model = release->model;

	release->to = calloc(model->coros.count, sizeof(*release->to));
	release->descriptor_to = calloc(model->descriptors.count, sizeof(*release->descriptor_to));
	return release->to && release->descriptor_to;
}

static void fini(struct release *release)
{
	free(release->to);
	free(release->descriptor_to);
	vec_fini(&release->runs);
}

/* Giving back looks at all records, so that many coroutines must have ended in between to make the looks cheap. */
static void set_next(struct model *model)
{
	uint64_t nr_looked_at = model->coros.count + model->descriptors.count +
				model->objects.count + model->ghosts.count + model->nr_threads;
	uint32_t i;

	for (i = 0; i < model->nr_processes; i++)
		nr_looked_at += (process_at(model, i)->frames.capacity +
					process_at(model, i)->addresses.capacity +
					process_at(model, i)->user_data.capacity) /
				4;
	model_release_from(model, model->least_ended);
	if (model->least_ended && model->least_ended < nr_looked_at / 4)
		model->release_at = nr_looked_at / 4;
	if (model->least_ended)
		model->release_at += model->nr_ended;
	model->full_release_at = model->nr_ended + model->coros.count / 32;
	model_bound_look(model);
	model->epoch++;
}

void model_release_from(struct model *model, uint32_t nr_ended)
{
	model->least_ended = nr_ended;
	model->release_at = nr_ended == UINT32_MAX ? UINT64_MAX : nr_ended;
}

static bool tell_gone(const struct release *release)
{
	bool is_told = true;
	uint32_t i;

	for (i = 1; i < release->model->coros.count; i++)
		if (!release->to[i])
			is_told &= model_watch_gone(release->model, i);
	return is_told;
}

bool model_release_now(struct model *model)
{
	struct release release = {.model = model};
	bool is_done = reserve(&release);

	if (is_done) {
		model->nr_ended = 0;
		mark_all(&release);
		model->has_no_memory |= !tell_gone(&release);
		release.nr_stay = number(release.to, model->coros.count);
		number(release.descriptor_to, model->descriptors.count);
		model_release_move_descriptors(&release);
		is_done = model_release_move_names(&release) && take_runs(&release);
		each_table(&release, move);
		model_watch_move(&release);
		move_coros(&release);
		set_next(model);
	}
	fini(&release);
	return is_done;
}

/* ---------------------------------------------------------------- the end */

/* The coroutine that another one waits for is kept with it; if it was given back before, it is asked for. */
static void ask_for_wait(struct model *model, const struct model_coro *coro)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(coro->wait_object);

	if (coro->rare->nr_awaits == 1)
		model_coro_find(model, coro->process, coro->rare->awaited);
	if (coro->state != CT_STATE_WAITING)
		return;
	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_COROUTINE)
		model_coro_find(model, coro->process, identity);
}

void model_release_finish(struct model *model)
{
	size_t i;

	for (i = 1; has_given_back(model) && i < model->coros.count; i++)
		if (model->coros.at[i].state < CT_STATE_DONE)
			ask_for_wait(model, &model->coros.at[i]);
}
