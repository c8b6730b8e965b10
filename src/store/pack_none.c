/* SPDX-License-Identifier: MIT */
/* Replaces pack.c if the project is built without zstd. */
#include <stdlib.h>

#include "store/pack.h"

struct store_unpacker {
	char nothing;
};

enum ct_status store_packer_new(
	int level, struct store_packer **ret_packer, struct ct_error *reterr)
{
	(void)level, (void)ret_packer;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED, "this build cannot pack traces: it has no zstd");
}

void store_packer_free(struct store_packer *packer)
{
	(void)packer;
}

bool store_pack(struct store_packer *packer, uint8_t **block, uint32_t *payload_bytes)
{
	(void)packer, (void)block, (void)payload_bytes;
	return false;
}

struct store_unpacker *store_unpacker_new(void)
{
	return calloc(1, sizeof(struct store_unpacker));
}

void store_unpacker_free(struct store_unpacker *unpacker)
{
	free(unpacker);
}

enum ct_status store_unpack(struct store_unpacker *unpacker, const uint8_t *bytes, size_t nr_bytes,
	size_t raw_bytes, const uint8_t **ret_raw, struct ct_error *reterr)
{
	(void)unpacker, (void)bytes, (void)nr_bytes, (void)raw_bytes, (void)ret_raw;
	return ct_fail(reterr, CT_ERR_UNSUPPORTED,
		"the trace is packed, and this build cannot unpack it: it has no zstd");
}
