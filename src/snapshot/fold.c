/* SPDX-License-Identifier: MIT */
/*
 * The changes that each kind of record makes.
 *
 * Rings are drained one after the other, so records of a coroutine that moves between threads do not come in the order
 * in which they were written. Therefore an end (a release) stays known for a while, so that a beginning that comes late
 * changes nothing; and facts that a resume has used up are dropped by time, in whatever order they come.
 */
#include <string.h>

#include "snapshot/fold.h"

static inline struct snapshot_coro *coro_of(const struct step *step, uint32_t coro)
{
	return &step->snapshot->coros.at[coro];
}

static inline uint32_t find_coro(const struct step *step, uint64_t id)
{
	if (id >> SNAPSHOT_ID_BITS == 0 && step->likely &&
		coro_of(step, step->likely)->key == snapshot_key(step->segment, id))
		return step->likely;
	return snapshot_coro_find(step->snapshot, step->segment, id);
}

/* Returns the coroutine, and makes it if it is not known; 0: there is no room. */
static inline uint32_t get_coro(const struct step *step, uint64_t id)
{
	uint32_t coro = find_coro(step, id);

	return coro ? coro : snapshot_coro_make(step->snapshot, step->segment, id);
}

static inline uint32_t own_coro(const struct step *step)
{
	return get_coro(step, step->record->coro);
}

static inline bool is_dead(const struct step *step, uint32_t coro)
{
	return snapshot_state(coro_of(step, coro)) == CTP_KIND_DESTROY;
}

/* ---------------------------------------------------------------- states */

static void remember_state(const struct step *step, uint32_t coro)
{
	struct snapshot_source *source = &step->snapshot->sources.at[step->origin];

	source->last_fact = 0;
	source->last_coro = coro;
	source->last_key = coro_of(step, coro)->key;
	source->last_time = coro_of(step, coro)->since;
}

/* Returns whether this is the record of a run's end that came after another thread had resumed the coroutine (P-36). */
static bool is_told_late(const struct step *step)
{
	return step->kind == CTP_KIND_SUSPEND &&
	       (CTP_TAIL_FLAGS(step->record->tail) & CTP_TOLD_AROUND);
}

/* A state that another stream recorded with a later time stays. */
static bool is_late(const struct step *step, const struct snapshot_coro *coro)
{
	return coro->origin && coro->origin != step->origin &&
	       (coro->since > step->record->time || is_told_late(step));
}

static void take_state(const struct step *step, uint32_t index, uint64_t object)
{
	struct snapshot_coro *coro = coro_of(step, index);

	if (is_late(step, coro))
		return;
	/* Details belong to the state that ends here. */
	snapshot_coro_drop_details(step->snapshot, index);
	coro->since = step->record->time;
	coro->object = object;
	coro->tail = step->record->tail;
	coro->origin = step->origin % SNAPSHOT_ORIGINS;
	remember_state(step, index);
}

static void tell_run(const struct step *step, uint32_t coro)
{
	const struct snapshot_observer *observer = &step->snapshot->observer;
	uint64_t woken;

	if (observer->ran && snapshot_coro_woken(step->snapshot, coro, &woken) &&
		woken <= step->record->time)
		observer->ran(observer->context, step->origin, woken, step->record->time);
}

/* A resume uses up the facts that led to it. */
static void use_up(const struct step *step, uint32_t index)
{
	struct snapshot *snapshot = step->snapshot;
	struct snapshot_coro *coro = coro_of(step, index);
	uint64_t until = step->record->time;

	snapshot_slot_drop(snapshot, &coro->wake, until);
	snapshot_slot_drop(snapshot, &coro->queue, until);
	snapshot_coro_drop(snapshot, index, SNAPSHOT_KIND(CTP_KIND_CANCEL), 0, until);
}

/*
 * The common case: the same stream recorded the previous state, and no other fact that is known ends with that state.
 */
