/* SPDX-License-Identifier: MIT */
/*
 * The senders of the datagrams that come in on a socket: a socket of this process, as in a program that is a server
 * and its own client, or somebody else. Anybody may send to a socket of datagrams, so that it is never one end of a
 * pair; but who has sent so far is evidence. Once somebody else has, nothing more is asked.
 *
 * Most sockets get their port when they first send, which nothing shows. So a sender's port that is not noted is looked
 * for among all sockets of datagrams. A note may be old: the kernel is asked. A socket bound to all addresses sends
 * from that of an interface, of which only loopback's is certainly ours.
 */
#include "ends.h"
#include "ledger.h"

#include <errno.h>
#include <string.h>

#define LAST 1024u     /* descriptors whose last sender is kept */
#define SEARCHED 1024u /* descriptors among which a sender is looked for */
#define OTHERS (1u << 16)

/* By local port: the descriptor that had it when it was looked for, plus one; 0: none. */
static uint32_t bound_to[ENDS_PORTS];

/* What was last recorded of a descriptor: its number and generation, and the sender's port, or OTHERS; 0: nothing. */
static uint64_t told[LAST];

static bool has_datagrams(uint32_t entry)
{
	return entry & LEDGER_IS_OPEN && LEDGER_TYPE(entry) == CTP_DESCRIPTOR_TYPE_DATAGRAM;
}

static uint64_t telling(int fd, uint32_t entry, uint32_t port)
{
	return (uint64_t)(uint32_t)fd << 41 ^ (uint64_t)(entry & LEDGER_GENERATION) << 17 ^ port;
}

static bool is_loopback(const struct end *end)
{
	static const struct in6_addr six = IN6ADDR_LOOPBACK_INIT;
	static const unsigned char four[13] = {[10] = 0xff, [11] = 0xff, [12] = 127};

	return memcmp(end->address, four, sizeof(four)) == 0 ||
	       memcmp(end->address, &six, sizeof(six)) == 0;
}

/* The address of all interfaces, in either family: IPv4 is mapped. */
static bool is_any(const struct end *end)
{
	static const unsigned char zeros[10];

	return memcmp(end->address, zeros, 10) == 0 && memcmp(end->address + 12, zeros, 4) == 0;
}

static bool is_at(int fd, const struct end *end)
{
	struct end own;

	if (!has_datagrams(ledger_entry(fd)) || !ends_find(fd, getsockname, &own) ||
		own.port != end->port)
		return false;
	return ends_are_same(&own, end) || (is_any(&own) && is_loopback(end));
}

/* The handle of the socket of this process that has this address; 0: none is known. */
static uint64_t find_sender(const struct end *from)
{
	uint32_t noted = ctp_load_relaxed(&bound_to[from->port]), fd;

	if (noted && is_at((int)noted - 1, from))
		return ledger_handle((int)noted - 1);
	for (fd = 0; fd < SEARCHED; fd++) {
		if (!is_at((int)fd, from))
			continue;
		ctp_store_relaxed(&bound_to[from->port], fd + 1);
		return ledger_handle((int)fd);
	}
	return 0;
}

/* Without an address from the kernel, only a connected socket's sender is known. */
static bool read_sender(int fd, const void *from, socklen_t length, struct end *ret_end)
{
	struct sockaddr_storage address = {.ss_family = AF_UNSPEC};

	if (!from || !length)
		return ends_find(fd, getpeername, ret_end);
	memcpy(&address, from, length < sizeof(address) ? length : sizeof(address));
	return ends_read(&address, ret_end);
}

static void tell(const void *caller, int fd, uint32_t entry, const struct end *from)
{
	uint64_t *last = &told[(uint32_t)fd % LAST];
	uint64_t sender;

	if (ctp_load_relaxed(last) == telling(fd, entry, from->port))
		return;
	sender = from->port ? find_sender(from) : 0;
	ctp_store_relaxed(last, telling(fd, entry, sender ? from->port : OTHERS));
	ledger_note(caller, CTP_KIND_DETAIL, sender, 0, CTP_DETAIL_SENDER, 0);
}

void ledger_received(const void *caller, int fd, const void *from, socklen_t length)
{
	uint32_t entry = ledger_entry(fd);
	struct end end = {.port = 0};
	int kept = errno;

	if (!has_datagrams(entry) ||
		ctp_load_relaxed(&told[(uint32_t)fd % LAST]) == telling(fd, entry, OTHERS))
		return;
	if (!read_sender(fd, from, length, &end))
		end.port = 0;
	tell(caller, fd, entry, &end);
	errno = kept;
}
