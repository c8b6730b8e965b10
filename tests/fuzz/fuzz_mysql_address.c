/* SPDX-License-Identifier: MIT */
/*
 * Addresses of MySQL of any bytes: each part must be a piece of the address, and an error must not quote the address.
 */
#include <stdlib.h>
#include <string.h>

#include "export/mysql_address.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static size_t check_part(const char *part)
{
	require(!part || *part);
	return part ? strlen(part) : 0;
}

/* Separators take one byte each, and no part is read twice. */
static void check_parts(const struct mysql_address *address, const char *text)
{
	size_t length = check_part(address->user) + check_part(address->password) +
			check_part(address->host) + check_part(address->database) +
			check_part(address->socket);

	require(address->port <= 65535);
	require(length <= strlen(text));
	require(!address->socket || strstr(text, "?socket="));
	require(!address->password || strchr(text, '@'));
}

static void check(const char *text)
{
	struct mysql_address address;
	struct ct_error error = {.text = ""};
	enum ct_status status = mysql_address_read(&address, text, &error);

	require(status == CT_OK || status == CT_ERR_USAGE);
	if (status == CT_OK)
		check_parts(&address, text);
	else
		require(strncmp(error.text, "the output is no address of MySQL: ", 35) == 0);
	mysql_address_fini(&address);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	char *text = malloc(nr_bytes + 1);

	if (!text)
		return 0;
	memcpy(text, bytes, nr_bytes);
	text[nr_bytes] = '\0';
	check(text);
	free(text);
	return 0;
}
