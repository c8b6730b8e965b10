/* SPDX-License-Identifier: MIT */
/*
 * The snapshot's life, and telling it: first what nobody can ask for any more is forgotten, then the
 * records are gathered and put in order.
 */
#include <stdlib.h>

#include "snapshot_parts.h"

struct snapshot *snapshot_new(void)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return NULL;
	snapshot->max_coros = SNAPSHOT_COROS;
	snapshot->max_facts = SNAPSHOT_FACTS;
	if (vec_push(&snapshot->sources, (struct snapshot_source){.last_fact = 0}) &&
		vec_push(&snapshot->pages, (struct snapshot_page){.key = SNAPSHOT_NO_PAGE}) &&
		vec_push(&snapshot->coros, (struct snapshot_coro){0}) &&
		vec_push(&snapshot->facts, (struct snapshot_fact){.origin = 0}))
		return snapshot;
	snapshot_free(snapshot);
	return NULL;
}

void snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	vec_fini(&snapshot->sources);
	map_fini(&snapshot->source_at);
	vec_fini(&snapshot->coros);
	vec_fini(&snapshot->pages);
	map_fini(&snapshot->page_at);
	free(snapshot->graves);
	vec_fini(&snapshot->facts);
	map_fini(&snapshot->fact_at);
	map_fini(&snapshot->site_named);
	map_fini(&snapshot->named_as);
	vec_fini(&snapshot->told);
	free(snapshot);
}

static bool is_same(struct snapshot_origin a, struct snapshot_origin b)
{
	return a.segment == b.segment && a.stream == b.stream && a.thread == b.thread;
}

/* A stream has one thread at a time; the map leads to its last one. */
uint32_t snapshot_origin(struct snapshot *snapshot, struct snapshot_origin origin)
{
	uint64_t key = (uint64_t)origin.stream << 32 | origin.thread;
	struct snapshot_source source = {.origin = origin};
	uint32_t number = 0;

	if (map_get(&snapshot->source_at, key, &number) &&
		is_same(snapshot->sources.at[number].origin, origin))
		return number;
	number = (uint32_t)snapshot->sources.count;
	if (number >= SNAPSHOT_ORIGINS || !vec_push(&snapshot->sources, source))
		return 0;
	return map_put(&snapshot->source_at, key, number) ? number : 0;
}

struct snapshot_origin snapshot_origin_at(const struct snapshot *snapshot, uint32_t number)
{
	return snapshot->sources.at[number].origin;
}

void snapshot_beat(struct snapshot *snapshot)
{
	snapshot->nr_graves_before = snapshot->nr_graves;
}

uint64_t snapshot_nr_live(const struct snapshot *snapshot)
{
	return snapshot->nr_live;
}

void snapshot_observe(struct snapshot *snapshot, const struct snapshot_observer *observer)
{
	snapshot->observer = *observer;
}

static bool is_running_or_gone(const struct snapshot_coro *coro)
{
	switch (coro->kind) {
	case CTP_KIND_RESUME:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		return true;
	case CTP_KIND_SWITCH:
		return coro->object == SNAPSHOT_ENTERED;
	default:
		return false;
	}
}

uint64_t snapshot_nr_ready(const struct snapshot *snapshot)
{
	uint64_t count = 0, time;
	size_t i;

	for (i = 1; i < snapshot->coros.count; i++) {
		const struct snapshot_coro *coro = &snapshot->coros.at[i];

		count += coro->key && !is_running_or_gone(coro) &&
			 snapshot_coro_woken(snapshot, coro, &time);
	}
	return count;
}

uint64_t snapshot_nr_told_at_most(const struct snapshot *snapshot)
{
	return 2 * snapshot->nr_coros + snapshot->nr_facts;
}

uint64_t snapshot_nr_forgotten(const struct snapshot *snapshot)
{
	return snapshot->nr_forgotten;
}

/* ---------------------------------------------------------------- forgetting */

/* What ends something, and was there the last time already, waits for no beginning any more. */
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

/* Somebody woke it, but nothing was ever heard of it: it was gone before. */
static bool is_hearsay(const struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	uint32_t fact = coro->facts;

	if (coro->origin || coro->created_origin)
		return false;
	while (fact && snapshot->facts.at[fact].is_old &&
		snapshot_kind(&snapshot->facts.at[fact]) == CTP_KIND_WAKE)
		fact = snapshot->facts.at[fact].next;
	return fact == 0;
}

static void tidy_coro(struct snapshot *snapshot, uint32_t coro)
{
	tidy_chain(snapshot, coro);
	if (!is_hearsay(snapshot, &snapshot->coros.at[coro]))
		return;
	snapshot_coro_forget(snapshot, coro);
	snapshot->nr_live--;
}

