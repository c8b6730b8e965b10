/* SPDX-License-Identifier: MIT */
/* Decides whether each wait at a place ends by a recorded wake. Waits there are followed from suspend to resume. */
#include "claim/progress.h"

void claim_wakes_prepare(struct checker *checker)
{
	size_t i;

	if (!vec_push(&checker->places, (struct place){0}) ||
		!vec_push(&checker->waits, (struct wait){0}))
		checker->is_broken = true;
	for (i = 0; i < checker->claims->list.count; i++) {
		const struct claim *claim = &checker->claims->list.at[i];
		uint32_t place;

		if (claim->kind != CLAIM_WAKES)
			continue;
		if (map_get(&checker->place_of_site, claim->site, &place)) {
			checker->places.at[place].nr_claims++;
			continue;
		}
		place = (uint32_t)checker->places.count;
		if (!vec_push(&checker->places, ((struct place){.nr_claims = 1})) ||
			!map_put(&checker->place_of_site, claim->site, place))
			checker->is_broken = true;
	}
}

void claim_wakes_fini(struct checker *checker)
{
	vec_fini(&checker->places);
	vec_fini(&checker->waits);
	map_fini(&checker->place_of_site);
	map_fini(&checker->wait_of_coro);
	map_fini(&checker->coro_of_frame);
}

static struct wait *wait_of(struct checker *checker, uint32_t process, uint64_t coro)
{
	uint64_t key = claim_key(process, claim_coro(coro));
	uint32_t index;

	if (map_get(&checker->wait_of_coro, key, &index))
		return &checker->waits.at[index];
	index = (uint32_t)checker->waits.count;
	if (!vec_push(&checker->waits, (struct wait){0}) ||
		!map_put(&checker->wait_of_coro, key, index)) {
		checker->is_broken = true;
		return &checker->waits.at[0];
	}
	return &checker->waits.at[index];
}

static void begin(struct checker *checker, const struct ct_event *event)
{
	uint32_t place;
	bool is_asked = map_get(&checker->place_of_site, event->site, &place);
	struct wait *wait;

	if (!is_asked && !checker->wait_of_coro.count)
		return;
	wait = wait_of(checker, event->process, event->coro);
	wait->site = is_asked && event->argument == CTP_POINT_AWAIT ? event->site : 0;
	wait->is_woken = false;
}

static void end(struct checker *checker, uint32_t process, uint64_t coro)
{
	struct wait *wait = wait_of(checker, process, coro);
	uint32_t place = 0;

	if (wait->site && !wait->is_woken && map_get(&checker->place_of_site, wait->site, &place))
		checker->places.at[place].nr_unwoken++;
	wait->site = 0;
}

/* A wake names a coroutine by its id, or by an address that its creation stated. */
static void wake(struct checker *checker, const struct ct_event *event)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(event->object);
	uint32_t index;

	if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_COROUTINE)
		wait_of(checker, event->process, identity)->is_woken = true;
	else if (CTP_HANDLE_RESOURCE(event->object) == CTP_RESOURCE_FRAME &&
		 map_get(&checker->coro_of_frame, claim_key(event->process, identity), &index))
		checker->waits.at[index].is_woken = true;
}

static void note_frame(struct checker *checker, const struct ct_event *event)
{
	struct wait *wait = wait_of(checker, event->process, event->coro);

	if (!map_put(&checker->coro_of_frame, claim_key(event->process, event->object),
		    (uint32_t)(wait - checker->waits.at)))
		checker->is_broken = true;
}

void claim_wakes_take(struct checker *checker, const struct ct_event *event)
{
	if (checker->places.count <= 1)
		return;
	switch (event->kind) {
	case CTP_KIND_CREATE:
	case CTP_KIND_FRAME:
		note_frame(checker, event);
		break;
	case CTP_KIND_SUSPEND:
		begin(checker, event);
		break;
	case CTP_KIND_SWITCH:
		begin(checker, event);
		end(checker, event->process, event->object);
		break;
	case CTP_KIND_RESUME:
		end(checker, event->process, event->coro);
		break;
	case CTP_KIND_ENQUEUE:
		wait_of(checker, event->process, event->coro)->is_woken = true;
		break;
	case CTP_KIND_WAKE:
		if (event_makes_ready(event->argument))
			wake(checker, event);
		break;
	default:
		break;
	}
}

bool claim_wakes_judge(const struct checker *checker, const struct claim *claim)
{
	uint32_t place = 0;

	return map_get(&checker->place_of_site, claim->site, &place) &&
	       checker->places.at[place].nr_unwoken <= checker->places.at[place].nr_claims;
}
