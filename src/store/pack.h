/* SPDX-License-Identifier: MIT */
/*
 * Packing the payload of blocks with zstd, and unpacking it. Where the project is built without zstd,
 * nothing can be packed, and unpacking fails with a sentence.
 */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct store_packer;
struct store_unpacker;

/* store_packer_new: CT_ERR_UNSUPPORTED without zstd. `level`: 1 (fast) to 19. */
enum ct_status store_packer_new(
	int level, struct store_packer **ret_packer, struct ct_error *reterr);
void store_packer_free(struct store_packer *packer);

/*
 * store_pack: packs the payload of a block, which lies behind room for its header. True: *block and
 * *payload_bytes are those of the packed one, with room before it, until the next call. False: it
 * would not get smaller, or too small (F-24), and is written as it is.
 */
bool store_pack(struct store_packer *packer, uint8_t **block, uint32_t *payload_bytes);

/* store_unpacker_new: NULL: out of memory. One thread at a time. */
struct store_unpacker *store_unpacker_new(void);
void store_unpacker_free(struct store_unpacker *unpacker);

/*
 * store_unpack: exactly raw_bytes, valid until the next call. CT_ERR_CORRUPT where that is not what the
 * bytes give; CT_ERR_UNSUPPORTED without zstd.
 */
enum ct_status store_unpack(struct store_unpacker *unpacker, const uint8_t *bytes, size_t nr_bytes,
	size_t raw_bytes, const uint8_t **ret_raw, struct ct_error *reterr);

#endif
