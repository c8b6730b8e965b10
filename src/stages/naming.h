/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses: mappings get their build ids on the way to a sink, and sites that are only an address get
 * function, file and line, so that a trace can be understood on any machine.
 *
 * In a source, sites that still lack a name (in a trace that was cut short) are resolved from the files that the trace
 * names, if these are unchanged.
 */
#ifndef STAGES_NAMING_H
#define STAGES_NAMING_H

#include "base/arena.h"
#include "stream/stream.h"
#include "symbol/symbol.h"

/* naming_sink_open: opens a sink in front of `inner` that adds build ids. Closing it closes `inner`. */
enum ct_status naming_sink_open(
	struct ct_sink *inner, struct ct_sink **ret_sink, struct ct_error *reterr);

/*
 * naming_see_roots: tells a resolver where the files of processes in containers lie, and which files are kept open, so
 * that names are found when the paths are gone. The resolver must be done before the sink, which naming_sink_open made,
 * is closed. Returns false if out of memory.
 */
bool naming_see_roots(const struct ct_sink *sink, struct symbol_resolver *resolver);

/*
 * naming_copy_mappings: copies all mappings that went through the sink so far, with their build ids of that time, into
 * the arena. If an address space changed, mappings may overlap: the later one is the newer one. NULL: out of memory.
 */
struct ct_mapping *naming_copy_mappings(
	const struct ct_sink *sink, struct arena *arena, uint32_t *ret_count);

/* naming_define_site: defines the site with the names of its place. */
enum ct_status naming_define_site(struct ct_sink *sink, const struct ct_define_site *site,
	const struct symbol_place *place, struct ct_error *reterr);

/*
 * naming_fill_tables: replaces source->tables by a copy in which sites without a function get one if it can be found;
 * notes say how many sites have none, and why. The copy lives in the caller's arena.
 */
enum ct_status naming_fill_tables(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr);

/*
 * naming_tidy_paths: replaces source->tables by a copy in which file names have no superfluous steps (path_tidy), so
 * that one file has one name. The copy lives in the caller's arena.
 */
enum ct_status naming_tidy_paths(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr);

#endif
