/* SPDX-License-Identifier: MIT */
/*
 * Port 8080 is popular: if the user did not give a port, the server takes one of the next ports.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "serve/listen.h"

#define DEFAULT_NAME "localhost"
#define DEFAULT_PORT 8080
#define NR_PORTS 100 /* ports that are tried */

/* ---------------------------------------------------------------- reading */

static bool read_port(const char *text, uint16_t *ret_port)
{
	size_t length = strlen(text);
	unsigned long port;

	if (length == 0 || length > 5 || strspn(text, "0123456789") != length)
		return false;
	port = strtoul(text, NULL, 10);
	*ret_port = (uint16_t)port;
	return port <= UINT16_MAX;
}

/* Finds the end of the name, and where the port begins; NULL: there is no port. */
static bool split(const char **name, size_t *length, const char **port)
{
	const char *behind;

	if (**name == '[') {
		*name += 1;
		*length = strcspn(*name, "]");
		if ((*name)[*length] != ']')
			return false;
		behind = *name + *length + 1;
	} else {
		*length = strcspn(*name, ":");
		behind = *name + *length;
	}
	*port = *behind == ':' ? behind + 1 : NULL;
	return *behind == ':' || *behind == '\0';
}

enum ct_status serve_listen_read(
	const char *text, struct serve_address *ret_address, struct ct_error *reterr)
{
	const char *name = text ? text : DEFAULT_NAME, *port;
	size_t length;

	*ret_address = (struct serve_address){.port = DEFAULT_PORT, .is_default_port = true};
	if (!split(&name, &length, &port) || length >= SERVE_NAME_BYTES)
		return ct_fail(reterr, CT_ERR_USAGE,
			"cannot listen on '%s': an address looks like localhost:8080 or [::1]:8080",
			text);
	if (length)
		memcpy(ret_address->name, name, length);
	else
		memcpy(ret_address->name, DEFAULT_NAME, sizeof(DEFAULT_NAME));
	ret_address->is_default_port = !port;
	if (port && !read_port(port, &ret_address->port))
		return ct_fail(reterr, CT_ERR_USAGE,
			"cannot listen on '%s': a port is a number up to 65535", text);
	return CT_OK;
}

/* ---------------------------------------------------------------- listening */

static bool is_loopback(const struct sockaddr *address)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)(const void *)address;
	const struct sockaddr_in *four = (const struct sockaddr_in *)(const void *)address;

	if (address->sa_family == AF_INET6)
		return IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
	return ntohl(four->sin_addr.s_addr) >> 24 == 127;
}

static void set_port(struct sockaddr *address, uint16_t port)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)address;
	struct sockaddr_in *four = (struct sockaddr_in *)(void *)address;

	if (address->sa_family == AF_INET6)
		six->sin6_port = htons(port);
	else
		four->sin_port = htons(port);
}

static uint16_t port_of(int socket_descriptor)
{
	struct sockaddr_storage bound;
	socklen_t length = sizeof(bound);

	if (getsockname(socket_descriptor, (struct sockaddr *)&bound, &length))
		return 0;
	return ntohs(bound.ss_family == AF_INET6
			     ? ((struct sockaddr_in6 *)(void *)&bound)->sin6_port
			     : ((struct sockaddr_in *)(void *)&bound)->sin_port);
}

/* Returns -1 on failure; errno says why. */
static int listen_at(struct addrinfo *found, uint16_t port)
{
	int one = 1, trouble;
	int made = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (made < 0)
		return -1;
	set_port(found->ai_addr, port);
	setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (found->ai_family == AF_INET6)
		setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
	if (bind(made, found->ai_addr, found->ai_addrlen) == 0 && listen(made, SOMAXCONN) == 0)
		return made;
	trouble = errno;
	close(made);
	errno = trouble;
	return -1;
}

static int listen_near(
	struct addrinfo *found, struct serve_address *address, struct ct_error *reterr)
{
	uint16_t wanted = address->port, i;
	int made = listen_at(found, wanted);

	for (i = 1; made < 0 && errno == EADDRINUSE && address->is_default_port && i < NR_PORTS;
		i++)
		made = listen_at(found, (uint16_t)(wanted + i));
	if (made < 0) {
		ct_fail_errno(reterr, "cannot listen on port %u of '%s'", wanted, address->name);
		return -1;
	}
	address->port = port_of(made);
	address->has_moved = wanted && address->port != wanted;
	address->is_open_to_others = !is_loopback(found->ai_addr);
	address->is_version_6 = found->ai_family == AF_INET6;
	return made;
}

int serve_listen_open(struct serve_address *address, struct ct_error *reterr)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct addrinfo *found;
	int made, trouble;

	/* Only IPv4 for localhost: all resolvers and browsers support it. */
	if (strcasecmp(address->name, DEFAULT_NAME) == 0)
		hints.ai_family = AF_INET;
	trouble = getaddrinfo(address->name, NULL, &hints, &found);
	if (trouble) {
		ct_fail(reterr, CT_ERR_SYSTEM, "cannot listen on '%s': %s", address->name,
			gai_strerror(trouble));
		return -1;
	}
	made = listen_near(found, address, reterr);
	freeaddrinfo(found);
	return made;
}
