/* SPDX-License-Identifier: MIT */
/*
 * Coroutines, found by segment and id, each with a chain of facts.
 */
#include "snapshot_parts.h"

/* Rule P-13 hands out ids from 1: one with more bits than that is no coroutine's. */
static bool is_possible(uint32_t segment, uint64_t id)
{
	return id >> SNAPSHOT_ID_BITS == 0 && segment < SNAPSHOT_SEGMENTS;
}

static uint64_t key_of(uint32_t segment, uint64_t id)
{
	return (uint64_t)segment << SNAPSHOT_ID_BITS | id;
}

static unsigned recent_of(uint64_t key)
{
	return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

uint32_t snapshot_coro_find(const struct snapshot *snapshot, uint32_t segment, uint64_t id)
{
	uint64_t key = key_of(segment, id);
	uint32_t coro = snapshot->recent[recent_of(key)];

	/* A thread's records are of one coroutine mostly, for a while. */
	if (!is_possible(segment, id))
		return 0;
	if (snapshot->coros.at[coro].key == key)
		return coro;
	coro = 0;
	map_get(&snapshot->coro_at, key, &coro);
	return coro;
}

static uint32_t take_place(struct snapshot *snapshot)
{
	uint32_t coro = snapshot->free_coro;

	if (coro) {
		snapshot->free_coro = snapshot->coros.at[coro].facts;
		return coro;
	}
	if (snapshot->coros.count > snapshot->max_coros ||
		!vec_push(&snapshot->coros, (struct snapshot_coro){0}))
		return 0;
	return (uint32_t)(snapshot->coros.count - 1);
}

static void give_place(struct snapshot *snapshot, uint32_t coro)
{
	snapshot->coros.at[coro] = (struct snapshot_coro){.facts = snapshot->free_coro};
	snapshot->free_coro = coro;
}

uint32_t snapshot_coro_get(struct snapshot *snapshot, uint32_t segment, uint64_t id)
{
	uint32_t coro = snapshot_coro_find(snapshot, segment, id);

	snapshot->recent[recent_of(key_of(segment, id))] = coro;
	if (coro || !is_possible(segment, id))
		return coro;
	coro = take_place(snapshot);
	if (!coro)
		return 0;
	if (!map_put(&snapshot->coro_at, key_of(segment, id), coro)) {
		give_place(snapshot, coro);
		return 0;
	}
	snapshot->coros.at[coro] = (struct snapshot_coro){.key = key_of(segment, id)};
	snapshot->nr_live++;
	return coro;
}

void snapshot_coro_forget(struct snapshot *snapshot, uint32_t index)
{
	struct snapshot_coro *coro = &snapshot->coros.at[index];
	uint32_t fact = coro->facts, next;

	for (; fact; fact = next) {
		next = snapshot->facts.at[fact].next;
		snapshot_fact_free(snapshot, fact);
	}
	map_remove(&snapshot->coro_at, coro->key);
	give_place(snapshot, index);
}

static bool is_of(const struct snapshot_fact *fact, unsigned kind, uint64_t object, uint64_t until)
{
	return snapshot_kind(fact) == kind && (!object || fact->record.object == object) &&
	       fact->record.time <= until;
}

bool snapshot_coro_drop(
	struct snapshot *snapshot, uint32_t coro, unsigned kind, uint64_t object, uint64_t until)
{
	uint32_t *link = &snapshot->coros.at[coro].facts;
	bool was_there = false;

	while (*link) {
		uint32_t fact = *link;

		if (!is_of(&snapshot->facts.at[fact], kind, object, until)) {
			link = &snapshot->facts.at[fact].next;
			continue;
		}
		*link = snapshot->facts.at[fact].next;
		snapshot_fact_free(snapshot, fact);
		was_there = true;
	}
	return was_there;
}

static unsigned chain_length(const struct snapshot *snapshot, uint32_t fact)
{
	unsigned length = 0;

	for (; fact; fact = snapshot->facts.at[fact].next)
		length++;
	return length;
}

bool snapshot_coro_add(
	struct snapshot *snapshot, uint32_t coro, uint32_t origin, const struct ctp_record *record)
{
	uint32_t fact;

	if (chain_length(snapshot, snapshot->coros.at[coro].facts) >= SNAPSHOT_CHAIN)
		return false;
	fact = snapshot_fact_new(snapshot, origin, record);
	if (!fact)
		return false;
	snapshot->facts.at[fact].next = snapshot->coros.at[coro].facts;
	snapshot->coros.at[coro].facts = fact;
	snapshot_fact_remember(snapshot, origin, fact);
	return true;
}

void snapshot_coro_drop_kinds(
	struct snapshot *snapshot, uint32_t coro, uint64_t kinds, uint64_t until)
{
	uint32_t *link = &snapshot->coros.at[coro].facts;

	while (*link) {
		uint32_t fact = *link;
		const struct snapshot_fact *known = &snapshot->facts.at[fact];
		unsigned kind = snapshot_kind(known);

		if (kind >= 64 || !(kinds >> kind & 1) || known->record.time > until) {
			link = &snapshot->facts.at[fact].next;
			continue;
		}
		*link = known->next;
		snapshot_fact_free(snapshot, fact);
	}
}

uint32_t snapshot_coro_pair(const struct snapshot *snapshot, uint32_t coro, unsigned begin,
	unsigned end, uint64_t object)
{
	uint32_t fact = snapshot->coros.at[coro].facts;

	for (; fact; fact = snapshot->facts.at[fact].next) {
		const struct snapshot_fact *known = &snapshot->facts.at[fact];
		unsigned kind = snapshot_kind(known);

		if ((kind == begin || kind == end) && known->record.object == object)
			return fact;
	}
	return 0;
}

bool snapshot_coro_has(
	const struct snapshot *snapshot, const struct snapshot_coro *coro, unsigned kind)
{
	uint32_t fact;

	for (fact = coro->facts; fact; fact = snapshot->facts.at[fact].next)
		if (snapshot_kind(&snapshot->facts.at[fact]) == kind)
			return true;
	return false;
}

static bool makes_ready(const struct ctp_record *record)
{
	unsigned outcome = CTP_TAIL_ARGUMENT(record->tail);

	return CTP_TAIL_KIND(record->tail) == CTP_KIND_ENQUEUE || outcome == CTP_OUTCOME_QUEUED ||
	       outcome == CTP_OUTCOME_ALREADY_QUEUED || outcome == CTP_OUTCOME_RESUMED;
}

/* A wake by the address of the frame, which may have served another coroutine before. */
static const struct ctp_record *wake_of_frame(const struct snapshot *snapshot,
	const struct snapshot_coro *coro, const struct ctp_record *frame)
{
	uint32_t segment = (uint32_t)(coro->key >> SNAPSHOT_ID_BITS);
	uint64_t handle = CTP_HANDLE(CTP_RESOURCE_FRAME, frame->object);
	uint32_t fact =
		snapshot_fact_at(snapshot, snapshot_fact_key(segment, CTP_KIND_WAKE, handle));
	const struct ctp_record *wake = &snapshot->facts.at[fact].record;

	return fact && wake->time >= coro->since ? wake : NULL;
}

/* What counts is the first: later ones found it ready. A yield is queued before it suspends. */
bool snapshot_coro_woken(
	const struct snapshot *snapshot, const struct snapshot_coro *coro, uint64_t *ret_time)
{
	const struct ctp_record *record, *first = NULL;
	uint32_t fact;

	for (fact = coro->facts; fact; fact = snapshot->facts.at[fact].next) {
		record = &snapshot->facts.at[fact].record;
		switch (CTP_TAIL_KIND(record->tail)) {
		case CTP_KIND_FRAME:
			record = wake_of_frame(snapshot, coro, record);
			break;
		case CTP_KIND_WAKE:
		case CTP_KIND_ENQUEUE:
			break;
		default:
			record = NULL;
		}
		if (record && makes_ready(record) && (!first || record->time < first->time))
			first = record;
	}
	if (!first)
		return false;
	*ret_time = first->time > coro->since ? first->time : coro->since;
	return true;
}

/* Who holds a lock is asked for after its end, too. */
static void leave_grave(struct snapshot *snapshot, uint32_t coro)
{
	if (!snapshot_coro_has(snapshot, &snapshot->coros.at[coro], CTP_KIND_ACQUIRE))
		snapshot_coro_forget(snapshot, coro);
}

bool snapshot_coro_bury(struct snapshot *snapshot, uint32_t coro)
{
	uint32_t *grave;

	if (!snapshot->graves)
		snapshot->graves = calloc(SNAPSHOT_GRAVES, sizeof(*snapshot->graves));
	if (!snapshot->graves)
		return false;
	grave = &snapshot->graves[snapshot->nr_graves++ % SNAPSHOT_GRAVES];
	if (*grave)
		leave_grave(snapshot, *grave);
	*grave = coro;
	snapshot->nr_live--;
	return true;
}
