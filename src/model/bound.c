/* SPDX-License-Identifier: MIT */
/*
 * The limit on the memory that the coroutines of a trace may take. The sum is of what coroutines make the model and
 * its watchers keep; it depends only on the trace, so that the same events are left out each time. At the limit no
 * further coroutine is taken in. Those that were taken in grow with their turns: room for that is kept if the trace has
 * enough events for turns, and too many coroutines for the limit. What is left out is a loss of the whole process, from
 * the first event left out to the last.
 */
#include "base/count.h"
#include "model/parts.h"

#define LOOK_EVERY 256u  /* coroutines */
#define JUDGED_BYTES 48u /* of each coroutine, in the tables of the judgement */
/* of each coroutine, kept by watchers; a coroutine with turns counts with the maximum */
#define WATCHED_BYTES 24u
#define EVENTS_OF_IDLE 4u /* created, framed, resumed, suspended */

static uint64_t of_map(const struct map *map)
{
	return map->capacity * sizeof(*map->entries);
}

static uint64_t of_process(const struct model_process *process)
{
	return of_map(&process->pages) + of_map(&process->objects) + of_map(&process->frames) +
	       of_map(&process->addresses) + of_map(&process->user_data);
}

static uint64_t nr_bytes(const struct model *model)
{
	uint64_t each = sizeof(*model->coros.at) + JUDGED_BYTES + WATCHED_BYTES;
	uint64_t parts = model->parts.total_bytes - model->free_bytes;
	uint64_t bytes = model->coros.count * each + parts +
			 parts / sizeof(struct model_turns) * model->nr_watched_bytes +
			 model->pages.count * sizeof(*model->pages.at) +
			 model->works.count * sizeof(*model->works.at) +
			 model->objects.count * sizeof(*model->objects.at) +
			 model->descriptors.count * sizeof(*model->descriptors.at);
	uint32_t i;

	for (i = 0; i < model->nr_processes; i++)
		bytes += of_process(&model->processes[i]);
	each = model->coros.count * model->kept_bytes;
	return bytes > each ? bytes : each;
}

void model_bound(struct model *model, uint64_t most_bytes)
{
	const struct ct_tables *tables = model->tables;
	bool have_turns = tables->nr_events / EVENTS_OF_IDLE > tables->most_live;

	model->most_bytes = most_bytes;
	/* A trace without its end may not tell of its last coroutines. */
	if (have_turns && tables->is_complete && tables->most_live > most_bytes / CT_BYTES_OF_BUSY)
		model->kept_bytes = CT_BYTES_OF_BUSY;
}

void model_bound_look(struct model *model)
{
	uint64_t bytes = nr_bytes(model);

	model->is_full = model->most_bytes && bytes > model->most_bytes;
	model->is_nearly_full = model->most_bytes && bytes > model->most_bytes / 4 * 3;
}

bool model_bound_has_room(struct model *model)
{
	if (model->is_full || model->coros.count % LOOK_EVERY == 0)
		model_bound_look(model);
	model->is_left_out |= model->is_full;
	return !model->is_full;
}

static bool begin_gap(struct model *model, const struct ct_event *event)
{
	struct model_gap gap = {.process = event->process,
		.reason = CTP_LOSS_NO_ROOM,
		.first = event->time,
		.last = event->time};

	if (!vec_push(&model->gaps, gap))
		return false;
	process_at(model, event->process)->bound_gap = (uint32_t)model->gaps.count;
	return true;
}

bool model_bound_leave_out(struct model *model, const struct ct_event *event)
{
	struct model_process *process = process_at(model, event->process);
	struct model_thread *thread = thread_at(model, event->thread);
	struct model_gap *gap;

	model->is_left_out = false;
	/* A detail that follows this event does not belong to the coroutine that suspended before. */
	thread->last_suspended = 0;
	thread->leaving = 0;
	if (!process->bound_gap && !begin_gap(model, event))
		return false;
	gap = &model->gaps.at[process->bound_gap - 1];
	gap->told = ++gap->count;
	gap->first = event->time < gap->first ? event->time : gap->first;
	gap->last = event->time > gap->last ? event->time : gap->last;
	model->nr_without_room++;
	count_add(&model->nr_lost, 1);
	return true;
}
