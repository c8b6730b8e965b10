/* SPDX-License-Identifier: MIT */
/*
 * Lock order: one coroutine took lock A and then lock B, another one B and then A. Nothing went wrong this time.
 *
 * The rule is silent if both had taken a third lock before (a gate); if one of the two coroutines did it for the last
 * time before the other was created, or one of them while the program warmed up and the other afterwards; if they are
 * in a deadlock already; and if events are missing. The trace does not say whether a lock was only tried.
 */
#include <string.h>

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

#define MOST_DEPTH \
	16u /* of the locks that one coroutine holds, this many of the latest are looked at */
#define MOST_GATES 4u
#define MOST_NESTINGS 65536u
#define MOST_OF_PAIR 8u

/* A lock that a coroutine holds. */
struct held {
	uint32_t object; /* index; 0: unused, and `next` is the next unused record */
	uint32_t coro;
	uint32_t site; /* where the lock was taken */
	uint32_t thread;
	uint32_t next; /* the lock that the same coroutine took before */
	uint32_t before;
	ct_time time;
	uint64_t event;
};

/*
 * A coroutine took a lock while it held another lock. `gates` are the locks that the coroutine had taken before the
 * outer one and still held: two nestings with a common gate exclude each other. The first nestings of a pair of locks
 * are kept, and the last one.
 */
struct nesting {
	uint32_t outer; /* index of an object */
	uint32_t inner;
	uint32_t coro;
	uint32_t nr_gates; /* if more than MOST_GATES, `gates` has only the first of them */
	uint32_t gates[MOST_GATES];
	/* the next nesting of the same two locks in the same order; 0: none */
	uint32_t next;
	uint32_t nr_of_pair; /* number of nestings of the pair; only in the first of them */
	struct taking {
		ct_time time;
		uint64_t event;
		uint32_t site;
		uint32_t thread;
	} outer_taken, inner_taken; /* of the first time */
	ct_time last;               /* when the inner lock was taken last */
};

/* For each coroutine the watcher keeps an index of `helds`: the lock that the coroutine took last. */
struct memory {
	VEC(struct held) helds;       /* [0] stands for none */
	VEC(uint32_t) of_object;      /* by lock: an index of `helds`; 0: the lock is free */
	VEC(struct nesting) nestings; /* [0] stands for none; at most MOST_NESTINGS */
	struct map of_pair;           /* by outer << 32 | inner: the pair's first nesting */
	uint32_t free_held;
};

static const struct memory *memory_of(const struct analysis *analysis)
{
	return analyze_watch_of(analysis, &rules_lock_order)->memory;
}

static bool begin(struct model_watch *watch, const void *settings)
{
	struct memory *memory = watch->memory;

	(void)settings;
	return vec_push(&memory->helds, (struct held){0}) &&
	       vec_push(&memory->nestings, (struct nesting){0});
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	vec_fini(&memory->helds);
	vec_fini(&memory->of_object);
	vec_fini(&memory->nestings);
	map_fini(&memory->of_pair);
}

/* ---------------------------------------------------------------- held locks */

static uint32_t *first_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

static uint32_t new_held(struct memory *memory)
{
	uint32_t index = memory->free_held;

	if (index) {
		memory->free_held = memory->helds.at[index].next;
		return index;
	}
	return vec_push(&memory->helds, (struct held){0}) ? (uint32_t)(memory->helds.count - 1) : 0;
}

bool rules_lock_order_is_held(const struct analysis *analysis, uint32_t object, uint32_t *ret_site)
{
	const struct memory *memory = memory_of(analysis);
	uint32_t index = object < memory->of_object.count ? memory->of_object.at[object] : 0;

	*ret_site = memory->helds.at[index].site;
	return index;
}

/* The trace has only locks that were actually taken. */
static bool look_at_drop(struct model_watch *watch, const struct model_sight *sight)
{
	struct memory *memory = watch->memory;
	uint32_t index = memory->of_object.at[sight->object];
	struct held *held = &memory->helds.at[index];

	if (held->before)
		memory->helds.at[held->before].next = held->next;
	else
		*first_of(watch, held->coro) = held->next;
	if (held->next)
		memory->helds.at[held->next].before = held->before;
	*held = (struct held){.next = memory->free_held};
	memory->free_held = index;
	memory->of_object.at[sight->object] = 0;
	return true;
}

/* ---------------------------------------------------------------- nestings */

