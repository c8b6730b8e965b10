/* SPDX-License-Identifier: MIT */
/*
 * What is missing. The trace's tables tell of losses that the engine found, `lost` events of those
 * that the probe found; both are gaps in time, and never more than that: nothing is made up for
 * them.
 */
#include "model_parts.h"

static bool add(struct model *model, struct model_gap gap)
{
	struct model_gap *last = model->gaps.count ? &model->gaps.at[model->gaps.count - 1] : NULL;

	model->nr_lost += gap.count;
	if (gap.first > gap.last)
		gap.first = gap.last;
	/* A ring that stays full tells of one gap after the other. */
	if (last && last->process == gap.process && last->thread == gap.thread &&
		last->reason == gap.reason && gap.first >= last->first &&
		gap.first <= last->last + model->uncertainty_ns) {
		last->count += gap.count;
		if (gap.last > last->last)
			last->last = gap.last;
		return true;
	}
	return vec_push(&model->gaps, gap);
}

bool gap_tables(struct model *model)
{
	const struct ct_tables *tables = model->tables;
	uint32_t i;

	for (i = 0; i < tables->nr_losses; i++) {
		const struct ct_loss *loss = &tables->losses[i];
		struct model_gap gap = {
			.process = loss->process,
			.thread = loss->thread,
			.reason = loss->reason,
			.count = loss->count,
			.first = loss->first,
			.last = loss->last == CT_NO_TIME ? INT64_MAX : loss->last,
		};

		if (loss->count && !add(model, gap))
			return false;
	}
	return true;
}

bool gap_lost(struct model *model, const struct ct_event *event)
{
	ct_time first = (ct_time)event->coro;
	struct model_gap gap = {
		.process = event->process,
		.thread = event->thread,
		.reason = event->argument,
		.count = event->object,
		.first = first,
		.last = event->time,
	};

	/* A time that can not be true: then since the last event of the thread. */
	if (first < model->lowest || first > event->time || (first == 0 && model->from != 0))
		gap.first = thread_at(model, event->thread)->last_event;
	return !gap.count || add(model, gap);
}

uint64_t model_lost_between(
	const struct model *model, uint32_t process, ct_time from, ct_time until)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < model->gaps.count; i++) {
		const struct model_gap *gap = &model->gaps.at[i];

		if ((gap->process == process || !gap->process) && gap->first <= until &&
			gap->last >= from)
			count += gap->count;
	}
	return count;
}
