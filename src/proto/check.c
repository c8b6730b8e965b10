/* SPDX-License-Identifier: MIT */
/*
 * Reading a segment that a hostile peer may be writing. Each word of the header is loaded exactly once, so that the
 * value that was checked is the value that is used.
 */
#include <string.h>

#include "proto/proto.h"

/* One region of the segment: its begin, and its number of units. */
struct region {
	const char *name;
	uint64_t offset;
	uint64_t count;
	uint64_t count_max;
	uint64_t unit_bytes;
	uint64_t alignment;
};

static void copy_layout(
	const struct ctp_header *mapped, size_t mapped_bytes, struct proto_layout *ret_layout)
{
	size_t i;

	ret_layout->mapped_bytes = mapped_bytes;
	ret_layout->orders_offset = ctp_load_relaxed(&mapped->orders_offset);
	ret_layout->ring_offset = ctp_load_relaxed(&mapped->ring_offset);
	ret_layout->site_offset = ctp_load_relaxed(&mapped->site_offset);
	ret_layout->name_offset = ctp_load_relaxed(&mapped->name_offset);
	ret_layout->chunk_offset = ctp_load_relaxed(&mapped->chunk_offset);
	ret_layout->ring_max = ctp_load_relaxed(&mapped->ring_max);
	ret_layout->site_max = ctp_load_relaxed(&mapped->site_max);
	ret_layout->name_bytes = ctp_load_relaxed(&mapped->name_bytes);
	ret_layout->chunk_max = ctp_load_relaxed(&mapped->chunk_max);
	ret_layout->clock = ctp_load_relaxed(&mapped->clock);
	ret_layout->role = ctp_load_relaxed(&mapped->role);
	ret_layout->pid = ctp_load_relaxed(&mapped->pid);
	ret_layout->features_compatible = ctp_load_relaxed(&mapped->features_compatible);
	ret_layout->attached.counter = ctp_load_relaxed(&mapped->clock_counter);
	ret_layout->attached.monotonic_ns = ctp_load_relaxed(&mapped->clock_monotonic_ns);
	ret_layout->attached.realtime_ns = ctp_load_relaxed(&mapped->clock_realtime_ns);
	for (i = 0; i < sizeof(ret_layout->identity); i++)
		ret_layout->identity[i] = ctp_load_relaxed(&mapped->identity[i]);
}

static enum ct_status check_identity(
	const struct ctp_header *mapped, size_t mapped_bytes, struct ct_error *reterr)
{
	uint64_t features;
	uint64_t claimed;
	uint32_t version;

	if (mapped_bytes < CTP_PAGE_BYTES)
		return ct_fail(reterr, CT_ERR_FORMAT, "the segment is smaller than its header");
	if (ctp_load_acquire(&mapped->magic) != CTP_MAGIC) /* P6 */
		return ct_fail(reterr, CT_ERR_FORMAT, "the memory is no segment: wrong magic");
	version = ctp_load_relaxed(&mapped->version);
	if (version != CTP_VERSION)
		return ct_fail(reterr, CT_ERR_FORMAT,
			"the segment is of protocol version %u, this engine speaks %u", version,
			CTP_VERSION);
	features = ctp_load_relaxed(&mapped->features_incompatible);
	if (features & ~PROTO_FEATURES_INCOMPATIBLE)
		return ct_fail(reterr, CT_ERR_UNSUPPORTED,
			"the segment needs features 0x%llx, which this engine does not have",
			(unsigned long long)(features & ~PROTO_FEATURES_INCOMPATIBLE));
	claimed = ctp_load_relaxed(&mapped->header_bytes);
	if (claimed < CTP_HEADER_BYTES_LEAST || claimed > CTP_PAGE_BYTES)
		return ct_fail(reterr, CT_ERR_CORRUPT, "the segment's header claims %llu bytes",
			(unsigned long long)claimed);
	claimed = ctp_load_relaxed(&mapped->segment_bytes);
	if (claimed > mapped_bytes)
		return ct_fail(reterr, CT_ERR_CORRUPT,
			"the segment claims %llu bytes, its memory has %zu",
			(unsigned long long)claimed, mapped_bytes);
	return CT_OK;
}

/* Checks a region. *end is where the region before this one ends; it is moved to where this region ends. */
static enum ct_status check_region(
	const struct region *region, uint64_t *end, uint64_t mapped_bytes, struct ct_error *reterr)
{
	uint64_t bytes;

	if (region->count == 0 || region->count > region->count_max)
		return ct_fail(reterr, CT_ERR_CORRUPT, "the segment claims %llu %s",
			(unsigned long long)region->count, region->name);
	/* This does not overflow: count is at most count_max, and count_max times the unit is below 2^31. */
	bytes = region->count * region->unit_bytes;
	if (region->offset < *end || region->offset % region->alignment ||
		region->offset > mapped_bytes || bytes > mapped_bytes - region->offset)
		return ct_fail(reterr, CT_ERR_CORRUPT, "the segment's %s cannot lie at offset %llu",
			region->name, (unsigned long long)region->offset);
	*end = region->offset + bytes;
	return CT_OK;
}

