/* SPDX-License-Identifier: MIT */
/* Places as users name them. */
#ifndef EVENT_PLACES_H
#define EVENT_PLACES_H

#include <stdbool.h>

#include "corotracer/ct.h"

/*
 * place_matches: returns whether the pattern means this place: a function, FILE, FILE:LINE or a name that the program
 * gave the place, with * and ?. FILE is a path, or the end of one; a function is its signature, its name, or the end of
 * its name: "serve" and "Server::serve" also match "net::Server::serve".
 */
bool place_matches(const char *pattern, const struct ct_site *site);

#endif
