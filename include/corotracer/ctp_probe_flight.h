/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder's segment: a file, or a memfd, that needs no engine to drain it. A part of ctp_probe_cold.h:
 * include that.
 *
 * The file gets all its blocks before it is mapped: a store into a hole of a full disk would end the program. The
 * file's lock (flock) shows that the process lives. The descriptor that holds the lock is never mapped itself, and is
 * closed in forked children, because they would hold the lock, too.
 */
#ifndef COROTRACER_CTP_PROBE_FLIGHT_H
#define COROTRACER_CTP_PROBE_FLIGHT_H

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe_about.h"
#include "corotracer/ctp_probe_cold.h"
#include "corotracer/ctp_probe_segment.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_FLIGHT_TRIES 8u
#define CTP_FLIGHT_UNITS_MAX ((uint64_t)CTP_CHUNK_MAX)

/* The wishes of one attachment. */
struct ctp_wish {
	const char *engine; /* name of the engine's socket; NULL: there is no engine */
	const char *path;   /* path of the flight recorder's file, with %p; "": a memfd */
	uint64_t bytes;     /* 0: the default; UINT64_MAX: `path` has the number after a comma */
	uint32_t role;
	bool has_flight;
	bool waits; /* wait for a later engine if there is neither engine nor flight recorder */
};

#define CTP_BYTES_IN_PATH UINT64_MAX

/* COROTRACER_FLIGHT in the environment overrides the program's own wish. */
CTP_COLD_PART void ctp_flight_ask(struct ctp_wish *wish)
{
	const char *asked = secure_getenv(CTP_FLIGHT_ENVIRONMENT);

	if (!asked)
		return;
	wish->has_flight = true;
	wish->path = asked;
	wish->bytes = CTP_BYTES_IN_PATH;
}

/* Paths. */

/*
 * Parses a whole number, which K, M or G may follow, and after that iB or B. Returns false if the text is not such a
 * number.
 */
CTP_COLD_PART bool ctp_bytes_parse(const char *text, uint64_t *ret_bytes)
{
	const char *unit;
	uint64_t bytes = 0;

	if (*text < '0' || *text > '9')
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (bytes > (UINT64_MAX >> 34) / 10)
			return false;
		bytes = bytes * 10 + (uint64_t)(*text - '0');
	}
	for (unit = "KMG"; *text != '\0' && *unit != '\0' && *unit != *text; unit++)
		;
	if (*text != '\0' && *unit != '\0') {
		bytes <<= *unit == 'K' ? 10 : *unit == 'M' ? 20 : 30;
		text += text[1] == 'i' && text[2] == 'B' ? 3 : text[1] == 'B' ? 2 : 1;
	}
	*ret_bytes = bytes;
	return *text == '\0';
}

/* Copies a path, with the process id for each %p. Returns false if the result does not fit. */
CTP_COLD_PART bool ctp_path_expand(const char *from, size_t length, char *to, size_t bytes)
{
	size_t i, used = 0;

	for (i = 0; i < length; i++) {
		if (bytes - used < 21)
			return false;
		if (from[i] == '%' && i + 1 < length && from[i + 1] == 'p') {
			used += ctp_decimal((uint64_t)getpid(), to + used);
			i++;
			continue;
		}
		if (from[i] == '%' && i + 1 < length && from[i + 1] == '%')
			i++;
		to[used++] = from[i];
	}
	to[used] = '\0';
	return true;
}

/* The file. */

