/* SPDX-License-Identifier: MIT */
/*
 * Finding the segments of a process that were not handed over: its probes keep them open, so they are among its
 * descriptors. A segment found there belongs to a peer like any other, and is checked like one that was handed over.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/collector.h"
#include "collect/executable.h"
#include "collect/probe_files.h"
#include "event/attaching.h"
#include "kernel/procfs.h"

struct seek {
	struct collect *collect;
	enum ct_status status; /* of a segment that could not be attached; CT_OK: there was none */
	struct ct_error trouble;
	unsigned nr_taken;
	char file[256]; /* the file that a flight recorder fills; "": none was found */
};

enum ct_status collect_seek_process(struct collect *collect, pid_t pid, struct ct_error *reterr)
{
	int descriptor = (int)syscall(SYS_pidfd_open, pid, 0);

	if (descriptor >= 0)
		close(descriptor);
	if (kill(pid, 0) < 0 && errno == ESRCH)
		return ct_fail(
			reterr, CT_ERR_NOT_FOUND, "there is no process with the id %d", (int)pid);
	if (descriptor < 0 && errno == EINVAL)
		return ct_fail(reterr, CT_ERR_NOT_FOUND,
			"%d is the id of a thread, not of a process", (int)pid);
	collect_target_find(pid, &collect->target);
	return CT_OK;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static bool is_taken(const struct collect *collect, const struct stat *file)
{
	const struct segment *segment;
	struct stat present;

	for_each_segment (collect, segment)
		if (fstat(segment->memory.descriptor, &present) == 0 && is_same(&present, file))
			return true;
	return false;
}

static void take(struct seek *seek, int descriptor)
{
	struct collect *collect = seek->collect;
	struct arrival arrival = {descriptor, collect->target.pid, true};
	pid_t owner = collect_segment_owner(descriptor);
	struct ct_error trouble;
	enum ct_status status = collect_attach(collect, &arrival, &trouble);

	if (status == CT_OK) {
		seek->nr_taken++;
		return;
	}
	seek->status = status;
	seek->trouble = trouble;
	if (status != CT_ERR_BUSY)
		return;
	if (owner > 0)
		ct_fail(&seek->trouble, status, "process %d is recorded already, by process %d",
			(int)collect->target.pid, (int)owner);
	else
		ct_fail(&seek->trouble, status, "process %d is recorded already",
			(int)collect->target.pid);
}

static bool look_at(void *context, int number)
{
	struct seek *seek = context;
	pid_t pid = seek->collect->target.pid;
	struct stat file;
	char name[32], link[256];
	int descriptor;

	snprintf(name, sizeof(name), "fd/%d", number);
	procfs_link(pid, name, link, sizeof(link));
	if (!collect_is_segment_link(link)) {
		if (link[0] == '/' && seek->file[0] == '\0' &&
			collect_is_flight_file(pid, procfs_descriptor(pid, number).text))
			memcpy(seek->file, link, sizeof(seek->file));
		return true;
	}
	descriptor = collect_open_segment(pid, number, link);
	if (descriptor < 0)
		return true;
	if (fstat(descriptor, &file) < 0 || is_taken(seek->collect, &file)) {
		close(descriptor);
		return true;
	}
	take(seek, descriptor);
	return true;
}

/* ---------------------------------------------------------------- the beginning of the target's past */

/*
 * Notes when the target's flight recorder began. This is the target's own statement, and affects only its own times:
 * how old an event may be to be believed, and how counts from before the recording become times.
 */
static void note_past(struct collect *collect, const struct ctp_header *header)
{
	struct past_begin *past = &collect->past;
	const struct clock_reading *now = &collect->first_reading;

	if (header->magic != CTP_MAGIC || !(header->features_compatible & CTP_FEATURE_FLIGHT))
		return;
	if (header->clock_monotonic_ns == 0 || header->clock_monotonic_ns >= now->monotonic_ns ||
		(header->clock == CTP_CLOCK_COUNTER && header->clock_counter >= now->counter))
		return;
	if (past->reading.monotonic_ns && past->reading.monotonic_ns <= header->clock_monotonic_ns)
		return;
	past->clock = header->clock;
	past->reading = (struct clock_reading){.counter = header->clock_counter,
		.monotonic_ns = header->clock_monotonic_ns,
		.realtime_ns = header->clock_realtime_ns};
}

static bool look_for_past(void *context, int number)
{
	struct collect *collect = context;
	struct ctp_header header;
	char name[32], link[256];
	int descriptor;

	snprintf(name, sizeof(name), "fd/%d", number);
	procfs_link(collect->target.pid, name, link, sizeof(link));
	descriptor = collect_open_segment(collect->target.pid, number, link);
	if (descriptor < 0)
		return true;
	if (pread(descriptor, &header, sizeof(header), 0) == (ssize_t)sizeof(header))
		note_past(collect, &header);
	close(descriptor);
	return true;
}

void collect_seek_past(struct collect *collect)
{
	procfs_numbers(collect->target.pid, "fd", look_for_past, collect);
}

/* ---------------------------------------------------------------- the search */

static enum ct_status fail_to_look(pid_t pid, struct ct_error *reterr)
{
	if (errno == ENOENT || errno == ESRCH)
		return ct_fail(reterr, CT_ERR_NOT_FOUND, "process %d has ended, or /proc hides it",
			(int)pid);
	return ct_fail(reterr, CT_ERR_REFUSED,
		"process %d cannot be looked into: it belongs to another user, has gained rights, "
		"or "
		"forbids it",
		(int)pid);
}

static bool is_go(pid_t pid)
{
	struct executable executable;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return collect_executable_find(path, &executable, NULL) == CT_OK &&
	       collect_executable_is_go(&executable);
}

enum ct_status collect_seek_segments(struct collect *collect, struct ct_error *reterr)
{
	struct seek seek = {.collect = collect};
	pid_t pid = collect->target.pid;
	char program[PATH_MAX] = "";

	errno = 0;
	if (!procfs_numbers(pid, "fd", look_at, &seek) && seek.nr_taken == 0 && errno)
		return fail_to_look(pid, reterr);
	if (seek.nr_taken > 0 || collect->has_probe)
		return CT_OK;
	if (seek.status) {
		if (reterr)
			*reterr = seek.trouble;
		return seek.status;
	}
	if (seek.file[0])
		return ct_fail(reterr, CT_ERR_NO_PROBE,
			"process %d keeps its own past, in '%s': 'corotracer recover' reads it",
			(int)pid, seek.file);
	if (is_go(pid))
		return ct_fail(reterr, CT_ERR_UNSUPPORTED, "process %d has no probe: %s", (int)pid,
			attaching_go.question);
	procfs_link(pid, "exe", program, sizeof(program));
	return ct_fail(reterr, CT_ERR_NO_PROBE,
		"process %d has no probe that waits, was forked since, or refuses "
		"(COROTRACER_ATTACH=0): %s",
		(int)pid, ct_attaching(program)->question);
}