static struct taking taking_of(const struct held *held)
{
	return (struct taking){held->time, held->event, held->site, held->thread};
}

static struct nesting describe_nesting(
	const struct memory *memory, uint32_t outer, const struct held *inner)
{
	const struct held *held = &memory->helds.at[outer];
	struct nesting nesting = {
		.outer = held->object,
		.inner = inner->object,
		.coro = inner->coro,
		.outer_taken = taking_of(held),
		.inner_taken = taking_of(inner),
		.last = inner->time,
	};
	uint32_t gate;

	for (gate = held->next; gate && nesting.nr_gates <= MOST_GATES;
		gate = memory->helds.at[gate].next) {
		if (nesting.nr_gates < MOST_GATES)
			nesting.gates[nesting.nr_gates] = memory->helds.at[gate].object;
		nesting.nr_gates++;
	}
	return nesting;
}

static bool is_same(const struct nesting *a, const struct nesting *b)
{
	return a->coro == b->coro && a->nr_gates == b->nr_gates &&
	       memcmp(a->gates, b->gates, sizeof(a->gates)) == 0;
}

/* Appends the nesting to its pair; if the pair is full, replaces the last nesting. */
static bool append(
	struct model_watch *watch, uint32_t first, uint32_t last, const struct nesting *nesting)
{
	struct memory *memory = watch->memory;

	if (memory->nestings.at[first].nr_of_pair >= MOST_OF_PAIR) {
		memory->nestings.at[last] = *nesting;
		return true;
	}
	if (memory->nestings.count >= MOST_NESTINGS) {
		model_watch_refuse(watch);
		return true;
	}
	memory->nestings.at[first].nr_of_pair++;
	memory->nestings.at[last].next = (uint32_t)memory->nestings.count;
	return vec_push(&memory->nestings, *nesting);
}

static bool begin_pair(struct model_watch *watch, uint64_t pair, struct nesting *nesting)
{
	struct memory *memory = watch->memory;

	if (memory->nestings.count >= MOST_NESTINGS) {
		model_watch_refuse(watch);
		return true;
	}
	nesting->nr_of_pair = 1;
	return vec_push(&memory->nestings, *nesting) &&
	       map_put(&memory->of_pair, pair, (uint32_t)(memory->nestings.count - 1));
}

static bool note(struct model_watch *watch, struct nesting *nesting)
{
	struct memory *memory = watch->memory;
	uint64_t pair = (uint64_t)nesting->outer << 32 | nesting->inner;
	uint32_t first = 0, last, at;

	if (!map_get(&memory->of_pair, pair, &first))
		return begin_pair(watch, pair, nesting);
	for (at = last = first; at; at = memory->nestings.at[at].next) {
		if (is_same(&memory->nestings.at[at], nesting)) {
			memory->nestings.at[at].last = nesting->last;
			return true;
		}
		last = at;
	}
	return append(watch, first, last, nesting);
}

static bool note_all(struct model_watch *watch, const struct held *inner)
{
	struct memory *memory = watch->memory;
	uint32_t outer = inner->next, depth;

	for (depth = 0; outer && depth < MOST_DEPTH; depth++) {
		struct nesting nesting = describe_nesting(memory, outer, inner);

		if (!note(watch, &nesting))
			return false;
		outer = memory->helds.at[outer].next;
	}
	return true;
}

/* A lock that was handed over counts as taken where its new owner waited for it. */
static bool look_at_take(struct model_watch *watch, const struct model_sight *sight)
{
	const struct ct_event *event = sight->event;
	bool is_handed = event->kind != CTP_KIND_ACQUIRE;
	uint32_t *first = first_of(watch, sight->coro), index;
	struct memory *memory = watch->memory;
	struct held held = {
		.object = sight->object,
		.coro = sight->coro,
		.site = is_handed ? watch->model->coros.at[sight->coro].wait_site : event->site,
		.thread = event->thread,
		.next = *first,
		.time = event->time,
		.event = event->sequence,
	};

	index = vec_reach(&memory->of_object, sight->object) ? new_held(memory) : 0;
	if (!index)
		return false;
	memory->helds.at[index] = held;
	if (held.next)
		memory->helds.at[held.next].before = index;
	*first = memory->of_object.at[sight->object] = index;
	return note_all(watch, &held);
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	struct memory *memory = watch->memory;
	size_t i;

	for (i = 1; i < memory->helds.count; i++)
		visit_coro(release, &memory->helds.at[i].coro, MODEL_MARK_WHOLE);
	for (i = 1; i < memory->nestings.count; i++)
		visit_coro(release, &memory->nestings.at[i].coro, MODEL_MARK_WHOLE);
}

