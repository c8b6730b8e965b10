/* SPDX-License-Identifier: MIT */
/*
 * Records of a block, of any bytes: a time (8 bytes), then the decoder's input. The decoded records, one by one or many
 * at a time, must be the same after they are encoded and decoded again.
 */
#include "hostile_file.h"
#include "store/events.h"
#include "base/vec.h"

#define RUN 64u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

struct records {
	VEC(struct ctp_record) all;
};

static void decode(struct records *records, uint64_t first, const uint8_t *at, const uint8_t *end,
	size_t at_a_time)
{
	static struct store_decoder decoder;
	size_t got;

	records->all.count = 0;
	store_decoder_start(&decoder, first, at, end);
	do {
		require(vec_reserve(&records->all, records->all.count + at_a_time));
		got = store_decode(&decoder, records->all.at + records->all.count, at_a_time);
		require(got <= at_a_time);
		records->all.count += got;
	} while (got == at_a_time);
}

static uint8_t *encode(const struct records *records, uint64_t first, size_t *ret_nr_bytes)
{
	static struct store_encoder encoder;
	uint8_t *bytes = malloc((records->all.count + 1) * STORE_RECORD_BYTES_MAX);

	require(bytes != NULL);
	store_encoder_start(&encoder, first);
	*ret_nr_bytes =
		(size_t)(store_encode(&encoder, bytes, records->all.at, records->all.count) -
			 bytes);
	return bytes;
}

static void require_same(const struct records *one, const struct records *other, size_t count)
{
	require(one->all.count >= count && other->all.count >= count);
	require(count == 0 ||
		memcmp(one->all.at, other->all.at, count * sizeof(*one->all.at)) == 0);
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
	decode(&records, first, bytes + sizeof(first), bytes + nr_bytes, 1);
	decode(&again, first, bytes + sizeof(first), bytes + nr_bytes, RUN);
	/* The last run may be incomplete; then its length has no meaning. */
	require_same(&records, &again, again.all.count - again.all.count % RUN);
	encoded = encode(&records, first, &nr_encoded);
	decode(&again, first, encoded, encoded + nr_encoded, RUN);
	require_same(&records, &again, records.all.count);
	require(again.all.count == records.all.count);
	free(encoded);
	return 0;
}
