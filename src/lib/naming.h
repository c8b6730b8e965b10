/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses: what collect, store and symbol can not do alone, since they lie side by side.
 *
 * While recording, mappings gain their build ids on the way to the sink, and at the end every site that is
 * only an address is defined again with function, file and line, so that a trace explains itself on any
 * machine. While reading, sites that still lack a name (a trace cut short) are resolved from the files
 * that the trace names, where these are still what they were.
 */
#ifndef LIB_NAMING_H
#define LIB_NAMING_H

#include "arena.h"
#include "collect.h"
#include "stream.h"

/* naming_sink_open: a sink in front of `inner` that adds build ids. Closing it closes `inner`. */
enum ct_status naming_sink_open(
	struct ct_sink *inner, struct ct_sink **ret_sink, struct ct_error *reterr);

/* naming_define_sites: resolves what the collector saw, and defines the results into the sink. */
enum ct_status naming_define_sites(
	const struct collect *collect, struct ct_sink *sink, struct ct_error *reterr);

/*
 * naming_fill_tables: replaces source->tables by a copy in which sites without a function have one where
 * it can be found. The copy lives in the caller's arena.
 */
enum ct_status naming_fill_tables(
	struct ct_source *source, struct arena *arena, struct ct_error *reterr);

#endif
