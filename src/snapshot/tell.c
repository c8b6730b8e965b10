/* SPDX-License-Identifier: MIT */
/*
 * Making and freeing the snapshot, and handing out its records.
 *
 * A million coroutines have millions of records to hand out, so the records are never all gathered. Instead references
 * of 16 bytes are gathered, for one stretch of time after the other. Within a stretch the references are sorted by
 * stream and by time; the records are made from them when they are asked for.
 */
#include <stdlib.h>

#include "snapshot/known.h"

static void stop_telling(struct snapshot_telling *telling)
{
	vec_fini(&telling->references);
	vec_fini(&telling->sorted);
	vec_fini(&telling->told);
	free(telling->nr_by_time);
	*telling = (struct snapshot_telling){.is_over = true};
}

struct snapshot *snapshot_new(void)
{
	struct snapshot *snapshot = calloc(1, sizeof(*snapshot));

	if (!snapshot)
		return NULL;
	snapshot->max_bytes = SNAPSHOT_BYTES;
	snapshot->max_coros = SNAPSHOT_COROS;
	snapshot->max_facts = SNAPSHOT_FACTS;
	if (vec_push(&snapshot->sources, (struct snapshot_source){.last_fact = 0}) &&
		vec_push(&snapshot->pages, (struct snapshot_page){.key = SNAPSHOT_NO_PAGE}) &&
		vec_push(&snapshot->coros, (struct snapshot_coro){0}) &&
		vec_push(&snapshot->births, (struct snapshot_birth){0}) &&
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
	map_fini(&snapshot->stream_at);
	vec_fini(&snapshot->coros);
	vec_fini(&snapshot->births);
	vec_fini(&snapshot->pages);
	map_fini(&snapshot->page_at);
	free(snapshot->graves);
	vec_fini(&snapshot->facts);
	map_fini(&snapshot->fact_at);
	map_fini(&snapshot->site_named);
	map_fini(&snapshot->named_as);
	stop_telling(&snapshot->telling);
	free(snapshot);
}

static bool is_same(struct snapshot_origin a, struct snapshot_origin b)
{
	return a.segment == b.segment && a.stream == b.stream && a.thread == b.thread;
}

/* A stream has one thread at a time; the map leads to its last origin. */
uint32_t snapshot_origin(struct snapshot *snapshot, struct snapshot_origin origin)
{
	uint64_t key = (uint64_t)origin.stream << 32 | origin.thread;
	struct snapshot_source source = {.origin = origin};
	uint32_t number = 0;

	if (map_get(&snapshot->source_at, key, &number) &&
		is_same(snapshot->sources.at[number].origin, origin))
		return number;
	number = (uint32_t)snapshot->sources.count;
	source.group = number;
	if (!map_get(&snapshot->stream_at, origin.stream, &source.group) &&
		!map_put(&snapshot->stream_at, origin.stream, number))
		return 0;
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

uint64_t snapshot_take_most_live(struct snapshot *snapshot)
{
	uint64_t most_live = snapshot->most_live;

	snapshot->most_live = snapshot->nr_live;
	return most_live;
}

void snapshot_observe(struct snapshot *snapshot, const struct snapshot_observer *observer)
{
	snapshot->observer = *observer;
}

static bool is_running_or_gone(const struct snapshot_coro *coro)
{
	switch (snapshot_state(coro)) {
	case CTP_KIND_RESUME:
	case CTP_KIND_SYSCALL_BEGIN:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		return true;
	case CTP_KIND_SYSCALL_END:
		return !(CTP_TAIL_FLAGS(coro->tail) & CTP_SYSCALL_READY);
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
			 snapshot_coro_woken(snapshot, (uint32_t)i, &time);
	}
	return count;
}

static bool is_at_point(const struct snapshot_coro *coro, unsigned point)
{
	return snapshot_state(coro) == CTP_KIND_SUSPEND && CTP_TAIL_ARGUMENT(coro->tail) == point;
}

static bool has_finished(const struct snapshot_coro *coro)
{
	unsigned state = snapshot_state(coro);

	return state == CTP_KIND_RETURN || state == CTP_KIND_DESTROY ||
	       is_at_point(coro, CTP_POINT_FINAL);
}

uint64_t snapshot_nr_unfinished(const struct snapshot *snapshot)
{
	uint64_t count = 0;
	size_t i;

	for (i = 1; i < snapshot->coros.count; i++) {
		const struct snapshot_coro *coro = &snapshot->coros.at[i];

		count += coro->key && !has_finished(coro);
	}
	return count;
}

static bool has_suspended(const struct snapshot_coro *coro)
{
	unsigned state = snapshot_state(coro);

	return coro->key && coro->origin && !is_at_point(coro, CTP_POINT_INITIAL) &&
	       !has_finished(coro) &&
	       (state == CTP_KIND_SUSPEND ||
		       (state == CTP_KIND_SWITCH && coro->object != SNAPSHOT_ENTERED));
}

void snapshot_each_waiting(const struct snapshot *snapshot, void *context,
	void (*tell)(void *context, uint32_t origin, const struct ctp_record *record))
{
	uint64_t time;
	size_t i;

	for (i = 1; i < snapshot->coros.count; i++) {
		const struct snapshot_coro *coro = &snapshot->coros.at[i];
		const struct ctp_record record = {
			coro->since, snapshot_id(coro), coro->object, coro->tail};

		if (has_suspended(coro) && !snapshot_coro_woken(snapshot, (uint32_t)i, &time))
			tell(context, coro->origin, &record);
	}
}

uint64_t snapshot_nr_told_at_most(const struct snapshot *snapshot)
{
	return 3 * snapshot->nr_coros + snapshot->nr_facts;
}

uint64_t snapshot_nr_bytes(const struct snapshot *snapshot)
{
	return snapshot->coros.count *
		       (sizeof(*snapshot->coros.at) + sizeof(*snapshot->births.at)) +
	       snapshot->pages.count * sizeof(*snapshot->pages.at) +
	       snapshot->facts.count * sizeof(*snapshot->facts.at) +
	       snapshot->page_at.capacity * sizeof(*snapshot->page_at.entries) +
	       snapshot->fact_at.capacity * sizeof(*snapshot->fact_at.entries);
}

uint64_t snapshot_nr_forgotten(const struct snapshot *snapshot)
{
	return snapshot->nr_forgotten;
}

/* ---------------------------------------------------------------- what is handed out */

enum { CREATION, FRAME, STATE, FACT, WHATS };

static void refer(
	struct snapshot *snapshot, uint32_t origin, uint64_t place, uint32_t index, unsigned what)
{
	struct snapshot_telling *telling = &snapshot->telling;
	struct snapshot_reference reference = {
		.place = place,
		.group = snapshot->sources.at[origin].group,
		.what = index * WHATS + what,
	};

	switch (telling->step) {
	case SNAPSHOT_COUNTS:
		telling->nr_all++;
		telling->first = place < telling->first ? place : telling->first;
		telling->last = place > telling->last ? place : telling->last;
		break;
	case SNAPSHOT_SHARES:
		telling->nr_by_time[(place - telling->first) >> telling->shift]++;
		break;
	case SNAPSHOT_GATHERS:
		if (place - telling->from <= telling->until - telling->from &&
			!vec_push(&telling->references, reference))
			telling->is_broken = true;
		break;
	}
}

static void refer_fact(struct snapshot *snapshot, uint32_t index)
{
	const struct snapshot_fact *fact = &snapshot->facts.at[index];

	refer(snapshot, fact->origin, fact->record.time, index, FACT);
}

/* An end that came lately is handed out, too, because its beginning may still be in a ring. */
static bool is_worth_telling(const struct snapshot_fact *fact)
{
	switch (snapshot_kind(fact)) {
	case CTP_KIND_DETAIL:
		return false;
	case CTP_KIND_RELEASE:
	case CTP_KIND_AWAIT_DONE:
	case CTP_KIND_TASK_END:
	case CTP_KIND_REGION_END:
	case CTP_KIND_RANGE_END:
		return !fact->is_old;
	default:
		return true;
	}
}

/* For a destroyed coroutine, only the facts that it left are handed out. */
static void refer_coro(struct snapshot *snapshot, uint32_t index)
{
	const struct snapshot_coro *coro = &snapshot->coros.at[index];
	const struct snapshot_birth *birth = &snapshot->births.at[index];
	uint32_t fact;

	if (snapshot_state(coro) == CTP_KIND_DESTROY &&
		!snapshot_coro_has(snapshot, coro, CTP_KIND_ACQUIRE))
		return;
	if (coro->created_origin)
		refer(snapshot, coro->created_origin, birth->time, index, CREATION);
	if (birth->frame_after != SNAPSHOT_NO_FRAME)
		refer(snapshot, coro->created_origin, birth->time + birth->frame_after, index,
			FRAME);
	if (coro->wake)
		refer_fact(snapshot, coro->wake);
	if (coro->queue)
		refer_fact(snapshot, coro->queue);
	for (fact = coro->facts; fact; fact = snapshot->facts.at[fact].next)
		if (is_worth_telling(&snapshot->facts.at[fact]))
			refer_fact(snapshot, fact);
	if (coro->origin)
		refer(snapshot, coro->origin, coro->since, index, STATE);
}

static void refer_graves(struct snapshot *snapshot)
{
	uint64_t i = snapshot->nr_graves_before;

	if (snapshot->nr_graves > i + SNAPSHOT_GRAVES_TOLD)
		i = snapshot->nr_graves - SNAPSHOT_GRAVES_TOLD;
	for (; i < snapshot->nr_graves; i++) {
		uint32_t grave = snapshot->graves[i % SNAPSHOT_GRAVES];
		const struct snapshot_coro *coro = &snapshot->coros.at[grave];

		/* Holders of locks have references already. */
		if (coro->origin && !snapshot_coro_has(snapshot, coro, CTP_KIND_ACQUIRE))
			refer(snapshot, coro->origin, coro->since, grave, STATE);
	}
}

/* Always in this order, in which records of the same time are handed out. */
static void refer_all(struct snapshot *snapshot, enum snapshot_telling_step step)
{
	size_t i;

	snapshot->telling.step = step;
	for (i = 1; i < snapshot->coros.count; i++) {
		/* The chains lie anywhere in memory. */
		if (i + 8 < snapshot->coros.count)
			__builtin_prefetch(
				&snapshot->facts
					 .at[snapshot->coros.at[i + 8].facts % SNAPSHOT_FACTS]);
		if (snapshot->coros.at[i].key)
			refer_coro(snapshot, (uint32_t)i);
	}
	for (i = 0; i < snapshot->fact_at.capacity; i++) {
		const struct map_entry *entry = &snapshot->fact_at.entries[i];

		if (entry->is_used && is_worth_telling(&snapshot->facts.at[entry->value]))
			refer_fact(snapshot, entry->value);
	}
	refer_graves(snapshot);
}

/* ---------------------------------------------------------------- stretches of time */

#define STRETCH (1u << 18) /* references that are gathered at a time */
/* or at most this many stretches, because gathering each one looks at everything */
#define STRETCHES 4u
#define SHARES (1u << 16) /* of the whole time */

static unsigned nr_bits(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* Counts the references in each share of the time. Returns false if out of memory. */
static bool count_shares(struct snapshot *snapshot)
{
	struct snapshot_telling *telling = &snapshot->telling;
	unsigned bits = nr_bits(telling->last - telling->first);

	telling->shift = bits > nr_bits(SHARES - 1) ? bits - nr_bits(SHARES - 1) : 0;
	telling->nr_by_time = calloc(SHARES, sizeof(*telling->nr_by_time));
	if (!telling->nr_by_time)
		return false;
	refer_all(snapshot, SNAPSHOT_SHARES);
	return true;
}

/* Finds the next stretch: as many shares as have few enough references. */
static void find_stretch(struct snapshot_telling *telling)
{
	uint64_t most =
		telling->nr_all / STRETCHES > STRETCH ? telling->nr_all / STRETCHES : STRETCH;
	uint64_t count = 0;
	size_t share = telling->next_share;

	telling->from = telling->first + ((uint64_t)share << telling->shift);
	do
		count += telling->nr_by_time[share++];
	while (share < SHARES && count + telling->nr_by_time[share] <= most);
	telling->next_share = share;
	telling->until = telling->first + ((uint64_t)share << telling->shift) - 1;
	if (share == SHARES || telling->until > telling->last)
		telling->until = telling->last;
}

#define DIGIT 11u /* bits */

static void swap_vectors(struct snapshot_telling *telling)
{
	struct snapshot_references sorted = telling->sorted;

	telling->sorted = telling->references;
	telling->references = sorted;
}

/* One pass of sorting, by some bits of the place or of the group: equal references keep their order. */
static void sort_by(struct snapshot_telling *telling, bool is_by_group, unsigned shift)
{
	static const uint64_t mask = (1u << DIGIT) - 1;
	uint32_t starts[1u << DIGIT] = {0}, sum = 0, count;
	size_t i;

#define DIGIT_OF(reference) \
	((is_by_group ? (reference).group : (reference).place - telling->from) >> shift & mask)
	for (i = 0; i < telling->references.count; i++)
		starts[DIGIT_OF(telling->references.at[i])]++;
	for (i = 0; i <= mask; i++) {
		count = starts[i];
		starts[i] = sum;
		sum += count;
	}
	for (i = 0; i < telling->references.count; i++)
		telling->sorted.at[starts[DIGIT_OF(telling->references.at[i])]++] =
			telling->references.at[i];
#undef DIGIT_OF
	telling->sorted.count = telling->references.count;
	swap_vectors(telling);
}

static bool sort_stretch(struct snapshot *snapshot)
{
	struct snapshot_telling *telling = &snapshot->telling;
	unsigned shift;

	if (!vec_reserve(&telling->sorted, telling->references.count))
		return false;
	for (shift = 0; shift < nr_bits(telling->until - telling->from); shift += DIGIT)
		sort_by(telling, false, shift);
	for (shift = 0; shift < nr_bits(snapshot->sources.count - 1); shift += DIGIT)
		sort_by(telling, true, shift);
	return true;
}

/* Gathers the references of the next stretch that has any. Returns false if out of memory. */
static bool gather(struct snapshot *snapshot)
{
	struct snapshot_telling *telling = &snapshot->telling;

	telling->references.count = telling->next = 0;
	if (telling->nr_gathered == telling->nr_all)
		return true;
	if (telling->nr_by_time) {
		find_stretch(telling);
	} else {
		telling->from = telling->first;
		telling->until = telling->last;
	}
	refer_all(snapshot, SNAPSHOT_GATHERS);
	telling->nr_gathered += telling->references.count;
	return !telling->is_broken && sort_stretch(snapshot);
}

bool snapshot_tell(struct snapshot *snapshot)
{
	struct snapshot_telling *telling = &snapshot->telling;

	stop_telling(telling);
	if (!snapshot_forget_past(snapshot))
		return false;
	telling->first = UINT64_MAX;
	telling->is_over = false;
	refer_all(snapshot, SNAPSHOT_COUNTS);
	return telling->nr_all <= STRETCH || count_shares(snapshot);
}

/* ---------------------------------------------------------------- records */

#define TOLD_AT_ONCE 1024u

static bool add(struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record)
{
	struct snapshot_record told = {.record = *record, .origin = origin};

	return vec_push(&snapshot->telling.told, told);
}

static bool add_fact(struct snapshot *snapshot, uint32_t fact)
{
	for (; fact; fact = snapshot->facts.at[fact].detail)
		if (!add(snapshot, snapshot->facts.at[fact].origin,
			    &snapshot->facts.at[fact].record))
			return false;
	return true;
}

static bool add_creation(struct snapshot *snapshot, uint32_t index)
{
	const struct snapshot_coro *coro = &snapshot->coros.at[index];
	struct ctp_record record = {
		.time = snapshot->births.at[index].time,
		.coro = snapshot_id(coro),
		.object = coro->created_object,
		.tail = CTP_TAIL(coro->created_site, CTP_KIND_CREATE, 0, 0),
	};

	return add(snapshot, coro->created_origin, &record);
}

static bool add_frame(struct snapshot *snapshot, uint32_t index)
{
	struct ctp_record record;

	return !snapshot_coro_frame(snapshot, index, &record) ||
	       add(snapshot, snapshot->coros.at[index].created_origin, &record);
}

/* Details of the state follow it; the chain has the last detail first. */
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
			    &snapshot->facts.at[details[count]].record))
			return false;
	return true;
}

