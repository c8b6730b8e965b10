/* SPDX-License-Identifier: MIT */
/* Receiving greetings without waiting for any peer. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "corotracer/ctp.h"
#include "corotracer/version.h"
#include "collect/listener.h"
#include "kernel/procfs.h"

#define BACKLOG 1024
#define PATIENCE_NS UINT64_C(2000000000)
#define TROUBLE_BYTES 240
#define DESCRIPTORS_MAX 8 /* descriptors that one message may bring; the kernel drops others */

/* ---------------------------------------------------------------- admission */

/*
 * Process ids may be reused while they are looked up: the search is bounded, so that it cannot follow a cycle without
 * end.
 */
#define ANCESTORS_MAX 1024

static bool descends_from(pid_t pid, pid_t ancestor)
{
	struct procfs_stat stat;
	int i;

	for (i = 0; i < ANCESTORS_MAX && pid > 1; i++, pid = stat.parent) {
		if (pid == ancestor)
			return true;
		if (!procfs_stat(pid, &stat))
			return false;
	}
	return false;
}

const char *collect_admission_refusal(const struct admission *admission, uid_t uid, pid_t pid)
{
	uid_t own = geteuid();

	if (pid <= 0)
		return "its process cannot be seen from here";
	if (uid == own || (own == 0 && admission->admits_all))
		return NULL;
	if (own != 0)
		return "it belongs to another user";
	if (!descends_from(pid, admission->target))
		return "it belongs to another user, and does not descend from the program, or has "
		       "ended "
		       "('--peers all' takes it in)";
	return NULL;
}

/* ---------------------------------------------------------------- peers */

static enum ct_status make_name(struct listener *listener, struct ct_error *reterr)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return ct_fail_errno(reterr, "naming the socket");
	snprintf(listener->name, sizeof(listener->name), "corotracer-%d-%016llx", (int)getpid(),
		(unsigned long long)random);
	return CT_OK;
}

static enum ct_status bind_socket(struct listener *listener, struct ct_error *reterr)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(listener->name);

	memcpy(address.sun_path + 1, listener->name, length);
	if (bind(listener->descriptor, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)))
		return ct_fail_errno(reterr, "binding the socket '@%s'", listener->name);
	if (listen(listener->descriptor, BACKLOG))
		return ct_fail_errno(reterr, "listening on the socket '@%s'", listener->name);
	return CT_OK;
}

enum ct_status collect_listener_open(struct listener *listener, struct ct_error *reterr)
{
	enum ct_status status;
	int i;

	listener->nr_peers = 0;
	for (i = 0; i < LISTENER_PEERS; i++)
		listener->peers[i].descriptor = -1;
	listener->descriptor = -1;
	status = make_name(listener, reterr);
	if (status)
		return status;
	listener->descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (listener->descriptor < 0)
		return ct_fail_errno(reterr, "making a socket");
	status = bind_socket(listener, reterr);
	if (status)
		collect_listener_close(listener);
	return status;
}

static void drop_peer(struct listener *listener, struct listener_peer *peer)
{
	close(peer->descriptor);
	peer->descriptor = -1;
	listener->nr_peers--;
}

void collect_listener_close(struct listener *listener)
{
	int i;

	for (i = 0; i < LISTENER_PEERS; i++)
		if (listener->peers[i].descriptor >= 0)
			drop_peer(listener, &listener->peers[i]);
	if (listener->descriptor >= 0)
		close(listener->descriptor);
	listener->descriptor = -1;
}

/*
 * Takes the descriptors out of a message: stores the first in *ret_first, closes the others, and returns their number.
 */
static unsigned take_descriptors(struct msghdr *message, int *ret_first)
{
	struct cmsghdr *part;
	unsigned count = 0;

	for (part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
		size_t bytes = part->cmsg_len - CMSG_LEN(0);
		size_t i;

		if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
			continue;
		for (i = 0; i + sizeof(int) <= bytes; i += sizeof(int)) {
			int descriptor;

			memcpy(&descriptor, CMSG_DATA(part) + i, sizeof(descriptor));
			if (count++ == 0)
				*ret_first = descriptor;
			else
				close(descriptor);
		}
	}
	return count;
}

static enum ct_status refuse(struct ct_error *reterr, pid_t pid, const char *why)
{
	return ct_fail(reterr, CT_ERR_REFUSED, "process %d was turned away: %s", (int)pid, why);
}

/* A library in the process, such as the descriptor ledger, is a peer of its own, and may be of this version. */
static const char *say_versions(const struct ctp_hello *hello, char room[TROUBLE_BYTES])
{
	snprintf(room, TROUBLE_BYTES,
		"its probe speaks version %u of the protocol, corotracer " CT_VERSION_TEXT
		" versions 1 to %u: compile it with this corotracer's headers, or record it with "
		"the corotracer of its headers",
		hello->version, CTP_VERSION);
	return room;
}

