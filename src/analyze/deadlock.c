/* SPDX-License-Identifier: MIT */
/*
 * Circles of waiting coroutines, each of which can go on only after the next one: an owner of a lock, or a
 * child. With a lock in it the circle is a deadlock of mutexes, without one it is an await cycle.
 *
 * Silent where one of the waits has a deadline or another way out, or its coroutine is marked. Threads
 * that block in a lock of their own are not seen.
 */
#include <inttypes.h>

#include "analyze_parts.h"

/* One circle. */
struct circle {
	uint32_t first;
	uint32_t length;
	uint32_t sites;   /* the sum of its waits: circles of the same sites are of one kind */
	uint32_t closing; /* the coroutine that closed it: the last one to suspend */
	ct_time oldest; /* its oldest coroutine's beginning: a mark may have come right after it */
	bool has_lock;
	bool has_child;
};

static bool is_for_all(const struct model_coro *coro)
{
	return coro->state == CT_STATE_WAITING && coro->point == CTP_POINT_AWAIT &&
	       coro->deadline == CT_NO_TIME && !(coro->flags & MODEL_CORO_WAITS_FOR_MORE) &&
	       coro->mark == 0;
}

static uint32_t follow(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_for_all(coro) ? ties_next(analysis, index) : 0;
}

/* ---------------------------------------------------------------- measuring */

static void take_in(struct analysis *analysis, uint32_t index, struct circle *circle)
{
	const struct model *model = analysis->model;
	const struct model_coro *coro = &model->coros.at[index];

	circle->length++;
	circle->sites += coro->wait_site * 2654435761u;
	if (candidate_life_start(analysis, coro) < circle->oldest)
		circle->oldest = candidate_life_start(analysis, coro);
	if (coro->suspended > model->coros.at[circle->closing].suspended)
		circle->closing = index;
	if (CTP_HANDLE_RESOURCE(coro->wait_object) != CTP_RESOURCE_LOCK) {
		circle->has_child = true;
		return;
	}
	circle->has_lock = true;
}

/* It begins behind the one that closed it, however its coroutines are numbered. */
static struct circle measure(struct analysis *analysis, uint32_t first)
{
	struct circle circle = {.first = first, .closing = first, .oldest = INT64_MAX};
	uint32_t index = first;

	do {
		take_in(analysis, index, &circle);
		index = follow(analysis, index);
	} while (index != first);
	circle.first = follow(analysis, circle.closing);
	return circle;
}

/* ---------------------------------------------------------------- judging */

/* As a circle is one finding, one of its members stands for all. */
static bool is_allowed(
	struct analysis *analysis, const struct circle *circle, struct candidate candidate)
{
	uint32_t index = circle->first;

	do {
		candidate.coro = index;
		if (candidate_is_allowed(analysis, &candidate))
			return true;
		index = follow(analysis, index);
	} while (index != circle->first);
	return false;
}

/* Nothing is said of it, nor of those that wait behind it. */
static void allow(struct analysis *analysis, const struct circle *circle)
{
	uint32_t index = circle->first;

	analysis->nr_allowed += circle->length;
	do {
		analysis->is_told[index] = true;
		index = follow(analysis, index);
	} while (index != circle->first);
}

static void add_member(struct analysis *analysis, uint32_t index, struct candidate candidate)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	candidate.coro = index;
	candidate.descriptor = coro->descriptor;
	candidate.since = coro->suspended;
	candidate_add(analysis, &candidate);
}

/* Another finding names the cause for which one of them does not go on. */
static bool is_explained(struct analysis *analysis, const struct circle *circle)
{
	uint32_t index = circle->first;

	do {
		if (analysis->is_told[index])
			return true;
		index = follow(analysis, index);
	} while (index != circle->first);
	return false;
}

