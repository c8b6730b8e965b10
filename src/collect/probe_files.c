/* SPDX-License-Identifier: MIT */
#include "collect/probe_files.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "corotracer/ctp.h"
#include "kernel/procfs.h"

#define SEGMENT_LINK "/memfd:corotracer"

static bool read_header(int descriptor, struct ctp_header *header)
{
	return pread(descriptor, header, sizeof(*header), 0) == (ssize_t)sizeof(*header);
}

/* Returns whether the segment is the process's own: a forked child still has its parent's segment open. */
static bool is_own(int descriptor, pid_t pid)
{
	struct ctp_header header;

	return read_header(descriptor, &header) && procfs_is_called(pid, header.pid);
}

bool collect_is_segment_link(const char *link)
{
	return strncmp(link, SEGMENT_LINK, strlen(SEGMENT_LINK)) == 0;
}

int collect_open_segment(pid_t pid, int number, const char *link)
{
	int descriptor;

	if (!collect_is_segment_link(link))
		return -1;
	descriptor = open(procfs_descriptor(pid, number).text, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0 || is_own(descriptor, pid))
		return descriptor;
	close(descriptor);
	return -1;
}

/* The orders lie in memory that the target can write, too. */
pid_t collect_segment_owner(int descriptor)
{
	struct ctp_header header;
	struct ctp_orders orders;

	if (!read_header(descriptor, &header) || header.orders_offset > INT64_MAX ||
		pread(descriptor, &orders, sizeof(orders), (off_t)header.orders_offset) !=
			(ssize_t)sizeof(orders))
		return 0;
	return (pid_t)orders.engine_pid;
}

bool collect_is_open_probe(int descriptor)
{
	struct ctp_header header;

	return read_header(descriptor, &header) && header.magic == CTP_MAGIC &&
	       header.role == CTP_ROLE_PROBE && header.state != CTP_SEGMENT_CLOSED;
}

bool collect_is_flight_file(pid_t pid, const char *path)
{
	struct ctp_header header = {.magic = 0};
	struct stat file;
	int descriptor;

	if (stat(path, &file) < 0 || !S_ISREG(file.st_mode) || file.st_size < (off_t)CTP_PAGE_BYTES)
		return false;
	descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (descriptor < 0)
		return false;
	if (!read_header(descriptor, &header))
		header.magic = 0;
	close(descriptor);
	return header.magic == CTP_MAGIC && procfs_is_called(pid, header.pid);
}
