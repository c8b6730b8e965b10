/* SPDX-License-Identifier: MIT */
/*
 * Records to bytes and back: the payload of an EVENTS block behind its head.
 *
 * Each record is told as its difference from what the records before it in the block suggest: the
 * last time, the last coroutine, the last object, site, argument and flags of its kind. A block
 * depends on nothing before it. The byte form is in docs/spec/trace-format.md (F-40 to F-47).
 */
#ifndef STORE_EVENTS_H
#define STORE_EVENTS_H

#include "corotracer/ctp.h"

#include "store/varint.h"

#define STORE_RECORD_BYTES_MAX 64 /* more than one record ever needs */
#define STORE_OBJECT_SLOTS 256
#define STORE_CODES 256
#define STORE_CODED_KINDS 64 /* kinds above always say kind and mask in full */

/* The words of the last record of a kind. */
struct store_last {
	uint64_t object; /* that was not 0 */
	uint64_t tail;
};

/* The words of the last records, of whatever kind. */
struct store_words {
	uint64_t time;
	uint64_t coro;   /* that was not 0 */
	uint64_t object; /* that was not 0 */
};

/* The state that both sides share after each record. */
struct store_prediction {
	struct store_words words;
	struct store_last last[256];
	uint64_t slots[STORE_OBJECT_SLOTS]; /* objects seen lately, each where its hash says */
};

struct store_encoder {
	struct store_prediction known;
	uint64_t first;
	int64_t latest; /* of the times so far, from the first one on; those before it do not count */
	uint64_t kinds; /* those below STORE_CODED_KINDS that there were so far, a bit each */
	unsigned nr_codes;
	uint16_t pairs[STORE_CODES]; /* kind << 8 | mask of each code, to forget them by */
	uint8_t codes[STORE_CODED_KINDS << 8];
};

struct store_decoder {
	struct store_prediction known;
	unsigned nr_codes;
	uint16_t pairs[STORE_CODES];
	struct store_bytes bytes;
};

/* store_encoder_start: forgets all. `first_time` is where the first difference starts from. The
 * encoder's memory must be zeroed before its first use. */
void store_encoder_start(struct store_encoder *encoder, uint64_t first_time);

/*
 * store_encode: writes records at `at`, where STORE_RECORD_BYTES_MAX bytes must be free for each; returns the place
 * behind them. Each word is read more than once: the records lie in memory that nobody else writes.
 */
uint8_t *store_encode(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count);

/* store_encode_portable: the same bytes, without an instruction that not every processor has. */
uint8_t *store_encode_portable(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count);

void store_decoder_start(
	struct store_decoder *decoder, uint64_t first_time, const uint8_t *at, const uint8_t *end);

/*
 * store_decode: the next `count` records. Returns how many there are: fewer where none are left, or where the
 * bytes make no sense; in the latter case none of these `count` is to be relied on.
 */
size_t store_decode(struct store_decoder *decoder, struct ctp_record *records, size_t count);

#endif