CTP_COLD_PART bool ctp_is_same_file(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

CTP_COLD_PART bool ctp_is_named(int descriptor, const char *path)
{
	struct stat file, name;

	return fstat(descriptor, &file) == 0 && lstat(path, &name) == 0 &&
	       ctp_is_same_file(&file, &name);
}

/*
 * Checks the first words that every file of ours has, even before its magic is there: no other file is ever replaced.
 */
CTP_COLD_PART bool ctp_is_segment_of_ours(int descriptor)
{
	struct ctp_header header;
	struct stat file;

	if (fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode) || file.st_uid != geteuid())
		return false;
	if (file.st_size == 0)
		return true;
	return pread(descriptor, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       (header.magic == 0 || header.magic == CTP_MAGIC) && header.version == CTP_VERSION &&
	       header.header_bytes >= CTP_PAGE_BYTES / 16 && header.header_bytes <= CTP_PAGE_BYTES;
}

/*
 * Removes the file that an ended process left at `path`. The lock keeps two processes from removing each other's file.
 */
CTP_COLD_PART bool ctp_flight_remove_old(const char *path)
{
	int old = ctp_unseen_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_removed;

	if (old < 0)
		return errno == ENOENT;
	is_removed = ctp_is_segment_of_ours(old) && flock(old, LOCK_EX | LOCK_NB) == 0 &&
		     (!ctp_is_named(old, path) || unlink(path) == 0);
	ctp_unseen_close(old);
	return is_removed;
}

/* Makes the file and locks it. Returns -1 if the name is taken, or if no file may be made here. */
CTP_COLD_PART int ctp_flight_file_make(const char *path)
{
	uint32_t attempt;

	for (attempt = 0; attempt < CTP_FLIGHT_TRIES; attempt++) {
		int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
		int file = ctp_descriptor_raise(ctp_unseen_open(path, flags));

		if (file < 0 && (errno != EEXIST || !ctp_flight_remove_old(path)))
			return -1;
		if (file < 0)
			continue;
		/*
		 * Until the file is locked, another process may take it for the file of an ended process and remove it.
		 */
		if (flock(file, LOCK_EX | LOCK_NB) == 0 && ctp_is_named(file, path))
			return file;
		ctp_unseen_close(file);
	}
	return -1;
}

/* Gives the file all its blocks, and maps it through a second descriptor. */
CTP_COLD_PART bool ctp_flight_file_fill(struct ctp_segment *segment, const char *path)
{
	struct ctp_header header;
	bool is_mapped;
	int mapped;

	memset(&header, 0, sizeof(header));
	header.version = CTP_VERSION;
	header.header_bytes = (uint32_t)sizeof(header);
	if (pwrite(segment->descriptor, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
		posix_fallocate(segment->descriptor, 0, (off_t)segment->file_bytes) != 0)
		return false;
	mapped = ctp_unseen_open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (mapped < 0)
		return false;
	is_mapped = ctp_is_named(segment->descriptor, path) && ctp_is_named(mapped, path) &&
		    ctp_segment_map(segment, mapped);
	ctp_unseen_close(mapped);
	return is_mapped;
}

/* The descriptor that holds the lock belongs to the parent. */
CTP_COLD_PART void ctp_flight_leave_in_child(void)
{
	ctp_descriptor_retire();
	ctp_process_state.descriptor = -1;
}

CTP_COLD_PART bool ctp_flight_guard(void)
{
	if (!ctp_process_state.has_lock)
		ctp_process_state.has_lock =
			pthread_atfork(NULL, NULL, ctp_flight_leave_in_child) == 0;
	return ctp_process_state.has_lock;
}

CTP_COLD_PART bool ctp_flight_open_file(struct ctp_segment *segment, const char *path)
{
	if (!ctp_flight_guard())
		return false;
	segment->descriptor = ctp_flight_file_make(path);
	if (segment->descriptor < 0)
		return false;
	if (ctp_flight_file_fill(segment, path))
		return true;
	unlink(path);
	ctp_segment_close(segment);
	return false;
}

CTP_COLD_PART bool ctp_flight_open_memory(struct ctp_segment *segment)
{
	segment->descriptor = ctp_memfd_open();
	if (segment->descriptor < 0)
		return false;
	if (ftruncate(segment->descriptor, (off_t)segment->file_bytes) == 0 &&
		ctp_segment_map(segment, segment->descriptor) && ctp_segment_seal(segment))
		return true;
	ctp_segment_close(segment);
	return false;
}

/* The segment. */

CTP_COLD_PART uint64_t ctp_between(uint64_t least, uint64_t number, uint64_t most)
{
	return number < least ? least : number > most ? most : number;
}

/* Shares the bytes out: about an eighth goes to sites, names and rings, the rest to records. */
CTP_COLD_PART bool ctp_flight_plan(struct ctp_segment *segment, uint64_t bytes)
{
	uint64_t allowed = ctp_bytes_allowed();
	uint64_t units = (bytes < allowed ? bytes : allowed) / CTP_UNIT_BYTES;
	uint64_t ring_units, site_units, name_units;

	if (units < CTP_FLIGHT_BYTES_LEAST / CTP_UNIT_BYTES)
		return false;
	units = units < CTP_FLIGHT_UNITS_MAX ? units : CTP_FLIGHT_UNITS_MAX;
	ring_units = 1 + units / 128;
	site_units =
		ctp_between(1, units / 64, CTP_SITE_MAX * sizeof(struct ctp_site) / CTP_UNIT_BYTES);
	name_units = ctp_between(1, units / 16, CTP_NAME_BYTES / CTP_UNIT_BYTES);
	segment->ring_max = (uint32_t)ctp_between(
		1, (ring_units * CTP_UNIT_BYTES - CTP_RING_OFFSET) / CTP_RING_STRIDE, CTP_RING_MAX);
	segment->site_max = (uint32_t)(site_units * CTP_UNIT_BYTES / sizeof(struct ctp_site));
	segment->name_bytes = (uint32_t)(name_units * CTP_UNIT_BYTES);
	segment->site_offset = ring_units * CTP_UNIT_BYTES;
	segment->name_offset = segment->site_offset + site_units * CTP_UNIT_BYTES;
	segment->is_flight = true;
	segment->about_offset = segment->name_offset + segment->name_bytes;
	segment->about_bytes = CTP_UNIT_BYTES;
	segment->chunk_offset = segment->about_offset + segment->about_bytes;
	segment->file_bytes = units * CTP_UNIT_BYTES;
	segment->chunk_max =
		(uint32_t)((segment->file_bytes - segment->chunk_offset) / CTP_CHUNK_BYTES);
	return true;
}

/* Opens a segment that stays in this process, for a reader that comes later. */
CTP_COLD_PART bool ctp_flight_open(struct ctp_segment *segment, const struct ctp_wish *wish)
{
	const char *comma = strrchr(wish->path, ',');
	size_t length = strlen(wish->path);
	uint64_t bytes = wish->bytes;
	char path[PATH_MAX];

	memset(segment, 0, sizeof(*segment));
	if (bytes == CTP_BYTES_IN_PATH) {
		bytes = 0;
		if (comma && ctp_bytes_parse(comma + 1, &bytes))
			length = (size_t)(comma - wish->path);
	}
	if (!ctp_path_expand(wish->path, length, path, sizeof(path)) ||
		!ctp_flight_plan(segment, bytes != 0 ? bytes : CTP_FLIGHT_BYTES))
		return false;
	if (!(length > 0 ? ctp_flight_open_file(segment, path) : ctp_flight_open_memory(segment)))
		return false;
	ctp_about_write(segment);
	return true;
}

#ifdef __cplusplus
}
#endif

#endif