static bool has_doubt(struct analysis *analysis, const struct circle *circle)
{
	uint32_t index = circle->first;

	do {
		if (analysis->model->coros.at[index].flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
			return true;
		index = follow(analysis, index);
	} while (index != circle->first);
	return false;
}

static void judge(struct analysis *analysis, const struct circle *circle)
{
	const struct model_coro *closing = &analysis->model->coros.at[circle->closing];
	struct candidate candidate = {
		.rule = circle->has_lock ? CT_RULE_MUTEX_DEADLOCK : CT_RULE_AWAIT_CYCLE,
		.grade = CT_GRADE_PROVEN,
		.process = closing->process,
		.cause_site = closing->wait_site,
		.variant = circle->sites,
	};
	uint32_t index = circle->first;

	if (ties_is_shutting_down(analysis, candidate.process, closing->suspended) ||
		!candidate_settle(analysis, &candidate, closing->suspended))
		return;
	if (has_doubt(analysis, circle))
		candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	candidate_lower_for_gaps(
		analysis, &candidate, circle->oldest, analysis->parties[candidate.process].end);
	if (is_allowed(analysis, circle, candidate)) {
		allow(analysis, circle);
		return;
	}
	do {
		add_member(analysis, index, candidate);
		index = follow(analysis, index);
	} while (index != circle->first);
}

/* From each coroutine along the chain; who is met again on the same way is in a circle. */
void deadlock_find(struct analysis *analysis)
{
	uint32_t count = (uint32_t)analysis->model->coros.count, start, index;
	uint32_t *way = arena_array(&analysis->scratch, count, sizeof(*way));

	if (!way) {
		analysis->is_broken = true;
		return;
	}
	for (start = 1; start < count; start++) {
		for (index = start; index && !way[index]; index = follow(analysis, index))
			way[index] = start;
		if (index && way[index] == start) {
			struct circle circle = measure(analysis, index);

			if (!is_explained(analysis, &circle))
				judge(analysis, &circle);
		}
	}
}

/* ---------------------------------------------------------------- telling it */

static void tell_lock(struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_object *object = ties_object(analysis, coro);
	struct ct_step step = {
		.time = object->owned,
		.site = object->owner_site,
		.thread = object->owner_thread,
		.coro = analysis->model->coros.at[object->owner].id,
		.sequence = object->owner_event,
		.text = say(analysis, "took %s", words_resource(analysis, object->handle, 0)),
	};

	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK)
		story_step(analysis, story, &step);
}

static void tell_wait(struct analysis *analysis, uint32_t index, uint32_t next, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint64_t id = analysis->model->coros.at[next].id;
	struct ct_step step = {
		.time = coro->suspended,
		.site = coro->wait_site,
		.thread = coro->thread,
		.coro = coro->id,
		.sequence = coro->wait_event,
	};

	if (CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK)
		step.text = say(analysis,
			"suspended, to wait for %s, which coroutine %" PRIu64 " holds",
			words_resource(analysis, coro->wait_object, 0), id);
	else
		step.text =
			say(analysis, "suspended, to wait for the end of coroutine %" PRIu64, id);
	story_step(analysis, story, &step);
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct circle *circle)
{
	const char *site = words_place(analysis, analysis->candidates.at[group->first].cause_site);
	const char *waits = group->count == 1 ? "coroutine waits" : "coroutines wait";
	const char *what = circle->has_child ? "for each other's end" : "for locks";

	if (circle->has_lock && circle->has_child)
		what = "for locks and for each other's end";
	if (circle->length > 1)
		return say(analysis, "%u %s in a circle of %u %s, closed at %s", group->count,
			waits, circle->length, what, site);
	if (!circle->has_lock)
		return say(analysis, "%u %s for %s own end, at %s", group->count, waits,
			group->count == 1 ? "its" : "their", site);
	return say(analysis, "%u %s for a lock that %s, at %s", group->count, waits,
		group->count == 1 ? "it holds itself" : "they hold themselves", site);
}

void deadlock_describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct circle circle = measure(analysis, first->coro);
	struct story story = {0};
	uint32_t index = circle.first;

	finding->title = words_title(analysis, group, &circle);
	do {
		uint32_t next = follow(analysis, index);

		tell_lock(analysis, &analysis->model->coros.at[index], &story);
		tell_wait(analysis, index, next, &story);
		index = next;
	} while (index != circle.first);
	story_victims(analysis, &story, group);
	story_end(analysis, &story, finding);
	finding->first_sequence = analysis->model->coros.at[circle.first].wait_event;
	finding->last_sequence = analysis->model->coros.at[circle.closing].wait_event;
}
