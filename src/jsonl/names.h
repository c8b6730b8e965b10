/* SPDX-License-Identifier: MIT */
/*
 * The names that a program gave to what it tells of itself, by the sites of its records. Private to src/jsonl.
 */
#ifndef JSONL_NAMES_H
#define JSONL_NAMES_H

#include "base/arena.h"
#include "base/map.h"
#include "stream/stream.h"
#include "base/vec.h"

struct jsonl_names {
	struct arena arena;
	VEC(const char *) all;
	struct map at; /* segment << 32 | site to index */
};

void jsonl_names_init(struct jsonl_names *names);
void jsonl_names_fini(struct jsonl_names *names);

/* jsonl_names_note: takes up a site that has a name. False: out of memory. */
bool jsonl_names_note(struct jsonl_names *names, const struct ct_define_site *site);

/* jsonl_names_find: "" where the site is not known, or has no name. */
const char *jsonl_names_find(const struct jsonl_names *names, uint32_t segment, uint32_t site);

#endif
