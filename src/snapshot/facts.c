/* SPDX-License-Identifier: MIT */
/* Facts: records that still count. Freed facts are reused first. */
#include "base/hash.h"
#include "snapshot/known.h"

uint32_t snapshot_fact_more(struct snapshot *snapshot)
{
	if (snapshot->facts.count > snapshot->max_facts ||
		!snapshot_has_room(snapshot, sizeof(*snapshot->facts.at)) ||
		!vec_push(&snapshot->facts, (struct snapshot_fact){.origin = 0}))
		return 0;
	return (uint32_t)(snapshot->facts.count - 1);
}

void snapshot_fact_replace(
	struct snapshot *snapshot, uint32_t index, uint32_t origin, const struct ctp_record *record)
{
	struct snapshot_fact *fact = &snapshot->facts.at[index];

	/* Among records of one stream the later one counts; of two streams, the one with the later time counts. */
	if (fact->record.time > record->time && fact->origin != origin)
		return;
	snapshot_fact_free(snapshot, fact->detail);
	*fact = (struct snapshot_fact){.record = *record, .origin = origin, .next = fact->next};
	snapshot_fact_remember(snapshot, origin, index);
}

bool snapshot_fact_make(
	struct snapshot *snapshot, uint64_t key, uint32_t origin, const struct ctp_record *record)
{
	uint32_t fact;

	if (snapshot->fact_at.count >= SNAPSHOT_KEYS ||
		!snapshot_has_room(snapshot, snapshot_put_bytes(&snapshot->fact_at)))
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

bool snapshot_fact_detail(
	struct snapshot *snapshot, uint32_t of, uint32_t origin, const struct ctp_record *record)
{
	uint32_t last = of, fact;
	unsigned length;

	for (length = 0; snapshot->facts.at[last].detail; length++)
		last = snapshot->facts.at[last].detail;
	fact = length < SNAPSHOT_CHAIN ? snapshot_fact_new(snapshot, origin, record) : 0;
	if (fact)
		snapshot->facts.at[last].detail = fact;
	return fact != 0;
}

/* ---------------------------------------------------------------- names */

static uint64_t site_key(uint32_t segment, uint32_t site)
{
	return (uint64_t)segment << 32 | site;
}

bool snapshot_name(struct snapshot *snapshot, uint32_t segment, uint32_t site, const char *name)
{
	uint64_t key = hash_text(HASH_START ^ segment, name);
	uint32_t first = site;

	if (!*name)
		return true;
	if (!map_get(&snapshot->site_named, key, &first))
		return map_put(&snapshot->site_named, key, site);
	return first == site || map_put(&snapshot->named_as, site_key(segment, site), first);
}

uint32_t snapshot_first_named(const struct snapshot *snapshot, uint32_t segment, uint32_t site)
{
	map_get(&snapshot->named_as, site_key(segment, site), &site);
	return site;
}
