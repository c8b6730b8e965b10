/* SPDX-License-Identifier: MIT */
/*
 * The files by which probes of version 1 find the engine: a file that they map, and a socket that they connect to.
 *
 * Both are created exclusively, with mode 0600, without following links. If a name is already taken, the file or socket
 * is made in a private folder instead. The mapped file is a regular, sparse file, as the protocol requires. A target
 * that shortens it cannot make the engine crash (guard.h).
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
	bool needs_room;         /* fail unless the file system has room for the whole file */
	const char *memory_path; /* NULL: in the private folder */
	const char *socket_path; /* NULL: in the private folder */
};

/* What was found under a name that was requested. */
enum channel_name {
	CHANNEL_NAME_FREE,
	CHANNEL_NAME_TAKEN,
	CHANNEL_NAME_LEFT, /* left by an engine that is gone: no process listens at the socket */
};

struct channel {
	uint32_t max_stations;
	int socket; /* the listening socket */
	void *base; /* of the mapped memory; NULL: the channel is not open */
	size_t nr_bytes;
	struct guard *guard;
	int folder_lock;                 /* -1: no private folder was needed */
	char folder[CHANNEL_PATH_BYTES]; /* "" if there is none */
	char memory_path[4096];          /* "": not made */
	char socket_path[CHANNEL_PATH_BYTES];
	uint64_t memory_file; /* identifies the file, to find out whether the name is still ours */
	uint64_t socket_file;
	enum channel_name memory_name;
	enum channel_name socket_name;
};

/* version1_channel_init: initialises a channel that is not open. */
void version1_channel_init(struct channel *channel);

/*
 * version1_channel_open: makes the file and the socket. After a failure everything is removed, and the channel is as
 * after version1_channel_init.
 */
enum ct_status version1_channel_open(
	struct channel *channel, const struct channel_options *options, struct ct_error *reterr);

/*
 * version1_channel_close: closes everything, and removes what was made, unless another process has replaced it in the
 * meantime.
 */
void version1_channel_close(struct channel *channel);

#endif
