/* SPDX-License-Identifier: MIT */
/*
 * A trace file of any bytes. Each input is opened as it is, with all checksums made right, so that what lies behind
 * them is reached, too, and with payloads packed anew, so that what lies behind the packing is. Each is also
 * followed, and recovered. What comes out must be what a reader may rely on: references inside the tables, texts
 * that end, events in order; a recovered file holds as many events, and is complete.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "crc32c.h"
#include "io.h"
#include "order.h"
#include "store.h"
#include "store_format.h"
#include "store_pack.h"

#define EVENTS_MAX 2000000 /* that one small input can hold */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void set_crc(uint8_t *bytes, size_t crc_offset, size_t nr_bytes)
{
	uint32_t crc = 0;

	memcpy(bytes + crc_offset, &crc, sizeof(crc));
	crc = crc32c(0, bytes, nr_bytes);
	memcpy(bytes + crc_offset, &crc, sizeof(crc));
}

static void make_checksums_right(uint8_t *bytes, size_t nr_bytes)
{
	size_t offset = sizeof(struct store_file_header), whole;
	struct store_block_header header;

	if (nr_bytes < offset)
		return;
	memcpy(bytes, STORE_MAGIC, STORE_MAGIC_BYTES);
	set_crc(bytes, offsetof(struct store_file_header, crc), offset);
	while (nr_bytes - offset >= sizeof(header)) {
		memcpy(&header, bytes + offset, sizeof(header));
		if (header.payload_bytes > nr_bytes - offset - sizeof(header))
			return;
		header.marker = STORE_MARKER;
		memcpy(bytes + offset, &header, sizeof(header));
		whole = sizeof(header) + header.payload_bytes;
		set_crc(bytes + offset, offsetof(struct store_block_header, crc), whole);
		offset += whole;
	}
}

static void check_tables(const struct ct_tables *tables)
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

static void check_events(struct ct_source *source)
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
		require(count < EVENTS_MAX);
	}
	require(status == CT_END || status == CT_ERR_CORRUPT);
	require(status != CT_END || count == tables->nr_events + tables->nr_carried);
}

static void follow(const char *path)
{
	const struct ct_event *event;
	struct ct_source *source;
	enum ct_status status;

	if (store_follow_open(path, &source, NULL))
		return;
	while ((status = source_next(source, &event, NULL)) == CT_OK) {
		require(event->process < source->tables->nr_processes);
		require(event->thread < source->tables->nr_threads);
		require(event->site < source->tables->nr_sites);
	}
	require(status != CT_AGAIN);
	source_close(source);
}

static void recover(const char *path, uint64_t nr_events)
{
	struct ct_source *source;
	struct ct_part part;
	char saved[64];

	snprintf(saved, sizeof(saved), "/dev/shm/corotracer-fuzz-%ld", (long)getpid());
	if (store_recover(path, 0, saved, &part, NULL) == CT_OK) {
		require(store_source_open(saved, &source, NULL) == CT_OK);
		require(source->tables->nr_events == nr_events);
		require(source->tables->is_complete);
		source_close(source);
		unlink(saved);
	}
}

static void open_bytes(const uint8_t *bytes, size_t nr_bytes)
{
	int descriptor = memfd_create("input", MFD_CLOEXEC);
	struct ct_source *source = NULL;
	char path[64];

	require(descriptor >= 0 && io_write(descriptor, bytes, nr_bytes, NULL) == CT_OK);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	if (store_source_open(path, &source, NULL) == CT_OK) {
		uint64_t nr_known = source->tables->nr_events;

		check_tables(source->tables);
		check_events(source);
		source_close(source);
		recover(path, nr_known);
	}
	follow(path);
	close(descriptor);
}

/* Each payload packed, behind the same heads: what unpacks is what the fuzzer made. */
static size_t pack_all(const uint8_t *bytes, size_t nr_bytes, uint8_t *ret_packed)
{
	size_t offset = sizeof(struct store_file_header), used = offset;
	struct store_packer *packer = NULL;
	struct store_block_header header;

	if (nr_bytes < offset || store_packer_new(1, &packer, NULL))
		return 0;
	memcpy(ret_packed, bytes, offset);
	while (nr_bytes - offset >= sizeof(header)) {
		uint8_t *block = ret_packed + used;
		size_t whole;

		memcpy(&header, bytes + offset, sizeof(header));
		whole = sizeof(header) + header.payload_bytes;
		if (header.payload_bytes > nr_bytes - offset - sizeof(header))
			break;
		memcpy(block, bytes + offset, whole);
		header.raw_bytes = header.payload_bytes;
		header.flags = 0;
		if (store_pack(packer, &block, &header.payload_bytes))
			header.flags = STORE_BLOCK_PACKED;
		memmove(ret_packed + used, block, sizeof(header) + header.payload_bytes);
		memcpy(ret_packed + used, &header, sizeof(header));
		used += sizeof(header) + header.payload_bytes;
		offset += whole;
	}
	store_packer_free(packer);
	return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	uint8_t *copy = malloc(nr_bytes + 1), *packed = malloc(nr_bytes + 1);
	size_t nr_packed;

	require(copy != NULL && packed != NULL);
	open_bytes(bytes, nr_bytes);
	if (nr_bytes)
		memcpy(copy, bytes, nr_bytes);
	make_checksums_right(copy, nr_bytes);
	open_bytes(copy, nr_bytes);
	nr_packed = pack_all(copy, nr_bytes, packed);
	make_checksums_right(packed, nr_packed);
	open_bytes(packed, nr_packed);
	free(copy);
	free(packed);
	return 0;
}
