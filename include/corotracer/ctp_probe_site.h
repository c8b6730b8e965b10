/* SPDX-License-Identifier: MIT */
/*
 * Interned sites and names. A part of ctp_probe_cold.h: include that.
 *
 * A site gets its number from a counter in the header, is written, and is then made ready (P5); it is never removed.
 * Two threads that meet a place for the first time at the same moment may give it two numbers, which costs room but
 * does no other harm. A new site shares the names of the sites interned just before, which are likely to have the same
 * file and function; this only saves room.
 */
#ifndef COROTRACER_CTP_PROBE_SITE_H
#define COROTRACER_CTP_PROBE_SITE_H

#include "corotracer/ctp_probe_cold.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_TEXT_MAX 1024u /* longer texts are cut */
/* preceding sites whose names are compared before a name is written again */
#define CTP_NAMES_NEARBY 16u
#define CTP_NAME_HEAD ((uint32_t)sizeof(uint32_t))

CTP_COLD_PART struct ctp_site *ctp_site_at(struct ctp_header *header, uint32_t id)
{
	return (struct ctp_site *)(void *)ctp_segment_at(header, CTP_SITE_OFFSET) + id;
}

CTP_COLD_PART uint32_t ctp_text_length(const char *text, uint32_t bytes)
{
	uint32_t length = 0;

	if (bytes != 0)
		return bytes < CTP_TEXT_MAX ? bytes : CTP_TEXT_MAX;
	while (length < CTP_TEXT_MAX && text[length] != '\0')
		length++;
	return length;
}

CTP_COLD_PART bool ctp_name_equals(
	struct ctp_header *header, uint32_t name, const char *text, uint32_t length)
{
	const char *stored = ctp_segment_at(header, CTP_NAME_OFFSET + name);
	uint32_t last = ctp_process_state.name_bytes - CTP_NAME_HEAD;
	uint32_t stored_length;

	if (name == 0 || name > last)
		return false;
	memcpy(&stored_length, stored, sizeof(stored_length));
	return stored_length == length && length <= last - name &&
	       memcmp(stored + CTP_NAME_HEAD, text, length) == 0;
}

/* Returns the text's name among the sites interned before `id`, or 0. */
CTP_COLD_PART uint32_t ctp_name_nearby(
	struct ctp_header *header, uint32_t id, const char *text, uint32_t length)
{
	uint32_t distance;

	for (distance = 1; distance <= CTP_NAMES_NEARBY && distance < id; distance++) {
		const struct ctp_site *site = ctp_site_at(header, id - distance);

		if (ctp_load_acquire(&site->ready) == 0) /* P5 */
			continue;
		if (ctp_name_equals(header, site->file, text, length))
			return site->file;
		if (ctp_name_equals(header, site->function, text, length))
			return site->function;
		if (ctp_name_equals(header, site->reason, text, length))
			return site->reason;
	}
	return 0;
}

/* Interns one text. Returns its name, or 0 if there is no text, or no room (*ret_is_full is then set). */
CTP_COLD_PART uint32_t ctp_name_intern(
	struct ctp_header *header, uint32_t id, const char *text, uint32_t bytes, bool *ret_is_full)
{
	uint32_t length;
	uint32_t name;
	char *place;

	if (!text)
		return 0;
	length = ctp_text_length(text, bytes);
	name = ctp_name_nearby(header, id, text, length);
	if (name != 0)
		return name;
	if (!ctp_hand_out(&header->names_used, CTP_ALIGN_UP(CTP_NAME_HEAD + length, CTP_NAME_HEAD),
		    ctp_process_state.name_bytes, &name)) {
		*ret_is_full = true;
		return 0;
	}
	place = ctp_segment_at(header, CTP_NAME_OFFSET + name);
	memcpy(place, &length, sizeof(length));
	memcpy(place + CTP_NAME_HEAD, text, length);
	return name;
}

CTP_COLD_PART uint32_t ctp_site_intern(
	struct ctp_header *header, const struct ctp_site_source *source)
{
	bool is_full = false;
	struct ctp_site *site;
	uint32_t id;

	if (!ctp_hand_out(&header->sites_used, 1, ctp_process_state.site_max, &id))
		return 0;
	site = ctp_site_at(header, id);
	site->line = source->line;
	site->column = source->column;
	site->address = source->address;
	site->file = ctp_name_intern(header, id, source->file, 0, &is_full);
	site->function = ctp_name_intern(header, id, source->function, 0, &is_full);
	site->reason = ctp_name_intern(header, id, source->reason, source->reason_bytes, &is_full);
	if (is_full)
		return 0;
	ctp_store_release(&site->ready, source->kind); /* P5 */
	return id;
}

/* Claims the first unclaimed slot of a place's row. Returns NULL if all slots of the row are claimed. */
CTP_COLD_PART struct ctp_site_slot *ctp_slot_claim(
	const void *place, uint64_t position, const void *reason_key)
{
	uint32_t first = ctp_site_hash(place, position, reason_key);
	uint32_t probe;

	for (probe = 0; probe < CTP_SITE_PROBES; probe++) {
		struct ctp_site_slot *slot =
			&ctp_process_state.slots[(first + probe) % CTP_SITE_SLOTS];

		if (__atomic_exchange_n(&slot->claimed, 1, __ATOMIC_RELAXED) == 0)
			return slot;
	}
	return NULL;
}

