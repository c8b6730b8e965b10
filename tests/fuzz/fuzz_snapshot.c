/* SPDX-License-Identifier: MIT */
/*
 * Records of any words, from three streams of two segments, folded into a snapshot that is written out now and then.
 * Each record written must have a known origin, be in order, and not exceed the promised number; and a second snapshot
 * must accept the records that the first one wrote.
 *
 * An input is a list of steps: a byte that chooses stream and shape, then the words. Small numbers are frequent, so
 * that records are about the same things.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/snapshot.h"

#define ORIGINS 3u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static void require(int condition)
{
	if (!condition)
		abort();
}

struct input {
	const uint8_t *at;
	const uint8_t *end;
};

static uint64_t take(struct input *input, size_t nr_bytes)
{
	uint64_t word = 0;

	if ((size_t)(input->end - input->at) < nr_bytes)
		nr_bytes = (size_t)(input->end - input->at);
	memcpy(&word, input->at, nr_bytes);
	input->at += nr_bytes;
	return word;
}

static struct ctp_record take_record(struct input *input, uint8_t shape, uint64_t *now)
{
	bool is_wide = shape & 4;
	size_t size = is_wide ? 8 : 1;
	struct ctp_record record = {.coro = take(input, size), .object = take(input, size)};
	unsigned kind = (unsigned)take(input, 1), argument = (unsigned)take(input, 1);

	*now += take(input, is_wide ? 8 : 2);
	record.time = *now;
	record.tail = CTP_TAIL(is_wide ? take(input, 4) : 1, kind, argument, 0);
	/* A small object is one of a few resources. */
	if (!is_wide && shape & 8)
		record.object = CTP_HANDLE(record.object % 16, record.object / 16);
	return record;
}

static void start(struct snapshot *snapshot, uint32_t *origins)
{
	uint32_t i;

	require(snapshot != NULL);
	for (i = 0; i < ORIGINS; i++) {
		origins[i] = snapshot_origin(
			snapshot, (struct snapshot_origin){1 + i / 2, 1 + i, 1 + i});
		require(origins[i] != 0);
	}
}

static size_t fold_again(struct snapshot *snapshot, struct snapshot *again)
{
	const struct snapshot_record *records;
	uint32_t origins[ORIGINS], last = 0;
	size_t count, all = 0, i;

	start(again, origins);
	require(snapshot_tell(snapshot));
	do {
		require(snapshot_tell_next(snapshot, &records, &count));
		for (i = 0; i < count; i++) {
			struct snapshot_origin origin =
				snapshot_origin_at(snapshot, records[i].origin);

			require(origin.stream >= last && origin.stream <= ORIGINS &&
				origin.stream > 0);
			last = origin.stream;
			snapshot_fold(again, origins[origin.stream - 1], &records[i].record);
		}
		all += count;
	} while (count);
	return all;
}

static void check_told(struct snapshot *snapshot)
{
	uint64_t at_most = snapshot_nr_told_at_most(snapshot);
	struct snapshot *again = snapshot_new();
	size_t count = fold_again(snapshot, again);

	require(count <= at_most);
	require(snapshot_nr_live(again) <= 2 * count);
	snapshot_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct input input = {bytes, bytes + nr_bytes};
	struct snapshot *snapshot = snapshot_new();
	uint32_t origins[ORIGINS];
	uint64_t now = 1000;

	start(snapshot, origins);
	while (input.at < input.end) {
		uint8_t shape = (uint8_t)take(&input, 1);
		struct ctp_record record = take_record(&input, shape, &now);

		snapshot_fold(snapshot, origins[(shape & 3) % ORIGINS], &record);
		if (shape >= 0xf0)
			check_told(snapshot);
		if (shape >= 0xe0)
			snapshot_beat(snapshot);
	}
	check_told(snapshot);
	snapshot_free(snapshot);
	return 0;
}
