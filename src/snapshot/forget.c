/* SPDX-License-Identifier: MIT */
/* Forgetting facts that nobody can ask for any more. */
#include <stdlib.h>

#include "snapshot/known.h"

/*
 * Returns whether a fact is an end that was there the last time already: it does not wait for its beginning any more.
 */
static bool is_pointless(const struct snapshot_fact *fact)
{
	unsigned kind = snapshot_kind(fact);

	return fact->is_old && (kind == CTP_KIND_RELEASE || kind == CTP_KIND_AWAIT_DONE);
}

static void tidy_chain(struct snapshot *snapshot, uint32_t coro)
{
	uint32_t *link = &snapshot->coros.at[coro].facts;

	while (*link) {
		struct snapshot_fact *fact = &snapshot->facts.at[*link];

		if (is_pointless(fact))
			snapshot_coro_unlink(snapshot, coro, link);
		else
			link = &fact->next;
	}
}

/* Returns whether the coroutine was only woken, and nothing else was ever recorded about it: it was gone before. */
static bool is_hearsay(const struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	uint32_t fact = coro->facts;

	if (coro->origin || coro->created_origin)
		return false;
	return !fact && !coro->queue && (!coro->wake || snapshot->facts.at[coro->wake].is_old);
}

static void tidy_coro(struct snapshot *snapshot, uint32_t coro)
{
	tidy_chain(snapshot, coro);
	if (!is_hearsay(snapshot, &snapshot->coros.at[coro]))
		return;
	snapshot_coro_forget(snapshot, coro);
	snapshot->nr_live--;
}

/* A wait of a coroutine for a descriptor, and its beginning. */
struct wait {
	uint64_t handle; /* may lack a generation */
	uint64_t since;
};

struct waits {
	VEC(struct wait) all; /* sorted by handle, then by time */
};

static int compare_waits(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;

	if (a->handle != b->handle)
		return a->handle > b->handle ? 1 : -1;
	return (a->since > b->since) - (a->since < b->since);
}

static bool gather_waits(struct snapshot *snapshot, struct waits *waits)
{
	size_t i;

	for (i = 1; i < snapshot->coros.count; i++) {
		const struct snapshot_coro *coro = &snapshot->coros.at[i];
		struct wait wait = {coro->object, coro->since};

		if (coro->key && snapshot_state(coro) == CTP_KIND_SUSPEND &&
			CTP_HANDLE_RESOURCE(coro->object) == CTP_RESOURCE_DESCRIPTOR &&
			!vec_push(&waits->all, wait))
			return false;
	}
	if (waits->all.count)
		qsort(waits->all.at, waits->all.count, sizeof(*waits->all.at), compare_waits);
	return true;
}

/* Returns whether a wait for this handle began between the two times. */
static bool has_wait(const struct waits *waits, uint64_t handle, uint64_t from, uint64_t until)
{
	const struct wait first = {handle, from};
	size_t at =
		vec_count_while(waits->all.count, i, compare_waits(&waits->all.at[i], &first) < 0);

	return at < waits->all.count && waits->all.at[at].handle == handle &&
	       waits->all.at[at].since <= until;
}

/* Returns whether a fact is about a descriptor, and which one. */
static bool is_of_descriptor(const struct snapshot_fact *fact, uint64_t *ret_handle)
{
	unsigned kind = snapshot_kind(fact);

	*ret_handle = fact->record.object;
	return kind >= CTP_KIND_DESCRIPTOR_OPEN && kind <= CTP_KIND_DESCRIPTOR_TIMER &&
	       fact->record.object;
}

static uint64_t time_of(const struct snapshot *snapshot, const struct snapshot_fact *fact,
	unsigned kind, uint64_t handle, uint64_t otherwise)
{
	uint32_t segment = snapshot->sources.at[fact->origin].origin.segment;
	uint32_t known = snapshot_fact_at(snapshot, snapshot_fact_key(segment, kind, handle));

	return known ? snapshot->facts.at[known].record.time : otherwise;
}

/*
 * Returns whether the descriptor is closed and nobody waits for it. A wait without a generation means the descriptor
 * that had the number when the wait began; all other descriptors that had the same number can be forgotten.
 */
static bool is_done_with(const struct snapshot *snapshot, const struct waits *waits,
	const struct snapshot_fact *fact, uint64_t handle)
{
	uint64_t closed = time_of(snapshot, fact, CTP_KIND_DESCRIPTOR_CLOSE, handle, 0);
	uint64_t opened = time_of(snapshot, fact, CTP_KIND_DESCRIPTOR_OPEN, handle, 0);
	uint64_t number = (uint32_t)CTP_HANDLE_IDENTITY(handle);

	return closed && closed >= fact->record.time && !has_wait(waits, handle, 0, UINT64_MAX) &&
	       !has_wait(waits, CTP_DESCRIPTOR(number, 0), opened, closed);
}