/* ---------------------------------------------------------------- the candidates */

struct search {
	struct analysis *analysis;
	const struct memory *memory;
	bool *was_told; /* by coroutine: a graver finding names it; in the scratch arena */
	/* kind of finding << 32 | coroutine -> enum member, once the coroutine was met */
	struct map told;
};

/* Whether a coroutine is reported in findings of one kind. */
enum member { MEMBER_LEFT_OUT, MEMBER_TOLD };

static bool have_common_gate(const struct nesting *a, const struct nesting *b)
{
	uint32_t i, k;

	/* There are more gates than are known. */
	if (a->nr_gates > MOST_GATES || b->nr_gates > MOST_GATES)
		return true;
	for (i = 0; i < a->nr_gates; i++)
		for (k = 0; k < b->nr_gates; k++)
			if (a->gates[i] == b->gates[k])
				return true;
	return false;
}

/* Had the other coroutine been created by the last time of this nesting? Only then could the two have met. */
static bool was_there(const struct model_coro *other, const struct nesting *nesting)
{
	return other->created == CT_NO_TIME || nesting->last >= other->created;
}

/* Did one of the two happen while the program warmed up, and the other one afterwards? */
static bool are_phases(const struct analysis *analysis, uint32_t process, const struct nesting *a,
	const struct nesting *b)
{
	ct_time warm = analysis->model->processes[process].warm_up_until;

	return warm != CT_NO_TIME && ((a->last < warm && b->outer_taken.time >= warm) ||
					     (b->last < warm && a->outer_taken.time >= warm));
}

static bool can_collide(
	const struct search *search, const struct nesting *a, const struct nesting *b)
{
	const struct analysis *analysis = search->analysis;
	const struct model_coro *first = &analysis->model->coros.at[a->coro];
	const struct model_coro *second = &analysis->model->coros.at[b->coro];

	return a->coro != b->coro && !have_common_gate(a, b) && was_there(second, a) &&
	       was_there(first, b) && !are_phases(analysis, first->process, a, b) &&
	       !(search->was_told[a->coro] && search->was_told[b->coro]);
}

static uint32_t hash_of_sites(const struct nesting *a, const struct nesting *b)
{
	const uint32_t sites[] = {
		a->outer_taken.site, a->inner_taken.site, b->outer_taken.site, b->inner_taken.site};
	uint32_t hash = 0, i;

	for (i = 0; i < 4; i++)
		hash = (hash ^ sites[i]) * 2654435761u;
	return hash;
}

static ct_time older(ct_time a, ct_time b)
{
	return a < b ? a : b;
}

static uint64_t member_key(const struct candidate *candidate)
{
	return (uint64_t)candidate->variant << 32 | candidate->coro;
}

static void note_member(
	struct search *search, const struct candidate *candidate, enum member member)
{
	search->analysis->is_broken |= !map_put(&search->told, member_key(candidate), member);
}

/* A coroutine may nest many pairs of locks, but is one member of the finding. */
static void add_once(struct search *search, const struct candidate *candidate)
{
	uint32_t before;

	if (map_get(&search->told, member_key(candidate), &before)) {
		if (before == MEMBER_TOLD)
			return;
		search->analysis->nr_allowed--;
	}
	note_member(search, candidate, MEMBER_TOLD);
	analyze_candidate_add(search->analysis, candidate);
}

static void leave_out(struct search *search, const struct candidate *candidate)
{
	uint32_t before;

	if (map_get(&search->told, member_key(candidate), &before))
		return;
	note_member(search, candidate, MEMBER_LEFT_OUT);
	search->analysis->nr_allowed++;
}

