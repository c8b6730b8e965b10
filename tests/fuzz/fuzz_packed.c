/* SPDX-License-Identifier: MIT */
/*
 * Packed payloads. The input is a length (4 bytes) and bytes. The bytes are unpacked as if they gave that length; they
 * are also packed, and unpacked again.
 */
#include "hostile_file.h"
#include "store/pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static struct store_packer *packer;
static struct store_unpacker *unpacker;

static void unpack_hostile(uint32_t raw_bytes, const uint8_t *bytes, size_t nr_bytes)
{
	const uint8_t *raw;
	uint32_t i, sum = 0;

	if (store_unpack(unpacker, bytes, nr_bytes, raw_bytes, &raw, NULL))
		return;
	require(raw_bytes <= nr_bytes * STORE_PACKED_RATIO);
	for (i = 0; i < raw_bytes; i++)
		sum += raw[i];
	require(sum <= raw_bytes * UINT32_C(255));
}

static void pack_and_unpack(const uint8_t *bytes, size_t nr_bytes)
{
	uint8_t *block = malloc(sizeof(struct store_block_header) + nr_bytes), *packed = block;
	uint32_t nr_packed = (uint32_t)nr_bytes;
	const uint8_t *raw;

	require(block != NULL);
	memcpy(block + sizeof(struct store_block_header), bytes, nr_bytes);
	if (store_pack(packer, &packed, &nr_packed)) {
		packed += sizeof(struct store_block_header);
		require(nr_packed < nr_bytes);
		require(store_unpack(unpacker, packed, nr_packed, nr_bytes, &raw, NULL) == CT_OK);
		require(memcmp(raw, bytes, nr_bytes) == 0);
	}
	free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	uint32_t raw_bytes;

	if (!unpacker)
		unpacker = store_unpacker_new();
	if (!packer && store_packer_new(1, &packer, NULL) == CT_ERR_UNSUPPORTED)
		return 0;
	require(packer && unpacker);
	if (nr_bytes < sizeof(raw_bytes))
		return 0;
	memcpy(&raw_bytes, bytes, sizeof(raw_bytes));
	unpack_hostile(raw_bytes, bytes + sizeof(raw_bytes), nr_bytes - sizeof(raw_bytes));
	pack_and_unpack(bytes, nr_bytes);
	return 0;
}
