/* SPDX-License-Identifier: MIT */
/* Ends of connections: addresses of IPv4 and IPv6 in one form. Functions change errno. */
#ifndef PRELOAD_ENDS_H
#define PRELOAD_ENDS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#pragma GCC visibility push(hidden)

#define ENDS_PORTS (1u << 16)

struct end {
	unsigned char address[16]; /* of IPv4: as it is mapped into IPv6 */
	uint16_t port;
};

/*
 * ends_read: false: this is no address of IPv4 or IPv6.
 * ends_find: asks getsockname or getpeername.
 * ends_are_same: true if both have one address and one port.
 */
bool ends_read(const struct sockaddr_storage *from, struct end *ret_end);
bool ends_find(int fd, int (*ask)(int, __SOCKADDR_ARG, socklen_t *), struct end *ret_end);
bool ends_are_same(const struct end *one, const struct end *other);

#pragma GCC visibility pop

#endif
