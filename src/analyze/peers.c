/* SPDX-License-Identifier: MIT */
/*
 * Coroutines that the model has no record of, while events are read again.
 */
#include "analyze/peers.h"

void analyze_peers_fini(struct peers *peers)
{
	uint32_t i;

	for (i = 0; peers->by_id && i < peers->nr_processes; i++)
		map_fini(&peers->by_id[i]);
	vec_fini(&peers->at);
	vec_fini(&peers->free);
}

static bool take_place(struct peers *peers, uint32_t *ret_place)
{
	if (peers->free.count) {
		*ret_place = peers->free.at[--peers->free.count];
		return true;
	}
	*ret_place = (uint32_t)peers->at.count;
	return vec_push(&peers->at, (struct peer){0});
}

/*
 * The peer of the event's coroutine. If its creation was not seen, its spawn site is 0, as in the model. NULL: out of
 * memory.
 */
static struct peer *get(struct peers *peers, const struct ct_event *event)
{
	struct map *map = &peers->by_id[event->process];
	uint32_t place;

	if (map_get(map, event->coro, &place))
		return &peers->at.at[place];
	if (!take_place(peers, &place) || !map_put(map, event->coro, place)) {
		peers->is_broken = true;
		return NULL;
	}
	peers->at.at[place] = (struct peer){0};
	return &peers->at.at[place];
}

void analyze_peers_create(struct peers *peers, const struct ct_event *event, uint32_t spawn_site)
{
	struct peer *peer = get(peers, event);

	if (peer)
		peer->spawn_site = spawn_site;
}

void analyze_peers_destroy(struct peers *peers, const struct ct_event *event)
{
	struct map *map = &peers->by_id[event->process];
	uint32_t place;

	if (!map_get(map, event->coro, &place))
		return;
	map_remove(map, event->coro);
	peers->is_broken |= !vec_push(&peers->free, place);
}

bool analyze_peers_reach(
	struct peers *peers, const struct ct_event *event, uint32_t wait, uint32_t spawn_site)
{
	struct peer *peer = get(peers, event);

	if (!peer || peer->spawn_site != spawn_site || (peer->waits >> wait & 1))
		return false;
	peer->waits |= 1u << wait;
	return true;
}
