/* SPDX-License-Identifier: MIT */
/*
 * Trace files of any bytes for the harnesses. Checksums are corrected, so that the code behind their check is reached;
 * a block whose checksum is FILE_DAMAGED stays damaged.
 */
#ifndef TESTS_HOSTILE_FILE_H
#define TESTS_HOSTILE_FILE_H

#include <string.h>

#include "base/crc32c.h"
#include "memory_file.h"
#include "store/store.h"
#include "store/format.h"

#define FILE_DAMAGED UINT32_C(0x0badc0de)
#define FILE_EVENTS_MAX 2000000 /* the most that one small input can hold */

/* From now on, output to "-" goes into this file. */
static inline void file_take_output(struct memory_file *file)
{
	file_empty(file);
	require(dup2(file->descriptor, STDOUT_FILENO) == STDOUT_FILENO);
}

static inline void file_set_crc(uint8_t *bytes, size_t crc_offset, size_t nr_bytes)
{
	uint32_t crc;

	memcpy(&crc, bytes + crc_offset, sizeof(crc));
	if (crc == FILE_DAMAGED)
		return;
	memset(bytes + crc_offset, 0, sizeof(crc));
	crc = crc32c(0, bytes, nr_bytes);
	memcpy(bytes + crc_offset, &crc, sizeof(crc));
}

/* A block begins where a marker stands behind the previous block. */
static inline void file_make_checksums_right(uint8_t *bytes, size_t nr_bytes)
{
	static const uint32_t marker = STORE_MARKER;
	size_t offset = sizeof(struct store_file_header), whole;
	struct store_block_header header;
	const uint8_t *found;

	if (nr_bytes < offset)
		return;
	file_set_crc(bytes, offsetof(struct store_file_header, crc), offset);
	while ((found = memmem(bytes + offset, nr_bytes - offset, &marker, sizeof(marker)))) {
		offset = (size_t)(found - bytes);
		if (nr_bytes - offset < sizeof(header))
			return;
		memcpy(&header, found, sizeof(header));
		whole = sizeof(header) + (size_t)header.payload_bytes;
		if (whole > nr_bytes - offset) {
			offset += sizeof(marker);
			continue;
		}
		file_set_crc(bytes + offset, offsetof(struct store_block_header, crc), whole);
		offset += whole;
	}
}

/* Makes a file of these bytes, with correct checksums. */
static inline void file_set_right(struct memory_file *file, const uint8_t *bytes, size_t nr_bytes)
{
	uint8_t *copy = malloc(nr_bytes + 1);

	require(copy != NULL);
	if (nr_bytes)
		memcpy(copy, bytes, nr_bytes);
	file_make_checksums_right(copy, nr_bytes);
	file_set(file, copy, nr_bytes);
	free(copy);
}

/* Checks what a reader may rely on: references within the tables, and terminated texts. */
static inline void file_check_tables(const struct ct_tables *tables)
{
	size_t nr_letters = 0;
	uint32_t i;

	require(tables->nr_processes >= 1 && tables->nr_threads >= 1 && tables->nr_sites >= 1);
	require(tables->observed_until >= tables->observed_from);
	for (i = 0; i < tables->nr_processes; i++)
		nr_letters += strlen(tables->processes[i].program) +
			      strlen(tables->processes[i].command_line);
	for (i = 0; i < tables->nr_threads; i++) {
		require(tables->threads[i].process < tables->nr_processes);
		nr_letters += strlen(tables->threads[i].name);
	}
	for (i = 0; i < tables->nr_sites; i++) {
		require(tables->sites[i].process < tables->nr_processes);
		nr_letters += strlen(tables->sites[i].file) + strlen(tables->sites[i].module);
	}
	for (i = 0; i < tables->nr_losses; i++)
		require(tables->losses[i].process < tables->nr_processes &&
			tables->losses[i].thread < tables->nr_threads);
	for (i = 0; i < tables->nr_notes; i++)
		require(strlen(tables->notes[i].text) > 0);
	require(nr_letters < SIZE_MAX);
}

/* Reads all events; returns their number. */
static inline uint64_t file_check_events(struct ct_source *source)
{
	const struct ct_tables *tables = source->tables;
	const struct ct_event *event;
	uint64_t count = 0;
	enum ct_status status;

	while ((status = source_next(source, &event, NULL)) == CT_OK) {
		require(event->process < tables->nr_processes);
		require(event->thread < tables->nr_threads);
		require(event->site < tables->nr_sites);
		require(event->time != CT_NO_TIME);
		require(event->sequence == count++);
		require(count < FILE_EVENTS_MAX);
	}
	require(status == CT_END || status == CT_ERR_CORRUPT);
	require(status != CT_END || count == tables->nr_events + tables->nr_carried);
	return count;
}

#endif
