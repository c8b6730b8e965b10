/* SPDX-License-Identifier: MIT */
/*
 * Makes and removes the names under which probes of version 1 find the engine.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "version1/channel.h"
#include "version1/private_folder.h"
#include "version1/version1.h"

#define BACKLOG 64
#define NAME_ROOM 16 /* room for a name in the folder, with its slash */

/* Makes something under this name, which does not exist yet; false, with errno: failed. */
typedef bool make_function(
	struct channel *channel, const struct channel_options *options, const char *path);

void version1_channel_init(struct channel *channel)
{
	memset(channel, 0, sizeof(*channel));
	channel->socket = channel->folder_lock = -1;
}

/* ------------------------------------------------------------------ names */

/* The target may change its working folder before it looks, so paths are made absolute. False: too long. */
static bool make_absolute(const char *path, char *buffer, size_t nr_bytes)
{
	size_t length = 0;

	if (path[0] != '/') {
		if (!getcwd(buffer, nr_bytes - 1))
			return false;
		length = strlen(buffer);
		buffer[length++] = '/';
	}
	if (strlen(path) < nr_bytes - length) {
		memcpy(buffer + length, path, strlen(path) + 1);
		return true;
	}
	errno = ENAMETOOLONG;
	return false;
}

/* Identifies the file at the path; 0: there is no file of this type. */
static uint64_t file_at(const char *path, mode_t type)
{
	struct stat status;

	return lstat(path, &status) == 0 && (status.st_mode & S_IFMT) == type
		       ? (uint64_t)status.st_ino
		       : 0;
}

static void remove_ours(const char *path, mode_t type, uint64_t file)
{
	if (path[0] && file && file_at(path, type) == file)
		unlink(path);
}

static void close_folder(struct channel *channel)
{
	int kept = errno;

	if (channel->folder[0])
		version1_private_folder_close(channel->folder_lock, channel->folder);
	channel->folder[0] = '\0';
	channel->folder_lock = -1;
	errno = kept;
}

static bool make_inside(struct channel *channel, const struct channel_options *options,
	const char *name, make_function *make)
{
	char path[CHANNEL_PATH_BYTES + NAME_ROOM];

	snprintf(path, sizeof(path), "%s/%s", channel->folder, name);
	return make(channel, options, path);
}

