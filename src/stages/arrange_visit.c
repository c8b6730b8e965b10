/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "stages/arrange_visit.h"

bool arrange_visits_init(struct visits *visits)
{
	visits->at = calloc(NR_VISITS, sizeof(*visits->at));
	visits->search = 0;
	return visits->at;
}

void arrange_visits_forget(struct visits *visits)
{
	if (++visits->search)
		return;
	memset(visits->at, 0, NR_VISITS * sizeof(*visits->at));
	visits->search = 1;
}

void arrange_visits_fini(struct visits *visits)
{
	free(visits->at);
}

static bool is_same(const struct visit *visit, uint64_t put, const struct place *place)
{
	return visit->put == put && visit->state == place->state && visit->by == place->by;
}

bool arrange_visits_note(
	struct visits *visits, uint64_t put, const struct place *place, unsigned cost)
{
	size_t slot = map_home(put + ((uint64_t)place->by << 4) + place->state, NR_VISITS);
	struct visit *visit = &visits->at[slot];

	while (visit->search == visits->search && !is_same(visit, put, place)) {
		slot = (slot + 1) & (NR_VISITS - 1);
		visit = &visits->at[slot];
	}
	if (visit->search == visits->search && visit->cost <= cost)
		return false;
	*visit = (struct visit){put, place->by, visits->search, (uint16_t)cost, place->state};
	return true;
}
