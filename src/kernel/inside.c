/* SPDX-License-Identifier: MIT */
/*
 * Looks for other ends within a process (inside.h). No function allocates. Anything may vanish between two reads, and
 * then counts as outside.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/inside.h"
#include "kernel/live.h"
#include "kernel/procfs.h"
#include "kernel/unix_sockets.h"

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

static bool has_peer(const struct descriptors *all, const char *link)
{
	uint32_t inode = (uint32_t)strtoul(link + strlen("socket:["), NULL, 10);
	struct unix_socket socket;
	char other[40];
	unsigned i;

	if (!unix_sockets_ask(inode, &socket))
		return false;
	snprintf(other, sizeof(other), "socket:[%" PRIu32 "]", socket.peer);
	for (i = 0; socket.peer && i < all->count; i++)
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
