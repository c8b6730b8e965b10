/* SPDX-License-Identifier: MIT */
/*
 * Records to bytes and back: the payload of an EVENTS block behind its head.
 *
 * Each record is told as its difference from what the records before it in the block suggest: the
 * last time, the last coroutine, the last object, site, argument and flags of its kind. A block
 * depends on nothing before it. The byte form is in docs/spec/trace-format.md (F-40 to F-47).
 */
#ifndef STORE_STORE_EVENTS_H
#define STORE_STORE_EVENTS_H

#include "corotracer/ctp.h"

#include "store_varint.h"

#define STORE_RECORD_BYTES_MAX 64 /* more than one record ever needs */
#define STORE_OBJECT_SLOTS 256
#define STORE_CODES 256
#define STORE_CODED_KINDS 64 /* kinds above always say kind and mask in full */

/* What the last record of a kind had. */
struct store_last {
	uint64_t object;
	uint32_t site;
	uint16_t flags;
	uint8_t argument;
};

/* What both sides know after each record. */
struct store_prediction {
	uint64_t time;
	uint64_t coro;   /* the last that was not 0 */
	uint64_t object; /* the last that was not 0 */
	struct store_last last[256];
	uint64_t slots[STORE_OBJECT_SLOTS]; /* objects seen lately, each where its hash says */
};

struct store_encoder {
	struct store_prediction known;
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

/* store_encode: writes one record at `at`, where STORE_RECORD_BYTES_MAX bytes must be free; returns
 * the place behind it. */
uint8_t *store_encode(struct store_encoder *encoder, uint8_t *at, const struct ctp_record *record);

void store_decoder_start(
	struct store_decoder *decoder, uint64_t first_time, const uint8_t *at, const uint8_t *end);

/* store_decode: the next record; false where the bytes make no sense, or there are none left. */
bool store_decode(struct store_decoder *decoder, struct ctp_record *ret_record);

#endif
