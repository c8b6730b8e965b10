/* SPDX-License-Identifier: MIT */
/* The memory of a segment: making, sizing and mapping it. A part of ctp_probe_cold.h: include that. */
#ifndef COROTRACER_CTP_PROBE_SEGMENT_H
#define COROTRACER_CTP_PROBE_SEGMENT_H

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "corotracer/ctp_probe_cold.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_CHUNKS_LEAST 256u    /* with fewer chunks tracing is not worth while */
#define CTP_DESCRIPTOR_LEAST 200 /* high, for programs that count on low descriptor numbers */
#define CTP_MFD_NOEXEC_SEAL 8u

struct ctp_segment {
	struct ctp_header *header;
	uint64_t bytes;                                  /* of address space */
	uint64_t file_bytes;                             /* of the memfd or the file on disk */
	uint64_t site_offset, name_offset, chunk_offset; /* in the file */
	uint64_t about_offset, about_bytes;              /* in the file */
	uint32_t ring_max, site_max, name_bytes, chunk_max;
	int descriptor;
	bool is_flight; /* the segment of a flight recorder */
};

/* Moves a descriptor to a high number, away from the program's and above all from the standard streams. */
CTP_COLD_PART int ctp_descriptor_raise(int low)
{
	int high;

	if (low < 0)
		return -1;
	high = (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, CTP_DESCRIPTOR_LEAST);
	if (high < 0)
		high = (int)syscall(SYS_fcntl, low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	ctp_unseen_close(low);
	return high;
}

CTP_COLD_PART int ctp_memfd_open(void)
{
	unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int low = (int)syscall(SYS_memfd_create, "corotracer", flags | CTP_MFD_NOEXEC_SEAL);

	if (low < 0 && errno == EINVAL)
		low = (int)syscall(SYS_memfd_create, "corotracer", flags);
	return ctp_descriptor_raise(low);
}

/* Returns the largest file size that RLIMIT_FSIZE allows: beyond it ftruncate would end the program by SIGXFSZ. */
CTP_COLD_PART uint64_t ctp_bytes_allowed(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return 0;
	return limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : (uint64_t)limit.rlim_cur;
}

CTP_COLD_PART uint32_t ctp_chunks_allowed(void)
{
	uint64_t bytes = ctp_bytes_allowed();
	uint64_t chunks;

	if (bytes < CTP_CHUNK_OFFSET)
		return 0;
	chunks = (bytes - CTP_CHUNK_OFFSET) / CTP_CHUNK_BYTES;
	return chunks < CTP_CHUNK_MAX ? (uint32_t)chunks : CTP_CHUNK_MAX;
}

/* Reserves address space at a multiple of CTP_MAP_ALIGNMENT. Returns NULL if there is not enough. */
CTP_COLD_PART char *ctp_reserve_aligned(uint64_t bytes)
{
	uint64_t span = bytes + CTP_MAP_ALIGNMENT;
	int reserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *whole = mmap(NULL, span, PROT_NONE, reserve, -1, 0);
	uint64_t before;

	if (whole == MAP_FAILED)
		return NULL;
	before = CTP_ALIGN_UP((uintptr_t)whole, CTP_MAP_ALIGNMENT) - (uintptr_t)whole;
	if (before != 0)
		munmap(whole, before);
	munmap((char *)whole + before + bytes, CTP_MAP_ALIGNMENT - before);
	return (char *)whole + before;
}

CTP_COLD_PART bool ctp_map_part(char *place, int descriptor, uint64_t offset, uint64_t bytes)
{
	return mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
		       descriptor, (off_t)offset) != MAP_FAILED;
}

/*
 * Maps the parts of a segment at the addresses where this process expects them. The text about the process follows the
 * names, so that a core dump has it, too.
 */
CTP_COLD_PART bool ctp_map_parts(const struct ctp_segment *segment, char *base, int descriptor)
{
	uint64_t chunk_bytes = (uint64_t)segment->chunk_max * CTP_CHUNK_BYTES;

	if (segment->chunk_offset == CTP_CHUNK_OFFSET)
		return ctp_map_part(base, descriptor, 0, CTP_CHUNK_OFFSET + chunk_bytes);
	return ctp_map_part(base, descriptor, 0, segment->site_offset) &&
	       ctp_map_part(base + CTP_SITE_OFFSET, descriptor, segment->site_offset,
		       segment->name_offset - segment->site_offset) &&
	       ctp_map_part(base + CTP_NAME_OFFSET, descriptor, segment->name_offset,
		       segment->name_bytes + segment->about_bytes) &&
	       ctp_map_part(
		       base + CTP_CHUNK_OFFSET, descriptor, segment->chunk_offset, chunk_bytes);
}

