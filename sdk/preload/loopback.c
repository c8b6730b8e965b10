/* SPDX-License-Identifier: MIT */
/*
 * Connections that have both ends in this process, such as those of a program that is a server and its own client. A
 * connect notes its local port. An accept looks up its peer's port there, and then asks the kernel whether the two
 * descriptors are one connection, because the note may be old.
 *
 * The clients of a path (AF_UNIX) have no name. The kernel says whether this process has made the connection, and a
 * listener gives out connections in the order in which they were made: the oldest noted descriptor that is connected
 * to the listener's path, and that no accept has had, is the other end. If two threads connect at the same moment, the
 * two may be mistaken for each other.
 */
#include "ends.h"
#include "ledger.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* By local port: the descriptor that connected from the port last, plus one; 0: none. */
static uint32_t connected_from[ENDS_PORTS];
/* Without it an accept costs nothing more: clients of most servers are elsewhere. */
static uint32_t has_connected;

void ledger_connected(int fd)
{
	int kept = errno;
	struct end own;

	if (ends_find(fd, getsockname, &own)) {
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

	if (!ends_find(fd, getpeername, &peer))
		return 0;
	noted = ctp_load_relaxed(&connected_from[peer.port]);
	if (!noted || !ends_find(fd, getsockname, &own) ||
		!ends_find((int)noted - 1, getsockname, &noted_own) ||
		!ends_find((int)noted - 1, getpeername, &noted_peer))
		return 0;
	return ends_are_same(&noted_own, &peer) && ends_are_same(&noted_peer, &own)
		       ? ledger_handle((int)noted - 1)
		       : 0;
}

/* ---------------------------------------------------------------- paths */

#define NOTES 64u

/* The descriptors that connected to a path last, plus one each, in a ring; 0: none, or accepted since. */
static uint32_t connecting[NOTES];
static uint32_t nr_connecting;

static bool is_of_path(int fd)
{
	socklen_t length = sizeof(int);
	int domain = 0;

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_UNIX;
}

void ledger_connecting(int fd)
{
	uint32_t noted = (uint32_t)fd + 1, i;
	int kept = errno;

	if (is_of_path(fd)) {
		for (i = 0; i < NOTES; i++)
			if (ctp_load_relaxed(&connecting[i]) == noted)
				ctp_store_relaxed(&connecting[i], 0);
		i = __atomic_fetch_add(&nr_connecting, 1, __ATOMIC_RELAXED) % NOTES;
		ctp_store_relaxed(&connecting[i], noted);
		ctp_store_relaxed(&has_connected, 1);
	}
	errno = kept;
}

static bool is_own(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 && peer.pid == getpid();
}

struct path {
	struct sockaddr_un address;
	socklen_t length;
};

static bool find_path(int fd, int (*ask)(int, __SOCKADDR_ARG, socklen_t *), struct path *ret_path)
{
	ret_path->length = sizeof(ret_path->address);
	return ask(fd, (struct sockaddr *)&ret_path->address, &ret_path->length) == 0 &&
	       ret_path->address.sun_family == AF_UNIX &&
	       ret_path->length <= sizeof(ret_path->address);
}

static bool is_client_of(int fd, const struct path *listener)
{
	struct path peer;

	return find_path(fd, getpeername, &peer) && peer.length == listener->length &&
	       memcmp(&peer.address, &listener->address, peer.length) == 0;
}

/* 0: the client is in another process, or its note is gone. */
static uint64_t find_client(int fd)
{
	uint32_t newest = ctp_load_relaxed(&nr_connecting), i;
	struct path listener;

	if (!find_path(fd, getsockname, &listener) || !is_own(fd))
		return 0;
	for (i = newest > NOTES ? newest - NOTES : 0; i != newest; i++) {
		uint32_t noted = ctp_load_relaxed(&connecting[i % NOTES]);

		if (noted && is_client_of((int)noted - 1, &listener) &&
			__atomic_compare_exchange_n(&connecting[i % NOTES], &noted, 0, false,
				__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return ledger_handle((int)noted - 1);
	}
	return 0;
}

uint64_t ledger_other_end(int fd)
{
	int kept = errno;
	uint64_t handle;

	if (fd < 0 || !ctp_load_relaxed(&has_connected) || !ledger_is_watching())
		return 0;
	handle = is_of_path(fd) ? find_client(fd) : find_other_end(fd);
	errno = kept;
	return handle;
}
