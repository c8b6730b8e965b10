/* SPDX-License-Identifier: MIT */
/*
 * Splits addresses of MySQL and MariaDB. Parts may contain %XX, but not as a byte of 0.
 */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "export/mysql_address.h"

static enum ct_status refuse(struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_USAGE,
		"the output is no address of MySQL: write mysql://USER@HOST:PORT/DATABASE, or "
		"mysql://USER@/DATABASE?socket=PATH");
}

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | (c >= 'A' ? 0x20 : 0)) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Copies a part of the address to the heap; an empty part stays NULL. */
static enum ct_status take(char **ret_part, const char *at, size_t length, struct ct_error *reterr)
{
	char *part = calloc(length + 1, 1);
	size_t i, count = 0;

	if (!part)
		return ct_fail_memory(reterr);
	for (i = 0; i < length; i++) {
		int high = at[i] == '%' && i + 2 < length ? digit_of(at[i + 1]) : -1;
		int low = high >= 0 ? digit_of(at[i + 2]) : -1;

		if (at[i] == '%' && (low < 0 || !(high * 16 + low))) {
			free(part);
			return refuse(reterr);
		}
		part[count++] = at[i] == '%' ? (char)(high * 16 + low) : at[i];
		i += at[i] == '%' ? 2 : 0;
	}
	free(*ret_part);
	*ret_part = count ? part : NULL;
	if (!count)
		free(part);
	return CT_OK;
}

static enum ct_status take_port(
	unsigned *ret_port, const char *at, size_t length, struct ct_error *reterr)
{
	unsigned port = 0;
	size_t i;

	for (i = 0; i < length; i++) {
		if (at[i] < '0' || at[i] > '9' || port > 65535)
			return refuse(reterr);
		port = port * 10 + (unsigned)(at[i] - '0');
	}
	if (length && (!port || port > 65535))
		return refuse(reterr);
	*ret_port = port;
	return CT_OK;
}

/* USER:PASSWORD */
static enum ct_status take_user(
	struct mysql_address *address, const char *at, size_t length, struct ct_error *reterr)
{
	const char *colon = memchr(at, ':', length);
	size_t user = colon ? (size_t)(colon - at) : length;
	enum ct_status status = take(&address->user, at, user, reterr);

	if (status == CT_OK && colon)
		status = take(&address->password, colon + 1, length - user - 1, reterr);
	return status;
}

/* HOST:PORT; the host may be in square brackets. */
static enum ct_status take_host(
	struct mysql_address *address, const char *at, size_t length, struct ct_error *reterr)
{
	const char *end = length && *at == '[' ? memchr(at, ']', length) : NULL;
	const char *colon = end ? (end + 1 < at + length && end[1] == ':' ? end + 1 : NULL)
				: memchr(at, ':', length);
	size_t host = colon ? (size_t)(colon - at) : length;
	enum ct_status status = end ? take(&address->host, at + 1, (size_t)(end - at) - 1, reterr)
				    : take(&address->host, at, host, reterr);

	if (status == CT_OK && colon)
		status = take_port(&address->port, colon + 1, length - host - 1, reterr);
	return status;
}

static enum ct_status take_query(
	struct mysql_address *address, const char *at, struct ct_error *reterr)
{
	static const char socket[] = "socket=";

	if (strncmp(at, socket, strlen(socket)) != 0 || strchr(at, '&'))
		return refuse(reterr);
	at += strlen(socket);
	return take(&address->socket, at, strlen(at), reterr);
}

static enum ct_status read_parts(
	struct mysql_address *address, const char *at, struct ct_error *reterr)
{
	size_t authority = strcspn(at, "/?");
	const char *sign = memrchr(at, '@', authority);
	const char *host = sign ? sign + 1 : at;
	const char *path = at + authority;
	enum ct_status status = sign ? take_user(address, at, (size_t)(sign - at), reterr) : CT_OK;
	size_t length;

	if (status == CT_OK)
		status = take_host(address, host, (size_t)(path - host), reterr);
	if (status == CT_OK && *path == '/') {
		length = strcspn(++path, "?");
		status = take(&address->database, path, length, reterr);
		path += length;
	}
	if (status == CT_OK && *path == '?')
		status = take_query(address, path + 1, reterr);
	return status;
}

enum ct_status mysql_address_read(
	struct mysql_address *address, const char *text, struct ct_error *reterr)
{
	static const char *const schemes[] = {"mysql://", "mariadb://"};
	size_t i;

	*address = (struct mysql_address){.port = 0};
	if (!*text)
		return CT_OK;
	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
			return read_parts(address, text + strlen(schemes[i]), reterr);
	return refuse(reterr);
}

void mysql_address_fini(struct mysql_address *address)
{
	free(address->user);
	free(address->password);
	free(address->host);
	free(address->database);
	free(address->socket);
}