/*
 * Returns whether a region's coroutine is gone, and the region with it; a coroutine without other records may be alive.
 */
static bool is_of_the_dead(struct snapshot *snapshot, const struct snapshot_fact *fact)
{
	uint32_t segment = snapshot->sources.at[fact->origin].origin.segment;
	uint32_t coro = snapshot_coro_find(snapshot, segment, fact->record.coro);

	return coro && snapshot_state(&snapshot->coros.at[coro]) == CTP_KIND_DESTROY;
}

/*
 * Returns whether the fact is about something that has ended, such as a coroutine or a thread, so that it does not
 * matter any more.
 */
static bool is_over(struct snapshot *snapshot, const struct snapshot_fact *fact)
{
	switch (snapshot_kind(fact)) {
	case CTP_KIND_REGION_BEGIN:
		return fact->is_old && is_of_the_dead(snapshot, fact);
	case CTP_KIND_TASK_END:
	case CTP_KIND_REGION_END:
	case CTP_KIND_RANGE_END:
	case CTP_KIND_THREAD_STOP:
		return fact->is_old;
	default:
		return false;
	}
}

/* Returns whether nobody can ask for the fact any more. */
static bool is_pointless_keyed(struct snapshot *snapshot, const struct waits *waits,
	const struct snapshot_fact *fact, bool is_close)
{
	unsigned kind = snapshot_kind(fact);
	uint64_t handle;

	if (!is_of_descriptor(fact, &handle))
		return !is_close && is_over(snapshot, fact);
	/* The opening goes together with its close. */
	return kind != CTP_KIND_DESCRIPTOR_OPEN &&
	       is_close == (kind == CTP_KIND_DESCRIPTOR_CLOSE) &&
	       is_done_with(snapshot, waits, fact, handle);
}

static void clear_opening(struct snapshot *snapshot, const struct snapshot_fact *close)
{
	uint32_t segment = snapshot->sources.at[close->origin].origin.segment;

	snapshot_fact_clear(snapshot,
		snapshot_fact_key(segment, CTP_KIND_DESCRIPTOR_OPEN, close->record.object));
}

/*
 * The closing record goes last, because the other facts are judged by it. Removal moves later entries to earlier slots;
 * the next call removes the entries that this call misses for that reason.
 */
static void tidy_keyed(struct snapshot *snapshot, const struct waits *waits, bool is_close)
{
	size_t i;

	for (i = 0; i < snapshot->fact_at.capacity; i++) {
		const struct map_entry *entry = &snapshot->fact_at.entries[i];
		uint64_t key = entry->key;
		const struct snapshot_fact *fact = &snapshot->facts.at[entry->value];

		if (!entry->is_used || !is_pointless_keyed(snapshot, waits, fact, is_close))
			continue;
		if (is_close)
			clear_opening(snapshot, fact);
		snapshot_fact_clear(snapshot, key);
		i--;
	}
}

/* Returns whether any descriptor was closed: waits matter only for closed descriptors. */
static bool has_closed(const struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->fact_at.capacity; i++) {
		const struct map_entry *entry = &snapshot->fact_at.entries[i];

		if (entry->is_used && snapshot_kind(&snapshot->facts.at[entry->value]) ==
					      CTP_KIND_DESCRIPTOR_CLOSE)
			return true;
	}
	return false;
}

bool snapshot_forget_past(struct snapshot *snapshot)
{
	struct waits waits = {0};
	bool was_done = !has_closed(snapshot) || gather_waits(snapshot, &waits);
	size_t i;

	if (was_done) {
		tidy_keyed(snapshot, &waits, false);
		tidy_keyed(snapshot, &waits, true);
	}
	vec_fini(&waits.all);
	for (i = 1; i < snapshot->coros.count; i++)
		if (snapshot->coros.at[i].key)
			tidy_coro(snapshot, (uint32_t)i);
	return was_done;
}

void snapshot_age(struct snapshot *snapshot)
{
	size_t i;

	for (i = 1; i < snapshot->facts.count; i++)
		snapshot->facts.at[i].is_old = 1;
}

bool snapshot_tidy(struct snapshot *snapshot)
{
	snapshot_age(snapshot);
	return snapshot_forget_past(snapshot);
}
