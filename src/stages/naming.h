/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses: mappings gain their build ids on the way to a sink, and sites that are only an address get
 * function, file and line, so that a trace explains itself on any machine.
 *
 * In a source, sites that still lack a name (a trace cut short) are resolved from the files that the trace names, where
 * these are still what they were.
 */
#ifndef STAGES_NAMING_H
#define STAGES_NAMING_H

#include "base/arena.h"
#include "stream/stream.h"
#include "symbol/symbol.h"

/* naming_sink_open: a sink in front of `inner` that adds build ids. Closing it closes `inner`. */
enum ct_status naming_sink_open(
	struct ct_sink *inner, struct ct_sink **ret_sink, struct ct_error *reterr);

/*
 * naming_see_roots: tells a resolver where the files of processes lie that live in containers, and which files are kept
 * open, so that names are found when their paths are gone. The namer must be done with before the sink, which
 * naming_sink_open made, is closed. False: out of memory.
 */
bool naming_see_roots(const struct ct_sink *sink, struct symbol_resolver *resolver);

/*
 * naming_copy_mappings: all that went through the sink so far, with the build ids of that time, in the arena. Where an
 * address space changed they may overlap: the later one is the newer one. NULL: out of memory.
 */
struct ct_mapping *naming_copy_mappings(
	const struct ct_sink *sink, struct arena *arena, uint32_t *ret_count);

/* naming_define_site: defines the site with the names of its place. */
enum ct_status naming_define_site(struct ct_sink *sink, const struct ct_define_site *site,
	const struct symbol_place *place, struct ct_error *reterr);

/*
 * naming_fill_tables: replaces source->tables by a copy in which sites without a function have one where
 * it can be found, and a note says for each reason how many have none. The copy lives in the caller's arena.
 */
enum ct_status naming_fill_tables(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr);

/*
 * naming_tidy_paths: likewise, by a copy in which names of files have no steps that lead nowhere (path_tidy), so that
 * one file has one name.
 */
enum ct_status naming_tidy_paths(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr);

#endif