/* A descriptor that a coroutine waits for, and since when. */
struct wait {
	uint64_t handle; /* maybe without a generation */
	uint64_t since;
};

struct waits {
	VEC(struct wait) all; /* by handle, then by time */
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

		if (coro->key && coro->kind == CTP_KIND_SUSPEND &&
			CTP_HANDLE_RESOURCE(coro->object) == CTP_RESOURCE_DESCRIPTOR &&
			!vec_push(&waits->all, wait))
			return false;
	}
	if (waits->all.count)
		qsort(waits->all.at, waits->all.count, sizeof(*waits->all.at), compare_waits);
	return true;
}

/* Did a wait for this handle begin in between? */
static bool has_wait(const struct waits *waits, uint64_t handle, uint64_t from, uint64_t until)
{
	const struct wait first = {handle, from};
	size_t low = 0, high = waits->all.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_waits(&waits->all.at[middle], &first) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < waits->all.count && waits->all.at[low].handle == handle &&
	       waits->all.at[low].since <= until;
}

/* The descriptor that a fact is about, if it is about one. */
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
 * Closed, and nobody waits for it. Who names no generation waits for the one that was open when the wait began:
 * of a number that is used again and again all others go.
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

/* A region ends with the coroutine that it is of; one of which nothing else is recorded may be alive. */
static bool is_of_the_dead(struct snapshot *snapshot, const struct snapshot_fact *fact)
{
	uint32_t segment = snapshot->sources.at[fact->origin].origin.segment;
	uint32_t coro = snapshot_coro_find(snapshot, segment, fact->record.coro);

	return coro && snapshot->coros.at[coro].kind == CTP_KIND_DESTROY;
}

/* It ended: neither it nor what it did matters to anybody. */
static bool is_over(struct snapshot *snapshot, const struct snapshot_fact *fact)
{
	switch (snapshot_kind(fact)) {
	case CTP_KIND_REGION_BEGIN:
		return fact->is_old && is_of_the_dead(snapshot, fact);
	case CTP_KIND_TASK_END:
	case CTP_KIND_REGION_END:
	case CTP_KIND_THREAD_STOP:
		return fact->is_old;
	default:
		return false;
	}
}

