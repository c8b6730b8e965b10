/* SPDX-License-Identifier: MIT */
/*
 * Turning round on the spot: one or few coroutines of a process run again and again only since they yielded, or woke
 * themselves, and nobody else runs meanwhile. It ends with anything that one of them does, and with the run of
 * another one, but for one that had waited for the clock.
 */
#include "model/parts.h"

static void end(struct model_process *process)
{
	if (process->spin.count >= MODEL_SPIN_TURNS &&
		process->spin.count > process->longest_spin.count)
		process->longest_spin = process->spin;
	process->spin.count = 0;
}

void model_spin_break(struct model *model, uint32_t process)
{
	end(process_at(model, process));
}

static void count_waiting(const struct model *model, uint32_t process, struct model_spin *spin)
{
	size_t i;

	spin->nr_waiting = 0;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		spin->nr_waiting += coro->process == process && !coro->mark &&
				    coro->state == CT_STATE_WAITING &&
				    coro->point == CTP_POINT_AWAIT &&
				    CTP_HANDLE_RESOURCE(coro->wait_object) != CTP_RESOURCE_TIMER;
	}
}

static bool has(const struct model_spin *spin, uint64_t id)
{
	uint32_t i;

	for (i = 0; i < spin->nr_coros; i++)
		if (spin->coros[i] == id)
			return true;
	return false;
}

static bool has_yielded(const struct model_coro *coro)
{
	return coro->suspended != CT_NO_TIME && coro->point == CTP_POINT_YIELD;
}

static bool has_woken_itself(const struct model_coro *coro, uint32_t index)
{
	return coro->wake_coro == index && coro->wake_time != CT_NO_TIME &&
	       (coro->resumed == CT_NO_TIME || coro->wake_time >= coro->resumed);
}

static bool has_waited_for_clock(const struct model_coro *coro)
{
	return coro->suspended != CT_NO_TIME &&
	       (coro->deadline != CT_NO_TIME ||
		       CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_TIMER);
}

static void begin(struct model_spin *spin, const struct model_coro *coro, ct_time time)
{
	*spin = (struct model_spin){.since = time, .nr_coros = 1};
	spin->coros[0] = coro->id;
}

static void turn(struct model *model, const struct model_coro *coro, ct_time time)
{
	struct model_process *process = process_at(model, coro->process);
	struct model_spin *spin = &process->spin;
	bool is_new = spin->count && !has(spin, coro->id);

	if (is_new && spin->nr_coros == MODEL_SPINNERS)
		end(process);
	else if (is_new)
		spin->coros[spin->nr_coros++] = coro->id;
	if (spin->count == 0)
		begin(spin, coro, time);
	spin->count++;
	spin->last = time;
	spin->site = coro->wait_site;
	if (spin->count == MODEL_SPIN_TURNS)
		count_waiting(model, coro->process, spin);
}

void model_spin_run(struct model *model, uint32_t index, ct_time time)
{
	const struct model_coro *coro = coro_at(model, index);
	const struct model_spin *spin = &process_at(model, coro->process)->spin;

	if (has_yielded(coro) || has_woken_itself(coro, index)) {
		turn(model, coro, time);
		return;
	}
	/* What made it ready may be among what is missing. */
	if (model->nr_lost && spin->count && has(spin, coro->id))
		return;
	if (spin->count && !has_waited_for_clock(coro))
		end(process_at(model, coro->process));
}
