/* SPDX-License-Identifier: MIT */
/*
 * How the model calls its watchers (watcher.h). Not for other folders.
 */
#ifndef MODEL_LOOKERS_H
#define MODEL_LOOKERS_H

#include "model/model.h"

/* model_tell_each: calls these watchers, four in a row: thirty are told of a wake. A look adds no lookers. */
static inline void model_tell_each(struct model *model, const struct model_looker *looker,
	size_t count, const struct model_sight *sight)
{
	bool is_noted = true;

	for (; count >= 4; count -= 4, looker += 4) {
		is_noted &= looker[0].look(looker[0].watch, sight);
		is_noted &= looker[1].look(looker[1].watch, sight);
		is_noted &= looker[2].look(looker[2].watch, sight);
		is_noted &= looker[3].look(looker[3].watch, sight);
	}
	for (; count; count--, looker++)
		is_noted &= looker->look(looker->watch, sight);
	model->has_no_memory |= !is_noted;
}

/*
 * model_tell: calls the watchers of this moment. model_tell_often does the same, for moments that nearly each event
 * brings; elsewhere it would only take registers.
 */
void model_tell(struct model *model, enum model_moment moment, struct model_sight sight);

static inline void model_tell_often(
	struct model *model, enum model_moment moment, struct model_sight sight)
{
	model_tell_each(model, model->lookers[moment].at, model->lookers[moment].count, &sight);
}

/* model_watch_narrow: makes the list of those that are told of a kind of resource, at MODEL_WAKE or MODEL_WAIT. */
void model_watch_narrow(struct model *model, enum model_moment moment, unsigned kind);

/* model_tell_wake, model_tell_wait: call the watchers of MODEL_WAKE, MODEL_WAIT of what the coroutine waits for. */
static inline void model_tell_narrowed(struct model *model, enum model_moment moment,
	struct model_narrowed *all, struct model_sight sight)
{
	unsigned kind = CTP_HANDLE_RESOURCE(model->coros.at[sight.coro].wait_object);
	struct model_narrowed *narrowed;

	kind = kind < MODEL_NR_WAITED ? kind : MODEL_NR_WAITED - 1;
	narrowed = &all[kind];
	if (!narrowed->is_made)
		model_watch_narrow(model, moment, kind);
	model_tell_each(model, narrowed->lookers.at, narrowed->lookers.count, &sight);
}

static inline void model_tell_wake(struct model *model, struct model_sight sight)
{
	model_tell_narrowed(model, MODEL_WAKE, model->wake_lookers, sight);
}

static inline void model_tell_wait(struct model *model, struct model_sight sight)
{
	model_tell_narrowed(model, MODEL_WAIT, model->wait_lookers, sight);
}

#endif
