/* SPDX-License-Identifier: MIT */
#include "base/count.h"
#include "store/refused.h"
#include "store/definitions.h"

static bool is_same(const struct ct_define_loss *left, const struct ct_define_loss *right)
{
	return left->process == right->process && left->thread == right->thread &&
	       left->reason == right->reason;
}

/* If there is no room for another loss: finds a loss of the same process, which belongs to no thread from then on. */
static struct ct_define_loss *find_any(struct store_refused *refused, uint32_t process)
{
	size_t i;

	for (i = refused->losses.count; i > 0; i--) {
		if (refused->losses.at[i - 1].process != process)
			continue;
		refused->losses.at[i - 1].thread = 0;
		return &refused->losses.at[i - 1];
	}
	return refused->losses.count ? &refused->losses.at[refused->losses.count - 1] : NULL;
}

/* Finds the loss to add to. NULL: out of memory. */
static struct ct_define_loss *find(struct store_refused *refused, const struct ct_define_loss *loss)
{
	struct ct_define_loss none = *loss;
	size_t i;

	for (i = refused->losses.count; i > 0; i--)
		if (is_same(&refused->losses.at[i - 1], loss))
			return &refused->losses.at[i - 1];
	none.count = 0;
	if (refused->losses.count < STORE_REFUSED_MOST && vec_push(&refused->losses, none))
		return &refused->losses.at[refused->losses.count - 1];
	return find_any(refused, loss->process);
}

void store_refused_add(struct store_refused *refused, const struct ct_define_loss *loss)
{
	struct ct_define_loss *sum = loss->count ? find(refused, loss) : NULL;

	if (!sum)
		return;
	count_add(&sum->count, loss->count);
	if (loss->first_monotonic_ns < sum->first_monotonic_ns)
		sum->first_monotonic_ns = loss->first_monotonic_ns;
	if (loss->last_monotonic_ns > sum->last_monotonic_ns)
		sum->last_monotonic_ns = loss->last_monotonic_ns;
}

void store_refused_write(struct store_refused *refused, struct text *definitions)
{
	size_t i;

	for (i = 0; i < refused->losses.count; i++) {
		struct ct_definition loss = {.type = CT_DEFINE_LOSS, .loss = refused->losses.at[i]};

		store_definition_add(definitions, &loss);
	}
	refused->losses.count = 0;
}

void store_refused_fini(struct store_refused *refused)
{
	vec_fini(&refused->losses);
}
