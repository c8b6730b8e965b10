/* SPDX-License-Identifier: MIT */
/*
 * The byte form of records. Runs once for each event on its way into and out of the file, so nothing
 * here allocates, and the reader's side never trusts a length: near the end of the bytes each one is
 * checked, before it whole records are known to fit.
 */
#include <string.h>

#include "store_events.h"

/* The mask: how each field is told. Numbers are part of the format. */
enum {
	CORO_SAME = 0,  /* as the last one */
	CORO_DELTA = 1, /* a difference to the last one follows */
	CORO_ZERO = 2,
	CORO_OBJECT = 3, /* the identity of the last object */
	CORO_FORM = 3,   /* bits */

	OBJECT_ZERO = 0 << 2,
	OBJECT_SAME = 1 << 2,  /* as the last one of this kind */
	OBJECT_DELTA = 2 << 2, /* a difference to the last one of this kind follows */
	OBJECT_SLOT = 3 << 2,  /* the number of a slot follows */
	OBJECT_FORM = 3 << 2,  /* bits */

	SITE_DELTA = 1 << 4,
	ARGUMENT_TOLD = 1 << 5,
	FLAGS_TOLD = 1 << 6,
	TIME_BACK = 1 << 7, /* the difference is taken away */
};

static inline unsigned slot_of(uint64_t object)
{
	return (unsigned)((object * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static void forget(struct store_prediction *known, uint64_t first_time)
{
	memset(known, 0, sizeof(*known));
	known->time = first_time;
}

void store_encoder_start(struct store_encoder *encoder, uint64_t first_time)
{
	unsigned i;

	forget(&encoder->known, first_time);
	for (i = 1; i <= encoder->nr_codes; i++)
		encoder->codes[encoder->pairs[i]] = 0;
	encoder->nr_codes = 0;
}

static inline uint8_t *put_code(
	struct store_encoder *encoder, uint8_t *at, unsigned kind, unsigned mask)
{
	unsigned pair = kind << 8 | mask;

	if (kind < STORE_CODED_KINDS && encoder->codes[pair]) {
		*at++ = encoder->codes[pair];
		return at;
	}
	*at++ = 0;
	*at++ = (uint8_t)kind;
	*at++ = (uint8_t)mask;
	if (kind < STORE_CODED_KINDS && encoder->nr_codes + 1 < STORE_CODES) {
		encoder->pairs[++encoder->nr_codes] = (uint16_t)pair;
		encoder->codes[pair] = (uint8_t)encoder->nr_codes;
	}
	return at;
}

static inline unsigned coro_form(const struct store_prediction *known, uint64_t coro)
{
	if (coro == known->coro)
		return CORO_SAME;
	if (coro == 0)
		return CORO_ZERO;
	return coro == CTP_HANDLE_IDENTITY(known->object) ? CORO_OBJECT : CORO_DELTA;
}

static inline unsigned object_form(
	const struct store_prediction *known, const struct store_last *last, uint64_t object)
{
	if (object == 0)
		return OBJECT_ZERO;
	if (object == last->object)
		return OBJECT_SAME;
	return object == known->slots[slot_of(object)] ? OBJECT_SLOT : OBJECT_DELTA;
}

static inline uint8_t *put_object(
	const struct store_last *last, uint8_t *at, unsigned mask, uint64_t object)
{
	if ((mask & OBJECT_FORM) == OBJECT_SLOT)
		*at++ = (uint8_t)slot_of(object);
	else if ((mask & OBJECT_FORM) == OBJECT_DELTA)
		at = store_varint_put(at, store_zigzag(object - last->object));
	return at;
}

static inline uint8_t *put_tail(
	const struct store_last *last, uint8_t *at, unsigned mask, uint64_t tail)
{
	if (mask & SITE_DELTA)
		at = store_varint_put(at, store_zigzag((uint64_t)CTP_TAIL_SITE(tail) - last->site));
	if (mask & ARGUMENT_TOLD)
		*at++ = CTP_TAIL_ARGUMENT(tail);
	if (mask & FLAGS_TOLD)
		at = store_varint_put(at, CTP_TAIL_FLAGS(tail));
	return at;
}

static inline unsigned tail_mask(const struct store_last *last, uint64_t tail)
{
	return (CTP_TAIL_SITE(tail) != last->site ? SITE_DELTA : 0) |
	       (CTP_TAIL_ARGUMENT(tail) != last->argument ? ARGUMENT_TOLD : 0) |
	       (CTP_TAIL_FLAGS(tail) != last->flags ? FLAGS_TOLD : 0);
}

/* Both sides learn the same from a record. */
static inline void learn(
	struct store_prediction *known, struct store_last *last, const struct ctp_record *record)
{
	known->time = record->time;
	if (record->coro)
		known->coro = record->coro;
	if (record->object) {
		known->object = record->object;
		known->slots[slot_of(record->object)] = record->object;
		last->object = record->object;
	}
	last->site = CTP_TAIL_SITE(record->tail);
	last->argument = CTP_TAIL_ARGUMENT(record->tail);
	last->flags = CTP_TAIL_FLAGS(record->tail);
}

uint8_t *store_encode(struct store_encoder *encoder, uint8_t *at, const struct ctp_record *record)
{
	struct store_prediction *known = &encoder->known;
	unsigned kind = CTP_TAIL_KIND(record->tail);
	struct store_last *last = &known->last[kind];
	uint64_t difference = record->time - known->time;
	unsigned mask = coro_form(known, record->coro) | object_form(known, last, record->object) |
			tail_mask(last, record->tail);

	if ((int64_t)difference < 0) {
		mask |= TIME_BACK;
		difference = 0 - difference;
	}
	at = put_code(encoder, at, kind, mask);
	at = store_varint_put(at, difference);
	if ((mask & CORO_FORM) == CORO_DELTA)
		at = store_varint_put(at, store_zigzag(record->coro - known->coro));
	at = put_object(last, at, mask, record->object);
	at = put_tail(last, at, mask, record->tail);
	learn(known, last, record);
	return at;
}

void store_decoder_start(
	struct store_decoder *decoder, uint64_t first_time, const uint8_t *at, const uint8_t *end)
{
	forget(&decoder->known, first_time);
	decoder->nr_codes = 0;
	decoder->bytes = (struct store_bytes){at, end, false};
}

/*
 * Where a whole record surely lies before the end, `is_inside`, nothing is checked on the way. All
 * functions below are made twice by that.
 */
#define MADE_TWICE static inline __attribute__((always_inline))

MADE_TWICE uint64_t take_number(struct store_bytes *bytes, bool is_inside)
{
	return is_inside ? store_varint_take_inside(bytes) : store_varint_take(bytes);
}

MADE_TWICE uint8_t take_byte(struct store_bytes *bytes, bool is_inside)
{
	return is_inside ? *bytes->at++ : store_byte_take(bytes);
}

MADE_TWICE unsigned take_code(
	struct store_decoder *decoder, struct store_bytes *bytes, bool is_inside)
{
	unsigned code = take_byte(bytes, is_inside), kind, mask;

	if (code > decoder->nr_codes) {
		bytes->is_broken = true;
		return 0;
	}
	if (code)
		return decoder->pairs[code];
	kind = take_byte(bytes, is_inside);
	mask = take_byte(bytes, is_inside);
	if (kind < STORE_CODED_KINDS && decoder->nr_codes + 1 < STORE_CODES)
		decoder->pairs[++decoder->nr_codes] = (uint16_t)(kind << 8 | mask);
	return kind << 8 | mask;
}

MADE_TWICE uint64_t take_coro(const struct store_prediction *known, struct store_bytes *bytes,
	unsigned mask, bool is_inside)
{
	switch (mask & CORO_FORM) {
	case CORO_SAME:
		return known->coro;
	case CORO_DELTA:
		return known->coro + store_unzigzag(take_number(bytes, is_inside));
	case CORO_OBJECT:
		return CTP_HANDLE_IDENTITY(known->object);
	default:
		return 0;
	}
}

MADE_TWICE uint64_t take_object(const struct store_prediction *known, const struct store_last *last,
	struct store_bytes *bytes, unsigned mask, bool is_inside)
{
	switch (mask & OBJECT_FORM) {
	case OBJECT_SAME:
		return last->object;
	case OBJECT_DELTA:
		return last->object + store_unzigzag(take_number(bytes, is_inside));
	case OBJECT_SLOT:
		return known->slots[take_byte(bytes, is_inside)];
	default:
		return 0;
	}
}

MADE_TWICE uint64_t take_tail(
	const struct store_last *last, struct store_bytes *bytes, unsigned pair, bool is_inside)
{
	uint32_t site = last->site;
	uint8_t argument = last->argument;
	uint16_t flags = last->flags;

	if (pair & SITE_DELTA)
		site = (uint32_t)(site + store_unzigzag(take_number(bytes, is_inside)));
	if (pair & ARGUMENT_TOLD)
		argument = take_byte(bytes, is_inside);
	if (pair & FLAGS_TOLD)
		flags = (uint16_t)take_number(bytes, is_inside);
	return CTP_TAIL(site, pair >> 8, argument, flags);
}

MADE_TWICE void take_record(
	struct store_decoder *decoder, struct ctp_record *ret_record, bool is_inside)
{
	struct store_prediction *known = &decoder->known;
	struct store_bytes *bytes = &decoder->bytes;
	unsigned pair = take_code(decoder, bytes, is_inside);
	struct store_last *last = &known->last[pair >> 8];
	uint64_t difference = take_number(bytes, is_inside);

	ret_record->time = pair & TIME_BACK ? known->time - difference : known->time + difference;
	ret_record->coro = take_coro(known, bytes, pair, is_inside);
	ret_record->object = take_object(known, last, bytes, pair, is_inside);
	ret_record->tail = take_tail(last, bytes, pair, is_inside);
	learn(known, last, ret_record);
}

bool store_decode(struct store_decoder *decoder, struct ctp_record *ret_record)
{
	if (store_bytes_left(&decoder->bytes) >= STORE_RECORD_BYTES_MAX)
		take_record(decoder, ret_record, true);
	else
		take_record(decoder, ret_record, false);
	return !decoder->bytes.is_broken;
}
