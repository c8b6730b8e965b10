/* SPDX-License-Identifier: MIT */
/* The sights of a trace (sights.h). */
#include "store/sights.h"

/* What a later look saw takes the place of all that earlier ones did (F-39). No sight is looked at twice. */
static void forget_looks(struct store_tables *all)
{
	size_t i, count = all->nr_lasting_sights;

	for (i = count; i < all->lists.sights.count; i++)
		if (!all->looks_of_sights.at[i]) {
			all->looks_of_sights.at[count] = 0;
			all->lists.sights.at[count++] = all->lists.sights.at[i];
		}
	all->lists.sights.count = all->looks_of_sights.count = all->nr_lasting_sights = count;
}

static ct_time since_epoch_if_known(const struct store_tables *all, ct_time pending)
{
	return pending ? store_since_epoch(all, (uint64_t)pending) : CT_NO_TIME;
}

static void settle_sight(const struct store_tables *all, struct ct_sight *sight)
{
	sight->begun = since_epoch_if_known(all, sight->begun);
	sight->ended = since_epoch_if_known(all, sight->ended);
}

bool store_sights_apply(struct store_tables *all, const struct ct_define_note *from)
{
	struct ct_sight sight = {.text = from->text,
		.coro = from->coro,
		.begun = (ct_time)from->begun_ns,
		.ended = (ct_time)from->ended_ns};

	if (all->is_settled)
		settle_sight(all, &sight);
	if (from->look > all->last_look) {
		all->last_look = from->look;
		forget_looks(all);
	}
	if (!*sight.text || (from->look && from->look < all->last_look))
		return true;
	return vec_push(&all->looks_of_sights, from->look) && vec_push(&all->lists.sights, sight);
}

void store_sights_settle(struct store_tables *all)
{
	size_t i;

	for (i = 0; i < all->lists.sights.count; i++)
		settle_sight(all, &all->lists.sights.at[i]);
	all->is_settled = true;
}
