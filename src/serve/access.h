/* SPDX-License-Identifier: MIT */
/*
 * The right to send a request. A browser sends requests for any page that it shows, so an address that only this
 * machine can reach protects from nobody. The texts come from outside; none is stored.
 */
#ifndef SERVE_ACCESS_H
#define SERVE_ACCESS_H

#include <stdbool.h>

/*
 * serve_access_host: may a request have this Host header? The owner of another domain name could make it lead here (DNS
 * rebinding). Allowed are localhost, numeric addresses, and `own_name`, each with any port or none. NULL is not
 * allowed.
 */
bool serve_access_host(const char *host, const char *own_name);

/*
 * serve_access_origin: is the page that sends the request one of ours? `origin` and `site` are the headers Origin and
 * Sec-Fetch-Site; NULL if absent: the client is not a browser, or the user typed the address.
 */
bool serve_access_origin(const char *origin, const char *site, const char *host);

/* A token consists of hexadecimal digits. */
#define SERVE_TOKEN_BYTES 32

/* serve_access_make_token: makes a token of 128 random bits. False: the kernel gave no random bits. */
bool serve_access_make_token(char ret_token[SERVE_TOKEN_BYTES + 1]);

/* serve_access_token: is `given` the token? The comparison takes constant time. NULL is not the token. */
bool serve_access_token(const char *given, const char token[SERVE_TOKEN_BYTES + 1]);

#endif
