/* SPDX-License-Identifier: MIT */
/*
 * Which code created a coroutine, from the two addresses of a site of kind CTP_SITE_CALLER. The creator only looks at
 * names and places; it reads no file of its own.
 */
#ifndef SESSION_CREATOR_H
#define SESSION_CREATOR_H

#include "collect/collect.h"
#include "symbol/symbol.h"

/*
 * creator_resolve: the place where a coroutine was created. The probe stands in the constructor of
 * its promise, which the compiler may have taken into the coroutine's first function, and that one
 * into the code that called it: then what surrounds `site->inside` says where, else the return
 * address does. Without debug information it is the function around `inside`, which is the creator
 * or the coroutine itself. Failures and lifetimes are symbol_resolve's.
 */
enum ct_status creator_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, const struct collect_site *site, struct symbol_place *ret_place,
	struct ct_error *reterr);

/* creator_is_constructor: "X::X", whatever arguments its templates and it take. */
bool creator_is_constructor(const char *function);

#endif
