/* SPDX-License-Identifier: MIT */
/*
 * What has arrived at the descriptors of a process, and which of them are two ends of one thing (live_arrivals.h).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "kernel/live_arrivals.h"
#include "kernel/polled.h"
#include "kernel/unix_sockets.h"

#define FACTS_BYTES 1024
#define SOCKETS_BYTES ((size_t)32 << 20) /* of one table's text; a socket takes 150 bytes */

#define TCP_LISTENS 0x0au
#define TCP_PEER_CLOSED 0x08u

struct arrivals {
	struct live *live;
	int folder;
	struct map
		by_inode; /* of sockets and pipes: the descriptor that was found first, counted from 0 */
	struct map by_ends; /* of TCP connections: hash of both addresses, the same */
	bool is_out_of_memory;
};

static struct live_descriptor *descriptor_at(const struct arrivals *arrivals, uint32_t at)
{
	return &arrivals->live->descriptors.at[at];
}

static void note(struct arrivals *arrivals, struct map *map, uint64_t key, uint32_t at)
{
	arrivals->is_out_of_memory |= !map_put(map, key, at);
}

static void join_ends(const struct arrivals *arrivals, uint32_t one, uint32_t other)
{
	descriptor_at(arrivals, one)->other_end = descriptor_at(arrivals, other)->number;
	descriptor_at(arrivals, other)->other_end = descriptor_at(arrivals, one)->number;
}

static void arrive(struct live_descriptor *descriptor, enum live_arrival arrival, uint64_t count)
{
	if (count == 0)
		return;
	descriptor->arrival = arrival;
	descriptor->nr_arrived = count;
}

/* ---------------------------------------------------------------- pipes, eventfds, timers */

static const char *read_facts(const struct arrivals *arrivals, int32_t number, char *text)
{
	char name[32];

	snprintf(name, sizeof(name), "fdinfo/%d", (int)number);
	procfs_read_at(arrivals->folder, name, text, FACTS_BYTES);
	return text;
}

static uint64_t number_behind(const char *facts, const char *word, int base)
{
	const char *at = strstr(facts, word);

	return at ? strtoull(at + strlen(word), NULL, base) : 0;
}

static bool is_writer(const struct arrivals *arrivals, int32_t number)
{
	char text[FACTS_BYTES];

	return (number_behind(read_facts(arrivals, number, text), "flags:", 8) & O_ACCMODE) !=
	       O_RDONLY;
}

/* Both ends of a pipe have one inode. */
static void look_at_pipe(struct arrivals *arrivals, uint32_t at)
{
	const struct live_descriptor *pipe = descriptor_at(arrivals, at);
	uint32_t other;

	if (!map_get(&arrivals->by_inode, pipe->inode, &other))
		note(arrivals, &arrivals->by_inode, pipe->inode, at);
	else if (is_writer(arrivals, pipe->number) !=
		 is_writer(arrivals, descriptor_at(arrivals, other)->number))
		join_ends(arrivals, at, other);
}

/* A socket that has several descriptors is told by the first. */
static void look_at_one(struct arrivals *arrivals, uint32_t at)
{
	struct live_descriptor *descriptor = descriptor_at(arrivals, at);
	const char *kind = live_kind_name(descriptor);
	char text[FACTS_BYTES];
	uint32_t other;

	if (strcmp(kind, "pipe") == 0)
		look_at_pipe(arrivals, at);
	if (strcmp(kind, "socket") == 0 && !map_get(&arrivals->by_inode, descriptor->inode, &other))
		note(arrivals, &arrivals->by_inode, descriptor->inode, at);
	if (strcmp(kind, "eventfd") == 0)
		arrive(descriptor, LIVE_ARRIVAL_COUNT,
			number_behind(read_facts(arrivals, descriptor->number, text),
				"eventfd-count:", 16));
	if (strcmp(kind, "timerfd") == 0)
		arrive(descriptor, LIVE_ARRIVAL_COUNT,
			number_behind(
				read_facts(arrivals, descriptor->number, text), "ticks:", 10));
	arrivals->live->has_epoll |= strcmp(kind, "epoll") == 0;
	arrivals->live->has_io_uring |= strcmp(kind, "io_uring") == 0;
}

/* ---------------------------------------------------------------- TCP */

/* Until the end of the peer's stream was read, it counts as one byte. */
static void take_tcp(struct live_descriptor *socket, unsigned state, uint64_t nr_waiting)
{
	bool has_end = state == TCP_PEER_CLOSED && nr_waiting > 0;

	if (state == TCP_LISTENS)
		arrive(socket, LIVE_ARRIVAL_PEERS, nr_waiting);
	else if (has_end && nr_waiting == 1)
		arrive(socket, LIVE_ARRIVAL_END, 1);
	else
		arrive(socket, LIVE_ARRIVAL_BYTES, nr_waiting - has_end);
}