/* Makes the file in a private folder, in the first place where both can be made. */
static bool make_in_folder(struct channel *channel, const struct channel_options *options,
	const char *name, make_function *make)
{
	const char *const parents[] = {
		getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/dev/shm", "/tmp"};
	size_t i;

	if (channel->folder[0])
		return make_inside(channel, options, name, make);
	for (i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		channel->folder_lock = version1_private_folder_open(
			parents[i], channel->folder, sizeof(channel->folder), NAME_ROOM);
		if (channel->folder_lock < 0)
			channel->folder[0] = '\0';
		else if (make_inside(channel, options, name, make))
			return true;
		close_folder(channel);
	}
	return false;
}

static bool make_somewhere(struct channel *channel, const struct channel_options *options,
	const char *wanted, const char *name, make_function *make)
{
	return (wanted && make(channel, options, wanted)) ||
	       make_in_folder(channel, options, name, make);
}

/* ------------------------------------------------------------------ the memory */

/* A target that touches a page for which there is no room would be killed by SIGBUS. */
static bool has_room(int file, size_t nr_bytes)
{
	struct statvfs system;

	if (fstatvfs(file, &system))
		return false;
	errno = ENOSPC;
	return system.f_bavail >= nr_bytes / system.f_frsize + 1;
}

static bool map_memory(struct channel *channel, const struct channel_options *options, int file)
{
	size_t nr_bytes = version1_bytes(options->max_stations);
	void *base;

	if (fchmod(file, 0600) || (options->needs_room && !has_room(file, nr_bytes)) ||
		ftruncate(file, (off_t)nr_bytes))
		return false;
	base = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (base == MAP_FAILED)
		return false;
	channel->guard = version1_guard_open(base, nr_bytes);
	if (!channel->guard) {
		munmap(base, nr_bytes);
		errno = EAGAIN;
		return false;
	}
	madvise(base, nr_bytes, MADV_DONTDUMP);
	version1_format(base, options->max_stations);
	channel->base = base;
	channel->nr_bytes = nr_bytes;
	channel->max_stations = options->max_stations;
	return true;
}

static bool make_memory(
	struct channel *channel, const struct channel_options *options, const char *path)
{
	int file = -1;
	int problem;
	bool is_mapped;

	if (make_absolute(path, channel->memory_path, sizeof(channel->memory_path)))
		file = open(channel->memory_path,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file < 0) {
		channel->memory_path[0] = '\0';
		return false;
	}
	is_mapped = map_memory(channel, options, file);
	problem = errno;
	close(file);
	channel->memory_file = file_at(channel->memory_path, S_IFREG);
	if (!is_mapped) {
		unlink(channel->memory_path);
		channel->memory_path[0] = '\0';
	}
	errno = problem;
	return is_mapped;
}

/* ------------------------------------------------------------------ the socket */

static bool bind_socket(
	struct channel *channel, const struct channel_options *options, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	(void)options;
	if (!make_absolute(path, address.sun_path, sizeof(address.sun_path)) ||
		bind(channel->socket, (const struct sockaddr *)&address, sizeof(address)))
		return false;
	memcpy(channel->socket_path, address.sun_path, sizeof(channel->socket_path));
	channel->socket_file = file_at(channel->socket_path, S_IFSOCK);
	return true;
}

static enum ct_status make_socket(
	struct channel *channel, const struct channel_options *options, struct ct_error *reterr)
{
	channel->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The file gets its mode from the socket, so at no moment can other users connect. */
	if (channel->socket < 0 || fchmod(channel->socket, 0600))
		return ct_fail_errno(reterr, "making the socket of version 1");
	if (!make_somewhere(channel, options, options->socket_path, "socket", bind_socket))
		return ct_fail_errno(reterr, "binding the socket of version 1");
	if (listen(channel->socket, BACKLOG))
		return ct_fail_errno(reterr, "listening on the socket '%s'", channel->socket_path);
	return CT_OK;
}

/* ------------------------------------------------------------------ names that are taken */

static bool is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

/* If connecting to a socket is refused, no process listens there. */
static bool has_nobody(const char *path)
{
	int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	bool is_refused = false;

	if (peer >= 0 && make_absolute(path, address.sun_path, sizeof(address.sun_path)))
		is_refused = connect(peer, (const struct sockaddr *)&address, sizeof(address)) &&
			     errno == ECONNREFUSED && file_at(address.sun_path, S_IFSOCK);
	if (peer >= 0)
		close(peer);
	return is_refused;
}

static bool is_memory(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	uint64_t magic = 0;

	if (file < 0)
		return false;
	if (read(file, &magic, sizeof(magic)) != (ssize_t)sizeof(magic))
		magic = 0;
	close(file);
	return magic == VERSION1_MAGIC;
}

/* Must be called before any name of ours exists. */
static void look_at_names(struct channel *channel, const struct channel_options *options)
{
	const char *memory = options->memory_path, *path = options->socket_path;

	if (path && is_there(path))
		channel->socket_name = has_nobody(path) ? CHANNEL_NAME_LEFT : CHANNEL_NAME_TAKEN;
	if (!memory || !is_there(memory))
		return;
	channel->memory_name = channel->socket_name != CHANNEL_NAME_TAKEN && is_memory(memory)
				       ? CHANNEL_NAME_LEFT
				       : CHANNEL_NAME_TAKEN;
}

/* ------------------------------------------------------------------ opening and closing */

enum ct_status version1_channel_open(
	struct channel *channel, const struct channel_options *options, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	look_at_names(channel, options);
	if (!make_somewhere(channel, options, options->memory_path, "stations", make_memory))
		status = ct_fail_errno(reterr, "making the memory of version 1");
	if (status == CT_OK)
		status = make_socket(channel, options, reterr);
	if (status)
		version1_channel_close(channel);
	return status;
}

void version1_channel_close(struct channel *channel)
{
	remove_ours(channel->memory_path, S_IFREG, channel->memory_file);
	remove_ours(channel->socket_path, S_IFSOCK, channel->socket_file);
	close_folder(channel);
	if (channel->socket >= 0)
		close(channel->socket);
	version1_guard_close(channel->guard);
	if (channel->base)
		munmap(channel->base, channel->nr_bytes);
	version1_channel_init(channel);
}
