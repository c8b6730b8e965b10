/* SPDX-License-Identifier: MIT */
/*
 * Entry points that move data. Each calls libc's function exactly once with the caller's arguments and returns its
 * result. Only descriptors that were seen to be sockets, pipes and the like are recorded: regular files would drown the
 * rest.
 */
#include "forward.h"

#include <errno.h>

/*
 * The body of every such function. The handle is read before the call: by the time the call has returned, another
 * thread may have closed the descriptor. A read of datagrams is followed by whom they are from, if the kernel wrote it
 * to `from`, where it filled `length` bytes.
 */
#define LEDGER_TRANSFER_FROM(fd, transfer, call, from, length)                         \
	do {                                                                           \
		uint64_t handle = ledger_stream(fd);                                   \
		ssize_t result = (call);                                               \
                                                                                       \
		if (handle)                                                            \
			ledger_transferred(LEDGER_CALLER, handle, (transfer), result); \
		if (handle && (transfer) == LEDGER_READ && result >= 0)                \
			ledger_received(LEDGER_CALLER, (fd), (from), (length));        \
		return (__typeof__(call))result;                                       \
	} while (0)

#define LEDGER_TRANSFER(fd, transfer, call) LEDGER_TRANSFER_FROM(fd, transfer, call, NULL, 0)

LEDGER_EXPORT ssize_t read(int fd, void *buffer, size_t nr_bytes)
{
	LEDGER_TRANSFER(fd, LEDGER_READ, real_read(fd, buffer, nr_bytes));
}

LEDGER_EXPORT ssize_t __read_chk(int fd, void *buffer, size_t nr_bytes, size_t room)
{
	LEDGER_TRANSFER(fd, LEDGER_READ, real___read_chk(fd, buffer, nr_bytes, room));
}

LEDGER_EXPORT ssize_t readv(int fd, const struct iovec *parts, int nr_parts)
{
	LEDGER_TRANSFER(fd, LEDGER_READ, real_readv(fd, parts, nr_parts));
}

LEDGER_EXPORT ssize_t recv(int fd, void *buffer, size_t nr_bytes, int flags)
{
	LEDGER_TRANSFER(fd, LEDGER_READ, real_recv(fd, buffer, nr_bytes, flags));
}

LEDGER_EXPORT ssize_t __recv_chk(int fd, void *buffer, size_t nr_bytes, size_t room, int flags)
{
	LEDGER_TRANSFER(fd, LEDGER_READ, real___recv_chk(fd, buffer, nr_bytes, room, flags));
}

/* The sender's address, if it is whole: the kernel says how long it is, not how much of it had room. */
static const void *whole(__SOCKADDR_ARG address, const socklen_t *length, socklen_t room)
{
	return length && *length <= room ? address.__sockaddr__ : NULL;
}

LEDGER_EXPORT ssize_t recvfrom(
	int fd, void *buffer, size_t nr_bytes, int flags, __SOCKADDR_ARG address, socklen_t *length)
{
	socklen_t given = length ? *length : 0;

	LEDGER_TRANSFER_FROM(fd, LEDGER_READ,
		real_recvfrom(fd, buffer, nr_bytes, flags, address, length),
		whole(address, length, given), given);
}

LEDGER_EXPORT ssize_t __recvfrom_chk(int fd, void *buffer, size_t nr_bytes, size_t room, int flags,
	__SOCKADDR_ARG address, socklen_t *length)
{
	socklen_t given = length ? *length : 0;

	LEDGER_TRANSFER_FROM(fd, LEDGER_READ,
		real___recvfrom_chk(fd, buffer, nr_bytes, room, flags, address, length),
		whole(address, length, given), given);
}

/* Records descriptors that came with a message. The kernel wrote what is read here. */
static void note_received(const void *caller, struct msghdr *message)
{
	struct cmsghdr *control;

	for (control = CMSG_FIRSTHDR(message); control; control = CMSG_NXTHDR(message, control)) {
		const unsigned char *at = CMSG_DATA(control);
		const unsigned char *end = (const unsigned char *)control + control->cmsg_len;

		if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
			continue;
		for (; end - at >= (ptrdiff_t)sizeof(int); at += sizeof(int)) {
			int fd;

			__builtin_memcpy(&fd, at, sizeof(fd));
			ledger_opened(caller, fd, CTP_DESCRIPTOR_TYPE_UNTOLD);
		}
	}
}

