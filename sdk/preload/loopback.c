/* SPDX-License-Identifier: MIT */
/*
 * Connections that have both ends in this process, such as those of a program that is a server and its own client. A
 * connect notes its local port. An accept looks up its peer's port there, and then asks the kernel whether the two
 * descriptors are one connection, because the note may be old.
 */
#include "ledger.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#define PORTS (1u << 16)

/* By local port: the descriptor that connected from the port last, plus one; 0: none. */
static uint32_t connected_from[PORTS];
/* Without it an accept costs nothing more: clients of most servers are elsewhere. */
static uint32_t has_connected;

struct end {
	unsigned char address[16]; /* of IPv4: as it is mapped into IPv6 */
	uint16_t port;
};

static bool read_end(const struct sockaddr_storage *from, struct end *ret_end)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

	if (from->ss_family == AF_INET6) {
		memcpy(ret_end->address, &in6->sin6_addr, sizeof(ret_end->address));
		ret_end->port = ntohs(in6->sin6_port);
		return true;
	}
	if (from->ss_family != AF_INET)
		return false;
	memcpy(ret_end->address, mapped, sizeof(mapped));
	memcpy(ret_end->address + sizeof(mapped), &in4->sin_addr, sizeof(in4->sin_addr));
	ret_end->port = ntohs(in4->sin_port);
	return true;
}

static bool find_end(int fd, int (*ask)(int, __SOCKADDR_ARG, socklen_t *), struct end *ret_end)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	return ask(fd, (struct sockaddr *)&address, &length) == 0 && read_end(&address, ret_end);
}

static bool is_same(const struct end *one, const struct end *other)
{
	return one->port == other->port &&
	       memcmp(one->address, other->address, sizeof(one->address)) == 0;
}

void ledger_connected(int fd)
{
	int kept = errno;
	struct end own;

	if (find_end(fd, getsockname, &own)) {
		ctp_store_relaxed(&connected_from[own.port], (uint32_t)fd + 1);
		ctp_store_relaxed(&has_connected, 1);
	}
	errno = kept;
}

/* 0: no descriptor of this process is noted, or the note is old. */
static uint64_t find_other_end(int fd)
{
	struct end own, peer, noted_own, noted_peer;
	uint32_t noted;

	if (!find_end(fd, getpeername, &peer))
		return 0;
	noted = ctp_load_relaxed(&connected_from[peer.port]);
	if (!noted || !find_end(fd, getsockname, &own) ||
		!find_end((int)noted - 1, getsockname, &noted_own) ||
		!find_end((int)noted - 1, getpeername, &noted_peer))
		return 0;
	return is_same(&noted_own, &peer) && is_same(&noted_peer, &own)
		       ? ledger_handle((int)noted - 1)
		       : 0;
}

uint64_t ledger_other_end(int fd)
{
	int kept = errno;
	uint64_t handle;

	if (fd < 0 || !ctp_load_relaxed(&has_connected) || !ledger_is_watching())
		return 0;
	handle = find_other_end(fd);
	errno = kept;
	return handle;
}
