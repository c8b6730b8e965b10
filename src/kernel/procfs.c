/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc without allocation, because the collector's loop calls these functions.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/procfs.h"

/* Paths below /proc/PID, for callers that name a process by its id. */
static struct procfs_path path_of(pid_t pid, const char *name)
{
	struct procfs_path path;

	snprintf(path.text, sizeof(path.text), "/proc/%d/%s", (int)pid, name);
	return path;
}

struct procfs_path procfs_descriptor(pid_t pid, int number)
{
	struct procfs_path path;

	snprintf(path.text, sizeof(path.text), "/proc/%d/fd/%d", (int)pid, number);
	return path;
}

int procfs_open(pid_t pid)
{
	return open(path_of(pid, "").text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

size_t procfs_read_at(int folder, const char *name, char *buffer, size_t nr_bytes)
{
	size_t length = 0;
	ssize_t got;
	int descriptor;

	buffer[0] = '\0';
	descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC);
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

bool procfs_memory_at(int folder, uint64_t address, void *bytes, size_t nr_bytes)
{
	int memory = openat(folder, "mem", O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	if (memory < 0)
		return false;
	if (address <= INT64_MAX)
		got = pread(memory, bytes, nr_bytes, (off_t)address);
	close(memory);
	return got >= 0 && (size_t)got == nr_bytes;
}

size_t procfs_read(pid_t pid, const char *name, char *buffer, size_t nr_bytes)
{
	return procfs_read_at(AT_FDCWD, path_of(pid, name).text, buffer, nr_bytes);
}

uint64_t procfs_inner_id(pid_t pid, const char *name)
{
	const char *last;
	char *ids;
	char text[4096];

	procfs_read(pid, name, text, sizeof(text));
	ids = strstr(text, "\nNSpid:");
	if (!ids)
		return 0;
	ids[1 + strcspn(ids + 1, "\n")] = '\0';
	last = strrchr(ids, '\t');
	return last ? strtoull(last, NULL, 10) : 0;
}

bool procfs_is_called(pid_t pid, uint64_t id)
{
	return id == (uint64_t)pid || (id != 0 && procfs_inner_id(pid, "status") == id);
}

pid_t procfs_process_of(uint64_t tid)
{
	char text[512];
	const char *line;
	int pid = 0;

	if (procfs_read((pid_t)tid, "status", text, sizeof(text)) == 0)
		return 0;
	line = strstr(text, "\nTgid:");
	return line && sscanf(line, "\nTgid: %d", &pid) == 1 ? pid : 0;
}

bool procfs_has_our_root(pid_t pid)
{
	struct stat theirs, ours;
	char there[64], here[64];

	procfs_link(pid, "ns/mnt", there, sizeof(there));
	procfs_link_at(AT_FDCWD, "/proc/self/ns/mnt", here, sizeof(here));
	if (there[0] && strcmp(there, here) != 0)
		return false;
	return stat(path_of(pid, "root").text, &theirs) < 0 || stat("/", &ours) < 0 ||
	       (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino);
}

int procfs_open_root(pid_t pid)
{
	return open(path_of(pid, "root").text, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void procfs_link_at(int folder, const char *name, char *buffer, size_t nr_bytes)
{
	ssize_t length = readlinkat(folder, name, buffer, nr_bytes - 1);

	buffer[length < 0 ? 0 : length] = '\0';
}

void procfs_link(pid_t pid, const char *name, char *buffer, size_t nr_bytes)
{
	procfs_link_at(AT_FDCWD, path_of(pid, name).text, buffer, nr_bytes);
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
	char name[48];
	size_t length;

	snprintf(name, sizeof(name), "task/%llu/comm", (unsigned long long)tid);
	length = procfs_read(pid, name, buffer, nr_bytes);
	if (length > 0 && buffer[length - 1] == '\n')
		buffer[length - 1] = '\0';
}

void procfs_boot_id(char *buffer, size_t nr_bytes)
{
	procfs_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", buffer, nr_bytes);
	buffer[strcspn(buffer, "\n")] = '\0';
}

/* Reads one buffer of directory entries; false: `found` has stopped the search. */
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

bool procfs_numbers_at(
	int folder, const char *name, bool (*found)(void *context, int number), void *context)
{
	_Alignas(struct dirent64) char entries[4096];
	ssize_t got;
	int descriptor;

	descriptor = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (descriptor < 0)
		return false;
	do {
		got = getdents64(descriptor, entries, sizeof(entries));
	} while (got > 0 && find_numbers(entries, (size_t)got, found, context));
	close(descriptor);
	return got == 0;
}

bool procfs_numbers(
	pid_t pid, const char *name, bool (*found)(void *context, int number), void *context)
{
	return procfs_numbers_at(AT_FDCWD, path_of(pid, name).text, found, context);
}
