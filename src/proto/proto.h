/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a mapping is a segment. The only reader of a segment's geometry.
 *
 * A segment belongs to a peer that may write anything into it at any time. Its header is read once, here: every field
 * is copied, checked against the size that the kernel states (fstat of the sealed descriptor, never the header's own
 * statement), and from then on used from the copy. Rings, sites, names and chunk numbers stay in shared memory and are
 * read later, through the functions below, which keep every address inside the mapping whatever the peer writes.
 *
 * Whatever the shared bytes contain, a function here fails with a status and in no other way. No function writes to the
 * mapping or keeps memory. All functions may be called on any thread.
 */
#ifndef PROTO_PROTO_H
#define PROTO_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/ctp.h"
#include "base/failure.h"

/* Feature bits of the header that this version knows. A segment with unknown incompatible bits is refused. */
#define PROTO_FEATURES_INCOMPATIBLE UINT64_C(0)

/* A segment's geometry, copied and checked: each region lies inside the mapping, and no regions overlap. */
struct proto_layout {
	size_t mapped_bytes;
	uint64_t orders_offset;
	uint64_t ring_offset;
	uint64_t site_offset;
	uint64_t name_offset;
	uint64_t chunk_offset;
	uint32_t ring_max;
	uint32_t site_max;
	uint32_t name_bytes;
	uint32_t chunk_max;
	uint32_t clock; /* enum ctp_clock, not NONE */
	uint32_t role;  /* CTP_ROLE_PROBE or CTP_ROLE_LEDGER */
	uint64_t pid;   /* as the target states; not checked */
	uint64_t features_compatible;
	struct ctp_instant attached; /* all three zero: not stated */
	uint8_t identity[16];

	uint64_t about_offset; /* 0 bytes: there is no text */
	uint64_t about_bytes;

	/* of a flight recorder; otherwise zero */
	bool is_flight;
	struct ctp_instant latest; /* all zero: no instant was noted */
};

/* PROTO_BYTES_MAX: the largest segment within the limits; 4 MiB are for the header and alignment. */
#define PROTO_BYTES_MAX                                                             \
	(((uint64_t)4 << 20) + (uint64_t)CTP_RING_MAX * sizeof(struct ctp_ring) +   \
		(uint64_t)CTP_SITE_MAX * sizeof(struct ctp_site) + CTP_NAME_BYTES + \
		(uint64_t)CTP_CHUNK_MAX * CTP_CHUNK_BYTES)

/*
 * proto_check: copies and checks the header of a mapping of `mapped_bytes` bytes. CT_ERR_FORMAT if it is not a segment
 * of this version, CT_ERR_UNSUPPORTED for unknown features, CT_ERR_CORRUPT for an impossible geometry; *ret_layout is
 * written on success only.
 */
enum ct_status proto_check(const struct ctp_header *mapped, size_t mapped_bytes,
	struct proto_layout *ret_layout, struct ct_error *reterr);

/* proto_orders: returns the engine's orders. */
struct ctp_orders *proto_orders(const struct proto_layout *layout, void *base);

/* proto_ring: returns the description of a ring; the caller must check that `index` is below layout->ring_max. */
struct ctp_ring *proto_ring(const struct proto_layout *layout, void *base, uint32_t index);

/* proto_site_at: returns a site's entry; the caller must check that `id` is below layout->site_max. */
const struct ctp_site *proto_site_at(
	const struct proto_layout *layout, const void *base, uint32_t id);

/* proto_chunk: returns the first record of a chunk, or NULL if there is no chunk of that number. */
const struct ctp_record *proto_chunk(
	const struct proto_layout *layout, const void *base, uint32_t number);

/* The longest name that is copied; longer names are cut. */
#define PROTO_NAME_MAX 4095u

/* A site, copied. Names are NUL-terminated, "" for none. */
struct proto_site {
	uint32_t kind; /* enum ctp_site_kind, or a number that this version does not know */
	uint32_t form; /* enum ctp_form, or an unknown number; 0: not stated */
	uint32_t line;
	uint32_t column;
	uint64_t address;
	/* Sites that a source names (P-45), each with a smaller number than its own; 0: not stated. */
	uint32_t caller; /* the site of the call that led to this site */
	uint32_t inside; /* the site of the innermost call that this site led to */
	bool is_damaged; /* a name lay outside of the names, and was left out */
	char file[PROTO_NAME_MAX + 1];
	char function[PROTO_NAME_MAX + 1];
	char reason[PROTO_NAME_MAX + 1];
};

/*
 * proto_read_site: copies the site with number `id` (P5). Returns false if the site is not published yet, or there is
 * no such number.
 */
bool proto_read_site(const struct proto_layout *layout, const void *base, uint32_t id,
	struct proto_site *ret_site);

/*
 * proto_fact: copies a fact about the segment's process, by its word ("program", "command"), cut at the buffer's end;
 * "" if the segment does not state the fact (P-85).
 */
void proto_fact(const struct proto_layout *layout, const void *base, const char *fact,
	char *ret_text, size_t nr_bytes);

#endif
