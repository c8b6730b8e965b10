/* SPDX-License-Identifier: MIT */
/*
 * Reading only the end of a file: a generation can be understood without the data before it, so the rest of the file
 * need not be scanned.
 */
#include "store/scan.h"

/* Goes to the next block, past damage. */
static enum ct_status go_on(
	struct scan *scan, const struct store_block_header *header, struct ct_error *reterr)
{
	return store_scan_find(scan, scan->offset + sizeof(*header) + header->payload_bytes,
		&scan->offset, reterr);
}

/* Reads the header of the present block, which is whole. */
static enum ct_status read_header(
	struct scan *scan, struct store_block_header *ret_header, struct ct_error *reterr)
{
	const uint8_t *payload;

	return store_block_check(scan->input, scan->offset, ret_header, &payload, reterr);
}

static enum ct_status find_generation(struct scan *scan, struct ct_error *reterr)
{
	struct store_block_header header;
	enum ct_status status = read_header(scan, &header, reterr);
	uint32_t first = header.generation;

	while (status == CT_OK && header.generation == first) {
		status = go_on(scan, &header, reterr);
		if (status == CT_OK)
			status = read_header(scan, &header, reterr);
	}
	scan->next_number = header.number;
	return status;
}

enum ct_status store_scan_skip(struct scan *scan, uint64_t nr_bytes, struct ct_error *reterr)
{
	uint64_t size = scan->input->nr_bytes;
	enum ct_status status;

	if (nr_bytes == 0 || size <= nr_bytes || size - nr_bytes <= scan->offset)
		return CT_OK;
	status = store_scan_find(scan, size - nr_bytes, &scan->offset, reterr);
	if (status == CT_OK)
		status = find_generation(scan, reterr);
	if (status == CT_END)
		return ct_fail(reterr, CT_ERR_UNSUPPORTED,
			"no part of it that can be understood alone begins within its last %llu "
			"bytes",
			(unsigned long long)nr_bytes);
	return status;
}
