/* SPDX-License-Identifier: MIT */
/* The present minute and the 59 before it count, so no hour has more, give or take a minute. */
#include <string.h>

#include "sampling/ceiling.h"

#define NS_PER_MINUTE (60 * UINT64_C(1000000000))

static void forget(struct ceiling *ceiling, uint64_t now_ns)
{
	uint64_t minute = now_ns / NS_PER_MINUTE;

	if (minute >= ceiling->minute + CEILING_MINUTES) {
		memset(ceiling->used, 0, sizeof(ceiling->used));
		ceiling->minute = minute;
	}
	while (ceiling->minute < minute)
		ceiling->used[++ceiling->minute % CEILING_MINUTES] = 0;
}

void ceiling_use(struct ceiling *ceiling, uint64_t now_ns, uint64_t used)
{
	forget(ceiling, now_ns);
	ceiling->used[ceiling->minute % CEILING_MINUTES] += used;
}

uint64_t ceiling_left(struct ceiling *ceiling, uint64_t now_ns)
{
	uint64_t used = 0;
	unsigned i;

	if (!ceiling->most)
		return UINT64_MAX;
	forget(ceiling, now_ns);
	for (i = 0; i < CEILING_MINUTES; i++)
		used += ceiling->used[i];
	return used < ceiling->most ? ceiling->most - used : 0;
}
