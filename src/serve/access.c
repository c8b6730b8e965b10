/* SPDX-License-Identifier: MIT */
/*
 * Judges a request only by the texts of its headers.
 */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#include "serve/access.h"

#define NAME_BYTES 256

/* Splits NAME[:PORT] and removes brackets; false: not of this form. */
static bool read_name(const char *host, char name[NAME_BYTES])
{
	bool has_brackets = host[0] == '[';
	const char *begin = host + has_brackets;
	size_t length = strcspn(begin, has_brackets ? "]" : ":");
	const char *behind = begin + length + has_brackets;

	if (length == 0 || length >= NAME_BYTES || (has_brackets && begin[length] != ']'))
		return false;
	if (*behind && (*behind != ':' || strspn(behind + 1, "0123456789") != strlen(behind + 1)))
		return false;
	memcpy(name, begin, length);
	name[length] = '\0';
	return true;
}

bool serve_access_host(const char *host, const char *own_name)
{
	struct in6_addr address;
	char name[NAME_BYTES];

	if (!host || !read_name(host, name))
		return false;
	if (host[0] == '[')
		return inet_pton(AF_INET6, name, &address) == 1;
	return strcasecmp(name, "localhost") == 0 || strcasecmp(name, own_name) == 0 ||
	       inet_pton(AF_INET, name, &address) == 1;
}

bool serve_access_origin(const char *origin, const char *site, const char *host)
{
	static const char scheme[] = "http://";
	size_t length = sizeof(scheme) - 1;

	if (site && strcasecmp(site, "same-origin") != 0 && strcasecmp(site, "none") != 0)
		return false;
	if (!origin)
		return true;
	return host && strncasecmp(origin, scheme, length) == 0 &&
	       strcasecmp(origin + length, host) == 0;
}

bool serve_access_make_token(char ret_token[SERVE_TOKEN_BYTES + 1])
{
	uint8_t random[SERVE_TOKEN_BYTES / 2];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return false;
	for (i = 0; i < sizeof(random); i++)
		snprintf(ret_token + 2 * i, 3, "%02x", random[i]);
	return true;
}

bool serve_access_token(const char *given, const char token[SERVE_TOKEN_BYTES + 1])
{
	unsigned differs = 0;
	size_t i;

	if (!given || strlen(given) != SERVE_TOKEN_BYTES)
		return false;
	for (i = 0; i < SERVE_TOKEN_BYTES; i++)
		differs |= (unsigned)(given[i] ^ token[i]);
	return differs == 0;
}
