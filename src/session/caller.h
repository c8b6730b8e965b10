/* SPDX-License-Identifier: MIT */
/*
 * The code that created or destroyed a coroutine, found from the two addresses of a site of kind CTP_SITE_CALLER. Uses
 * only names and places; no file is read here.
 */
#ifndef SESSION_CALLER_H
#define SESSION_CALLER_H

#include "collect/collect.h"
#include "symbol/symbol.h"

/*
 * caller_resolve: finds the place where a coroutine was created or destroyed. The probe is called in the constructor or
 * the destructor of the coroutine's promise, which the compiler may have inlined into the coroutine's own function, and
 * that function into its caller. If so, the functions around `site->inside` show the place; otherwise the return
 * address does. A destructor that is a function of its own returns into the coroutine, and the destroying code is not
 * known: SYMBOL_NOTHING. Without debug information the place is the function around `inside`: the wanted code, or the
 * coroutine itself. Failures and lifetimes are those of symbol_resolve.
 */
enum ct_status caller_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, const struct collect_site *site, struct symbol_place *ret_place,
	struct ct_error *reterr);

/*
 * caller_is_constructor, caller_is_destructor: return whether the name is "X::X" or "X::~X", whatever arguments the
 * templates and the function take.
 */
bool caller_is_constructor(const char *function);
bool caller_is_destructor(const char *function);

#endif
