/* SPDX-License-Identifier: MIT */
/* Puts a flight recorder's file together again (rings.h). */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/io.h"
#include "corotracer/ctp.h"
#include "frames/rings.h"
#include "proto/proto.h"
#include "symbol/symbol.h"

#define PIECE_BYTES ((size_t)65536)
#define SPAN_BYTES ((uint64_t)4 << 30) /* of addresses that one segment takes, at most */
#define MEMORY_PATH "/memfd:corotracer"
/* The first part of a recorder, with its rings, is smaller; other segments are mapped whole. */
#define FIRST_PART_BYTES ((uint64_t)16 << 20)

/* ---------------------------------------------------------------- what is there */

static bool is_flight_header(const struct ctp_header *header)
{
	return header->magic == CTP_MAGIC && header->version == CTP_VERSION &&
	       (header->features_compatible & CTP_FEATURE_FLIGHT);
}

static bool is_flight_at(const struct image *image, const struct image_region *region)
{
	struct ctp_header header;

	return region->path[0] && region->offset == 0 && region->is_writable &&
	       image_read(image, region->start, &header, sizeof(header)) == sizeof(header) &&
	       is_flight_header(&header);
}

/* The first part of a recorder of which the image has nothing. */
static bool is_left_out(const struct image *image, const struct image_region *region)
{
	uint64_t word;

	return strncmp(region->path, MEMORY_PATH, strlen(MEMORY_PATH)) == 0 &&
	       region->offset == 0 && region->end - region->start < FIRST_PART_BYTES &&
	       !image_read_word(image, region->start, &word);
}

/* A probe maps the second page of its segment a second time: the orders. No other page of a file is mapped so. */
static bool is_orders(const struct image *image, const struct image_region *region)
{
	uint64_t word;

	return region->path[0] == '/' && region->is_writable && region->offset == CTP_PAGE_BYTES &&
	       region->end - region->start == CTP_PAGE_BYTES &&
	       !image_read_word(image, region->start, &word);
}

/* ---------------------------------------------------------------- the copy */

static bool is_zero(const uint8_t *bytes, size_t nr_bytes)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, nr_bytes - 1) == 0;
}

/* What cannot be read stays a hole: records of zeros, which are counted as damaged. */
static enum ct_status copy_region(const struct image *image, const struct image_region *region,
	int descriptor, struct ct_error *reterr)
{
	uint8_t piece[PIECE_BYTES];
	uint64_t at = 0, nr_bytes = region->end - region->start;

	for (; at < nr_bytes; at += sizeof(piece)) {
		size_t got = image_read(image, region->start + at, piece, sizeof(piece));

		if (got == 0 || is_zero(piece, got))
			continue;
		if (pwrite(descriptor, piece, got, (off_t)(region->offset + at)) != (ssize_t)got)
			return ct_fail_errno(reterr, "copying a flight recorder out of memory");
	}
	return CT_OK;
}

/* Is the region a later part of the segment that begins in this first one? */
static bool is_later_part(
	const struct image_region *first, const struct image_region *region, uint64_t end_offset)
{
	return region->start - first->start < SPAN_BYTES && region->offset >= end_offset &&
	       strcmp(region->path, first->path) == 0;
}

static enum ct_status copy_parts(
	const struct image *image, size_t first, int descriptor, struct ct_error *reterr)
{
	const struct image_region *regions = image->regions.at;
	uint64_t end_offset = 0;
	enum ct_status status = CT_OK;
	size_t i;

	for (i = first; status == CT_OK && i < image->regions.count; i++) {
		const struct image_region *region = &regions[i];

		if (i > first && region->offset == 0 &&
			strcmp(region->path, regions[first].path) == 0)
			break;
		if (!is_later_part(&regions[first], region, end_offset))
			continue;
		if (__builtin_add_overflow(
			    region->offset, region->end - region->start, &end_offset) ||
			end_offset > PROTO_BYTES_MAX)
			return ct_fail(
				reterr, CT_ERR_CORRUPT, "it is larger than any flight recorder's");
		if (ftruncate(descriptor, (off_t)end_offset))
			return ct_fail_errno(reterr, "copying a flight recorder out of memory");
		status = copy_region(image, region, descriptor, reterr);
	}
	return status;
}

static enum ct_status copy_segment(
	const struct image *image, size_t first, struct rings *ret_rings, struct ct_error *reterr)
{
	int descriptor = memfd_create("corotracer-core", MFD_CLOEXEC);
	enum ct_status status;

	if (descriptor < 0)
		return ct_fail_errno(reterr, "copying a flight recorder out of memory");
	status = copy_parts(image, first, descriptor, reterr);
	if (status)
		close(descriptor);
	else
		ret_rings->descriptor = descriptor;
	return status;
}

/* ---------------------------------------------------------------- the file itself */

/* A later program may have begun the file anew. */
static bool is_of_process(int descriptor, uint64_t pid)
{
	struct ctp_header header;

	return io_read_at(descriptor, &header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
	       is_flight_header(&header) && header.pid == pid;
}

static enum ct_status open_file(const struct image *image, const char *path,
	struct rings *ret_rings, struct ct_error *reterr)
{
	int descriptor = symbol_open_file(image->root, path);

	if (descriptor >= 0 && is_of_process(descriptor, image->pid)) {
		ret_rings->descriptor = descriptor;
		ret_rings->path = path;
		return CT_OK;
	}
	if (descriptor >= 0)
		close(descriptor);
	return ct_fail(reterr, CT_ERR_NOT_FOUND,
		"the program may have kept its past in '%s', which the core dump leaves out and "
		"which is not there any more; bit 3 of /proc/PID/coredump_filter lets the next one "
		"have it",
		path);
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status say_left_out(
	const struct image *image, struct rings *ret_rings, struct ct_error *reterr)
{
	size_t i;

	for (i = 0; i < image->regions.count; i++)
		if (is_left_out(image, &image->regions.at[i]))
			return ct_fail(reterr, CT_ERR_NOT_FOUND,
				"the program kept its past in memory, of which the core dump has "
				"nothing: it ends before that, bit 1 of /proc/PID/coredump_filter "
				"was not set, or the program's probe is of an older version");
	for (i = 0; i < image->regions.count; i++)
		if (is_orders(image, &image->regions.at[i]) &&
			strncmp(image->regions.at[i].path, MEMORY_PATH, strlen(MEMORY_PATH)) != 0)
			return open_file(image, image->regions.at[i].path, ret_rings, reterr);
	return CT_END;
}

enum ct_status rings_take(
	const struct image *image, struct rings *ret_rings, struct ct_error *reterr)
{
	struct rings rings = {.descriptor = -1};
	size_t first = image->regions.count, i;
	enum ct_status status;

	for (i = image->regions.count; i-- > 0;)
		if (is_flight_at(image, &image->regions.at[i]))
			first = i;
	status = first < image->regions.count ? copy_segment(image, first, &rings, reterr)
					      : say_left_out(image, &rings, reterr);
	if (status == CT_OK)
		*ret_rings = rings;
	return status;
}
