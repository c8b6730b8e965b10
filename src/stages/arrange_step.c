/* SPDX-License-Identifier: MIT */
#include "stages/arrange_step.h"

/* cost << 4 | next state */
#define S(cost, next) (uint8_t)((cost) ? (cost) << 4 | PLACE_##next : PLACE_##next)
#define OK(next) S(0, next)
#define ODD(next) S(1, next)
#define LATE(next) S(2, next)
#define BAD(next) S(15, next)

static const uint8_t steps[NR_COROUTINE_ACTS][NR_COROUTINE_STATES] = {
	/* states: unknown, new, ready, running, woken, waiting, done, gone */
	[ACT_CREATE] = {OK(NEW), BAD(NEW), BAD(READY), BAD(RUNNING), BAD(WOKEN), BAD(WAITING),
		BAD(DONE), BAD(GONE)},
	[ACT_RESUME] = {OK(RUNNING), OK(RUNNING), OK(RUNNING), BAD(RUNNING), BAD(RUNNING),
		ODD(RUNNING), BAD(RUNNING), BAD(GONE)},
	[ACT_LEAVE] = {OK(WAITING), OK(WAITING), BAD(WAITING), OK(WAITING), OK(READY), BAD(WAITING),
		BAD(WAITING), BAD(GONE)},
	[ACT_LEAVE_FIRST] = {OK(NEW), OK(NEW), BAD(NEW), OK(NEW), OK(NEW), BAD(NEW), BAD(NEW),
		BAD(GONE)},
	[ACT_LEAVE_LAST] = {OK(DONE), OK(DONE), BAD(DONE), OK(DONE), OK(DONE), BAD(DONE), OK(DONE),
		BAD(GONE)},
	[ACT_STEP_ASIDE] = {OK(READY), OK(READY), BAD(READY), OK(READY), OK(READY), BAD(READY),
		BAD(READY), BAD(GONE)},
	[ACT_CANCEL] = {OK(RUNNING), OK(RUNNING), OK(RUNNING), BAD(RUNNING), BAD(WOKEN),
		OK(RUNNING), BAD(DONE), BAD(GONE)},
	[ACT_WAKE] = {ODD(UNKNOWN), OK(NEW), ODD(READY), ODD(RUNNING), ODD(WOKEN), OK(READY),
		LATE(DONE), LATE(GONE)},
	[ACT_WAKE_AGAIN] = {OK(UNKNOWN), OK(NEW), OK(READY), ODD(RUNNING), OK(WOKEN), ODD(READY),
		LATE(DONE), LATE(GONE)},
	[ACT_WAKE_ITSELF] = {OK(WOKEN), OK(WOKEN), ODD(READY), OK(WOKEN), OK(WOKEN), OK(READY),
		LATE(DONE), LATE(GONE)},
	[ACT_QUEUE] = {OK(UNKNOWN), OK(NEW), OK(READY), OK(WOKEN), OK(WOKEN), OK(READY), BAD(DONE),
		BAD(GONE)},
	[ACT_RETURN] = {OK(DONE), OK(DONE), BAD(DONE), OK(DONE), OK(DONE), BAD(DONE), BAD(DONE),
		BAD(GONE)},
	[ACT_DESTROY] = {OK(GONE), OK(GONE), OK(GONE), OK(GONE), OK(GONE), OK(GONE), OK(GONE),
		BAD(GONE)},
	[ACT_TAKE_AWAY] = {OK(GONE), OK(GONE), OK(GONE), BAD(GONE), BAD(GONE), OK(GONE), OK(GONE),
		BAD(GONE)},
	[ACT_RESUME_AROUND] = {OK(RUNNING), OK(RUNNING), OK(RUNNING), OK(RUNNING), OK(RUNNING),
		OK(RUNNING), OK(DONE), OK(GONE)},
	[ACT_LEAVE_AROUND] = {OK(WAITING), OK(WAITING), OK(READY), OK(WAITING), OK(READY),
		OK(WAITING), OK(DONE), OK(GONE)},
};

static unsigned step_lock(struct place *place, enum act act, uint32_t by)
{
	bool is_held = place->state == PLACE_HELD;
	bool is_by_other = is_held && place->by != by;
	bool is_free = place->state == PLACE_FREE;

	place->by = by;
	switch (act) {
	case ACT_TAKE:
		place->state = PLACE_HELD;
		return is_by_other ? COST_HELD : is_held ? COST_ODD : 0;
	case ACT_GIVE:
		place->state = PLACE_FREE;
		return is_free || is_by_other ? COST_ODD : 0;
	default:
		place->state = PLACE_UNKNOWN;
		return is_free ? COST_ODD : 0;
	}
}

/*
 * The cost of an act by another thread than the one that runs the coroutine: only that thread can do it, or the program
 * is integrated in an odd way.
 */
static unsigned cost_elsewhere(enum act act)
{
	switch (act) {
	case ACT_LEAVE:
	case ACT_LEAVE_FIRST:
	case ACT_LEAVE_LAST:
	case ACT_STEP_ASIDE:
		return COST_IMPOSSIBLE;
	case ACT_QUEUE:
	case ACT_RETURN:
	case ACT_DESTROY:
	case ACT_WAKE_ITSELF:
		return COST_ODD;
	default:
		return 0;
	}
}

unsigned arrange_step(struct place *place, enum act act, uint32_t by)
{
	bool is_running = place->state == PLACE_RUNNING || place->state == PLACE_WOKEN;
	unsigned cost, entry;

	if (act >= NR_COROUTINE_ACTS)
		return step_lock(place, act, by);
	/* The record came late: the coroutine runs elsewhere by now. */
	if (act == ACT_LEAVE_AROUND && is_running && place->by != by)
		return 0;
	entry = steps[act][place->state];
	cost = entry >> 4 == 15 ? COST_IMPOSSIBLE : entry >> 4;
	if (is_running && place->by != by)
		cost += cost_elsewhere(act);
	/* A thread cannot contradict itself: a suspend was not recorded. */
	if (is_running && place->by == by && act == ACT_RESUME)
		cost = COST_ODD;
	place->state = entry & 15;
	/* A thread that makes a coroutine ready does not run it. */
	if (act != ACT_WAKE && act != ACT_WAKE_AGAIN && act != ACT_QUEUE)
		place->by = by;
	return cost;
}