/* Nobody can ask for it any more. */
static bool is_pointless_keyed(struct snapshot *snapshot, const struct waits *waits,
	const struct snapshot_fact *fact, bool is_close)
{
	unsigned kind = snapshot_kind(fact);
	uint64_t handle;

	if (!is_of_descriptor(fact, &handle))
		return !is_close && is_over(snapshot, fact);
	/* What opened it goes with its close. */
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
 * The close goes last: the others are judged by it. Removal moves later entries to an earlier place; what is
 * missed so goes the next time.
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

static bool tidy(struct snapshot *snapshot)
{
	struct waits waits = {0};
	bool was_done = gather_waits(snapshot, &waits);
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

static void age(struct snapshot *snapshot)
{
	size_t i;

	for (i = 1; i < snapshot->facts.count; i++)
		snapshot->facts.at[i].is_old = 1;
}

bool snapshot_tidy(struct snapshot *snapshot)
{
	age(snapshot);
	return tidy(snapshot);
}

/* ---------------------------------------------------------------- telling */

static bool add(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record, uint64_t place)
{
	struct snapshot_record told = {
		.record = *record,
		.origin = origin,
		.sequence = (uint32_t)snapshot->told.count,
		.place = place,
	};

	return vec_push(&snapshot->told, told);
}

static bool add_details(struct snapshot *snapshot, uint32_t fact, uint64_t place)
{
	for (; fact; fact = snapshot->facts.at[fact].detail)
		if (!add(snapshot, snapshot->facts.at[fact].origin,
			    &snapshot->facts.at[fact].record, place))
			return false;
	return true;
}

static bool add_fact(struct snapshot *snapshot, uint32_t index)
{
	const struct snapshot_fact *fact = &snapshot->facts.at[index];

	return add(snapshot, fact->origin, &fact->record, fact->record.time) &&
	       add_details(snapshot, fact->detail, fact->record.time);
}

static bool add_creation(struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	struct ctp_record record = {
		.time = coro->created,
		.coro = snapshot_id(coro),
		.object = coro->created_object,
		.tail = CTP_TAIL(coro->created_site, CTP_KIND_CREATE, 0, 0),
	};

	return !coro->created_origin || add(snapshot, coro->created_origin, &record, record.time);
}

static bool add_state(struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	bool is_entered = coro->kind == CTP_KIND_SWITCH && coro->object == SNAPSHOT_ENTERED;
	struct ctp_record record = {
		.time = coro->since,
		.coro = is_entered ? 0 : snapshot_id(coro),
		.object = is_entered ? snapshot_id(coro) : coro->object,
		.tail = CTP_TAIL(coro->site, coro->kind, coro->argument, coro->flags),
	};

	return !coro->origin || add(snapshot, coro->origin, &record, record.time);
}

/* What says more of the state follows it; the chain has the last one first. */
static bool add_state_details(struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	uint32_t details[SNAPSHOT_CHAIN + 1], fact;
	size_t count = 0;

	for (fact = coro->facts; fact && count < SNAPSHOT_CHAIN;
		fact = snapshot->facts.at[fact].next)
		if (snapshot_kind(&snapshot->facts.at[fact]) == CTP_KIND_DETAIL)
			details[count++] = fact;
	while (count-- > 0)
		if (!add(snapshot, snapshot->facts.at[details[count]].origin,
			    &snapshot->facts.at[details[count]].record, coro->since))
			return false;
	return true;
}

/* What ended lately is told, too: its beginning may lie in a ring still. */
static bool is_worth_telling(const struct snapshot_fact *fact)
{
	switch (snapshot_kind(fact)) {
	case CTP_KIND_DETAIL:
		return false;
	case CTP_KIND_RELEASE:
	case CTP_KIND_AWAIT_DONE:
	case CTP_KIND_TASK_END:
	case CTP_KIND_REGION_END:
		return !fact->is_old;
	default:
		return true;
	}
}

/* Of one that was destroyed only what it left behind is of interest. */
static bool add_coro(struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	uint32_t fact;

	if (coro->kind == CTP_KIND_DESTROY && !snapshot_coro_has(snapshot, coro, CTP_KIND_ACQUIRE))
		return true;
	if (!add_creation(snapshot, coro))
		return false;
	for (fact = coro->facts; fact; fact = snapshot->facts.at[fact].next)
		if (is_worth_telling(&snapshot->facts.at[fact]) && !add_fact(snapshot, fact))
			return false;
	return add_state(snapshot, coro) && add_state_details(snapshot, coro);
}

static bool add_graves(struct snapshot *snapshot)
{
	uint64_t i = snapshot->nr_graves_before;

	if (snapshot->nr_graves > i + SNAPSHOT_GRAVES_TOLD)
		i = snapshot->nr_graves - SNAPSHOT_GRAVES_TOLD;
	for (; i < snapshot->nr_graves; i++) {
		const struct snapshot_coro *coro =
			&snapshot->coros.at[snapshot->graves[i % SNAPSHOT_GRAVES]];

		/* Holders were told already. */
		if (!snapshot_coro_has(snapshot, coro, CTP_KIND_ACQUIRE) &&
			!add_state(snapshot, coro))
			return false;
	}
	return true;
}

static bool add_keyed(struct snapshot *snapshot)
{
	size_t i;

	for (i = 0; i < snapshot->fact_at.capacity; i++) {
		const struct map_entry *entry = &snapshot->fact_at.entries[i];

		if (entry->is_used && is_worth_telling(&snapshot->facts.at[entry->value]) &&
			!add_fact(snapshot, entry->value))
			return false;
	}
	return true;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct snapshot *snapshot = context;
	const struct snapshot_record *a = left, *b = right;
	const struct snapshot_origin *from = &snapshot->sources.at[a->origin].origin;
	const struct snapshot_origin *to = &snapshot->sources.at[b->origin].origin;

	if (from->stream != to->stream)
		return from->stream > to->stream ? 1 : -1;
	if (a->place != b->place)
		return a->place > b->place ? 1 : -1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

bool snapshot_tell(
	struct snapshot *snapshot, const struct snapshot_record **ret_records, size_t *ret_count)
{
	size_t i;

	snapshot->told.count = 0;
	if (!tidy(snapshot))
		return false;
	for (i = 1; i < snapshot->coros.count; i++)
		if (snapshot->coros.at[i].key && !add_coro(snapshot, &snapshot->coros.at[i]))
			return false;
	if (!add_keyed(snapshot) || !add_graves(snapshot))
		return false;
	age(snapshot);
	if (snapshot->told.count)
		qsort_r(snapshot->told.at, snapshot->told.count, sizeof(*snapshot->told.at),
			compare, snapshot);
	*ret_records = snapshot->told.at;
	*ret_count = snapshot->told.count;
	return true;
}
