/* SPDX-License-Identifier: MIT */
/*
 * The time span of the observation, and the times that are possible.
 */
#include "model/parts.h"
#include "stream/order.h"

/* The last heartbeat may be this old when an engine is killed: events up to then are still possible. */
#define MARGIN_NS INT64_C(10000000000)
/* If the end of the observation is not recorded, a longer silence than this means a broken time. */
#define LONGEST_SILENCE_NS (INT64_C(86400) * 1000000000)
/*
 * Times further than 73 years from the trace's beginning are impossible, so that differences of two times never
 * overflow.
 */
#define FURTHEST_NS (INT64_C(1) << 61)

static ct_time within(ct_time time)
{
	if (time == CT_NO_TIME || (time >= -FURTHEST_NS && time <= FURTHEST_NS))
		return time;
	return time < 0 ? -FURTHEST_NS : FURTHEST_NS;
}

/*
 * Streams are written at different times. If the end was never written, the events after the last heartbeat are
 * complete for some streams and missing for others; so the observation ends at that heartbeat.
 */
static bool is_unfinished(const struct model *model)
{
	const struct ct_tables *tables = model->tables;
	uint32_t i;

	if (model->now == CT_NO_TIME || tables->has_no_end)
		return false;
	for (i = 0; i < tables->nr_losses; i++) {
		const struct ct_loss *loss = &tables->losses[i];

		/* Without a heartbeat there is nothing to go by. */
		if (loss->reason == CTP_LOSS_OPEN_END)
			return loss->first != CT_NO_TIME && loss->first > model->now;
	}
	return !tables->is_complete;
}

void model_observation_begin(struct model *model)
{
	const struct ct_tables *tables = model->tables;

	model->uncertainty_ns = order_reach(tables);
	model->from = within(tables->observed_from);
	model->now = within(tables->observed_until);
	model->lowest = -FURTHEST_NS;
	if (model->from != CT_NO_TIME)
		model->lowest = model->from - MARGIN_NS;
	/* Carried events may be older than the observation. */
	if (tables->nr_carried && tables->carried_from < model->lowest)
		model->lowest = within(tables->carried_from);
	model->is_unfinished = is_unfinished(model);
	model->is_open_ended =
		!model->is_unfinished && (model->now == CT_NO_TIME || model->now <= model->from);
	model->highest = model->is_open_ended ? FURTHEST_NS : model->now + MARGIN_NS;
	if (model->is_unfinished)
		model->highest = model->now;
}

/*
 * A row with a time of 0, or far outside the run, has no usable time: it changes neither "now" nor any state.
 */
bool model_is_possible(const struct model *model, const struct ct_event *event)
{
	if (event->time < model->lowest || event->time > model->highest)
		return false;
	if (event->time == 0 && model->from > 0)
		return false;
	return event->process < model->nr_processes && event->thread < model->nr_threads;
}

/* An event much later than all events before it is impossible. If the end is not known, the events so far decide. */
static void move_on(struct model *model, const struct ct_event *event)
{
	if (!model->is_open_ended)
		return;
	if (event->time > model->now || model->now == CT_NO_TIME)
		model->now = event->time;
	model->highest = model->now + LONGEST_SILENCE_NS;
}

static void count_left_out(struct model *model, const struct ct_event *event)
{
	bool is_behind = model->is_unfinished && event->time > model->now &&
			 event->time <= model->now + MARGIN_NS;

	*(is_behind ? &model->nr_behind : &model->nr_impossible) += 1;
}

bool model_observation_admit(struct model *model, const struct ct_event *event)
{
	if (!model_is_possible(model, event)) {
		count_left_out(model, event);
		return false;
	}
	move_on(model, event);
	return true;
}

ct_time model_end_of(const struct model *model, uint32_t process)
{
	ct_time end = model->now;
	ct_time ended = CT_NO_TIME, halted = model->processes[process].halted;

	if (process < model->tables->nr_processes)
		ended = model->tables->processes[process].ended;
	if (ended != CT_NO_TIME && ended < end)
		end = ended > model->lowest ? ended : model->lowest;
	return halted != CT_NO_TIME && halted < end ? halted : end;
}