static inline bool is_plain(
	const struct step *step, const struct snapshot_coro *coro, unsigned holds)
{
	return coro->origin == step->origin && !(coro->holds & holds) &&
	       snapshot_state(coro) != CTP_KIND_DESTROY;
}

static inline void take_plain(const struct step *step, uint32_t index, uint64_t object)
{
	struct snapshot_coro *coro = coro_of(step, index);

	coro->since = step->record->time;
	coro->object = object;
	coro->tail = step->record->tail;
	remember_state(step, index);
}

static __attribute__((noinline)) bool run_any(
	const struct step *step, uint32_t coro, uint64_t object)
{
	if (!coro)
		return false;
	if (is_dead(step, coro))
		return true;
	tell_run(step, coro);
	use_up(step, coro);
	take_state(step, coro, object);
	return true;
}

static inline bool run(const struct step *step, uint64_t id, uint64_t object)
{
	uint32_t index = get_coro(step, id);
	const struct snapshot_coro *coro = coro_of(step, index);

	if (!is_plain(step, coro, SNAPSHOT_HOLDS_DETAIL | SNAPSHOT_HOLDS_CANCEL) || coro->wake ||
		coro->queue || step->snapshot->observer.ran)
		return run_any(step, index, object);
	take_plain(step, index, object);
	return true;
}

static __attribute__((noinline)) bool wait_or_end_any(
	const struct step *step, uint32_t coro, uint64_t object)
{
	if (!coro)
		return false;
	if (is_dead(step, coro))
		return true;
	snapshot_coro_drop(
		step->snapshot, coro, SNAPSHOT_KIND(CTP_KIND_CANCEL), 0, step->record->time);
	take_state(step, coro, object);
	return true;
}

static inline bool wait_or_end(const struct step *step, uint64_t object)
{
	uint32_t coro = own_coro(step);

	if (!is_plain(step, coro_of(step, coro), SNAPSHOT_HOLDS_DETAIL | SNAPSHOT_HOLDS_CANCEL))
		return wait_or_end_any(step, coro, object);
	take_plain(step, coro, object);
	return true;
}

static bool fold_switch(const struct step *step)
{
	const struct ctp_record *record = step->record;

	if (record->object && !run(step, record->object, SNAPSHOT_ENTERED))
		return false;
	return !record->coro || wait_or_end(step, 0);
}

/* The coroutine's processor was taken away, or it runs on. */
static bool fold_syscall_end(const struct step *step)
{
	if (CTP_TAIL_FLAGS(step->record->tail) & CTP_SYSCALL_READY)
		return wait_or_end(step, 0);
	return run(step, step->record->coro, 0);
}

static bool fold_create(const struct step *step)
{
	uint32_t index = own_coro(step);
	struct snapshot_coro *coro = coro_of(step, index);
	struct snapshot_birth *birth = &step->snapshot->births.at[index];

	if (!index)
		return false;
	/* A frame that was recorded before belongs to that earlier creation. */
	*birth = (struct snapshot_birth){
		.time = step->record->time, .frame_after = SNAPSHOT_NO_FRAME};
	coro->created_object = step->record->object;
	coro->created_site = CTP_TAIL_SITE(step->record->tail);
	coro->created_origin = step->origin % SNAPSHOT_ORIGINS;
	return true;
}

static bool destroy(const struct step *step, uint32_t coro)
{
	/* whatever the clocks say, no record of the coroutine comes after this one */
	coro_of(step, coro)->origin = 0;
	take_state(step, coro, step->record->object);
	return snapshot_coro_bury(step->snapshot, coro);
}

/* ---------------------------------------------------------------- facts of coroutines */

/* Replaces what was known of this kind. */
static bool set_of_coro(const struct step *step, uint32_t coro)
{
	snapshot_coro_drop(step->snapshot, coro, SNAPSHOT_KIND(step->kind), 0, step->record->time);
	return snapshot_coro_add(step->snapshot, coro, step->origin, step->record);
}