/* False: nothing is reported of these two, or nothing is certain. Other nestings of the pair may still be reported. */
static bool judge(struct search *search, uint32_t index, uint32_t opposite)
{
	struct analysis *analysis = search->analysis;
	const struct model *model = analysis->model;
	const struct nesting *a = &search->memory->nestings.at[index];
	const struct nesting *b = &search->memory->nestings.at[opposite];
	const struct model_coro *first = &model->coros.at[a->coro];
	const struct model_coro *second = &model->coros.at[b->coro];
	struct candidate candidate = {
		.rule = CT_RULE_LOCK_ORDER,
		.grade = CT_GRADE_SUSPECT,
		.process = first->process,
		.coro = a->coro,
		.descriptor = first->rare->descriptor,
		.cause_site = a->inner_taken.site,
		.variant = hash_of_sites(a, b),
		.subject = index,
		.opposite = opposite,
		.since = a->inner_taken.time,
	};
	struct candidate other = candidate;

	other.coro = b->coro;
	other.descriptor = second->rare->descriptor;
	other.since = b->inner_taken.time;
	if (!analyze_candidate_outlives_gaps(analysis, &candidate,
		    older(analyze_candidate_life_start(analysis, first),
			    analyze_candidate_life_start(analysis, second)),
		    a->last > b->last ? a->last : b->last))
		return false;
	if (analyze_candidate_is_allowed(analysis, &candidate) ||
		analyze_candidate_is_allowed(analysis, &other)) {
		leave_out(search, &candidate);
		leave_out(search, &other);
		return false;
	}
	add_once(search, &candidate);
	add_once(search, &other);
	return true;
}

/* Looks for coroutines that took the same two locks in the opposite order, up to the first one that can be reported. */
static bool look_at_opposites(struct search *search, uint32_t index)
{
	const struct memory *memory = search->memory;
	const struct nesting *nesting = &memory->nestings.at[index];
	uint64_t pair = (uint64_t)nesting->inner << 32 | nesting->outer;
	uint32_t at = 0;

	map_get(&memory->of_pair, pair, &at);
	for (; at; at = memory->nestings.at[at].next)
		if (can_collide(search, nesting, &memory->nestings.at[at]) &&
			judge(search, index, at))
			return true;
	return false;
}

/* Looks at all nestings of two locks in this order, up to the first one that meets an opposite. */
static void look_at_pair(struct search *search, uint32_t first)
{
	uint32_t at = first;

	while (at && !look_at_opposites(search, at))
		at = search->memory->nestings.at[at].next;
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	struct search search = {.analysis = analysis, .memory = memory_of(analysis)};
	uint32_t i;

	search.was_told = analyze_scratch(analysis, model->coros.count, sizeof(bool));
	if (!search.was_told)
		return;
	for (i = 1; i < model->coros.count; i++)
		if (analysis->is_told[i])
			search.was_told[i] = true;
	for (i = 1; i < search.memory->nestings.count; i++)
		if (search.memory->nestings.at[i].nr_of_pair &&
			search.memory->nestings.at[i].outer < search.memory->nestings.at[i].inner)
			look_at_pair(&search, i);
	map_fini(&search.told);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_taking(struct analysis *analysis, const struct nesting *nesting,
	const struct taking *taking, uint32_t object, struct story *story)
{
	const struct model_object *lock = &analysis->model->objects.at[object];
	const char *name = model_resource_name(analysis->model, lock->process, lock->handle);
	struct ct_step step = {
		.time = taking->time,
		.site = taking->site,
		.thread = taking->thread,
		.coro = analysis->model->coros.at[nesting->coro].id,
		.sequence = taking->event,
		.text = analyze_say(analysis, "took %s%s%s%s",
			analyze_words_resource(analysis, lock->handle, 0), *name ? " (" : "", name,
			*name ? ")" : ""),
	};

	analyze_story_step(analysis, story, &step);
	analyze_story_resource(analysis, story, lock->handle);
}

static void tell_nesting(
	struct analysis *analysis, const struct nesting *nesting, struct story *story)
{
	tell_taking(analysis, nesting, &nesting->outer_taken, nesting->outer, story);
	tell_taking(analysis, nesting, &nesting->inner_taken, nesting->inner, story);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct memory *memory = memory_of(analysis);
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct nesting *a = &memory->nestings.at[first->subject];
	const struct nesting *b = &memory->nestings.at[first->opposite];

	finding->title = analyze_say(analysis,
		"coroutines take two locks in one order at %s, and in the other one at %s",
		analyze_words_place(analysis, a->inner_taken.site),
		analyze_words_place(analysis, b->inner_taken.site));
	tell_nesting(analysis, a, story);
	tell_nesting(analysis, b, story);
}

const struct rule rules_lock_order = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.nr_coro_bytes = sizeof(uint32_t),
		.looks = {[MODEL_TAKE] = look_at_take, [MODEL_DROP] = look_at_drop},
		.begin = begin,
		.end = end,
		.visit = visit},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
