/* SPDX-License-Identifier: MIT */
/*
 * Closed groups: the ids of two wakers of each coroutine, and how often it was woken. A third waker makes the group
 * open.
 */
#include <inttypes.h>

#include "analyze/closed_groups.h"
#include "analyze/parts.h"
#include "analyze/wakers.h"

#define WAKERS 2u
#define LEAST_WOKEN 10u /* a smaller number of wakes shows no habit */

struct woken {
	uint64_t by[WAKERS]; /* ids of its wakers; 0: none */
	uint32_t count;
	bool has_others; /* further coroutines, or a thread, have woken it */
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static void note_waker(struct woken *woken, uint64_t by)
{
	unsigned i;

	for (i = 0; i < WAKERS && woken->by[i] && woken->by[i] != by; i++)
		;
	if (i == WAKERS || !by)
		woken->has_others = true;
	else
		woken->by[i] = by;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at;
	struct woken *woken = model_watch_coro(watch, sight->coro);

	/* The end of a sleep says nothing of who brings it something. */
	if (woken->has_others || !model_is_awaiting(&at[sight->coro]) || sight->by == sight->coro ||
		analyze_wait_is_sleep(&at[sight->coro]))
		return true;
	woken->count += woken->count < UINT32_MAX;
	note_waker(woken, at[sight->by].id);
	return true;
}

const struct model_watcher analyze_closed_groups_watcher = {
	.nr_coro_bytes = sizeof(struct woken),
	.looks = {[MODEL_WAKE] = look_at_wake},
};

/* ---------------------------------------------------------------- the group */

static const struct woken *woken_of(const struct analysis *analysis, uint32_t coro)
{
	return model_watch_coro(analyze_watch_by(analysis, &analyze_closed_groups_watcher), coro);
}

/* Adds a member. False: the group is full. */
static bool add(struct closed_group *group, uint32_t coro)
{
	unsigned i;

	for (i = 0; i < group->count; i++)
		if (group->members[i] == coro)
			return true;
	if (group->count == CLOSED_GROUP_MOST)
		return false;
	group->members[group->count++] = coro;
	return true;
}

/* Adds the wakers of a member to the group. False: anything else may wake the member, or one of its wakers is gone. */
static bool add_wakers(const struct analysis *analysis, struct closed_group *group, uint32_t coro)
{
	const struct model_coro *at = &analysis->model->coros.at[coro];
	const struct woken *woken = woken_of(analysis, coro);
	unsigned i;

	if (!analyze_wakers_is_bound(analysis, at) || woken->has_others ||
		woken->count < LEAST_WOKEN)
		return false;
	for (i = 0; i < WAKERS && woken->by[i]; i++) {
		uint32_t by = model_find(analysis->model, at->process, woken->by[i]);

		if (!by || !add(group, by))
			return false;
	}
	return true;
}

struct closed_group analyze_closed_group_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	struct closed_group group = {{model_index(analysis->model, coro)}, 1};
	unsigned i;

	for (i = 0; i < group.count; i++)
		if (!add_wakers(analysis, &group, group.members[i]))
			return (struct closed_group){0};
	return group.count > 1 ? group : (struct closed_group){0};
}

/* ---------------------------------------------------------------- those that wait for their waker */

/* Has nobody but `waker` ended its waits, and may nothing from outside end this one? */
static bool waits_for(const struct analysis *analysis, uint32_t index, uint64_t waker)
{
	const struct woken *woken = woken_of(analysis, index);

	return !woken->has_others && (!woken->by[0] || woken->by[0] == waker) && !woken->by[1] &&
	       analyze_wakers_is_bound(analysis, &analysis->model->coros.at[index]);
}

struct dependants analyze_dependants_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t i, place = 0, index = model_index(analysis->model, coro);
	struct dependants found = {0};

	for (i = 1; i < analysis->model->coros.count; i++) {
		if (at[i].parent != index || !waits_for(analysis, i, coro->id))
			continue;
		if (!found.count)
			place = at[i].wait_site;
		if (at[i].wait_site != place)
			continue;
		if (!found.count++)
			found.first = i;
		found.nr_woken += woken_of(analysis, i)->count;
	}
	return found.nr_woken ? found : (struct dependants){0};
}

/* ---------------------------------------------------------------- the evidence */

void analyze_dependants_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct dependants found = analyze_dependants_of(analysis, coro);
	const struct model_coro *first = &analysis->model->coros.at[found.first];

	analyze_story_evidence(analysis, story,
		"%" PRIu32 " that it had started %s at %s, for what has come from it alone so far; "
		"the first of them is %s",
		found.count, found.count == 1 ? "waits" : "wait",
		analyze_words_place(analysis, first->wait_site),
		analyze_words_coro(analysis, first));
	analyze_story_party(analysis, story, found.first, 0);
}

static const char *words_wakers(struct analysis *analysis, const struct woken *woken)
{
	return woken->by[1] ? analyze_say(analysis, "coroutines %" PRIu64 " and %" PRIu64 " alone",
				      woken->by[0], woken->by[1])
			    : analyze_say(analysis, "coroutine %" PRIu64 " alone", woken->by[0]);
}

void analyze_closed_group_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	struct closed_group group = analyze_closed_group_of(analysis, coro);
	unsigned i;

	for (i = 0; i < group.count; i++) {
		const struct model_coro *member = &analysis->model->coros.at[group.members[i]];
		const struct woken *woken = woken_of(analysis, group.members[i]);

		analyze_story_evidence(analysis, story,
			"%s was woken %" PRIu32 " times, by %s; it waits since %s, at %s",
			analyze_words_coro(analysis, member), woken->count,
			words_wakers(analysis, woken),
			analyze_words_time(analysis, member->suspended),
			analyze_words_place(analysis, member->wait_site));
		if (member != coro)
			analyze_story_party(analysis, story, group.members[i], 0);
	}
}
