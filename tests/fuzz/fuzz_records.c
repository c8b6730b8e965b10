/* SPDX-License-Identifier: MIT */
/*
 * The records of a block, of any bytes: a time (8 bytes), then what the decoder takes. What it makes of them must
 * be the same when it is encoded and decoded again.
 */
#include "hostile_file.h"
#include "store_events.h"
#include "vec.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

struct records {
	VEC(struct ctp_record) all;
};

static void decode(struct records *records, uint64_t first, const uint8_t *at, const uint8_t *end)
{
	static struct store_decoder decoder;
	struct ctp_record record;

	records->all.count = 0;
	store_decoder_start(&decoder, first, at, end);
	while (store_decode(&decoder, &record))
		require(vec_push(&records->all, record));
}

static uint8_t *encode(const struct records *records, uint64_t first, size_t *ret_nr_bytes)
{
	static struct store_encoder encoder;
	uint8_t *bytes = malloc((records->all.count + 1) * STORE_RECORD_BYTES_MAX), *at = bytes;
	size_t i;

	require(bytes != NULL);
	store_encoder_start(&encoder, first);
	for (i = 0; i < records->all.count; i++)
		at = store_encode(&encoder, at, &records->all.at[i]);
	*ret_nr_bytes = (size_t)(at - bytes);
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static struct records records, again;
	uint64_t first;
	uint8_t *encoded;
	size_t nr_encoded;

	if (nr_bytes < sizeof(first))
		return 0;
	memcpy(&first, bytes, sizeof(first));
	decode(&records, first, bytes + sizeof(first), bytes + nr_bytes);
	encoded = encode(&records, first, &nr_encoded);
	decode(&again, first, encoded, encoded + nr_encoded);
	require(again.all.count == records.all.count);
	require(records.all.count == 0 ||
		memcmp(again.all.at, records.all.at, records.all.count * sizeof(*records.all.at)) ==
			0);
	free(encoded);
	return 0;
}
