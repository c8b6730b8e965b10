/* SPDX-License-Identifier: MIT */
/*
 * Converts records to bytes and back: the payload of an EVENTS block, after its head.
 *
 * Each record is written as its difference from the values that the records before it in the block suggest: the last
 * time, the last coroutine, and the last object, site, argument and flags of its kind. A block does not depend on
 * anything before it. The byte form is in docs/spec/trace-format.md (F-40 to F-47).
 */
#ifndef STORE_EVENTS_H
#define STORE_EVENTS_H

#include "corotracer/ctp.h"

#include "store/varint.h"

#define STORE_RECORD_BYTES_MAX 64 /* more bytes than one record ever needs */
#define STORE_OBJECT_SLOTS 256
#define STORE_CODES 256
/* records of kinds from here on always contain kind and mask in full */
#define STORE_CODED_KINDS 64

/* The words of the last record of a kind. */
struct store_last {
	uint64_t object; /* the last one that was not 0 */
	uint64_t tail;
};

/* The words of the last records, of any kind. */
struct store_words {
	uint64_t time;
	uint64_t coro;   /* the last one that was not 0 */
	uint64_t object; /* the last one that was not 0 */
};

/* The state that encoder and decoder share after each record. */
struct store_prediction {
	struct store_words words;
	struct store_last last[256];
	uint64_t slots[STORE_OBJECT_SLOTS]; /* recent objects, each in the slot of its hash */
};

struct store_encoder {
	struct store_prediction known;
	uint64_t first;
	/* the latest time so far, relative to the first; earlier times do not count */
	int64_t latest;
	uint64_t kinds; /* the kinds below STORE_CODED_KINDS that have occurred, one bit each */
	unsigned nr_codes;
	uint16_t pairs[STORE_CODES]; /* kind << 8 | mask of each code, for resetting `codes` */
	uint8_t codes[STORE_CODED_KINDS << 8];
};

struct store_decoder {
	struct store_prediction known;
	unsigned nr_codes;
	uint16_t pairs[STORE_CODES];
	struct store_bytes bytes;
};

/*
 * store_encoder_start: forgets everything. `first_time` is the base of the first time difference. The encoder's memory
 * must be zeroed before its first use.
 */
void store_encoder_start(struct store_encoder *encoder, uint64_t first_time);

/*
 * store_encode: writes records at `at`, where STORE_RECORD_BYTES_MAX bytes must be free for each record; returns the
 * place after the last one. Each word is read more than once: no other thread may write the records' memory.
 */
uint8_t *store_encode(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count);

/* store_encode_portable: writes the same bytes, without an instruction that some processors lack. */
uint8_t *store_encode_portable(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count);

void store_decoder_start(
	struct store_decoder *decoder, uint64_t first_time, const uint8_t *at, const uint8_t *end);

/*
 * store_decode: decodes the next `count` records. Returns the number of records: fewer if none are left, or if the
 * bytes make no sense; in the latter case none of these `count` records can be relied on.
 */
size_t store_decode(struct store_decoder *decoder, struct ctp_record *records, size_t count);

#endif