/*
 * Returns whether the segment's orders can be mapped over ctp_orders_page: only if the machine's pages are as large as
 * that page. If pages are larger, only an engine that is present when the program attaches can trace it, and the
 * program obeys only those of the engine's orders that concern rings.
 */
CTP_COLD_PART bool ctp_has_orders_page(void)
{
	return (uintptr_t)&ctp_orders_page % CTP_PAGE_BYTES == 0 &&
	       sysconf(_SC_PAGESIZE) == (long)CTP_PAGE_BYTES;
}

CTP_COLD_PART bool ctp_orders_map(int descriptor)
{
	return !ctp_has_orders_page() || ctp_map_part((char *)&ctp_orders_page, descriptor,
						 CTP_ORDERS_OFFSET, CTP_PAGE_BYTES);
}

/* Maps anonymous memory over the segment's orders: zeros, so that no events are wanted. */
CTP_COLD_PART void ctp_orders_unmap(void)
{
	if (ctp_has_orders_page())
		mmap(&ctp_orders_page, CTP_PAGE_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

CTP_COLD_PART bool ctp_segment_map(struct ctp_segment *segment, int descriptor)
{
	uint64_t bytes = CTP_CHUNK_OFFSET + (uint64_t)segment->chunk_max * CTP_CHUNK_BYTES;
	char *base = ctp_reserve_aligned(bytes);

	if (!base)
		return false;
	if (!ctp_map_parts(segment, base, descriptor) || !ctp_orders_map(descriptor)) {
		munmap(base, bytes);
		return false;
	}
	/* A flight recorder is small, and a core dump shall have it. */
	if (!segment->is_flight)
		madvise(base, bytes, MADV_DONTDUMP);
	segment->header = (struct ctp_header *)(void *)base;
	segment->bytes = bytes;
	return true;
}

CTP_COLD_PART bool ctp_segment_size_to(struct ctp_segment *segment, uint32_t chunk_max)
{
	segment->ring_max = CTP_RING_MAX;
	segment->site_max = CTP_SITE_MAX;
	segment->name_bytes = CTP_NAME_BYTES;
	segment->site_offset = CTP_SITE_OFFSET;
	segment->name_offset = CTP_NAME_OFFSET;
	segment->about_offset = CTP_ABOUT_OFFSET;
	segment->about_bytes = CTP_UNIT_BYTES;
	segment->chunk_offset = CTP_CHUNK_OFFSET;
	segment->chunk_max = chunk_max;
	segment->file_bytes = CTP_CHUNK_OFFSET + (uint64_t)chunk_max * CTP_CHUNK_BYTES;
	return ftruncate(segment->descriptor, (off_t)segment->file_bytes) == 0 &&
	       ctp_segment_map(segment, segment->descriptor);
}

CTP_COLD_PART void ctp_segment_close(struct ctp_segment *segment)
{
	if (segment->header) {
		munmap(segment->header, segment->bytes);
		ctp_orders_unmap();
	}
	if (segment->descriptor >= 0)
		ctp_unseen_close(segment->descriptor);
	segment->header = NULL;
	segment->descriptor = -1;
}

/* Closes the descriptor of an earlier attachment, unless the number refers to another file by now. */
CTP_COLD_PART void ctp_descriptor_retire(void)
{
	const struct ctp_process *process = &ctp_process_state;
	struct stat present;

	if (!process->header || fstat(process->descriptor, &present) != 0)
		return;
	if (present.st_dev == process->device && present.st_ino == process->inode)
		ctp_unseen_close(process->descriptor);
}

CTP_COLD_PART bool ctp_segment_seal(const struct ctp_segment *segment)
{
	return fcntl(segment->descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ==
	       0;
}

/* Opens a segment that will be handed to an engine. */
CTP_COLD_PART bool ctp_segment_open(struct ctp_segment *segment)
{
	uint32_t chunks = ctp_chunks_allowed();

	memset(segment, 0, sizeof(*segment));
	segment->descriptor = chunks >= CTP_CHUNKS_LEAST ? ctp_memfd_open() : -1;
	if (segment->descriptor < 0)
		return false;
	/* Address space may be short (RLIMIT_AS): try with fewer chunks then. */
	while (chunks >= CTP_CHUNKS_LEAST && !ctp_segment_size_to(segment, chunks))
		chunks /= 4;
	if (segment->header && ctp_segment_seal(segment))
		return true;
	ctp_segment_close(segment);
	return false;
}

#ifdef __cplusplus
}
#endif

#endif
