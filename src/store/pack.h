/* SPDX-License-Identifier: MIT */
/*
 * Packs the payloads of blocks with zstd, and unpacks them. If the project is built without zstd, nothing can be
 * packed, and unpacking fails with a message.
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
 * store_pack: packs the payload of a block, which lies after room for its header. Returns true if *block and
 * *payload_bytes are now those of the packed payload, with room before it, valid until the next call. Returns false if
 * the payload would not get smaller, or would get too small (F-24); it is then written unpacked.
 */
bool store_pack(struct store_packer *packer, uint8_t **block, uint32_t *payload_bytes);

/* store_unpacker_new: makes an unpacker, which one thread at a time may use. NULL: out of memory. */
struct store_unpacker *store_unpacker_new(void);
void store_unpacker_free(struct store_unpacker *unpacker);

/*
 * store_unpack: unpacks to exactly raw_bytes, valid until the next call. CT_ERR_CORRUPT if the bytes unpack to another
 * size; CT_ERR_UNSUPPORTED without zstd.
 */
enum ct_status store_unpack(struct store_unpacker *unpacker, const uint8_t *bytes, size_t nr_bytes,
	size_t raw_bytes, const uint8_t **ret_raw, struct ct_error *reterr);

#endif
