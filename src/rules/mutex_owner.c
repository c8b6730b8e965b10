/* SPDX-License-Identifier: MIT */
/* Says what runs on the thread that has a mutex (parts.h). */
#include "rules/parts.h"

void rules_mutex_owner_tell(struct analysis *analysis, uint32_t waiting, struct story *story)
{
	const struct model_thread *thread = &analysis->model->threads[waiting];
	uint32_t owner = thread_is_seen(thread) ? thread->mutex_owner : 0;
	uint32_t top = analysis->model->threads[owner].top;
	const struct model_coro *holder = &analysis->model->coros.at[top];
	const char *name = analyze_words_thread(analysis, owner);

	if (owner == 0)
		return;
	if (owner == waiting)
		analyze_story_evidence(analysis, story,
			"%s has the mutex for which it waits: the mutex was locked there before, "
			"by this coroutine, or by one that ran there and still has it",
			name);
	else if (top)
		analyze_story_evidence(analysis, story,
			"%s, which has the mutex, runs %s, resumed at %s", name,
			analyze_words_coro(analysis, holder),
			analyze_words_place(analysis, rules_endless_run_place(holder)));
	else
		analyze_story_evidence(analysis, story,
			"%s, which has the mutex, runs no coroutine: a coroutine that has been "
			"suspended or has ended since locked the mutex there, or what runs outside "
			"of coroutines did",
			name);
}