static void note_sender(const void *caller, int fd, const struct msghdr *message, socklen_t given)
{
	bool is_whole = message->msg_namelen <= given;

	ledger_received(caller, fd, is_whole ? message->msg_name : NULL, message->msg_namelen);
}

LEDGER_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	uint64_t handle = ledger_stream(fd);
	socklen_t given = handle ? message->msg_namelen : 0;
	ssize_t result = real_recvmsg(fd, message, flags);

	if (result >= 0 && message->msg_controllen != 0 && ledger_is_watching())
		note_received(LEDGER_CALLER, message);
	if (handle)
		ledger_transferred(LEDGER_CALLER, handle, LEDGER_READ, result);
	if (handle && result >= 0)
		note_sender(LEDGER_CALLER, fd, message, given);
	return result;
}

/* How many bytes the messages have together, or the error. */
static ssize_t sum_of(const struct mmsghdr *messages, int result)
{
	ssize_t sum = 0;
	int i;

	for (i = 0; i < result; i++)
		sum += (ssize_t)messages[i].msg_len;
	return result < 0 ? result : sum;
}

static socklen_t least_room(const struct mmsghdr *messages, unsigned count)
{
	socklen_t least = sizeof(struct sockaddr_storage);
	unsigned i;

	for (i = 0; i < count; i++)
		if (messages[i].msg_hdr.msg_namelen < least)
			least = messages[i].msg_hdr.msg_namelen;
	return least;
}

LEDGER_EXPORT int recvmmsg(
	int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	uint64_t handle = ledger_stream(fd);
	socklen_t given = handle ? least_room(messages, count) : 0;
	int result = real_recvmmsg(fd, messages, count, flags, timeout), i;

	if (handle)
		ledger_transferred(LEDGER_CALLER, handle, LEDGER_READ, sum_of(messages, result));
	for (i = 0; handle && i < result; i++)
		note_sender(LEDGER_CALLER, fd, &messages[i].msg_hdr, given);
	for (i = 0; i < result; i++)
		if (messages[i].msg_hdr.msg_controllen != 0 && ledger_is_watching())
			note_received(LEDGER_CALLER, &messages[i].msg_hdr);
	return result;
}

LEDGER_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	LEDGER_TRANSFER(fd, LEDGER_READ, real_eventfd_read(fd, value));
}

LEDGER_EXPORT ssize_t write(int fd, const void *buffer, size_t nr_bytes)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_write(fd, buffer, nr_bytes));
}

LEDGER_EXPORT ssize_t writev(int fd, const struct iovec *parts, int nr_parts)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_writev(fd, parts, nr_parts));
}

LEDGER_EXPORT ssize_t send(int fd, const void *buffer, size_t nr_bytes, int flags)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_send(fd, buffer, nr_bytes, flags));
}

LEDGER_EXPORT ssize_t sendto(int fd, const void *buffer, size_t nr_bytes, int flags,
	__CONST_SOCKADDR_ARG address, socklen_t length)
{
	LEDGER_TRANSFER(
		fd, LEDGER_WRITE, real_sendto(fd, buffer, nr_bytes, flags, address, length));
}

LEDGER_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_sendmsg(fd, message, flags));
}

LEDGER_EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	uint64_t handle = ledger_stream(fd);
	int result = real_sendmmsg(fd, messages, count, flags);

	if (handle)
		ledger_transferred(LEDGER_CALLER, handle, LEDGER_WRITE, sum_of(messages, result));
	return result;
}

LEDGER_EXPORT ssize_t sendfile(int fd, int source, off_t *offset, size_t nr_bytes)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_sendfile(fd, source, offset, nr_bytes));
}

LEDGER_EXPORT ssize_t sendfile64(int fd, int source, off64_t *offset, size_t nr_bytes)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_sendfile64(fd, source, offset, nr_bytes));
}

LEDGER_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	LEDGER_TRANSFER(fd, LEDGER_WRITE, real_eventfd_write(fd, value));
}

LEDGER_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	uint64_t handle = ledger_stream(fd);
	int result;

	if (!handle)
		return real_connect(fd, address, length);
	ledger_connecting(fd);
	result = real_connect(fd, address, length);
	if (result == 0 || errno == EINPROGRESS)
		ledger_connected(fd);
	ledger_transferred(LEDGER_CALLER, handle, LEDGER_CONNECT, result);
	return result;
}
