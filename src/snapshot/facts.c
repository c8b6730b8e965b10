/* SPDX-License-Identifier: MIT */
/*
 * Facts: records that still count. Freed ones are used again first.
 */
#include "snapshot_parts.h"

uint32_t snapshot_fact_new(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record)
{
	struct snapshot_fact fact = {.record = *record, .origin = origin};
	uint32_t index = snapshot->free_fact;

	if (index) {
		snapshot->free_fact = snapshot->facts.at[index].next;
		snapshot->facts.at[index] = fact;
	} else {
		if (snapshot->facts.count > snapshot->max_facts ||
			!vec_push(&snapshot->facts, fact))
			return 0;
		index = (uint32_t)(snapshot->facts.count - 1);
	}
	snapshot->nr_facts++;
	return index;
}

void snapshot_fact_free(struct snapshot *snapshot, uint32_t fact)
{
	while (fact) {
		struct snapshot_fact *freed = &snapshot->facts.at[fact];
		uint32_t detail = freed->detail;

		*freed = (struct snapshot_fact){.next = snapshot->free_fact};
		snapshot->free_fact = fact;
		snapshot->nr_facts--;
		fact = detail;
	}
}

/* Three words into one, each bit of which depends on all of theirs. */
uint64_t snapshot_fact_key(uint32_t segment, unsigned kind, uint64_t about)
{
	uint64_t key = (about ^ (uint64_t)kind << 56 ^ (uint64_t)segment << 32) *
		       UINT64_C(0xbf58476d1ce4e5b9);

	key ^= key >> 31;
	key = (key + kind) * UINT64_C(0x94d049bb133111eb);
	return (key ^ key >> 29) + segment;
}

uint32_t snapshot_fact_at(const struct snapshot *snapshot, uint64_t key)
{
	uint32_t fact = 0;

	map_get(&snapshot->fact_at, key, &fact);
	return fact;
}

void snapshot_fact_remember(struct snapshot *snapshot, uint32_t origin, uint32_t fact)
{
	struct snapshot_source *source = &snapshot->sources.at[origin];

	source->last_fact = fact;
	source->last_time = snapshot->facts.at[fact].record.time;
	source->last_coro = 0;
}

void snapshot_fact_replace(
	struct snapshot *snapshot, uint32_t index, uint32_t origin, const struct ctp_record *record)
{
	struct snapshot_fact *fact = &snapshot->facts.at[index];

	/* Of one stream the later record counts, of two the one with the later time. */
	if (fact->record.time > record->time && fact->origin != origin)
		return;
	snapshot_fact_free(snapshot, fact->detail);
	*fact = (struct snapshot_fact){.record = *record, .origin = origin, .next = fact->next};
	snapshot_fact_remember(snapshot, origin, index);
}

bool snapshot_fact_set(
	struct snapshot *snapshot, uint64_t key, uint32_t origin, const struct ctp_record *record)
{
	uint32_t fact = snapshot_fact_at(snapshot, key);

	if (fact) {
		snapshot_fact_replace(snapshot, fact, origin, record);
		return true;
	}
	if (snapshot->fact_at.count >= SNAPSHOT_KEYS)
		return false;
	fact = snapshot_fact_new(snapshot, origin, record);
	if (!fact)
		return false;
	if (!map_put(&snapshot->fact_at, key, fact)) {
		snapshot_fact_free(snapshot, fact);
		return false;
	}
	snapshot_fact_remember(snapshot, origin, fact);
	return true;
}

void snapshot_fact_clear(struct snapshot *snapshot, uint64_t key)
{
	uint32_t fact = snapshot_fact_at(snapshot, key);

	if (!fact)
		return;
	map_remove(&snapshot->fact_at, key);
	snapshot_fact_free(snapshot, fact);
}
