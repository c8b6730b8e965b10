/* SPDX-License-Identifier: MIT */
/*
 * The first runs of coroutines whose probe does not see a body begin: what such a coroutine says first is its frame, as
 * it suspends for the first time. What it started until then was created by nobody, as far as the events show.
 *
 * The first one, since its own creation, that the frame's function created on this thread shows that the run had begun,
 * and everything that the thread created after that is of this run as well. A run that is seen to begin, and a
 * coroutine that ends without having been seen to run, leave it open whose the creations before it are.
 */
#include <string.h>

#include "model/parts.h"

static const char *function_of(const struct model *model, uint32_t site)
{
	const char *function =
		site < model->tables->nr_sites ? model->tables->sites[site].function : NULL;

	return function ? function : "";
}

/* Does the function create at this site, perhaps by a function that the compiler has put into it? */
static bool is_within(const struct model *model, uint32_t site, const char *function)
{
	const char *at = site < model->tables->nr_sites ? model->tables->sites[site].callers : NULL;
	struct ct_caller caller;

	if (strcmp(function_of(model, site), function) == 0)
		return true;
	while (at && ct_caller_next(&at, &caller))
		if (caller.function_bytes == strlen(function) &&
			memcmp(caller.function, function, caller.function_bytes) == 0)
			return true;
	return false;
}

void model_first_run_made(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	if (event->site >= model->tables->nr_sites ||
		model->tables->sites[event->site].kind != CTP_SITE_CALLER)
		return;
	if (thread->nr_made == MODEL_MADE) {
		thread->nr_made--;
		memmove(thread->made, thread->made + 1, thread->nr_made * sizeof(thread->made[0]));
	}
	thread->made[thread->nr_made++] = index;
}

/* Its creation came after that of `coro`, and nobody else is known to have created it. */
static bool is_open(
	const struct model *model, const struct model_coro *coro, uint32_t made, uint32_t top)
{
	const struct model_coro *at = &model->coros.at[made];

	return made && at != coro && at->created > coro->created && at->parent == top &&
	       made != coro->parent;
}

void model_first_run_told(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);
	struct model_coro *coro = coro_at(model, index);
	const char *function = function_of(model, event->site);
	uint32_t first = thread->nr_made, i;

	if (!(coro->flags & MODEL_CORO_WAS_CREATED) || coro->nr_resumes ||
		coro->state != CT_STATE_UNSEEN || thread->top == index || !*function)
		return;
	for (i = thread->nr_made;
		i > 0 && coro_at(model, thread->made[i - 1])->created > coro->created; i--)
		if (is_open(model, coro, thread->made[i - 1], thread->top) &&
			is_within(model, coro_at(model, thread->made[i - 1])->spawn_site, function))
			first = i - 1;
	for (i = first; i < thread->nr_made; i++) {
		if (!is_open(model, coro, thread->made[i], thread->top))
			continue;
		coro_at(model, thread->made[i])->parent = index;
		model_tell(model, MODEL_ADOPT,
			(struct model_sight){.coro = thread->made[i], .by = index});
	}
	thread->nr_made = first;
}

void model_first_run_forget(struct model *model, uint32_t thread)
{
	thread_at(model, thread)->nr_made = 0;
}
