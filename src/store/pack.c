/* SPDX-License-Identifier: MIT */
/* Packing payloads with zstd. */
#include <stdlib.h>
#include <zstd.h>

#include "base/vec.h"
#include "store/format.h"
#include "store/pack.h"

struct store_packer {
	ZSTD_CCtx *context;
	int level;
	uint8_t *block;
	size_t capacity;
};

struct store_unpacker {
	ZSTD_DCtx *context;
	uint8_t *raw;
	size_t capacity;
};

enum ct_status store_packer_new(
	int level, struct store_packer **ret_packer, struct ct_error *reterr)
{
	struct store_packer *packer = calloc(1, sizeof(*packer));

	if (packer)
		packer->context = ZSTD_createCCtx();
	if (!packer || !packer->context) {
		free(packer);
		return ct_fail_memory(reterr);
	}
	packer->level = level;
	*ret_packer = packer;
	return CT_OK;
}

void store_packer_free(struct store_packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->context);
	free(packer->block);
	free(packer);
}

bool store_pack(struct store_packer *packer, uint8_t **block, uint32_t *payload_bytes)
{
	size_t room = sizeof(struct store_block_header), bound = ZSTD_compressBound(*payload_bytes);
	size_t packed;

	if (!vec_grow(&packer->block, &packer->capacity, room + bound, 1))
		return false;
	packed = ZSTD_compressCCtx(packer->context, packer->block + room, bound, *block + room,
		*payload_bytes, packer->level);
	/* The reader would refuse a payload that is packed smaller than this. */
	if (ZSTD_isError(packed) || packed >= *payload_bytes ||
		packed * STORE_PACKED_RATIO < *payload_bytes)
		return false;
	*block = packer->block;
	*payload_bytes = (uint32_t)packed;
	return true;
}

struct store_unpacker *store_unpacker_new(void)
{
	struct store_unpacker *unpacker = calloc(1, sizeof(*unpacker));

	if (unpacker)
		unpacker->context = ZSTD_createDCtx();
	if (unpacker && unpacker->context)
		return unpacker;
	free(unpacker);
	return NULL;
}

void store_unpacker_free(struct store_unpacker *unpacker)
{
	if (!unpacker)
		return;
	ZSTD_freeDCtx(unpacker->context);
	free(unpacker->raw);
	free(unpacker);
}

enum ct_status store_unpack(struct store_unpacker *unpacker, const uint8_t *bytes, size_t nr_bytes,
	size_t raw_bytes, const uint8_t **ret_raw, struct ct_error *reterr)
{
	size_t got;

	if (raw_bytes > STORE_PAYLOAD_MAX || raw_bytes > nr_bytes * STORE_PACKED_RATIO)
		return CT_ERR_CORRUPT;
	if (!vec_grow(&unpacker->raw, &unpacker->capacity, raw_bytes + 1, 1))
		return ct_fail_memory(reterr);
	got = ZSTD_decompressDCtx(unpacker->context, unpacker->raw, raw_bytes, bytes, nr_bytes);
	*ret_raw = unpacker->raw;
	return ZSTD_isError(got) || got != raw_bytes ? CT_ERR_CORRUPT : CT_OK;
}
