/* SPDX-License-Identifier: MIT */
/*
 * Copying a flight recorder's file in an order that makes the copy consistent.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "collect/flight_file.h"
#include "kernel/procfs.h"

#define FLIGHT_BYTES_MAX (PROTO_BYTES_MAX + ((size_t)1 << 20))
#define BOOT_BYTES 64
#define COPY_TRIES 5

static enum ct_status read_at(
	int descriptor, void *bytes, size_t nr_bytes, uint64_t offset, struct ct_error *reterr)
{
	ssize_t got = io_read_at(descriptor, bytes, nr_bytes, offset);

	if (got < 0)
		return ct_fail_errno(reterr, "reading it");
	if ((size_t)got < nr_bytes)
		return ct_fail(reterr, CT_ERR_CORRUPT, "it was cut short while it was read");
	return CT_OK;
}

/*
 * Orders earlier reads before the later ones. The thread sanitizer does not know fences, and has nothing to check here:
 * system calls read everything.
 */
static void order_reads(void)
{
#ifndef __SANITIZE_THREAD__
	__atomic_thread_fence(__ATOMIC_ACQUIRE); /* P1, P3: instead of an acquire for each word */
#endif
}

static enum ct_status make_room(struct flight_file *file, struct ct_error *reterr)
{
	file->base = mmap(NULL, file->nr_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (file->base != MAP_FAILED)
		return CT_OK;
	file->base = NULL;
	return ct_fail_memory(reterr);
}

/*
 * Restores the rings as they were before everything else was copied, but with the floors read afterwards. Returns true
 * if a ring was overwritten from end to end meanwhile.
 */
static bool keep_rings(struct ctp_ring *rings, const struct ctp_ring *before, uint32_t nr_rings)
{
	bool was_lapped = false;
	uint32_t i;

	for (i = 0; i < nr_rings; i++) {
		uint64_t floor = rings[i].floor;
		bool is_ahead = floor > before[i].head && floor <= rings[i].head;

		was_lapped |= is_ahead;
		rings[i] = before[i];
		rings[i].floor = is_ahead ? before[i].head : floor;
	}
	return was_lapped;
}

static enum ct_status copy_once(struct flight_file *file, int descriptor, struct ctp_ring *before,
	bool *ret_was_lapped, struct ct_error *reterr)
{
	const struct proto_layout first = file->layout;
	size_t ring_bytes = first.ring_max * sizeof(*before);
	enum ct_status status;

	status = read_at(descriptor, before, ring_bytes, first.ring_offset, reterr);
	order_reads();
	if (status == CT_OK)
		status = read_at(descriptor, file->base, file->nr_bytes, 0, reterr);
	order_reads();
	if (status == CT_OK)
		status = read_at(descriptor, (char *)file->base + first.ring_offset, ring_bytes,
			first.ring_offset, reterr);
	if (status == CT_OK)
		status = proto_check(file->base, file->nr_bytes, &file->layout, reterr);
	if (status)
		return status;
	if (file->layout.ring_offset != first.ring_offset ||
		file->layout.ring_max != first.ring_max)
		return ct_fail(reterr, CT_ERR_CORRUPT, "its header changed while it was read");
	*ret_was_lapped =
		keep_rings(proto_ring(&file->layout, file->base, 0), before, first.ring_max);
	return CT_OK;
}

/* If the program overwrites faster than we copy, what it overwrote is lost, and counted. */
static enum ct_status copy_segment(
	struct flight_file *file, int descriptor, struct ctp_ring *before, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	bool was_lapped = true;
	int attempt;

	for (attempt = 0; attempt < COPY_TRIES && was_lapped && status == CT_OK; attempt++)
		status = copy_once(file, descriptor, before, &was_lapped, reterr);
	return status;
}

/* Copies the header first, which says where the rings are. */
static enum ct_status copy(struct flight_file *file, int descriptor, struct ct_error *reterr)
{
	enum ct_status status = read_at(descriptor, file->base, CTP_PAGE_BYTES, 0, reterr);
	struct ctp_ring *before;

	if (status == CT_OK)
		status = proto_check(file->base, file->nr_bytes, &file->layout, reterr);
	if (status)
		return status;
	if (!file->layout.is_flight)
		return ct_fail(reterr, CT_ERR_FORMAT, "it is no flight recorder's");
	before = calloc(file->layout.ring_max, sizeof(*before));
	if (!before)
		return ct_fail_memory(reterr);
	status = copy_segment(file, descriptor, before, reterr);
	free(before);
	return status;
}

/* ------------------------------------------------------------------ facts about the process */

static bool is_this_boot(const char *boot)
{
	char present[BOOT_BYTES];

	procfs_boot_id(present, sizeof(present));
	return present[0] && strcmp(boot, present) == 0;
}

static enum ct_status read_about(struct flight_file *file, struct ct_error *reterr)
{
	char *line = NULL;

	file->program = file->command_line = file->host = "";
	if (!collect_about_copy(&file->layout, file->base, &file->about))
		return ct_fail_memory(reterr);
	while ((line = collect_about_next_line(&file->about, line))) {
		const char *value;

		if ((value = collect_about_value(line, "program")))
			file->program = value;
		else if ((value = collect_about_value(line, "command")))
			file->command_line = value;
		else if ((value = collect_about_value(line, "host")))
			file->host = value;
		else if ((value = collect_about_value(line, "boot")))
			file->is_this_boot = is_this_boot(value);
	}
	return CT_OK;
}

/* ------------------------------------------------------------------ opening and closing */

/*
 * Returns whether the file's process lives. A memfd, which has no name, can be reached only while a process has it
 * open.
 */
static bool is_alive(int descriptor, const struct stat *status, uint64_t pid)
{
	if (status->st_nlink == 0)
		return pid <= INT32_MAX && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
	return io_is_being_written(descriptor);
}

static enum ct_status read_open(struct flight_file *file, int descriptor, struct ct_error *reterr)
{
	enum ct_status status;
	struct stat facts;

	if (fstat(descriptor, &facts))
		return ct_fail_errno(reterr, "asking what it is");
	if (!S_ISREG(facts.st_mode))
		return ct_fail(reterr, CT_ERR_FORMAT, "it is not a regular file");
	if (facts.st_size < (off_t)CTP_PAGE_BYTES || facts.st_size > (off_t)FLIGHT_BYTES_MAX)
		return ct_fail(reterr, CT_ERR_FORMAT,
			"it has %lld bytes, which no flight recorder's file has",
			(long long)facts.st_size);
	file->device = facts.st_dev;
	file->inode = facts.st_ino;
	file->nr_bytes = (size_t)facts.st_size;
	status = make_room(file, reterr);
	if (status == CT_OK)
		status = copy(file, descriptor, reterr);
	if (status == CT_OK)
		status = read_about(file, reterr);
	if (status == CT_OK)
		file->is_alive = is_alive(descriptor, &facts, file->layout.pid);
	return status;
}

enum ct_status collect_flight_file_read(
	const struct input *input, struct flight_file *ret_file, struct ct_error *reterr)
{
	struct flight_file file = {0};
	enum ct_status status = read_open(&file, input->descriptor, reterr);

	if (status == CT_OK) {
		*ret_file = file;
		return CT_OK;
	}
	collect_flight_file_close(&file);
	return input_fail(input, status, reterr);
}

void collect_flight_file_close(struct flight_file *file)
{
	if (file->base)
		munmap(file->base, file->nr_bytes);
	collect_about_fini(&file->about);
	file->base = NULL;
}