/* Facts that a resume ends do not count if a later resume is known already. */
static bool is_used_up(const struct step *step, uint32_t coro)
{
	const struct snapshot_coro *known = coro_of(step, coro);

	return known->since > step->record->time && known->origin != step->origin;
}

/* Sets the last wake, or the last place in a queue. */
static inline bool fold_slot(const struct step *step, uint32_t coro, uint32_t *slot)
{
	return coro && (is_used_up(step, coro) || is_dead(step, coro) ||
			       snapshot_slot_set(step->snapshot, slot, step->origin, step->record));
}

static bool fold_enqueue(const struct step *step)
{
	uint32_t coro = own_coro(step);

	return fold_slot(step, coro, &coro_of(step, coro)->queue);
}

static bool fold_wake(const struct step *step)
{
	const struct ctp_record *record = step->record;
	uint32_t coro;

	if (CTP_HANDLE_RESOURCE(record->object) != CTP_RESOURCE_COROUTINE)
		return snapshot_fold_set(step, CTP_KIND_WAKE, record->object);
	/* The coroutine's creation may still be in a ring. */
	coro = get_coro(step, CTP_HANDLE_IDENTITY(record->object));
	return fold_slot(step, coro, &coro_of(step, coro)->wake);
}

static bool fold_dequeue(const struct step *step)
{
	uint32_t coro = own_coro(step);

	if (!coro)
		return false;
	snapshot_slot_drop(step->snapshot, &coro_of(step, coro)->queue, step->record->time);
	return true;
}

/* The beginning and the end of a thing are one fact: the later record counts. */
static bool set_pair(const struct step *step, uint32_t coro, unsigned begin, unsigned end)
{
	uint32_t known = snapshot_coro_pair(step->snapshot, coro, begin, end, step->record->object);

	if (!known)
		return snapshot_coro_add(step->snapshot, coro, step->origin, step->record);
	snapshot_fact_replace(step->snapshot, known, step->origin, step->record);
	return true;
}

/* Returns whether the frame can be stored with the creation. */
static bool is_of_birth(const struct step *step, uint32_t coro)
{
	const struct ctp_record *record = step->record;
	uint64_t after = record->time - step->snapshot->births.at[coro].time;

	return coro_of(step, coro)->created_origin == step->origin && after < SNAPSHOT_NO_FRAME &&
	       CTP_TAIL_ARGUMENT(record->tail) == 0 && CTP_TAIL_FLAGS(record->tail) == 0;
}

static bool set_frame(const struct step *step, uint32_t coro)
{
	const struct ctp_record *record = step->record;
	struct snapshot_birth *birth = &step->snapshot->births.at[coro];

	snapshot_coro_drop(step->snapshot, coro, SNAPSHOT_KIND(CTP_KIND_FRAME), 0, record->time);
	if (birth->time + birth->frame_after <= record->time)
		birth->frame_after = SNAPSHOT_NO_FRAME;
	if (!is_of_birth(step, coro))
		return snapshot_coro_add(step->snapshot, coro, step->origin, record);
	birth->frame = record->object;
	birth->frame_site = CTP_TAIL_SITE(record->tail);
	birth->frame_after = (uint32_t)(record->time - birth->time);
	return true;
}

/* Folds everything that changes nothing for a destroyed coroutine. */
static bool fold_alive(const struct step *step, uint32_t coro)
{
	if (!coro || is_dead(step, coro))
		return coro != 0;
	switch (step->kind) {
	case CTP_KIND_DESTROY:
		return destroy(step, coro);
	case CTP_KIND_FRAME:
		return set_frame(step, coro);
	case CTP_KIND_ACQUIRE:
	case CTP_KIND_RELEASE:
		return set_pair(step, coro, CTP_KIND_ACQUIRE, CTP_KIND_RELEASE);
	case CTP_KIND_AWAIT:
	case CTP_KIND_AWAIT_DONE:
		return set_pair(step, coro, CTP_KIND_AWAIT, CTP_KIND_AWAIT_DONE);
	case CTP_KIND_CANCEL:
		return is_used_up(step, coro) || set_of_coro(step, coro);
	default: /* task, name, mark */
		return set_of_coro(step, coro);
	}
}

