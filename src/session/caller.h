/* SPDX-License-Identifier: MIT */
/*
 * Which code created or destroyed a coroutine, from the two addresses of a site of kind CTP_SITE_CALLER. Only names and
 * places are looked at; no file is read here.
 */
#ifndef SESSION_CALLER_H
#define SESSION_CALLER_H

#include "collect/collect.h"
#include "symbol/symbol.h"

/*
 * caller_resolve: the place where a coroutine was created or destroyed. The probe stands in the constructor or the
 * destructor of its promise, which the compiler may have taken into the coroutine's own function, and that one into the
 * code that called it: then what surrounds `site->inside` says where, else the return address does. A destructor that
 * is a function of its own returns into the coroutine, and who destroyed it is not known: SYMBOL_NOTHING. Without debug
 * information the place is the function around `inside`: the code that is looked for, or the coroutine itself. Failures
 * and lifetimes are symbol_resolve's.
 */
enum ct_status caller_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, const struct collect_site *site, struct symbol_place *ret_place,
	struct ct_error *reterr);

/* caller_is_constructor, caller_is_destructor: "X::X" and "X::~X", whatever arguments its templates and it take. */
bool caller_is_constructor(const char *function);
bool caller_is_destructor(const char *function);

#endif