static uint64_t hash_of_ends(const char *one, const char *other)
{
	return hash_text(hash_text(HASH_START, one), other);
}

static void read_tcp(struct arrivals *arrivals, const char *line)
{
	char local[64], remote[64];
	unsigned state;
	uint64_t nr_waiting, inode;
	uint32_t at, other;

	if (sscanf(line,
		    " %*u: %63[0-9A-F:] %63[0-9A-F:] %x %*x:%" SCNx64
		    " %*x:%*x %*x %*u %*u %" SCNu64,
		    local, remote, &state, &nr_waiting, &inode) != 5 ||
		!map_get(&arrivals->by_inode, inode, &at))
		return;
	take_tcp(descriptor_at(arrivals, at), state, nr_waiting);
	if (map_get(&arrivals->by_ends, hash_of_ends(remote, local), &other))
		join_ends(arrivals, at, other);
	else
		note(arrivals, &arrivals->by_ends, hash_of_ends(local, remote), at);
}

/* The process's own network namespace. */
static void look_at_tcp(struct arrivals *arrivals, const char *name)
{
	char *text = malloc(SOCKETS_BYTES); /* memory is used only for pages that are written */
	char *line, *end;

	arrivals->is_out_of_memory |= !text;
	if (!text)
		return;
	procfs_read_at(arrivals->folder, name, text, SOCKETS_BYTES);
	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		read_tcp(arrivals, line);
	}
	free(text);
}

/* ---------------------------------------------------------------- unix sockets */

static void take_unix(void *context, const struct unix_socket *socket)
{
	struct arrivals *arrivals = context;
	struct live_descriptor *descriptor;
	uint32_t at, other;

	if (!map_get(&arrivals->by_inode, socket->inode, &at))
		return;
	descriptor = descriptor_at(arrivals, at);
	if (socket->has_no_more)
		arrive(descriptor, LIVE_ARRIVAL_END, 1);
	arrive(descriptor, socket->is_listening ? LIVE_ARRIVAL_PEERS : LIVE_ARRIVAL_BYTES,
		socket->nr_waiting);
	if (socket->peer && map_get(&arrivals->by_inode, socket->peer, &other))
		join_ends(arrivals, at, other);
}

/* ---------------------------------------------------------------- interest lists and polls */

static struct live_descriptor *numbered(const struct arrivals *arrivals, int32_t number)
{
	return (struct live_descriptor *)(uintptr_t)live_descriptor_of(arrivals->live, number);
}

static void look_at_watches(const struct arrivals *arrivals)
{
	size_t i;

	for (i = 0; i < arrivals->live->watches.count; i++) {
		const struct live_watch *watch = &arrivals->live->watches.at[i];
		struct live_descriptor *descriptor = numbered(arrivals, watch->descriptor);

		if (!descriptor || !live_is_of(watch, descriptor))
			continue;
		descriptor->is_watched = true;
		if (live_is_armed(watch))
			descriptor->watched_events |= watch->events;
	}
}

static void note_polled(const struct arrivals *arrivals, const struct polled *polled)
{
	unsigned i;

	for (i = 0; i < polled->count; i++) {
		struct live_descriptor *descriptor = numbered(arrivals, polled->at[i].number);

		if (descriptor)
			descriptor->is_polled = true;
	}
}

/* Descriptors for which threads wait in poll and the like, without an interest list. */
static void look_at_polls(const struct arrivals *arrivals)
{
	struct live *live = arrivals->live;
	struct polled polled;
	size_t i;

	for (i = 0; i < live->threads.count; i++) {
		const struct live_thread *thread = &live->threads.at[i];

		if (!polled_is_call(thread->call))
			continue;
		if (polled_read(arrivals->folder, thread->call, thread->arguments, &polled))
			note_polled(arrivals, &polled);
		else
			live->has_unknown_polls = true;
	}
}

bool live_arrivals_look(struct live *live, int folder)
{
	struct arrivals arrivals = {.live = live, .folder = folder};
	uint32_t i;

	for (i = 0; i < live->descriptors.count; i++)
		look_at_one(&arrivals, i);
	if (arrivals.by_inode.count > 0) {
		look_at_tcp(&arrivals, "net/tcp");
		look_at_tcp(&arrivals, "net/tcp6");
		unix_sockets_each(take_unix, &arrivals);
	}
	look_at_watches(&arrivals);
	look_at_polls(&arrivals);
	map_fini(&arrivals.by_inode);
	map_fini(&arrivals.by_ends);
	return !arrivals.is_out_of_memory;
}
