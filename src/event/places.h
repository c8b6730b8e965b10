/* SPDX-License-Identifier: MIT */
/*
 * Places as people name them.
 */
#ifndef EVENT_PLACES_H
#define EVENT_PLACES_H

#include <stdbool.h>

#include "corotracer/ct.h"

/*
 * place_matches: is this one of the places that the pattern means: a function, FILE, FILE:LINE or a name that the
 * program gave the place, with * and ?. FILE is a path, or the end of one; a function is its signature, its name, or
 * the end of that: "net::Server::serve" is meant by "serve" and "Server::serve", too.
 */
bool place_matches(const char *pattern, const struct ct_site *site);

#endif
