/* SPDX-License-Identifier: MIT */
/*
 * Pollers: coroutines that look around each time when a timer has run out, and wait for the next one. A timer runs out
 * by itself, so that whoever waits for one is not left behind; but those that were started by others which have ended,
 * of which none has ever ended, and which are more than there are connections, are for nobody.
 */
#include "rules/parts.h"

#define POLLS \
	4u /* a coroutine that has come back fewer times may be waiting for its only time-out */

/* Did the coroutine live as long as the program worked? What is ended by a signal then has not come to its end. */
static bool has_stayed(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time end = analyze_party_working_until(analysis, coro->process);

	if (coro->state == CT_STATE_DONE)
		return coro->changed > end;
	return coro->state != CT_STATE_DESTROYED || coro->rare->destroyed > end;
}

bool rules_pollers_is_one(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *parent = &analysis->model->coros.at[coro->parent];

	return (coro->state == CT_STATE_WAITING || coro->state >= CT_STATE_DONE) &&
	       has_stayed(analysis, coro) && coro->created != CT_NO_TIME &&
	       analyze_wait_is_sleep(coro) && !coro->mark && coro->parent &&
	       !has_stayed(analysis, parent);
}

/* The open connections of a process; UINT32_MAX: it has no ledger. */
static uint32_t count_connections(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t nr_known = 0, nr_connections = 0, i;

	for (i = 1; i < model->descriptors.count; i++) {
		const struct model_descriptor *descriptor = &model->descriptors.at[i];

		if (descriptor->process != process)
			continue;
		nr_known += descriptor->opened != CT_NO_TIME;
		nr_connections += descriptor->type == CTP_DESCRIPTOR_TYPE_CONNECTION &&
				  (descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN);
	}
	return nr_known ? nr_connections : UINT32_MAX;
}

bool rules_pollers_are(
	const struct analysis *analysis, const uint32_t *order, uint32_t count, uint32_t process)
{
	uint32_t nr_polling = 0, nr_often = 0, i;

	for (i = 0; i < count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[order[i]];

		if (!has_stayed(analysis, coro))
			return false;
		if (!rules_pollers_is_one(analysis, coro))
			continue;
		nr_polling++;
		nr_often += coro->nr_resumes > POLLS;
	}
	return nr_often >= LIMIT(analysis, LEAK_RISE) && nr_often * 2 >= nr_polling &&
	       nr_polling > count_connections(analysis, process);
}
