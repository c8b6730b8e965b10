/* SPDX-License-Identifier: MIT */
/*
 * Late notifies: one record for each object that a coroutine waited for, and counts for each place of notifies.
 */
#include <inttypes.h>

#include "analyze/late_notifies.h"
#include "analyze/parts.h"
#include "analyze/watched_places.h"
#include "base/map.h"

/* An object whose last waiter went on for another reason, and that has not been notified since. */
struct left {
	uint64_t object;
	uint32_t process;
	uint64_t coro; /* the waiter's id; 0: the object was notified, or had no waiter */
	ct_time time;
};

/* Notifies at one place. */
struct place {
	struct watch_last last; /* the last late notify */
	uint64_t nr_notifies;
	uint64_t nr_late; /* of these; the next two are of the last late one: */
	uint64_t coro;
	int64_t after_ns;
};

struct memory {
	VEC(struct left) left;
	struct map by_object;
	const uint32_t *last; /* the answers of analyze_watch_last */
};

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	vec_fini(&memory->left);
	map_fini(&memory->by_object);
}

/* ---------------------------------------------------------------- callbacks of the watcher */

#define NOTIFIED                                                                          \
	(MODEL_WAITS_FOR(CONDITION) | MODEL_WAITS_FOR(EVENT) | MODEL_WAITS_FOR(CHANNEL) | \
		MODEL_WAITS_FOR(OTHER))

static bool is_notified(uint64_t handle)
{
	unsigned kind = CTP_HANDLE_RESOURCE(handle);

	return kind < MODEL_NR_WAITED && (NOTIFIED >> kind & 1) && !model_is_unnamed(handle);
}

static uint64_t key_of(uint32_t process, uint64_t object)
{
	return object + (uint64_t)process * UINT64_C(0x9e3779b97f4a7c15);
}

static struct left *find(const struct memory *memory, uint32_t process, uint64_t object)
{
	struct left *left;
	uint32_t at;

	if (!map_get(&memory->by_object, key_of(process, object), &at))
		return NULL;
	left = &memory->left.at[at];
	return left->process == process && left->object == object ? left : NULL;
}

/* Stores the record of an object. False: out of memory. */
static bool note_left(struct memory *memory, const struct left *fresh)
{
	struct left *left = find(memory, fresh->process, fresh->object);

	if (left) {
		*left = *fresh;
		return true;
	}
	if (memory->left.count >= LATE_NOTIFIES_OBJECTS)
		return true;
	return vec_push(&memory->left, *fresh) &&
	       map_put(&memory->by_object, key_of(fresh->process, fresh->object),
		       (uint32_t)memory->left.count - 1);
}

/* A wake with no notify of the awaited object since the wait began: something else has ended the wait. */
static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct left left = {.object = coro->wait_object,
		.process = coro->process,
		.coro = coro->id,
		.time = sight->event->time};
	uint32_t object;
	ct_time found;

	if (coro->state != CT_STATE_WAITING || !is_notified(coro->wait_object))
		return true;
	object = model_find_object(model, coro->process, coro->wait_object);
	found = model->objects.at[object].found.time;
	if (object && found != CT_NO_TIME && found >= coro->suspended)
		left.coro = 0;
	return note_left(watch->memory, &left);
}

/* A new coroutine waits: the next notify is for it, and is not late. */
static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct left *left = is_notified(coro->wait_object)
				    ? find(watch->memory, coro->process, coro->wait_object)
				    : NULL;

	if (left)
		left->coro = 0;
	return true;
}

static bool look_at_give(struct model_watch *watch, const struct model_sight *sight)
{
	const struct ct_event *event = sight->event;
	struct place *place = model_watch_place(watch, event->site);
	struct left *left = find(watch->memory, event->process, event->object);

	if (event->kind != CTP_KIND_NOTIFY || !place)
		return true;
	place->nr_notifies++;
	if (left && left->coro && !event->argument) {
		place->last = (struct watch_last){event->process, event->time};
		place->nr_late++;
		place->coro = left->coro;
		place->after_ns = event->time - left->time;
	}
	if (left)
		left->coro = 0;
	return true;
}

const struct model_watcher analyze_late_notifies_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake,
		[MODEL_WAIT] = look_at_wait,
		[MODEL_GIVE] = look_at_give},
	.wakes_from = NOTIFIED,
	.waits_for = NOTIFIED,
	.end = end,
};

/* ---------------------------------------------------------------- the evidence */

static bool has_late(const void *of_place)
{
	const struct place *place = of_place;

	return place->nr_late;
}

void analyze_late_notifies_tell(struct analysis *analysis, struct story *story, uint32_t process)
{
	const struct model_watch *watch =
		analyze_watch_by(analysis, &analyze_late_notifies_watcher);
	struct memory *memory = watch->memory;
	uint32_t site = analyze_watch_last(analysis, watch, has_late, process, &memory->last);
	const struct place *place = model_watch_place(watch, site);

	if (!site)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " of %" PRIu64
		" notifies at %s found nobody, because the waiter had been "
		"resumed in another way: what they announced may be lost; the last was for "
		"coroutine %" PRIu64 ", and came %s after that",
		place->nr_late, place->nr_notifies, analyze_words_place(analysis, site),
		place->coro, analyze_words_duration(analysis, place->after_ns));
}
