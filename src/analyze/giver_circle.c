/* SPDX-License-Identifier: MIT */
/*
 * Circles of givers (giver_circle.h): for each waiting coroutine, all that it waits for, directly or through others.
 */
#include <inttypes.h>

#include "analyze/giver_circle.h"
#include "analyze/parts.h"
#include "analyze/unanswered.h"
#include "analyze/wakers.h"

#define MEMBERS GIVER_CIRCLE_MEMBERS
#define LEAST_GIVEN 3u /* messages; fewer show no habit */

/* Why a coroutine waits for others. */
enum cause {
	CAUSE_NONE, /* somebody else may end its wait, or nobody is known who could */
	CAUSE_TIE,
	CAUSE_HELD,
	CAUSE_ASKED, /* the next one took what it had put, and answered each time before */
	CAUSE_PERMITS,
	CAUSE_GIVEN,
};

/* The coroutines that must go on before one can. */
struct ahead {
	uint32_t at[MEMBERS];
	unsigned count;
	enum cause cause;
};

/* All that must go on, beginning with the coroutine itself. */
struct closure {
	uint32_t at[MEMBERS];
	unsigned count;
	bool is_circle; /* one of them waits for the first one */
	unsigned nr_of[CAUSE_GIVEN + 1];
};

/* False: there is no room, or this one has ended. */
static bool add_ahead(const struct analysis *analysis, struct ahead *ahead, uint32_t index)
{
	if (!index || ahead->count == MEMBERS || coro_at(analysis, index)->state >= CT_STATE_DONE)
		return false;
	ahead->at[ahead->count++] = index;
	return true;
}

static struct ahead only(const struct analysis *analysis, uint32_t index, enum cause cause)
{
	struct ahead ahead = {.cause = cause};

	return add_ahead(analysis, &ahead, index) ? ahead : (struct ahead){0};
}

/* Those that have the permits, if all that were taken are had by coroutines that live. */
static struct ahead takers_of(const struct analysis *analysis, const struct model_object *object)
{
	uint32_t of = (uint32_t)(object - analysis->model->objects.at), nr_permits = 0, i;
	struct ahead ahead = {.cause = CAUSE_PERMITS};

	for (i = analysis->permit_first[of]; i; i = analysis->permit_next[i]) {
		if (!add_ahead(analysis, &ahead, i))
			return (struct ahead){0};
		nr_permits += coro_at(analysis, i)->rare->nr_permits;
	}
	return nr_permits == object->permits.nr_out ? ahead : (struct ahead){0};
}

static struct ahead givers_of(const struct analysis *analysis, const struct model_object *object)
{
	const struct model_givers *givers = &object->givers;
	struct ahead ahead = {.cause = CAUSE_GIVEN};
	unsigned i;

	if (givers->has_others || givers->count < (givers->had_stock ? 1 : LEAST_GIVEN))
		return (struct ahead){0};
	for (i = 0; i < MODEL_GIVERS && givers->by[i]; i++)
		if (!add_ahead(analysis, &ahead,
			    model_find(analysis->model, object->process, givers->by[i])))
			return (struct ahead){0};
	return ahead;
}

static struct ahead ahead_of(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = coro_at(analysis, index);
	const struct model_object *object = analyze_ties_object(analysis, coro);
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	if (coro->mark || !analyze_wakers_is_bound(analysis, coro))
		return (struct ahead){0};
	if (analyze_ties_next(analysis, index))
		return only(analysis, analyze_ties_next(analysis, index), CAUSE_TIE);
	if (coro->rare->held != CT_NO_TIME && coro->rare->held_by)
		return only(analysis,
			model_find(analysis->model, coro->process, coro->rare->held_by),
			CAUSE_HELD);
	if (analyze_unanswered_taker(analysis, coro))
		return only(analysis, analyze_unanswered_taker(analysis, coro), CAUSE_ASKED);
	if (!object->handle || model_is_unnamed(coro->wait_object) || kind == CTP_RESOURCE_LOCK)
		return (struct ahead){0};
	if (kind == CTP_RESOURCE_SEMAPHORE && object->permits.nr_out && !object->permits.is_signal)
		return takers_of(analysis, object);
	return givers_of(analysis, object);
}

/* False: there is no room. */
static bool add(struct closure *closure, uint32_t index)
{
	unsigned i;

	closure->is_circle |= index == closure->at[0];
	for (i = 0; i < closure->count; i++)
		if (closure->at[i] == index)
			return true;
	if (closure->count == MEMBERS)
		return false;
	closure->at[closure->count++] = index;
	return true;
}

/* Empty: one of them may go on. */
static struct closure closure_of(const struct analysis *analysis, uint32_t index)
{
	struct closure closure = {.at = {index}, .count = 1};
	unsigned i, k;

	for (i = 0; i < closure.count; i++) {
		struct ahead ahead = ahead_of(analysis, closure.at[i]);

		closure.nr_of[ahead.cause]++;
		if (!ahead.count)
			return (struct closure){0};
		for (k = 0; k < ahead.count; k++)
			if (!add(&closure, ahead.at[k]))
				return (struct closure){0};
	}
	return closure;
}

