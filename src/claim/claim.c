/* SPDX-License-Identifier: MIT */
/* Claims, as rules state them. No claim is decided here. */
#include "claim/claim.h"

void claim_fini(struct claims *claims)
{
	vec_fini(&claims->list);
}

void claim_add(struct claims *claims, const struct claim *claim)
{
	if (!vec_push(&claims->list, *claim))
		claims->is_broken = true;
}

void claim_told(struct claims *claims, uint64_t event, uint64_t kinds, uint64_t subject)
{
	struct claim claim = {
		.kind = CLAIM_TOLD, .after = event, .kinds = kinds, .subject = subject};

	claim_add(claims, &claim);
}

void claim_at_switch(struct claims *claims, uint64_t event)
{
	struct claim claim = {.kind = CLAIM_AT_SWITCH, .after = event};

	claim_add(claims, &claim);
}

void claim_order(struct claims *claims, uint64_t first, uint64_t second)
{
	struct claim claim = {.kind = CLAIM_ORDER, .after = first, .before = second};

	claim_add(claims, &claim);
}

void claim_whole(
	struct claims *claims, uint32_t process, uint32_t thread, ct_time from, ct_time until)
{
	struct claim claim = {
		.kind = CLAIM_WHOLE,
		.process = process,
		.thread = thread,
		.from = from,
		.until = until,
	};

	claim_add(claims, &claim);
}

void claim_asleep(struct claims *claims, uint32_t process)
{
	struct claim claim = {.kind = CLAIM_ASLEEP, .process = process};

	claim_add(claims, &claim);
}

void claim_wakes(struct claims *claims, uint32_t process, uint32_t site)
{
	struct claim claim = {.kind = CLAIM_WAKES, .process = process, .site = site};

	claim_add(claims, &claim);
}