static enum ct_status check_regions(const struct proto_layout *layout, struct ct_error *reterr)
{
	const struct region regions[] = {
		{"orders", layout->orders_offset, 1, 1, CTP_PAGE_BYTES, CTP_PAGE_BYTES},
		{"rings", layout->ring_offset, layout->ring_max, CTP_RING_MAX,
			sizeof(struct ctp_ring), _Alignof(struct ctp_ring)},
		{"sites", layout->site_offset, layout->site_max, CTP_SITE_MAX,
			sizeof(struct ctp_site), _Alignof(struct ctp_site)},
		{"name bytes", layout->name_offset, layout->name_bytes, CTP_NAME_BYTES, 1, 1},
		{"chunks", layout->chunk_offset, layout->chunk_max, CTP_CHUNK_MAX, CTP_CHUNK_BYTES,
			CTP_RECORD_BYTES},
	};
	uint64_t end = CTP_PAGE_BYTES;
	enum ct_status status;
	size_t i;

	for (i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		status = check_region(&regions[i], &end, layout->mapped_bytes, reterr);
		if (status)
			return status;
	}
	return CT_OK;
}

#define ABOUT_BYTES_READ 65536u
#define ABOUT_HEADER_BYTES (offsetof(struct ctp_header, about_bytes) + sizeof(uint64_t))
#define FLIGHT_HEADER_BYTES (offsetof(struct ctp_header, instants) + 2 * sizeof(struct ctp_instant))

/* A text that lies outside of the mapping is ignored. */
static void copy_about(const struct ctp_header *mapped, struct proto_layout *layout)
{
	const uint64_t features = CTP_FEATURE_ABOUT | CTP_FEATURE_FLIGHT;

	layout->about_offset = layout->about_bytes = 0;
	if (!(layout->features_compatible & features) ||
		ctp_load_relaxed(&mapped->header_bytes) < ABOUT_HEADER_BYTES)
		return;
	layout->about_offset = ctp_load_relaxed(&mapped->about_offset);
	layout->about_bytes = ctp_load_relaxed(&mapped->about_bytes);
	if (layout->about_offset > layout->mapped_bytes ||
		layout->about_bytes > layout->mapped_bytes - layout->about_offset)
		layout->about_offset = layout->about_bytes = 0;
}

/* Copies the facts that only a flight recorder has. */
static void copy_flight(const struct ctp_header *mapped, struct proto_layout *layout)
{
	const struct ctp_instant *latest;
	uint32_t taken;

	layout->is_flight = (layout->features_compatible & CTP_FEATURE_FLIGHT) &&
			    ctp_load_relaxed(&mapped->header_bytes) >= FLIGHT_HEADER_BYTES;
	layout->latest = (struct ctp_instant){0};
	if (!layout->is_flight)
		return;
	taken = ctp_load_acquire(&mapped->instants_taken); /* P11 */
	latest = &mapped->instants[taken % 2];
	if (taken == 0)
		return;
	layout->latest.counter = ctp_load_relaxed(&latest->counter);
	layout->latest.monotonic_ns = ctp_load_relaxed(&latest->monotonic_ns);
	layout->latest.realtime_ns = ctp_load_relaxed(&latest->realtime_ns);
}

enum ct_status proto_check(const struct ctp_header *mapped, size_t mapped_bytes,
	struct proto_layout *ret_layout, struct ct_error *reterr)
{
	struct proto_layout layout;
	enum ct_status status;

	status = check_identity(mapped, mapped_bytes, reterr);
	if (status)
		return status;
	copy_layout(mapped, mapped_bytes, &layout);
	status = check_regions(&layout, reterr);
	if (status)
		return status;
	if (layout.clock != CTP_CLOCK_COUNTER && layout.clock != CTP_CLOCK_MONOTONIC &&
		layout.clock != CTP_CLOCK_COARSE)
		return ct_fail(reterr, CT_ERR_CORRUPT,
			"the segment's clock is of kind %u, "
			"which does not exist",
			layout.clock);
	if (layout.role != CTP_ROLE_PROBE && layout.role != CTP_ROLE_LEDGER)
		return ct_fail(reterr, CT_ERR_CORRUPT,
			"the segment's role is %u, "
			"which no target has",
			layout.role);
	copy_about(mapped, &layout);
	copy_flight(mapped, &layout);
	*ret_layout = layout;
	return CT_OK;
}

