/* SPDX-License-Identifier: MIT */
/*
 * Where probes of version 1 find the engine: a file that they map, and a socket that they connect to.
 *
 * The memory is a memfd, sealed against shrinking, so that nothing a target does to it can end the
 * engine. What stands under the file's name is a symbolic link to it, through /proc. Both names are made
 * exclusively: where one is taken (by a link, too), it lies in a private folder instead. The socket has
 * mode 0600, and so has the memory.
 */
#ifndef COLLECT_CHANNEL_H
#define COLLECT_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "failure.h"

#define CHANNEL_PATH_BYTES sizeof(((struct sockaddr_un *)NULL)->sun_path)

struct channel {
	uint32_t max_stations;
	int memory;
	int socket; /* it listens */
	void *base; /* of the mapped memory; NULL: the channel is not open */
	size_t nr_bytes;
	char folder[CHANNEL_PATH_BYTES]; /* private; "": none was needed */
	char memory_path[4096];          /* "": not made */
	char socket_path[CHANNEL_PATH_BYTES];
	uint64_t socket_file; /* what stands under its name: is it still ours? */
};

/* channel_init: nothing is open. */
void channel_init(struct channel *channel);

/*
 * channel_open: makes both, the memory with room for so many stations. A path that is NULL means the
 * private folder. On failure everything is removed again, and the channel is as after channel_init.
 */
enum ct_status channel_open(struct channel *channel, uint32_t max_stations, const char *memory_path,
	const char *socket_path, struct ct_error *reterr);

/* channel_close: closes what is open, and removes what was made, unless it was replaced meanwhile. */
void channel_close(struct channel *channel);

#endif
