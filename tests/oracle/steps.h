/* SPDX-License-Identifier: MIT */
/*
 * The building blocks of steps. A step is performed again and again until it is done: a woken coroutine checks again
 * whether it can go on, so an additional wake does no harm by itself.
 */
#ifndef ORACLE_STEPS_H
#define ORACLE_STEPS_H

#include "world.h"

/* The result of performing a step. */
enum went {
	WENT_ON,    /* the step is done */
	WENT_BUSY,  /* the thread is busy until its next moment, then performs the step again */
	WENT_AWAY,  /* the coroutine suspends, then performs the step again */
	WENT_CALLED /* another coroutine runs within this one */
};

static inline struct coro *coro_at(struct world *world, uint32_t coro)
{
	return &world->coros.at[coro];
}

/* The coroutine itself, or the script of a thread that runs no coroutine. */
static inline struct coro *self(struct world *world, struct actor actor)
{
	return coro_at(world, actor.coro ? actor.coro : world->threads.at[actor.thread].script);
}

void tell(struct world *world, struct actor actor, enum ctp_kind kind, uint64_t object,
	uint32_t site, unsigned argument);
uint32_t site_here(struct world *world, struct actor actor, enum place place);

/* The thread computes for this time, or longer if other threads want its processor. */
void be_busy(struct world *world, struct actor actor, int64_t ns);

/* Waits, for at most `patience`; 0: without limit (waking.c). */
enum went suspend(
	struct world *world, struct actor actor, enum wait wait, uint32_t what, int64_t patience);
/* Suspends, but stays ready. */
enum went give_way(struct world *world, struct actor actor, enum wait wait, uint32_t what);
void note_run(struct world *world, uint32_t coro);

/* Defined in coroutines.c. */
void end(struct world *world, struct actor actor);
enum went perform_destroy(struct world *world, struct actor actor, const struct step *step);
enum went perform_spawn(struct world *world, struct actor actor, const struct step *step);
enum went perform_join(struct world *world, struct actor actor, const struct step *step);
enum went perform_run(struct world *world, struct actor actor, const struct step *step);

/* Defined in resources.c. */
enum went perform_lock(struct world *world, struct actor actor, const struct step *step);
enum went perform_give_back(struct world *world, struct actor actor, const struct step *step);
enum went perform_unlock(struct world *world, struct actor actor, const struct step *step);
enum went perform_send(struct world *world, struct actor actor, const struct step *step);
enum went perform_send_many(struct world *world, struct actor actor, const struct step *step);
enum went perform_receive(struct world *world, struct actor actor, const struct step *step);
enum went perform_open(struct world *world, struct actor actor, const struct step *step);
enum went perform_duplicate(struct world *world, struct actor actor, const struct step *step);
enum went perform_read(struct world *world, struct actor actor, const struct step *step);
enum went perform_close(struct world *world, struct actor actor, const struct step *step);

#endif
