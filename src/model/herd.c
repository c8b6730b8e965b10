/* SPDX-License-Identifier: MIT */
/*
 * Herds: many that wait at one place for one thing are woken at once, and nearly all wait for it again right away.
 *
 * A burst is a row of wakes of such by one thread, with hardly any time in between. Who does anything else than to
 * wait for the same thing at the same place again, soon after it ran, has got something done. It is settled when the
 * next burst begins: who has not come back by then has, too.
 */
#include "model/parts.h"

bool model_herd_reserve(struct model *model)
{
	model->herd_limits = (struct model_herd_limits){
		.nr_woken = 8, .nr_progressed = 1, .back_ns = INT64_C(1000000)};
	model->herd_of_site = calloc(model->tables->nr_sites + 1, sizeof(*model->herd_of_site));
	return model->herd_of_site && vec_push(&model->herds, (struct model_herd){0});
}

void model_herd_fini(struct model *model)
{
	vec_fini(&model->herds);
	free(model->herd_of_site);
}

#define RESOURCE(name) (1u << CTP_RESOURCE_##name)

/* What each waits for alone is nobody's herd. */
static bool is_shared(uint64_t object)
{
	static const unsigned alone = RESOURCE(NONE) | RESOURCE(COROUTINE) | RESOURCE(FRAME) |
				      RESOURCE(REMOTE) | RESOURCE(TIMER) | RESOURCE(PROCESS);
	unsigned kind = CTP_HANDLE_RESOURCE(object);

	return kind >= 32 || !(alone >> kind & 1);
}

/* The herd of a place, made if there is none; *ret_index 0: there is no room. False: out of memory. */
static bool herd_at(struct model *model, uint32_t site, uint32_t *ret_index)
{
	*ret_index = site < model->tables->nr_sites ? model->herd_of_site[site] : 0;
	if (*ret_index || site >= model->tables->nr_sites)
		return true;
	if (model->herds.count > MODEL_HERDS) {
		model->nr_tallies_refused++;
		return true;
	}
	*ret_index = model->herd_of_site[site] = (uint32_t)model->herds.count;
	return vec_push(&model->herds, (struct model_herd){.site = site});
}

static void settle(struct model *model, struct model_herd *herd)
{
	const struct model_herd_limits *limits = &model->herd_limits;
	uint32_t nr_progressed = herd->nr_woken - herd->nr_vain;

	if (herd->nr_woken < limits->nr_woken)
		return;
	herd->nr_bursts++;
	if (nr_progressed > limits->nr_progressed || !herd->nr_vain)
		return;
	if (herd->nr_thundered++ == 0)
		herd->since = herd->first;
	herd->until = herd->last;
	herd->nr_served += herd->nr_told > 0;
	herd->nr_vain_wakes += herd->nr_vain;
	herd->wasted_ns += herd->vain_ns;
	herd->coro = herd->last_vain;
	herd->waker = herd->present;
	herd->waker.coro =
		model_coro_find(model, coro_at(model, herd->last_vain)->process, herd->waker_id);
}

static void begin(
	struct model *model, struct model_herd *herd, uint64_t object, const struct ct_event *event)
{
	settle(model, herd);
	model->nr_bursts = (model->nr_bursts + 1) & (MODEL_BURST_OVER - 1);
	herd->burst = model->nr_bursts += model->nr_bursts == 0;
	herd->object = object;
	herd->waker_id = event->coro;
	herd->first = event->time;
	herd->nr_woken = herd->nr_vain = herd->nr_told = herd->last_vain = 0;
	herd->vain_ns = 0;
	herd->present = (struct model_waking){
		.time = event->time,
		.sequence = event->sequence,
		.thread = event->thread,
		.site = event->site,
	};
}

bool model_herd_wake(struct model *model, uint32_t index, const struct ct_event *event)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_herd *herd;
	uint32_t place;

	if (coro->state != CT_STATE_WAITING || coro->point != CTP_POINT_AWAIT ||
		!is_shared(coro->wait_object))
		return true;
	if (!herd_at(model, coro->wait_site, &place))
		return false;
	if (!place)
		return true;
	herd = &model->herds.at[place];
	if (herd->burst == (coro->burst & ~MODEL_BURST_OVER) || herd->object != coro->wait_object ||
		herd->present.thread != event->thread ||
		event->time - herd->last > model->herd_limits.back_ns)
		begin(model, herd, coro->wait_object, event);
	herd->last = event->time;
	herd->nr_woken++;
	coro->burst = herd->burst;
	return true;
}

/* The herd of the place at which it waits, or did last; one that is none. */
static struct model_herd *herd_of(struct model *model, const struct model_coro *coro)
{
	bool is_known = coro->wait_site < model->tables->nr_sites;

	return &model->herds.at[is_known ? model->herd_of_site[coro->wait_site] : 0];
}

void model_herd_progress(struct model *model, uint32_t index)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_herd *herd;

	if (!coro->burst || (coro->burst & MODEL_BURST_OVER))
		return;
	herd = herd_of(model, coro);
	herd->nr_told += herd->burst == coro->burst;
	coro->burst |= MODEL_BURST_OVER;
}

void model_herd_wait(struct model *model, uint32_t index)
{
	struct model_coro *coro = coro_at(model, index);
	struct model_herd *herd;

	if (!coro->burst || (coro->burst & MODEL_BURST_OVER))
		return;
	herd = herd_of(model, coro);
	if (herd->burst == coro->burst && herd->object == coro->wait_object &&
		coro->resumed != CT_NO_TIME &&
		coro->suspended - coro->resumed <= model->herd_limits.back_ns) {
		herd->nr_vain++;
		herd->vain_ns += coro->suspended - coro->resumed;
		herd->last_vain = index;
	}
	coro->burst |= MODEL_BURST_OVER;
}

void model_herd_finish(struct model *model)
{
	size_t i;

	for (i = 1; i < model->herds.count; i++)
		settle(model, &model->herds.at[i]);
}
