/* SPDX-License-Identifier: MIT */
/*
 * Headers and addresses of any bytes, one on each line. A host that is accepted is one of ours, and so is an origin; an
 * address that can be read has a name.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory_file.h"
#include "serve/access.h"
#include "serve/listen.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

/* No foreign name begins like this. */
static bool looks_ours(const char *host)
{
	return strncasecmp(host, "localhost", 9) == 0 || strncasecmp(host, "own", 3) == 0 ||
	       host[0] == '[' || strspn(host, "0123456789.") == strcspn(host, ":");
}

static void check(const char *host, const char *origin)
{
	struct serve_address address;

	if (serve_access_host(host, "own"))
		require(looks_ours(host));
	if (serve_access_origin(origin, NULL, host))
		require(strlen(origin) == strlen(host) + strlen("http://"));
	require(!serve_access_token(origin, "0123456789abcdef0123456789abcdef") ||
		strlen(origin) == SERVE_TOKEN_BYTES);
	if (serve_listen_read(host, &address, NULL) == CT_OK)
		require(*address.name &&
			strlen(address.name) <= strlen(host) + strlen("localhost"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	char *text = malloc(nr_bytes + 1), *behind;

	if (!text)
		return 0;
	memcpy(text, bytes, nr_bytes);
	text[nr_bytes] = '\0';
	behind = strchr(text, '\n');
	if (behind)
		*behind++ = '\0';
	check(text, behind ? behind : text);
	free(text);
	return 0;
}
