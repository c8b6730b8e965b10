/* SPDX-License-Identifier: MIT */
/*
 * Async functions of Rust in boxes, as `Pin<Box<dyn Future>>`: what executors that a program has of its own run. Such a
 * pointer has beside it the address of a table of the type. A box is looked for where the GNU C library's malloc gave
 * out memory, and counts if the block begins with it and has its size. What another async function has in a box is a
 * part of that one. Nothing tells whether a box is polled at the moment, or is about to be: all of them wait, but for
 * those that are over, which are left out.
 */
#ifndef FRAMES_RUST_BOXES_H
#define FRAMES_RUST_BOXES_H

#include "frames/rust_tasks.h"

struct rust_box_kind {
	uint64_t table; /* address in the image */
	uint64_t bytes;
	Dwarf_Die future;
};

struct rust_boxes {
	VEC(struct rust_box_kind) kinds;
	struct map by_table; /* address, to an index in `kinds` */
	struct map by_poll;  /* functions that may poll a future */
	uint64_t lowest;     /* all tables are in between */
	uint64_t highest;
};

/* rust_boxes_find: finds the types that may be in boxes, of all modules. CT_ERR_NO_MEMORY is the only error. */
enum ct_status rust_boxes_find(struct rust_boxes *boxes, const struct image *image,
	const struct modules *modules, struct ct_error *reterr);
void rust_boxes_fini(struct rust_boxes *boxes);

/* rust_boxes_look: adds what is in boxes now. False: out of memory. */
bool rust_boxes_look(const struct rust_boxes *boxes, struct image *image,
	const struct modules *modules, struct found *found, struct rust_objects *objects);

#endif
