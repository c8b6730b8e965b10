/* SPDX-License-Identifier: MIT */
/*
 * What the files share that give back: release.c for coroutines, release_names.c for the maps in which their names
 * stand, release_descriptors.c for descriptors. Nothing here is for other files.
 */
#ifndef MODEL_RELEASE_H
#define MODEL_RELEASE_H

#include "model/parts.h"

struct release {
	struct model *model;
	uint32_t *
		to; /* by coroutine: enum model_mark, and when all are marked its new index; 0: it goes */
	bool is_cut;             /* of the coroutine that moves: whom it names goes */
	uint32_t *descriptor_to; /* by descriptor: not 0 where it stays, then likewise */
};

/*
 * model_watch_visit: shows the fields of watchers. model_watch_move: before coroutines move. model_watch_keeps: does
 * one of them ask for this coroutine to stay? model_watch_gone: tells them that it goes, before anything moves; false:
 * out of memory.
 */
void model_watch_visit(struct release *release, model_visitor *visit);
void model_watch_move(struct release *release);
bool model_watch_keeps(const struct model *model, uint32_t coro);
bool model_watch_gone(const struct model *model, uint32_t coro);

/*
 * model_release_mark_descriptors: after coroutines are marked. model_release_move_descriptors: likewise, before those
 * move.
 */
void model_release_mark_descriptors(struct release *release);
void model_release_move_descriptors(struct release *release);

/* model_release_move_names: in pages and maps of addresses, before coroutines move. False: out of memory. */
bool model_release_move_names(struct release *release);

#endif