/*
 * Returns whether there is no room, without trying: the longest texts might not fit. A place that cannot be remembered
 * in a slot takes a new number at each event; half of the table is kept from such places.
 */
CTP_COLD_PART bool ctp_sites_are_full(const struct ctp_header *header, bool is_forgotten)
{
	uint32_t site_max = ctp_process_state.site_max;

	return ctp_load_relaxed(&header->sites_used) >= (is_forgotten ? site_max / 2 : site_max) ||
	       ctp_load_relaxed(&header->names_used) >
		       ctp_process_state.name_bytes - 3 * (CTP_NAME_HEAD + CTP_TEXT_MAX);
}

/*
 * Returns whether `header` is still the present segment. The word is read by exchanging it for itself. The exchange by
 * which ctp_process_take installs another segment comes before this exchange or after it; if after, it sees all that
 * this thread interned (P8).
 */
CTP_COLD_PART bool ctp_is_present(struct ctp_header *header)
{
	struct ctp_header *present = header;

	return __atomic_compare_exchange_n(&ctp_process_state.header, &present, header, false,
		__ATOMIC_ACQ_REL, __ATOMIC_RELAXED); /* P8 */
}

/* Interns a site and remembers it in the slot, if there is one. */
CTP_COLD_PART uint32_t ctp_slot_fill(struct ctp_header *header, struct ctp_site_slot *slot,
	const void *place, uint64_t position, const void *reason_key,
	const struct ctp_site_source *source)
{
	uint32_t id = ctp_site_intern(header, source);

	/* If the segment was replaced meanwhile, the number means nothing in the next segment. */
	if (!ctp_is_present(header))
		id = 0;
	if (!slot)
		return id;
	if (id == 0) {
		ctp_store_relaxed(&slot->claimed, 0);
		return 0;
	}
	slot->place = place;
	slot->position = position;
	slot->reason = reason_key;
	ctp_store_release(&slot->id, id); /* P7 */
	return id;
}

CTP_COLD uint32_t ctp_site_remember(const void *place, uint64_t position, const void *reason_key,
	const struct ctp_site_source *source)
{
	struct ctp_header *header = ctp_load_acquire(&ctp_process_state.header); /* P8 */
	struct ctp_site_slot *slot = NULL;
	struct ctp_quiet quiet;
	uint32_t id = 0;

	if (!header || !ctp_is_attached())
		return 0;
	if (!ctp_sites_are_full(header, false)) {
		ctp_quiet_begin(&quiet);
		if (place)
			slot = ctp_slot_claim(place, position, reason_key);
		if (!ctp_sites_are_full(header, place && !slot))
			id = ctp_slot_fill(header, slot, place, position, reason_key, source);
		ctp_quiet_end(&quiet);
	}
	if (id == 0)
		__atomic_fetch_add(&header->sites_refused, 1, __ATOMIC_RELAXED);
	return id;
}

/*
 * Gives a new segment the sites of the segment before, as many as fit, so that the numbers in slots and in CTP_SITE
 * stay valid. The old segment may be a parent's, which goes on using it.
 */
CTP_COLD_PART void ctp_sites_inherit(struct ctp_header *header, struct ctp_header *old)
{
	uint32_t site_max = ctp_process_state.site_max;
	uint32_t name_bytes = ctp_process_state.name_bytes;
	uint32_t sites = ctp_load_relaxed(&old->sites_used);
	uint32_t names = CTP_NAME_HEAD;
	uint32_t id;

	sites = sites < site_max ? sites : site_max;
	for (id = 1; id < sites; id++) {
		const struct ctp_site *site = ctp_site_at(old, id);
		uint32_t ready = ctp_load_acquire(&site->ready); /* P5 */

		if (ready == 0)
			continue;
		memcpy(ctp_site_at(header, id), site, sizeof(*site));
		ctp_store_relaxed(&ctp_site_at(header, id)->ready, ready);
	}
	names = ctp_load_relaxed(&old->names_used);
	names = names < name_bytes ? names : name_bytes;
	memcpy(ctp_segment_at(header, CTP_NAME_OFFSET), ctp_segment_at(old, CTP_NAME_OFFSET),
		names);
	ctp_store_relaxed(&header->sites_used, sites);
	ctp_store_relaxed(&header->names_used, CTP_ALIGN_UP(names, CTP_NAME_HEAD));
	ctp_store_relaxed(&header->ids_used, ctp_load_relaxed(&old->ids_used));
}

/* Releases the slots that a thread of the parent had claimed, but not filled, when the process was forked. */
CTP_COLD_PART void ctp_slots_release(void)
{
	uint32_t i;

	for (i = 0; i < CTP_SITE_SLOTS; i++) {
		struct ctp_site_slot *slot = &ctp_process_state.slots[i];

		if (ctp_load_acquire(&slot->id) == 0) /* P7 */
			ctp_store_relaxed(&slot->claimed, 0);
	}
}

#ifdef __cplusplus
}
#endif

#endif