/* Other rules know circles of ties, and those with one wait for what only the next one refers to. */
static bool is_known_elsewhere(const struct closure *closure)
{
	return !closure->nr_of[CAUSE_GIVEN] && !closure->nr_of[CAUSE_PERMITS] &&
	       !closure->nr_of[CAUSE_ASKED] && closure->nr_of[CAUSE_HELD] < 2;
}

/* The one that has waited for the longest time, of those whose waits are no ties. */
static uint32_t lead_of(const struct analysis *analysis, const struct closure *closure)
{
	uint32_t lead = 0;
	unsigned i;

	for (i = 0; i < closure->count; i++) {
		uint32_t one = closure->at[i];

		if (!analyze_ties_next(analysis, one) &&
			(!lead || coro_at(analysis, one)->suspended <
					  coro_at(analysis, lead)->suspended))
			lead = one;
	}
	return lead;
}

static void list_permits(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i, object;

	for (i = 1; i < model->coros.count; i++) {
		object = model->coros.at[i].rare->permit;
		if (!object || model->coros.at[i].state >= CT_STATE_DONE)
			continue;
		analysis->permit_next[i] = analysis->permit_first[object];
		analysis->permit_first[object] = i;
	}
}

void analyze_giver_circle_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t *behind = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t)), i;

	analysis->circles = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	analysis->permit_next = analyze_scratch(analysis, model->coros.count, sizeof(uint32_t));
	analysis->permit_first = analyze_scratch(analysis, model->objects.count, sizeof(uint32_t));
	if (analysis->is_broken)
		return;
	list_permits(analysis);
	for (i = 1; i < model->coros.count; i++) {
		struct closure closure = closure_of(analysis, i);

		if (!closure.count || is_known_elsewhere(&closure))
			continue;
		if (closure.is_circle)
			analysis->circles[i] = lead_of(analysis, &closure);
		else
			behind[i] = closure.at[1];
	}
	for (i = 1; i < model->coros.count; i++)
		if (behind[i])
			analysis->ties.next[i] = behind[i];
}

uint32_t analyze_giver_circle_of(const struct analysis *analysis, uint32_t index)
{
	return analysis->circles[index];
}

unsigned analyze_giver_circle_members(
	const struct analysis *analysis, uint32_t index, uint32_t ret_members[GIVER_CIRCLE_MEMBERS])
{
	struct closure closure = {0};
	unsigned i;

	if (analysis->circles[index])
		closure = closure_of(analysis, index);
	for (i = 0; i < closure.count; i++)
		ret_members[i] = closure.at[i];
	return closure.count;
}

bool analyze_giver_circle_wants_stock(const struct analysis *analysis, uint32_t index)
{
	struct closure closure = closure_of(analysis, index);
	unsigned i;

	for (i = 0; i < closure.count; i++)
		if (analyze_ties_object(analysis, coro_at(analysis, closure.at[i]))
				->givers.had_stock)
			return true;
	return false;
}

bool analyze_giver_circle_is_own(const struct analysis *analysis, uint32_t index)
{
	return closure_of(analysis, index).count == 1;
}

bool analyze_giver_circle_has(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t other)
{
	uint32_t lead = analysis->circles[model_index(analysis->model, coro)];

	return lead && lead == analysis->circles[other];
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_reason(
	struct analysis *analysis, const struct model_coro *coro, const struct ahead *ahead)
{
	const struct model_givers *givers = &analyze_ties_object(analysis, coro)->givers;
	const char *who = analyze_words_coros(analysis, ahead->at, ahead->count);

	switch (ahead->cause) {
	case CAUSE_TIE:
		return CTP_HANDLE_RESOURCE(coro->wait_object) == CTP_RESOURCE_LOCK
			       ? analyze_say(analysis, ", which %s has", who)
			       : "";
	case CAUSE_HELD:
		return analyze_say(analysis, ", to which, besides itself, only %s refers", who);
	case CAUSE_ASKED:
		return analyze_say(analysis, ", and %s took what it had put", who);
	case CAUSE_PERMITS:
		return analyze_say(analysis, ", all whose permits %s %s", who,
			ahead->count == 1 ? "has" : "have");
	default:
		return analyze_say(analysis, ", %s %s alone %s %s so far, %" PRIu32 " %s",
			givers->had_stock ? "in which" : "to which", who,
			ahead->count == 1 ? "has" : "have",
			givers->had_stock ? "made room" : "given something", givers->count,
			givers->count == 1 ? "time" : "times");
	}
}

void analyze_giver_circle_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro);
	struct closure closure = closure_of(analysis, index);
	unsigned i;

	if (!analysis->circles[index])
		return;
	for (i = 0; i < closure.count; i++) {
		const struct model_coro *member = coro_at(analysis, closure.at[i]);
		struct ahead ahead = ahead_of(analysis, closure.at[i]);

		analyze_story_evidence(analysis, story, "%s, for %s%s",
			analyze_words_since(analysis, member),
			analyze_words_named(analysis, member->process, member->wait_object, 0),
			words_reason(analysis, member, &ahead));
		if (closure.at[i] != index)
			analyze_story_party(analysis, story, closure.at[i], 0);
	}
}