struct ctp_orders *proto_orders(const struct proto_layout *layout, void *base)
{
	return (struct ctp_orders *)(void *)((char *)base + layout->orders_offset);
}

struct ctp_ring *proto_ring(const struct proto_layout *layout, void *base, uint32_t index)
{
	return (struct ctp_ring *)(void *)((char *)base + layout->ring_offset) + index;
}

const struct ctp_site *proto_site_at(
	const struct proto_layout *layout, const void *base, uint32_t id)
{
	return (const struct ctp_site *)(const void *)((const char *)base + layout->site_offset) +
	       id;
}

const struct ctp_record *proto_chunk(
	const struct proto_layout *layout, const void *base, uint32_t number)
{
	if (number >= layout->chunk_max)
		return NULL;
	return (const void *)((const char *)base + layout->chunk_offset +
			      (uint64_t)number * CTP_CHUNK_BYTES);
}

/* Loads four bytes at any alignment, each once, so that the value that is checked is the value that is used. */
static uint32_t load_length(const unsigned char *bytes)
{
	uint32_t length = 0;
	unsigned i;

	for (i = 0; i < sizeof(length); i++)
		length |= (uint32_t)ctp_load_relaxed(&bytes[i]) << (8 * i);
	return length;
}

/* Copies the name at `offset` into `ret_text`. Returns false if the name does not lie inside the names. */
static bool read_name(
	const struct proto_layout *layout, const void *base, uint32_t offset, char *ret_text)
{
	const unsigned char *names = (const unsigned char *)base + layout->name_offset;
	uint32_t length;

	ret_text[0] = '\0';
	if (offset == 0)
		return true;
	if (offset > layout->name_bytes || layout->name_bytes - offset < sizeof(length))
		return false;
	length = load_length(names + offset);
	if (length > layout->name_bytes - offset - sizeof(length))
		return false;
	if (length > PROTO_NAME_MAX)
		length = PROTO_NAME_MAX;
	memcpy(ret_text, names + offset + sizeof(length), length);
	ret_text[length] = '\0';
	return true;
}

/* P-45: a number that is not smaller than the site's own is ignored. */
static uint32_t before(const struct proto_site *site, uint32_t id, uint32_t other)
{
	return site->kind == CTP_SITE_SOURCE && other < id ? other : 0;
}

bool proto_read_site(const struct proto_layout *layout, const void *base, uint32_t id,
	struct proto_site *ret_site)
{
	const struct ctp_site *site;
	uint32_t ready;
	bool is_whole;

	if (id >= layout->site_max)
		return false;
	site = proto_site_at(layout, base, id);
	ready = ctp_load_acquire(&site->ready); /* P5 */
	ret_site->kind = CTP_SITE_KIND(ready);
	ret_site->form = CTP_SITE_FORM(ready);
	if (ready == 0)
		return false;
	ret_site->line = ctp_load_relaxed(&site->line);
	ret_site->column = ctp_load_relaxed(&site->column);
	ret_site->address = ctp_load_relaxed(&site->address);
	ret_site->caller = before(ret_site, id, (uint32_t)ret_site->address);
	ret_site->inside = before(ret_site, id, (uint32_t)(ret_site->address >> 32));
	is_whole = read_name(layout, base, ctp_load_relaxed(&site->file), ret_site->file);
	is_whole &= read_name(layout, base, ctp_load_relaxed(&site->function), ret_site->function);
	is_whole &= read_name(layout, base, ctp_load_relaxed(&site->reason), ret_site->reason);
	ret_site->is_damaged = !is_whole;
	return true;
}

void proto_fact(const struct proto_layout *layout, const void *base, const char *fact,
	char *ret_text, size_t nr_bytes)
{
	const unsigned char *text = (const unsigned char *)base + layout->about_offset;
	size_t fact_bytes = strlen(fact), column = 0, length = 0, i;
	bool is_it = true; /* so far the line begins with the fact's name and a blank */

	for (i = 0; i < layout->about_bytes && i < ABOUT_BYTES_READ; i++) {
		unsigned char byte = ctp_load_relaxed(&text[i]);

		if (byte == '\0' || (byte == '\n' && is_it && column > fact_bytes))
			break;
		if (column <= fact_bytes)
			is_it &= byte == (column < fact_bytes ? (unsigned char)fact[column] : ' ');
		else if (is_it && length + 1 < nr_bytes)
			ret_text[length++] = (char)byte;
		column = byte == '\n' ? 0 : column + 1;
		is_it |= byte == '\n';
	}
	ret_text[length] = '\0';
}