/* The receiver may release the resource before it is known to have got it. */
static bool fold_release(const struct step *step)
{
	uint64_t handed =
		snapshot_fact_key(step->segment, CTP_KIND_HAND_OVER, step->record->object);
	uint32_t fact = snapshot_fact_at(step->snapshot, handed);

	if (fact && step->snapshot->facts.at[fact].record.time <= step->record->time)
		snapshot_fact_clear(step->snapshot, handed);
	return !step->record->coro || fold_alive(step, own_coro(step));
}

static bool fold_hand_over(const struct step *step)
{
	uint64_t key = snapshot_fact_key(step->segment, CTP_KIND_HAND_OVER, step->record->object);
	uint32_t coro = find_coro(step, step->record->coro);

	if (coro)
		snapshot_coro_drop(step->snapshot, coro, SNAPSHOT_KIND(CTP_KIND_ACQUIRE),
			step->record->object, step->record->time);
	return snapshot_fold_keyed(step, key);
}

static bool fold_mark(const struct step *step)
{
	if (step->record->coro)
		return fold_alive(step, own_coro(step));
	if (step->argument != CTP_MARK_PHASE && step->argument != CTP_MARK_SIGNALS_END)
		return true;
	return snapshot_fold_set(step, CTP_KIND_MARK, step->argument);
}

/* ---------------------------------------------------------------- details */

/* Returns whether the receiver has released the resource already. */
static bool is_given_back(const struct step *step, const struct snapshot_fact *handed)
{
	uint32_t coro = find_coro(step, step->record->object);
	uint32_t released = !coro ? 0
				  : snapshot_coro_pair(step->snapshot, coro, CTP_KIND_RELEASE,
					    CTP_KIND_RELEASE, handed->record.object);

	return released && step->snapshot->facts.at[released].record.time >= handed->record.time;
}

/* Returns whether the coroutine is still in the state that this origin recorded. */
static bool is_state_of(
	const struct snapshot_source *source, uint32_t origin, const struct snapshot_coro *coro)
{
	return coro->key == source->last_key && coro->origin == origin &&
	       coro->since == source->last_time;
}

static bool fold_detail(const struct step *step)
{
	struct snapshot *snapshot = step->snapshot;
	const struct snapshot_source *source = &snapshot->sources.at[step->origin];
	const struct snapshot_fact *fact = &snapshot->facts.at[source->last_fact];
	uint32_t coro = source->last_coro;

	if (source->last_fact) {
		if (!snapshot_is_at(fact, step->origin, source->last_time))
			return true;
		if (snapshot_kind(fact) == CTP_KIND_HAND_OVER && is_given_back(step, fact)) {
			snapshot_fact_clear(
				snapshot, snapshot_fact_key(step->segment, CTP_KIND_HAND_OVER,
						  fact->record.object));
			return true;
		}
		return snapshot_fact_detail(
			snapshot, source->last_fact, step->origin, step->record);
	}
	if (!coro || !is_state_of(source, step->origin, coro_of(step, coro)))
		return true;
	if (!snapshot_coro_add(snapshot, coro, step->origin, step->record))
		return false;
	remember_state(step, coro);
	return true;
}

/* ---------------------------------------------------------------- all kinds */

/* Folds the name of a coroutine (the name ends with the coroutine), of a resource, or of this thread. */
static bool fold_name(const struct step *step)
{
	uint64_t object = step->record->object;
	uint64_t coro = step->record->coro;

	if (CTP_HANDLE_RESOURCE(object) == CTP_RESOURCE_COROUTINE)
		coro = CTP_HANDLE_IDENTITY(object);
	else if (object)
		return snapshot_fold_set(step, CTP_KIND_NAME, object);
	if (!coro)
		return snapshot_fold_set(
			step, CTP_KIND_NAME, ~(uint64_t)snapshot_fold_thread(step));
	return fold_alive(step, get_coro(step, coro));
}

