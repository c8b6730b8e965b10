/* SPDX-License-Identifier: MIT */
/* Unix sockets of our network namespace, as the kernel tells them by netlink. No function allocates. */
#ifndef KERNEL_UNIX_SOCKETS_H
#define KERNEL_UNIX_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

struct unix_socket {
	uint32_t inode;
	uint32_t peer; /* inode; 0: none, or the kernel does not say */
	bool is_listening;
	bool has_no_more;    /* the peer sends no more */
	uint32_t nr_waiting; /* bytes to read, or connections to accept; 0: none, or not known */
};

/* unix_sockets_ask: false: there is no such socket, or the kernel does not say. */
bool unix_sockets_ask(uint32_t inode, struct unix_socket *ret_socket);

/* unix_sockets_each: calls `found` for each socket. False: the kernel does not say. */
bool unix_sockets_each(
	void (*found)(void *context, const struct unix_socket *socket), void *context);

#endif
