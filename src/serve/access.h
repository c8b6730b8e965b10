/* SPDX-License-Identifier: MIT */
/*
 * The right to ask: a browser sends requests for any page that it shows, so that an address of this machine alone keeps
 * nobody out. Texts come from outside; nothing is kept.
 */
#ifndef SERVE_ACCESS_H
#define SERVE_ACCESS_H

#include <stdbool.h>

/*
 * serve_access_host: may a request come with this Host? A name that belongs to somebody else could be made to lead here
 * (DNS rebinding): allowed are localhost, addresses in digits, and `own_name`, each with any port or none. NULL: not
 * allowed.
 */
bool serve_access_host(const char *host, const char *own_name);

/*
 * serve_access_origin: is the page that sends the request one of ours? `origin` and `site` are the headers Origin and
 * Sec-Fetch-Site, NULL where there is none: no browser, or one that was given the address.
 */
bool serve_access_origin(const char *origin, const char *site, const char *host);

/* A token: hexadecimal digits. */
#define SERVE_TOKEN_BYTES 32

/* serve_access_make_token: 128 random bits. False: the kernel gives none. */
bool serve_access_make_token(char ret_token[SERVE_TOKEN_BYTES + 1]);

/* serve_access_token: is it the token? Takes the same time whatever differs. NULL is not. */
bool serve_access_token(const char *given, const char token[SERVE_TOKEN_BYTES + 1]);

#endif
