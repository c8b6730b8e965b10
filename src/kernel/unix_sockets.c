/* SPDX-License-Identifier: MIT */
/* Asks by sock_diag(7) (unix_sockets.h). */
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/unix_sockets.h"

#define ANSWER_BYTES 16384
#define WAIT_SECONDS 2

static void read_attribute(
	struct unix_socket *socket, unsigned type, const char *value, size_t nr_bytes)
{
	struct unix_diag_rqlen lengths;

	if (type == UNIX_DIAG_PEER && nr_bytes >= sizeof(socket->peer))
		memcpy(&socket->peer, value, sizeof(socket->peer));
	if (type == UNIX_DIAG_SHUTDOWN && nr_bytes >= 1)
		socket->has_no_more = *value & 1;
	if (type == UNIX_DIAG_RQLEN && nr_bytes >= sizeof(lengths)) {
		memcpy(&lengths, value, sizeof(lengths));
		socket->nr_waiting = lengths.udiag_rqueue;
	}
}

/* The message behind this one, which is whole: NLMSG_OK. `left` are the bytes from this one on. */
static const struct nlmsghdr *next_of(const struct nlmsghdr *head, size_t *left)
{
	size_t length = NLMSG_ALIGN(head->nlmsg_len);

	*left -= length < *left ? length : *left;
	return (const void *)((const char *)head + length);
}

/* `head` is whole: NLMSG_OK. */
static bool read_socket(const struct nlmsghdr *head, struct unix_socket *ret_socket)
{
	const struct unix_diag_msg *told = (const void *)((const char *)head + NLMSG_HDRLEN);
	const char *at = (const char *)(told + 1);
	const char *end = (const char *)head + head->nlmsg_len;

	if (head->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		head->nlmsg_len < NLMSG_LENGTH(sizeof(*told)))
		return false;
	*ret_socket = (struct unix_socket){
		.inode = told->udiag_ino, .is_listening = told->udiag_state == TCP_LISTEN};
	while (at + sizeof(struct nlattr) <= end) {
		struct nlattr attribute;

		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.nla_len < NLA_HDRLEN || attribute.nla_len > end - at)
			break;
		read_attribute(ret_socket, attribute.nla_type, at + NLA_HDRLEN,
			(size_t)attribute.nla_len - NLA_HDRLEN);
		at += NLA_ALIGN(attribute.nla_len);
	}
	return true;
}

/* Returns a socket on which the question was asked; -1: that failed. inode 0: all sockets are asked for. */
static int ask(uint32_t inode)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req request;
	} question = {
		.head = {.nlmsg_len = sizeof(question),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | (inode ? 0 : NLM_F_DUMP))},
		.request = {.sdiag_family = AF_UNIX,
			.udiag_states = UINT32_MAX,
			.udiag_ino = inode,
			.udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN,
			.udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	struct timeval wait = {.tv_sec = WAIT_SECONDS};
	int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (netlink < 0)
		return -1;
	setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (send(netlink, &question, sizeof(question), 0) == (ssize_t)sizeof(question))
		return netlink;
	close(netlink);
	return -1;
}

bool unix_sockets_ask(uint32_t inode, struct unix_socket *ret_socket)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
	const struct nlmsghdr *head = (const struct nlmsghdr *)answer;
	int netlink = inode ? ask(inode) : -1;
	ssize_t nr_bytes;

	if (netlink < 0)
		return false;
	nr_bytes = recv(netlink, answer, sizeof(answer), 0);
	close(netlink);
	return nr_bytes > 0 && NLMSG_OK(head, (size_t)nr_bytes) && read_socket(head, ret_socket);
}

bool unix_sockets_each(
	void (*found)(void *context, const struct unix_socket *socket), void *context)
{
	_Alignas(struct nlmsghdr) char answer[ANSWER_BYTES];
	const struct nlmsghdr *head;
	struct unix_socket socket;
	int netlink = ask(0);
	bool is_done = false, is_told = netlink >= 0;
	size_t left;
	ssize_t got;

	while (is_told && !is_done) {
		got = recv(netlink, answer, sizeof(answer), 0);
		is_told = got > 0;
		left = is_told ? (size_t)got : 0;
		for (head = (const struct nlmsghdr *)answer; is_told && NLMSG_OK(head, left);
			head = next_of(head, &left)) {
			is_told = head->nlmsg_type != NLMSG_ERROR;
			is_done = !is_told || head->nlmsg_type == NLMSG_DONE;
			if (!is_done && read_socket(head, &socket))
				found(context, &socket);
		}
	}
	if (netlink >= 0)
		close(netlink);
	return is_told;
}