/* From now on the record counts for its object and kind. */
static bool set(const struct step *step, uint64_t about)
{
	return snapshot_fold_set(step, step->kind, about);
}

static bool set_of_thread(const struct step *step, unsigned kind)
{
	return snapshot_fold_set(step, kind, snapshot_fold_thread(step));
}

/* A kind that is in kinds.def but not in snapshot/kinds.def has no enumerator here, and does not compile. */
enum has {
#define FOLD(name, call) HAS_##name,
#include "snapshot/kinds.def"
#define X(name, number, text, category, object, argument, meaning) name##_IS_THERE = HAS_##name,
#include "corotracer/def/kinds.def"
#undef X
};

static inline bool fold_one(const struct step *step)
{
	switch (step->kind) {
#define FOLD(name, call)      \
	case CTP_KIND_##name: \
		return call;
#define OWN(name, call)       \
	case CTP_KIND_##name: \
		return step->record->coro == 0 || call;
#include "snapshot/kinds.def"
	default: /* an unknown kind is not a state */
		return true;
	}
}

/* ---------------------------------------------------------------- many records */

#define NEAR 8u /* records: after that many, prefetched memory has arrived */

static inline void fold_next(
	struct step *step, struct snapshot_source *source, const struct ctp_record *record)
{
	step->record = record;
	step->kind = CTP_TAIL_KIND(record->tail);
	step->argument = CTP_TAIL_ARGUMENT(record->tail);
	/* A detail looks for the record that it belongs to. */
	if (step->kind != CTP_KIND_DETAIL) {
		source->last_fact = 0;
		source->last_coro = 0;
	}
	step->snapshot->nr_forgotten += !fold_one(step);
}

static struct step step_of(struct snapshot *snapshot, uint32_t origin)
{
	return (struct step){
		.snapshot = snapshot,
		.origin = origin,
		.segment = snapshot->sources.at[origin].origin.segment,
	};
}

/* Folds records if all coroutines lie near the processor. */
static void fold_near(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *records, size_t count)
{
	struct step step = step_of(snapshot, origin);
	size_t i;

	for (i = 0; i < count; i++)
		fold_next(&step, &snapshot->sources.at[origin], &records[i]);
}

static void fold_far(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *records, size_t count)
{
	struct step step = step_of(snapshot, origin);
	uint32_t coros[SNAPSHOT_ROW + NEAR];
	size_t i;

	snapshot_look_ahead(snapshot, step.segment, records, count, coros);
	memset(coros + count, 0, NEAR * sizeof(*coros));
	for (i = 0; i < count; i++) {
		const struct snapshot_coro *soon = &snapshot->coros.at[coros[i + NEAR]];

		__builtin_prefetch(&snapshot->facts.at[soon->facts], 1);
		__builtin_prefetch(&snapshot->facts.at[soon->wake], 1);
		step.likely = coros[i];
		fold_next(&step, &snapshot->sources.at[origin], &records[i]);
	}
}

static void fold_row(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *records, size_t count)
{
	if (snapshot->coros.count > SNAPSHOT_NEAR)
		fold_far(snapshot, origin, records, count);
	else
		fold_near(snapshot, origin, records, count);
}

void snapshot_fold_many(
	struct snapshot *snapshot, uint32_t origin, const struct ctp_record *records, size_t count)
{
	size_t i, n;

	for (i = 0; i < count; i += n) {
		n = count - i < SNAPSHOT_ROW ? count - i : SNAPSHOT_ROW;
		fold_row(snapshot, origin, records + i, n);
	}
}

bool snapshot_fold(struct snapshot *snapshot, uint32_t origin, const struct ctp_record *record)
{
	uint64_t before = snapshot->nr_forgotten;

	fold_row(snapshot, origin, record, 1);
	return snapshot->nr_forgotten == before;
}