static const char *judge_greeting(const struct ctp_hello *hello, ssize_t length, int flags,
	unsigned nr_descriptors, char room[TROUBLE_BYTES])
{
	if (length == 0)
		return "it left without a greeting";
	if (length != (ssize_t)sizeof(*hello) || (flags & (MSG_TRUNC | MSG_CTRUNC)))
		return "its greeting has the wrong size";
	if (hello->magic != CTP_MAGIC)
		return "it speaks another protocol";
	if (hello->version != CTP_VERSION)
		return say_versions(hello, room);
	if (nr_descriptors != 1)
		return "its greeting came without a descriptor of its memory, or with several";
	return NULL;
}

/* Receives a peer's greeting. CT_AGAIN: the peer has not sent it yet. */
static enum ct_status receive(
	int descriptor, pid_t pid, struct arrival *ret_arrival, struct ct_error *reterr)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
	struct ctp_hello hello = {0};
	struct iovec part = {&hello, sizeof(hello)};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	char room[TROUBLE_BYTES];
	const char *trouble;
	unsigned count;
	ssize_t length;
	int memory = -1;

	length = recvmsg(descriptor, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (length < 0 && (errno == EAGAIN || errno == EINTR))
		return CT_AGAIN;
	if (length < 0)
		return refuse(reterr, pid, strerror(errno));
	count = take_descriptors(&message, &memory);
	trouble = judge_greeting(&hello, length, message.msg_flags, count, room);
	if (trouble) {
		if (memory >= 0)
			close(memory);
		return refuse(reterr, pid, trouble);
	}
	*ret_arrival = (struct arrival){.memory = memory, .pid = pid};
	return CT_OK;
}

static enum ct_status check_peer(
	const struct listener *listener, int descriptor, pid_t *ret_pid, struct ct_error *reterr)
{
	struct ucred peer = {0};
	socklen_t length = sizeof(peer);
	const char *refusal;

	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length))
		return ct_fail_errno(reterr, "asking who connected");
	*ret_pid = peer.pid;
	refusal = collect_admission_refusal(&listener->admission, peer.uid, peer.pid);
	return refusal ? refuse(reterr, peer.pid, refusal) : CT_OK;
}

static void keep_peer(struct listener *listener, int descriptor, pid_t pid)
{
	struct listener_peer *peer = listener->peers;

	while (peer->descriptor >= 0)
		peer++;
	*peer = (struct listener_peer){descriptor, pid, clock_monotonic_ns()};
	listener->nr_peers++;
}

/* Accepts one connection. CT_AGAIN: there is none, or the peer is silent and was kept: *ret_is_kept. */
static enum ct_status accept_one(struct listener *listener, struct arrival *ret_arrival,
	bool *ret_is_kept, struct ct_error *reterr)
{
	enum ct_status status;
	int descriptor;
	pid_t pid = 0;

	*ret_is_kept = false;
	if (listener->nr_peers == LISTENER_PEERS)
		return CT_AGAIN;
	descriptor = accept4(listener->descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (descriptor < 0)
		return CT_AGAIN;
	status = check_peer(listener, descriptor, &pid, reterr);
	if (status == CT_OK)
		status = receive(descriptor, pid, ret_arrival, reterr);
	if (status == CT_AGAIN) {
		keep_peer(listener, descriptor, pid);
		*ret_is_kept = true;
		return CT_AGAIN;
	}
	close(descriptor);
	return status;
}

/* Asks the silent peers again. */
static enum ct_status ask_peers(
	struct listener *listener, struct arrival *ret_arrival, struct ct_error *reterr)
{
	uint64_t now = clock_monotonic_ns();
	enum ct_status status;
	int i;

	for (i = 0; i < LISTENER_PEERS; i++) {
		struct listener_peer *peer = &listener->peers[i];

		if (peer->descriptor < 0)
			continue;
		status = receive(peer->descriptor, peer->pid, ret_arrival, reterr);
		if (status == CT_AGAIN && now - peer->since_ns > PATIENCE_NS)
			status = refuse(reterr, peer->pid, "it connected and said nothing");
		if (status == CT_AGAIN)
			continue;
		drop_peer(listener, peer);
		return status;
	}
	return CT_AGAIN;
}

enum ct_status collect_listener_next(
	struct listener *listener, struct arrival *ret_arrival, struct ct_error *reterr)
{
	enum ct_status status;
	bool is_kept;

	if (listener->nr_peers > 0) {
		status = ask_peers(listener, ret_arrival, reterr);
		if (status != CT_AGAIN)
			return status;
	}
	do {
		status = accept_one(listener, ret_arrival, &is_kept, reterr);
	} while (is_kept);
	return status;
}
