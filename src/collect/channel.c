/* SPDX-License-Identifier: MIT */
/*
 * Making the names under which probes of version 1 find the engine, and removing them.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"
#include "version1.h"

#define BACKLOG 64
#define LINK_BYTES 64
#define FOLDER_PATTERN "corotracer-XXXXXX"
#define NAME_ROOM 16 /* of a name in the folder, with its slash */

void channel_init(struct channel *channel)
{
	memset(channel, 0, sizeof(*channel));
	channel->memory = channel->socket = -1;
}

/* ------------------------------------------------------------------ the folder */

static bool make_folder_in(struct channel *channel, const char *parent)
{
	size_t length = parent ? strlen(parent) : 0;

	if (length == 0 || parent[0] != '/' ||
		length + 1 + sizeof(FOLDER_PATTERN) + NAME_ROOM > sizeof(channel->folder))
		return false;
	snprintf(channel->folder, sizeof(channel->folder), "%s/" FOLDER_PATTERN, parent);
	if (mkdtemp(channel->folder))
		return true;
	channel->folder[0] = '\0';
	return false;
}

static enum ct_status need_folder(struct channel *channel, struct ct_error *reterr)
{
	if (channel->folder[0] || make_folder_in(channel, getenv("XDG_RUNTIME_DIR")) ||
		make_folder_in(channel, getenv("TMPDIR")) || make_folder_in(channel, "/tmp"))
		return CT_OK;
	return ct_fail_errno(reterr, "making a private folder for version 1");
}

/* The target may change its folder before it looks. False: too long. */
static bool make_absolute(const char *path, char *buffer, size_t nr_bytes)
{
	char folder[4096] = "";

	if (path[0] != '/' && !getcwd(folder, sizeof(folder) - 1))
		return false;
	return snprintf(buffer, nr_bytes, "%s%s%s", folder, folder[0] ? "/" : "", path) <
	       (int)nr_bytes;
}

/* ------------------------------------------------------------------ the memory */

static void format_link(const struct channel *channel, char link[LINK_BYTES])
{
	snprintf(link, LINK_BYTES, "/proc/%d/fd/%d", (int)getpid(), channel->memory);
}

static enum ct_status make_memory(struct channel *channel, struct ct_error *reterr)
{
	void *base;

	channel->nr_bytes = version1_bytes(channel->max_stations);
	channel->memory = memfd_create("corotracer-version1", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (channel->memory < 0)
		return ct_fail_errno(reterr, "making the memory of version 1");
	if (fchmod(channel->memory, 0600) || ftruncate(channel->memory, (off_t)channel->nr_bytes) ||
		fcntl(channel->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return ct_fail_errno(reterr, "preparing the memory of version 1");
	base = mmap(
		NULL, channel->nr_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, channel->memory, 0);
	if (base == MAP_FAILED)
		return ct_fail_errno(reterr, "mapping the memory of version 1");
	madvise(base, channel->nr_bytes, MADV_DONTDUMP);
	channel->base = base;
	version1_format(base, channel->max_stations);
	return CT_OK;
}

static bool link_memory(struct channel *channel, const char *path)
{
	char link[LINK_BYTES];

	if (!make_absolute(path, channel->memory_path, sizeof(channel->memory_path)))
		return false;
	format_link(channel, link);
	if (symlink(link, channel->memory_path) == 0)
		return true;
	channel->memory_path[0] = '\0';
	return false;
}

static enum ct_status name_memory(
	struct channel *channel, const char *wanted, struct ct_error *reterr)
{
	char path[CHANNEL_PATH_BYTES];
	enum ct_status status;

	if (wanted && link_memory(channel, wanted))
		return CT_OK;
	status = need_folder(channel, reterr);
	if (status)
		return status;
	if (snprintf(path, sizeof(path), "%s/stations", channel->folder) >= (int)sizeof(path) ||
		!link_memory(channel, path))
		return ct_fail_errno(reterr, "naming the memory of version 1 '%s'", path);
	return CT_OK;
}

/* ------------------------------------------------------------------ the socket */

static uint64_t file_at(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) ? (uint64_t)status.st_ino : 0;
}

static bool bind_socket(struct channel *channel, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	if (!make_absolute(path, address.sun_path, sizeof(address.sun_path)) ||
		bind(channel->socket, (const struct sockaddr *)&address, sizeof(address)))
		return false;
	snprintf(channel->socket_path, sizeof(channel->socket_path), "%s", address.sun_path);
	channel->socket_file = file_at(channel->socket_path);
	return true;
}

static enum ct_status name_socket(
	struct channel *channel, const char *wanted, struct ct_error *reterr)
{
	char path[CHANNEL_PATH_BYTES];
	enum ct_status status;

	if (wanted && bind_socket(channel, wanted))
		return CT_OK;
	status = need_folder(channel, reterr);
	if (status)
		return status;
	if (snprintf(path, sizeof(path), "%s/socket", channel->folder) >= (int)sizeof(path) ||
		!bind_socket(channel, path))
		return ct_fail_errno(reterr, "binding the socket of version 1 '%s'", path);
	return CT_OK;
}

static enum ct_status make_socket(
	struct channel *channel, const char *wanted, struct ct_error *reterr)
{
	enum ct_status status;

	channel->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* The file gets the socket's own mode: there is no moment at which others may connect. */
	if (channel->socket < 0 || fchmod(channel->socket, 0600))
		return ct_fail_errno(reterr, "making the socket of version 1");
	status = name_socket(channel, wanted, reterr);
	if (status == CT_OK && listen(channel->socket, BACKLOG))
		return ct_fail_errno(reterr, "listening on the socket '%s'", channel->socket_path);
	return status;
}

/* ------------------------------------------------------------------ opening and closing */

enum ct_status channel_open(struct channel *channel, uint32_t max_stations, const char *memory_path,
	const char *socket_path, struct ct_error *reterr)
{
	enum ct_status status;

	channel->max_stations = max_stations;
	status = make_memory(channel, reterr);
	if (status == CT_OK)
		status = name_memory(channel, memory_path, reterr);
	if (status == CT_OK)
		status = make_socket(channel, socket_path, reterr);
	if (status)
		channel_close(channel);
	return status;
}

static bool is_our_link(const struct channel *channel)
{
	char ours[LINK_BYTES];
	char present[LINK_BYTES];
	ssize_t length = readlink(channel->memory_path, present, sizeof(present));

	format_link(channel, ours);
	return length == (ssize_t)strlen(ours) && memcmp(ours, present, strlen(ours)) == 0;
}

void channel_close(struct channel *channel)
{
	if (channel->memory_path[0] && is_our_link(channel))
		unlink(channel->memory_path);
	if (channel->socket_path[0] && channel->socket_file &&
		file_at(channel->socket_path) == channel->socket_file)
		unlink(channel->socket_path);
	if (channel->folder[0])
		rmdir(channel->folder);
	if (channel->socket >= 0)
		close(channel->socket);
	if (channel->base)
		munmap(channel->base, channel->nr_bytes);
	if (channel->memory >= 0)
		close(channel->memory);
	channel_init(channel);
}
