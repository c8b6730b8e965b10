/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses: what collect, store and symbol cannot do alone, since they lie side by side.
 *
 * While recording, mappings gain their build ids on the way to the sink, and every site that is only an address is
 * defined again with function, file and line (namer.h), so that a trace explains itself on any machine. While
 * reading, sites that still lack a name (a trace cut short) are resolved from the files that the trace names,
 * where these are still what they were.
 */
#ifndef SESSION_NAMING_H
#define SESSION_NAMING_H

#include "base/arena.h"
#include "collect/collect.h"
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
 * For namer.c. naming_copy_mappings: all that the collector has seen so far, with the build ids of that time, in the
 * arena; NULL: out of memory.
 * naming_resolve_site: what a site stands for, as symbol_resolve has it. naming_define_site: tells it the sink.
 */
struct ct_mapping *naming_copy_mappings(const struct collect *collect, const struct ct_sink *sink,
	struct arena *arena, uint32_t *ret_count);
enum ct_status naming_resolve_site(struct symbol_resolver *resolver,
	const struct ct_mapping *mappings, uint32_t nr_mappings, const struct collect_site *site,
	struct symbol_place *ret_place, struct ct_error *reterr);
enum ct_status naming_define_site(struct ct_sink *sink, const struct collect_site *site,
	const struct symbol_place *place, struct ct_error *reterr);

/*
 * naming_fill_tables: replaces source->tables by a copy in which sites without a function have one where
 * it can be found, and a note says for each reason how many have none. The copy lives in the caller's arena.
 */
enum ct_status naming_fill_tables(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr);

#endif
