/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files that give records back: release.c for coroutines, release_names.c for the maps of their names,
 * release_descriptors.c for descriptors. Not for other files.
 */
#ifndef MODEL_RELEASE_H
#define MODEL_RELEASE_H

#include "model/parts.h"

/* Records that stay beside each other and move: their indexes before and after, and how many they are. */
struct release_run {
	uint32_t from, to, count;
};

struct release {
	struct model *model;
	uint32_t *
		to; /* by coroutine: enum model_mark while marking, then its new index; 0: it goes */
	VEC(struct release_run) runs; /* of coroutines, in order */
	uint32_t nr_stay;             /* coroutines, with the one of index 0 */
	bool is_cut;                  /* the coroutine being moved names records that go */
	/* by descriptor: not 0 if it stays, then its new index; 0: it goes */
	uint32_t *descriptor_to;
};

/*
 * model_watch_visit: visits the fields of watchers that name coroutines. model_watch_move: moves the watchers' records
 * by `runs`, and cuts them to `nr_stay` coroutines; call before coroutines move. model_watch_keeps: does a watcher want
 * this coroutine to stay? model_watch_gone: tells the watchers that the coroutine goes; call before anything moves;
 * false: out of memory.
 */
void model_watch_visit(struct release *release, model_visitor *visit);
void model_watch_move(struct release *release);
bool model_watch_keeps(const struct model *model, uint32_t coro);
bool model_watch_gone(const struct model *model, uint32_t coro);

/*
 * model_release_mark_descriptors: marks descriptors that stay; call after coroutines are marked.
 * model_release_move_descriptors: moves descriptors; call before coroutines move.
 */
void model_release_mark_descriptors(struct release *release);
void model_release_move_descriptors(struct release *release);

/* model_release_move_names: updates pages and maps of addresses; call before coroutines move. False: out of memory. */
bool model_release_move_names(struct release *release);

#endif
