/* SPDX-License-Identifier: MIT */
/*
 * Where probes of version 1 find the engine: a file that they map, and a socket that they connect to.
 *
 * Both are made exclusively, with mode 0600, following no link: where a name is taken, what it names lies in
 * a private folder instead. The file is a regular one, as the protocol has it, and sparse. A target that
 * shortens it cannot end the engine by that (guard.h).
 */
#ifndef VERSION1_CHANNEL_H
#define VERSION1_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/un.h>

#include "base/failure.h"
#include "version1/guard.h"

#define CHANNEL_PATH_BYTES sizeof(((struct sockaddr_un *)NULL)->sun_path)

struct channel_options {
	uint32_t max_stations;
	bool needs_room;         /* only where there is room for the whole file */
	const char *memory_path; /* NULL: in the private folder */
	const char *socket_path; /* likewise */
};

/* The file found under a name that was asked for. */
enum channel_name {
	CHANNEL_NAME_FREE,
	CHANNEL_NAME_TAKEN,
	CHANNEL_NAME_LEFT, /* by an engine that is gone: nobody listens at the socket */
};

struct channel {
	uint32_t max_stations;
	int socket; /* it listens */
	void *base; /* of the mapped memory; NULL: the channel is not open */
	size_t nr_bytes;
	struct guard *guard;
	int folder_lock;                 /* -1: no private folder was needed */
	char folder[CHANNEL_PATH_BYTES]; /* "" then */
	char memory_path[4096];          /* "": not made */
	char socket_path[CHANNEL_PATH_BYTES];
	uint64_t memory_file; /* what stands under its name: is it still ours? */
	uint64_t socket_file;
	enum channel_name memory_name;
	enum channel_name socket_name;
};

/* version1_channel_init: nothing is open. */
void version1_channel_init(struct channel *channel);

/*
 * version1_channel_open: makes both. On failure everything is removed again, and the channel is as after
 * version1_channel_init.
 */
enum ct_status version1_channel_open(
	struct channel *channel, const struct channel_options *options, struct ct_error *reterr);

/* version1_channel_close: closes what is open, and removes what was made, unless it was replaced meanwhile. */
void version1_channel_close(struct channel *channel);

#endif