static bool add_state(struct snapshot *snapshot, const struct snapshot_coro *coro)
{
	bool is_entered =
		snapshot_state(coro) == CTP_KIND_SWITCH && coro->object == SNAPSHOT_ENTERED;
	struct ctp_record record = {
		.time = coro->since,
		.coro = is_entered ? 0 : snapshot_id(coro),
		.object = is_entered ? snapshot_id(coro) : coro->object,
		.tail = coro->tail,
	};

	return add(snapshot, coro->origin, &record) && add_state_details(snapshot, coro);
}

static bool add_reference(struct snapshot *snapshot, const struct snapshot_reference *reference)
{
	uint32_t index = reference->what / WHATS;

	switch (reference->what % WHATS) {
	case CREATION:
		return add_creation(snapshot, index);
	case FRAME:
		return add_frame(snapshot, index);
	case STATE:
		return add_state(snapshot, &snapshot->coros.at[index]);
	default:
		return add_fact(snapshot, index);
	}
}

static const void *place_of(const struct snapshot *snapshot, uint32_t what)
{
	return what % WHATS == FACT ? (const void *)&snapshot->facts.at[what / WHATS]
				    : (const void *)&snapshot->coros.at[what / WHATS];
}

bool snapshot_tell_next(
	struct snapshot *snapshot, const struct snapshot_record **ret_records, size_t *ret_count)
{
	struct snapshot_telling *telling = &snapshot->telling;

	telling->told.count = 0;
	*ret_count = 0;
	if (telling->is_over)
		return true;
	if (telling->next == telling->references.count && !gather(snapshot))
		return false;
	while (telling->next < telling->references.count && telling->told.count < TOLD_AT_ONCE) {
		if (telling->next + 8 < telling->references.count)
			__builtin_prefetch(
				place_of(snapshot, telling->references.at[telling->next + 8].what));
		if (!add_reference(snapshot, &telling->references.at[telling->next++]))
			return false;
	}
	*ret_records = telling->told.at;
	*ret_count = telling->told.count;
	if (*ret_count)
		return true;
	snapshot_age(snapshot);
	stop_telling(telling);
	return true;
}
