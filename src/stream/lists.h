/* SPDX-License-Identifier: MIT */
/* The lists behind ct_tables, for sources that fill them gradually. */
#ifndef STREAM_LISTS_H
#define STREAM_LISTS_H

#include "base/vec.h"
#include "corotracer/event.h"

struct lists {
	VEC(struct ct_process) processes;
	VEC(struct ct_thread) threads;
	VEC(struct ct_site) sites;
	VEC(struct ct_stack) stacks;
	VEC(struct ct_mapping) mappings;
	VEC(struct ct_loss) losses;
	VEC(struct ct_note) notes;
	VEC(struct ct_sight) sights;
};

/* Rows in which everything is unknown. */
extern const struct ct_process lists_no_process;
extern const struct ct_thread lists_no_thread;
extern const struct ct_site lists_no_site;

/* lists_begin: adds entry 0 of each list, which means "none". Returns false if out of memory. */
bool lists_begin(struct lists *lists);
void lists_fini(struct lists *lists);

/* lists_publish: makes the tables show the lists as they are now; valid until one of the lists grows. */
void lists_publish(const struct lists *lists, struct ct_tables *tables);

#endif
