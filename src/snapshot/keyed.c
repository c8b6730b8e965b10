/* SPDX-License-Identifier: MIT */
/* The changes of records that concern no coroutine, or something that outlives the coroutine: facts found by a key. */
#include "event/kind_words.h"
#include "snapshot/fold.h"

bool snapshot_fold_keyed(const struct step *step, uint64_t key)
{
	return snapshot_fact_set(step->snapshot, key, snapshot_fact_at(step->snapshot, key),
		step->origin, step->record);
}

bool snapshot_fold_set(const struct step *step, unsigned kind, uint64_t about)
{
	return snapshot_fold_keyed(step, snapshot_fact_key(step->segment, kind, about));
}

uint32_t snapshot_fold_thread(const struct step *step)
{
	return step->snapshot->sources.at[step->origin].origin.thread;
}

/* If the program states no generations, a number that was closed is open again. */
bool snapshot_fold_open(const struct step *step)
{
	uint64_t closed =
		snapshot_fact_key(step->segment, CTP_KIND_DESCRIPTOR_CLOSE, step->record->object);
	uint32_t fact = snapshot_fact_at(step->snapshot, closed);

	if (fact && step->snapshot->facts.at[fact].record.time <= step->record->time)
		snapshot_fact_clear(step->snapshot, closed);
	return snapshot_fold_set(step, step->kind, step->record->object);
}

/* Folds beginnings and ends; the end follows its beginning, in whatever order the records come. */
static bool fold_span(const struct step *step, unsigned begin, uint64_t key)
{
	const struct snapshot_observer *observer = &step->snapshot->observer;
	uint32_t fact = snapshot_fact_at(step->snapshot, key);
	const struct ctp_record *known = &step->snapshot->facts.at[fact].record;

	if (observer->ended && fact && step->kind != begin && CTP_TAIL_KIND(known->tail) == begin &&
		known->time <= step->record->time)
		observer->ended(observer->context, step->origin, known, step->record);
	return snapshot_fact_set(step->snapshot, key, fact, step->origin, step->record);
}

/* Returns the key of a region: its owner and its name. */
static uint64_t region_of(const struct step *step)
{
	uint64_t who =
		step->record->coro ? step->record->coro : ~(uint64_t)snapshot_fold_thread(step);
	uint32_t site = snapshot_first_named(
		step->snapshot, step->segment, CTP_TAIL_SITE(step->record->tail));

	return (who * 31 + site) * SNAPSHOT_NESTED;
}

static inline uint64_t region_key(const struct step *step, uint64_t region, unsigned nr_around)
{
	return snapshot_fact_key(step->segment, CTP_KIND_REGION_BEGIN, region + nr_around);
}

static inline bool is_open(const struct step *step, uint64_t region, unsigned nr_around)
{
	uint32_t fact = snapshot_fact_at(step->snapshot, region_key(step, region, nr_around));

	return fact && snapshot_kind(&step->snapshot->facts.at[fact]) == CTP_KIND_REGION_BEGIN;
}

/*
 * Returns how many regions of the name are open, nested within each other. If the last record was of the same region,
 * the search begins at the depth after that record.
 */
static unsigned nr_open(const struct step *step, uint64_t region)
{
	const struct snapshot_source *source = &step->snapshot->sources.at[step->origin];
	unsigned count = source->last_region == region ? source->nr_regions : 0;

	while (count && !is_open(step, region, count - 1))
		count--;
	while (count < SNAPSHOT_NESTED && is_open(step, region, count))
		count++;
	return count;
}

/* A beginning adds a region inside the regions that are known to be open; an end closes the innermost region. */
bool snapshot_fold_region(const struct step *step)
{
	struct snapshot_source *source = &step->snapshot->sources.at[step->origin];
	uint64_t region = region_of(step);
	unsigned nr_around = nr_open(step, region);
	bool is_begin = step->kind == CTP_KIND_REGION_BEGIN;

	if (!is_begin && nr_around)
		nr_around--;
	if (nr_around > SNAPSHOT_NESTED - 1)
		nr_around = SNAPSHOT_NESTED - 1;
	source->last_region = region;
	source->nr_regions = nr_around + is_begin;
	return fold_span(step, CTP_KIND_REGION_BEGIN, region_key(step, region, nr_around));
}

bool snapshot_fold_task(const struct step *step)
{
	return fold_span(step, CTP_KIND_TASK_BEGIN,
		snapshot_fact_key(step->segment, CTP_KIND_TASK_BEGIN, step->record->object));
}

/*
 * Returns the key of a range: its kind, and the process, processor, thread or coroutine that it concerns, each of which
 * has one range at a time.
 */
static uint64_t range_of(const struct step *step)
{
	uint64_t of = (uint64_t)step->argument << 56;

	switch (kind_range_scope(step->argument)) {
	case KIND_SCOPE_PROCESS:
		return of;
	case KIND_SCOPE_PROCESSOR:
		return of | CTP_HANDLE_IDENTITY(step->record->object);
	case KIND_SCOPE_COROUTINE:
		return of | CTP_HANDLE_IDENTITY(step->record->coro);
	case KIND_SCOPE_THREAD:
		break;
	}
	return of | snapshot_fold_thread(step);
}

bool snapshot_fold_range(const struct step *step)
{
	return snapshot_fold_set(step, CTP_KIND_RANGE_BEGIN, range_of(step));
}
