/* SPDX-License-Identifier: MIT */
/*
 * Permits of semaphores: who took them, and whether it was the taker that gave them back. A semaphore that others give
 * back is a signal, and nobody has to give it back before its end.
 *
 * A coroutine's permits of one semaphore are kept, of the first that it took while it had none.
 */
#include "model/parts.h"

void model_permit_take(
	struct model *model, uint32_t index, uint32_t taker, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, taker);
	struct model_rare *rare;

	if (!taker || CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_SEMAPHORE ||
		(coro->rare->permit && coro->rare->permit != index))
		return;
	rare = model_rare_of(model, coro);
	rare->permit = index;
	rare->nr_permits++;
	rare->permit_site = event->site;
	model->objects.at[index].permits.nr_out++;
}

void model_permit_give(
	struct model *model, uint32_t index, uint32_t giver, const struct ct_event *event)
{
	struct model_permits *permits = &model->objects.at[index].permits;
	struct model_coro *coro = coro_at(model, giver);
	struct model_rare *rare;

	if (CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_SEMAPHORE)
		return;
	if (!giver || coro->rare->permit != index) {
		permits->is_signal = true;
		return;
	}
	rare = model_rare_of(model, coro);
	permits->nr_out--;
	permits->nr_returned++;
	if (--rare->nr_permits == 0)
		rare->permit = 0;
}

void model_permit_end(struct model *model, struct model_coro *coro, const struct ct_event *event)
{
	struct model_permits *permits = &model->objects.at[coro->rare->permit].permits;
	struct model_rare *rare;

	if (!coro->rare->permit)
		return;
	rare = model_rare_of(model, coro);
	permits->nr_out -= rare->nr_permits;
	permits->nr_kept += rare->nr_permits;
	permits->kept = (struct model_waking){.time = event->time,
		.sequence = event->sequence,
		.thread = event->thread,
		.site = rare->permit_site};
	permits->kept_by = coro->id;
	rare->permit = 0;
	rare->nr_permits = 0;
}
