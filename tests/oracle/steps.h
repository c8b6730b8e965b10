/* SPDX-License-Identifier: MIT */
/*
 * What the steps of scripts are made of. A step is performed again and again until it is done: whoever was woken looks
 * anew whether it can go on, so a wake too many does no harm by itself.
 */
#ifndef ORACLE_STEPS_H
#define ORACLE_STEPS_H

#include "world.h"

/* What became of a step. */
enum went {
	WENT_ON,    /* it is done */
	WENT_BUSY,  /* the thread is at it until its next moment, and comes back to it */
	WENT_AWAY,  /* the coroutine suspends, and comes back to it */
	WENT_CALLED /* another one runs within this one */
};

static inline struct coro *coro_at(struct world *world, uint32_t coro)
{
	return &world->coros.at[coro];
}

/* The coroutine itself, or the script of a thread that runs none. */
static inline struct coro *self(struct world *world, struct actor actor)
{
	return coro_at(world, actor.coro ? actor.coro : world->threads.at[actor.thread].script);
}

void tell(struct world *world, struct actor actor, enum ctp_kind kind, uint64_t object,
	uint32_t site, unsigned argument);
uint32_t site_here(struct world *world, struct actor actor, enum place place);

/* The thread computes for so long, longer where others want its processor. */
void be_busy(struct world *world, struct actor actor, int64_t ns);

/* To wait for something, for so long at most; 0: as long as it takes (waking.c). */
enum went suspend(
	struct world *world, struct actor actor, enum wait wait, uint32_t what, int64_t patience);
/* To suspend, and be ready all the same. */
enum went give_way(struct world *world, struct actor actor, enum wait wait, uint32_t what);
void note_run(struct world *world, uint32_t coro);

/* coroutines.c */
void end(struct world *world, struct actor actor);
enum went perform_destroy(struct world *world, struct actor actor, const struct step *step);
enum went perform_spawn(struct world *world, struct actor actor, const struct step *step);
enum went perform_join(struct world *world, struct actor actor, const struct step *step);
enum went perform_run(struct world *world, struct actor actor, const struct step *step);

/* resources.c */
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
