/* SPDX-License-Identifier: MIT */
/* Says what was given to an object, and not taken (takings.h). */
#include "analyze/parts.h"
#include "analyze/takings.h"

#define TAKEN (1u << CTP_RESOURCE_SEMAPHORE | 1u << CTP_RESOURCE_CHANNEL)

bool analyze_takings_are_told(const struct analysis *analysis, const struct model_object *object)
{
	return object->has_takers || (analysis->model->processes[object->process].tells_takings >>
						     CTP_HANDLE_RESOURCE(object->handle) &
					     1);
}

bool analyze_takings_left_something(
	const struct analysis *analysis, const struct model_object *object)
{
	const struct model_process *process = &analysis->model->processes[object->process];
	unsigned kind = CTP_HANDLE_RESOURCE(object->handle);

	if ((kind != CTP_RESOURCE_SEMAPHORE && kind != CTP_RESOURCE_CHANNEL) || !object->nr_left)
		return false;
	/* A program that records what is taken of semaphores may not record what is taken from channels. */
	return analyze_takings_are_told(analysis, object) ||
	       (process->tells_takings & TAKEN && !(process->ended_waits >> kind & 1));
}
