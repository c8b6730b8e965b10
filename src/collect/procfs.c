/* SPDX-License-Identifier: MIT */
/*
 * Reading /proc without allocation: the collector's loop comes by here.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs.h"

#define PATH_BYTES 96

size_t procfs_read(pid_t pid, const char *name, char *buffer, size_t nr_bytes)
{
	char path[PATH_BYTES];
	size_t length = 0;
	ssize_t got;
	int descriptor;

	buffer[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return 0;
	while (length < nr_bytes - 1) {
		got = read(descriptor, buffer + length, nr_bytes - 1 - length);
		if (got <= 0)
			break;
		length += (size_t)got;
	}
	close(descriptor);
	buffer[length] = '\0';
	return length;
}

bool procfs_status(pid_t pid, char *ret_state, pid_t *ret_parent)
{
	const char *behind_name;
	char text[512];

	if (procfs_read(pid, "stat", text, sizeof(text)) == 0)
		return false;
	behind_name = strrchr(text, ')'); /* the name may hold anything, brackets too */
	return behind_name && sscanf(behind_name + 1, " %c %d", ret_state, ret_parent) == 2;
}

void procfs_link(pid_t pid, const char *name, char *buffer, size_t nr_bytes)
{
	char path[PATH_BYTES];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	length = readlink(path, buffer, nr_bytes - 1);
	buffer[length < 0 ? 0 : length] = '\0';
}

void procfs_command_line(pid_t pid, char *buffer, size_t nr_bytes)
{
	size_t length = procfs_read(pid, "cmdline", buffer, nr_bytes);
	size_t i;

	while (length > 0 && buffer[length - 1] == '\0')
		length--;
	for (i = 0; i < length; i++)
		if (buffer[i] == '\0')
			buffer[i] = ' ';
}

void procfs_thread_name(pid_t pid, uint64_t tid, char *buffer, size_t nr_bytes)
{
	char name[PATH_BYTES];
	size_t length;

	snprintf(name, sizeof(name), "task/%llu/comm", (unsigned long long)tid);
	length = procfs_read(pid, name, buffer, nr_bytes);
	if (length > 0 && buffer[length - 1] == '\n')
		buffer[length - 1] = '\0';
}

/* One buffer of directory entries; false: it was enough. */
static bool find_numbers(const char *entries, size_t nr_bytes,
	bool (*found)(void *context, int number), void *context)
{
	size_t position = 0;

	while (position < nr_bytes) {
		const struct dirent64 *entry = (const void *)(entries + position);
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		position += entry->d_reclen;
		if (end == entry->d_name)
			continue; /* "." and ".." */
		if (!found(context, (int)number))
			return false;
	}
	return true;
}

bool procfs_numbers(
	pid_t pid, const char *name, bool (*found)(void *context, int number), void *context)
{
	_Alignas(struct dirent64) char entries[4096];
	char path[PATH_BYTES];
	ssize_t got;
	int descriptor;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor < 0)
		return false;
	do {
		got = getdents64(descriptor, entries, sizeof(entries));
	} while (got > 0 && find_numbers(entries, (size_t)got, found, context));
	close(descriptor);
	return got == 0;
}
