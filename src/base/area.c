/* SPDX-License-Identifier: MIT */
/*
 * Areas are memory mappings: the kernel allocates a page when the page is first written. A small area is a piece of the
 * heap, which saves kernel calls when small traces are judged one after the other. In a web page (WebAssembly) there
 * are no such calls, and all memory is allocated at once.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/area.h"

#define AREA_LEAST ((size_t)512)
#define AREA_SMALL ((size_t)4 << 10)
#define AREA_STEP ((size_t)64 << 10) /* a multiple of the page size of any machine */
/* What a cut leaves of the bytes behind it: they are needed again soon, and a page costs more than its zeroes. */
#define AREA_KEPT ((size_t)256 << 10)
#define PIECE ((size_t)1 << 10)

static size_t round_up(size_t nr_bytes)
{
	if (nr_bytes <= AREA_SMALL)
		return nr_bytes <= AREA_LEAST ? AREA_LEAST : AREA_SMALL;
	return (nr_bytes + AREA_STEP - 1) & ~(AREA_STEP - 1);
}

#ifdef __wasm__

static void *enlarge(const struct area *area, size_t nr_bytes)
{
	unsigned char *at = realloc(area->at, nr_bytes);

	if (at)
		memset(at + area->nr_bytes, 0, nr_bytes - area->nr_bytes);
	return at;
}

static void give_back(unsigned char *at, size_t nr_bytes)
{
	memset(at, 0, nr_bytes);
}

static void give_all_back(struct area *area)
{
	free(area->at);
}

#else

#include <sys/mman.h>

static void *map(size_t nr_bytes)
{
	void *at = mmap(NULL, nr_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void *enlarge(const struct area *area, size_t nr_bytes)
{
	void *at;

	if (area->nr_bytes > AREA_SMALL) {
		at = mremap(area->at, area->nr_bytes, nr_bytes, MREMAP_MAYMOVE);
		return at == MAP_FAILED ? NULL : at;
	}
	at = nr_bytes <= AREA_SMALL ? calloc(1, nr_bytes) : map(nr_bytes);
	if (at && area->at) {
		memcpy(at, area->at, area->nr_bytes);
		free(area->at);
	}
	return at;
}

static void give_back(unsigned char *at, size_t nr_bytes)
{
	if (nr_bytes && madvise(at, nr_bytes, MADV_DONTNEED))
		memset(at, 0, nr_bytes);
}

static void give_all_back(struct area *area)
{
	if (area->nr_bytes > AREA_SMALL)
		munmap(area->at, area->nr_bytes);
	else
		free(area->at);
}

#endif

bool area_reach(struct area *area, size_t nr_bytes)
{
	size_t room = area->nr_bytes + area->nr_bytes / 2;
	void *at;

	if (nr_bytes <= area->nr_bytes)
		return true;
	if (nr_bytes > SIZE_MAX / 2)
		return false;
	room = round_up(room > nr_bytes ? room : nr_bytes);
	at = enlarge(area, room);
	if (!at)
		return false;
	area->at = at;
	area->nr_bytes = room;
	return true;
}

/* A zero over a zero would take memory. */
static void clear(unsigned char *at, size_t nr_bytes)
{
	static const unsigned char zeroes[PIECE];
	size_t begin, piece;

	for (begin = 0; begin < nr_bytes; begin += piece) {
		piece = nr_bytes - begin < PIECE ? nr_bytes - begin : PIECE;
		if (memcmp(at + begin, zeroes, piece) != 0)
			memset(at + begin, 0, piece);
	}
}

void area_cut(struct area *area, size_t nr_bytes, size_t nr_used)
{
	size_t kept = round_up(nr_bytes + AREA_KEPT), used = round_up(nr_used);

	if (used > area->nr_bytes)
		used = area->nr_bytes;
	if (nr_bytes >= nr_used)
		return;
	if (used <= kept) {
		clear(area->at + nr_bytes, nr_used - nr_bytes);
		return;
	}
	clear(area->at + nr_bytes, kept - nr_bytes);
	give_back(area->at + kept, used - kept);
}

void area_fini(struct area *area)
{
	give_all_back(area);
	*area = (struct area){0};
}
