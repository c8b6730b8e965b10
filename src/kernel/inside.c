/* SPDX-License-Identifier: MIT */
/*
 * Looks for other ends within a process (inside.h). No function allocates. Anything may vanish between two reads, and
 * then counts as outside.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernel/inside.h"
#include "kernel/live.h"
#include "kernel/procfs.h"

struct descriptors {
	int folder;
	unsigned count;
	bool is_cut;
	int32_t numbers[INSIDE_MOST];
	char links[INSIDE_MOST][40];
};

static bool note(void *context, int number)
{
	struct descriptors *all = context;
	char name[32];

	all->is_cut = all->count == INSIDE_MOST;
	if (all->is_cut)
		return false;
	snprintf(name, sizeof(name), "fd/%d", number);
	all->numbers[all->count] = number;
	procfs_link_at(all->folder, name, all->links[all->count], sizeof(all->links[0]));
	all->count++;
	return true;
}

static const char *link_of(const struct descriptors *all, int32_t number)
{
	unsigned i;

	for (i = 0; i < all->count; i++)
		if (all->numbers[i] == number)
			return all->links[i];
	return "";
}

/* ---------------------------------------------------------------- pipes */

static bool is_writable(const struct descriptors *all, int32_t number)
{
	char name[32];
	char text[512];
	const char *flags;

	snprintf(name, sizeof(name), "fdinfo/%d", (int)number);
	procfs_read_at(all->folder, name, text, sizeof(text));
	flags = strstr(text, "flags:");
	return flags && (strtoul(flags + strlen("flags:"), NULL, 8) & O_ACCMODE) != O_RDONLY;
}

/* Both ends of a pipe have the same inode. The link of a named pipe is a path. */
static bool has_other_pipe_end(const struct descriptors *all, int32_t number, const char *link)
{
	bool is_writer = is_writable(all, number);
	unsigned i;

	for (i = 0; i < all->count; i++)
		if (strcmp(all->links[i], link) == 0 &&
			is_writable(all, all->numbers[i]) != is_writer)
			return true;
	return false;
}

/* ---------------------------------------------------------------- socket pairs */

/*
 * The peer of a socket in this network namespace. 0: the socket has no peer, is of another kind, or the kernel does not
 * say.
 */
static uint32_t read_peer(const struct nlmsghdr *head, size_t nr_bytes)
{
	const struct unix_diag_msg *told = NLMSG_DATA(head);
	const char *at = (const char *)(told + 1);
	const char *end = (const char *)head + nr_bytes;

	if (!NLMSG_OK(head, nr_bytes) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
		head->nlmsg_len < NLMSG_LENGTH(sizeof(*told)))
		return 0;
	while (at + sizeof(struct nlattr) <= end) {
		struct nlattr attribute;
		uint32_t peer;

		memcpy(&attribute, at, sizeof(attribute));
		if (attribute.nla_type == UNIX_DIAG_PEER && at + NLA_HDRLEN + sizeof(peer) <= end) {
			memcpy(&peer, at + NLA_HDRLEN, sizeof(peer));
			return peer;
		}
		if (attribute.nla_len < NLA_HDRLEN)
			return 0;
		at += NLA_ALIGN(attribute.nla_len);
	}
	return 0;
}

static uint32_t ask_peer(int netlink, uint32_t inode)
{
	struct {
		struct nlmsghdr head;
		struct unix_diag_req request;
	} ask = {
		.head = {.nlmsg_len = sizeof(ask),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = AF_UNIX,
			.udiag_states = UINT32_MAX,
			.udiag_ino = inode,
			.udiag_show = UDIAG_SHOW_PEER,
			.udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	_Alignas(struct nlmsghdr) char answer[4096];
	ssize_t nr_bytes;

	if (send(netlink, &ask, sizeof(ask), 0) != (ssize_t)sizeof(ask))
		return 0;
	nr_bytes = recv(netlink, answer, sizeof(answer), MSG_DONTWAIT);
	return nr_bytes > 0 ? read_peer((const struct nlmsghdr *)answer, (size_t)nr_bytes) : 0;
}

static bool has_peer(const struct descriptors *all, const char *link)
{
	int netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	char other[40];
	uint32_t peer;
	unsigned i;

	if (netlink < 0)
		return false;
	peer = ask_peer(netlink, (uint32_t)strtoul(link + strlen("socket:["), NULL, 10));
	close(netlink);
	snprintf(other, sizeof(other), "socket:[%" PRIu32 "]", peer);
	for (i = 0; peer && i < all->count; i++)
		if (strcmp(all->links[i], other) == 0)
			return true;
	return false;
}

/* ---------------------------------------------------------------- interest lists */

/* The number may have been reused: then the entry is for another file. */
static bool is_of_inode(const char *link, uint64_t inode)
{
	return strtoull(strchr(link, '[') + 1, NULL, 10) == inode;
}

static bool is_own(const struct descriptors *all, int32_t number, uint64_t inode)
{
	const char *link = link_of(all, number);

	if (strcmp(link, "anon_inode:[eventfd]") == 0)
		return true;
	if (strcmp(link, "anon_inode:[timerfd]") == 0)
		return !procfs_is_timer_armed_at(all->folder, number);
	if (strncmp(link, "pipe:[", strlen("pipe:[")) == 0)
		return is_of_inode(link, inode) && has_other_pipe_end(all, number, link);
	return strncmp(link, "socket:[", strlen("socket:[")) == 0 && is_of_inode(link, inode) &&
	       has_peer(all, link);
}

bool inside_is_poll_own(int folder, int32_t epoll)
{
	struct descriptors all = {.folder = folder};
	char text[16384], name[32];
	const char *line;
	size_t nr_bytes;

	snprintf(name, sizeof(name), "fdinfo/%d", (int)epoll);
	nr_bytes = procfs_read_at(folder, name, text, sizeof(text));
	if (nr_bytes == 0 || nr_bytes == sizeof(text) - 1 ||
		!procfs_numbers_at(folder, "fd", note, &all) ||
		strcmp(link_of(&all, epoll), "anon_inode:[eventpoll]") != 0)
		return false;
	for (line = strstr(text, "tfd:"); line; line = strstr(line + 1, "tfd:")) {
		struct live_watch watch;

		if (sscanf(line,
			    "tfd: %" SCNd32 " events: %" SCNx32 " data: %*x pos:%*d ino:%" SCNx64,
			    &watch.descriptor, &watch.events, &watch.inode) != 3)
			return false;
		if (live_is_armed(&watch) && !is_own(&all, watch.descriptor, watch.inode))
			return false;
	}
	return true;
}
