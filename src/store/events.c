/* SPDX-License-Identifier: MIT */
/*
 * The byte form of records. This code runs once for each event on its way into and out of the file, so nothing here
 * allocates. The decoder never trusts a length: near the end of the bytes each length is checked, and before that whole
 * records are known to fit.
 */
#include <string.h>

#include "store/events.h"

/* The mask: how each field is encoded. The numbers are part of the format. */
enum {
	CORO_SAME = 0,  /* the coroutine of the last record */
	CORO_DELTA = 1, /* a difference from the last coroutine follows */
	CORO_ZERO = 2,
	CORO_OBJECT = 3, /* the identity of the last object */
	CORO_FORM = 3,   /* the bits of the coroutine's form */

	OBJECT_ZERO = 0 << 2,
	OBJECT_SAME = 1 << 2,  /* the last object of this kind */
	OBJECT_DELTA = 2 << 2, /* a difference from the last object of this kind follows */
	OBJECT_SLOT = 3 << 2,  /* the number of a slot follows */
	OBJECT_FORM = 3 << 2,  /* the bits of the object's form */

	SITE_DELTA = 1 << 4,
	ARGUMENT_TOLD = 1 << 5,
	FLAGS_TOLD = 1 << 6,
	TAIL_TOLD = SITE_DELTA | ARGUMENT_TOLD | FLAGS_TOLD,
	TIME_BACK = 1 << 7, /* the difference is subtracted */
};

static inline unsigned slot_of(uint64_t object)
{
	return (unsigned)((object * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

static void forget(struct store_prediction *known, uint64_t first_time)
{
	memset(known, 0, sizeof(*known));
	known->words.time = first_time;
}

/*
 * All functions below are inlined into one function for each direction, so that what changes with each record stays in
 * the processor's registers.
 */
#define INLINE static inline __attribute__((always_inline))

/*
 * Updates the prediction in the same way for encoder and decoder. A record without an object changes no object; this is
 * done without a branch, which would be hard to predict.
 */
INLINE void learn(struct store_prediction *known, struct store_words *words,
	struct store_last *last, const struct ctp_record *record)
{
	uint64_t *slot = &known->slots[slot_of(record->object)];

	words->time = record->time;
	words->coro = record->coro ? record->coro : words->coro;
	words->object = record->object ? record->object : words->object;
	last->object = record->object ? record->object : last->object;
	*slot = record->object ? record->object : *slot;
	last->tail = record->tail;
}

/* ---------------------------------------------------------------- encoding */

void store_encoder_start(struct store_encoder *encoder, uint64_t first_time)
{
	unsigned i;

	forget(&encoder->known, first_time);
	encoder->first = first_time;
	encoder->latest = 0;
	encoder->kinds = 0;
	for (i = 1; i <= encoder->nr_codes; i++)
		encoder->codes[encoder->pairs[i]] = 0;
	encoder->nr_codes = 0;
}

static __attribute__((noinline)) uint8_t *put_new_code(
	struct store_encoder *encoder, uint8_t *at, unsigned kind, unsigned mask)
{
	unsigned pair = kind << 8 | mask;

	*at++ = 0;
	*at++ = (uint8_t)kind;
	*at++ = (uint8_t)mask;
	encoder->kinds |= (uint64_t)(kind < STORE_CODED_KINDS) << kind % STORE_CODED_KINDS;
	if (kind < STORE_CODED_KINDS && encoder->nr_codes + 1 < STORE_CODES) {
		encoder->pairs[++encoder->nr_codes] = (uint16_t)pair;
		encoder->codes[pair] = (uint8_t)encoder->nr_codes;
	}
	return at;
}

INLINE uint8_t *put_code(struct store_encoder *encoder, uint8_t *at, unsigned kind, unsigned mask)
{
	uint8_t code = kind < STORE_CODED_KINDS ? encoder->codes[kind << 8 | mask] : 0;

	if (!code)
		return put_new_code(encoder, at, kind, mask);
	*at = code;
	return at + 1;
}

INLINE unsigned coro_form(const struct store_words *words, uint64_t coro)
{
	unsigned is_object = coro == CTP_HANDLE_IDENTITY(words->object);
	unsigned form = is_object * (CORO_OBJECT - CORO_DELTA) + CORO_DELTA;

	form = coro == 0 ? CORO_ZERO : form;
	return coro == words->coro ? CORO_SAME : form;
}

INLINE unsigned object_form(
	const struct store_prediction *known, const struct store_last *last, uint64_t object)
{
	unsigned is_in_slot = object == known->slots[slot_of(object)];
	unsigned form = is_in_slot * (OBJECT_SLOT - OBJECT_DELTA) + OBJECT_DELTA;

	return object == last->object ? OBJECT_SAME : form;
}

/*
 * `has_deposit`: the processor has an instruction that spreads a number's bits over bytes. The instruction is written
 * as assembly, because the file is also compiled for processors that lack it.
 */
INLINE uint8_t *put_number(uint8_t *at, uint64_t value, bool has_deposit)
{
#if defined(__x86_64__)
	uint64_t spread;
	unsigned nr_more;

	if (has_deposit && value >> 56 == 0) {
		/* a seventh of it */
		nr_more = (unsigned)(63 - __builtin_clzll(value | 1)) * 37 >> 8;
		__asm__("pdep %2, %1, %0"
			: "=r"(spread)
			: "r"(value), "r"(UINT64_C(0x7f7f7f7f7f7f7f7f)));
		spread |= UINT64_C(0x8080808080808080) & (((uint64_t)1 << (8 * nr_more)) - 1);
		memcpy(at, &spread, sizeof(spread));
		return at + nr_more + 1;
	}
#endif
	return has_deposit ? store_varint_put_long(at, value) : store_varint_put(at, value);
}

INLINE uint8_t *put_object(const struct store_last *last, uint8_t *at, unsigned mask,
	uint64_t object, bool has_deposit)
{
	if ((mask & OBJECT_FORM) == OBJECT_SLOT)
		*at++ = (uint8_t)slot_of(object);
	else if ((mask & OBJECT_FORM) == OBJECT_DELTA)
		at = put_number(at, store_zigzag(object - last->object), has_deposit);
	return at;
}

INLINE unsigned tail_mask(const struct store_last *last, uint64_t tail)
{
	uint64_t changed = last->tail ^ tail;

	return (CTP_TAIL_SITE(changed) ? SITE_DELTA : 0) |
	       (CTP_TAIL_ARGUMENT(changed) ? ARGUMENT_TOLD : 0) |
	       (CTP_TAIL_FLAGS(changed) ? FLAGS_TOLD : 0);
}

INLINE uint8_t *put_tail(
	const struct store_last *last, uint8_t *at, unsigned mask, uint64_t tail, bool has_deposit)
{
	uint64_t site = CTP_TAIL_SITE(last->tail);

	if (mask & SITE_DELTA)
		at = put_number(
			at, store_zigzag((uint64_t)CTP_TAIL_SITE(tail) - site), has_deposit);
	if (mask & ARGUMENT_TOLD)
		*at++ = CTP_TAIL_ARGUMENT(tail);
	if (mask & FLAGS_TOLD)
		at = put_number(at, CTP_TAIL_FLAGS(tail), has_deposit);
	return at;
}

INLINE uint8_t *put_record(struct store_encoder *encoder, struct store_words *words, uint8_t *at,
	const struct ctp_record *record, bool has_deposit)
{
	unsigned kind = CTP_TAIL_KIND(record->tail);
	struct store_last *last = &encoder->known.last[kind];
	uint64_t difference = record->time - words->time;
	uint64_t back = 0 - (difference >> 63);
	unsigned mask = coro_form(words, record->coro) | (TIME_BACK & (unsigned)back);

	/* Two branches here spare the processor two mispredictions further down. */
	if (record->object)
		mask |= object_form(&encoder->known, last, record->object);
	if (record->tail != last->tail)
		mask |= tail_mask(last, record->tail);
	difference = (difference ^ back) - back;
	at = put_code(encoder, at, kind, mask);
	at = put_number(at, difference, has_deposit);
	if ((mask & CORO_FORM) == CORO_DELTA)
		at = put_number(at, store_zigzag(record->coro - words->coro), has_deposit);
	at = put_object(last, at, mask, record->object, has_deposit);
	if (mask & TAIL_TOLD)
		at = put_tail(last, at, mask, record->tail, has_deposit);
	learn(&encoder->known, words, last, record);
	return at;
}

INLINE uint8_t *encode(struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records,
	size_t count, bool has_deposit)
{
	struct store_words words = encoder->known.words;
	int64_t latest = encoder->latest;
	size_t i;

	for (i = 0; i < count; i++) {
		/* The compiler must assume that the bytes written overlap the record: work on a copy. */
		struct ctp_record record = records[i];
		int64_t since = (int64_t)(record.time - encoder->first);

		latest = since > latest ? since : latest;
		at = put_record(encoder, &words, at, &record, has_deposit);
	}
	encoder->known.words = words;
	encoder->latest = latest;
	return at;
}

#if defined(__x86_64__)

/* AMD processors before Zen 3 have the instruction, but it takes longer than it saves. */
static bool has_deposit(void)
{
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("amdfam15h") &&
	       !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

/* Every processor that has BMI2 also has the other two. */
__attribute__((target("bmi,bmi2,lzcnt"))) static uint8_t *encode_with_deposit(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count)
{
	return encode(encoder, at, records, count, true);
}

uint8_t *store_encode(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count)
{
	return has_deposit() ? encode_with_deposit(encoder, at, records, count)
			     : store_encode_portable(encoder, at, records, count);
}

#else

uint8_t *store_encode(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count)
{
	return store_encode_portable(encoder, at, records, count);
}

#endif

uint8_t *store_encode_portable(
	struct store_encoder *encoder, uint8_t *at, const struct ctp_record *records, size_t count)
{
	return encode(encoder, at, records, count, false);
}

/* ---------------------------------------------------------------- decoding */

void store_decoder_start(
	struct store_decoder *decoder, uint64_t first_time, const uint8_t *at, const uint8_t *end)
{
	forget(&decoder->known, first_time);
	decoder->nr_codes = 0;
	decoder->bytes = (struct store_bytes){at, end, false};
}

/* If a whole record certainly lies before the end (`is_inside`), lengths are not checked. */
INLINE uint64_t take_number(struct store_bytes *bytes, bool is_inside)
{
	return is_inside ? store_varint_take_inside(bytes) : store_varint_take(bytes);
}

INLINE uint8_t take_byte(struct store_bytes *bytes, bool is_inside)
{
	return is_inside ? *bytes->at++ : store_byte_take(bytes);
}

INLINE unsigned take_code(struct store_decoder *decoder, struct store_bytes *bytes, bool is_inside)
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

INLINE uint64_t take_coro(
	const struct store_words *words, struct store_bytes *bytes, unsigned mask, bool is_inside)
{
	uint64_t coro = (mask & CORO_FORM) == CORO_SAME ? words->coro : 0;

	if ((mask & CORO_FORM) == CORO_DELTA)
		return words->coro + store_unzigzag(take_number(bytes, is_inside));
	return (mask & CORO_FORM) == CORO_OBJECT ? CTP_HANDLE_IDENTITY(words->object) : coro;
}

INLINE uint64_t take_object(const struct store_prediction *known, const struct store_last *last,
	struct store_bytes *bytes, unsigned mask, bool is_inside)
{
	if ((mask & OBJECT_FORM) == OBJECT_SLOT)
		return known->slots[take_byte(bytes, is_inside)];
	if ((mask & OBJECT_FORM) == OBJECT_DELTA)
		return last->object + store_unzigzag(take_number(bytes, is_inside));
	return (mask & OBJECT_FORM) == OBJECT_SAME ? last->object : 0;
}

INLINE uint64_t take_tail(
	const struct store_last *last, struct store_bytes *bytes, unsigned pair, bool is_inside)
{
	uint32_t site = CTP_TAIL_SITE(last->tail);
	uint8_t argument = CTP_TAIL_ARGUMENT(last->tail);
	uint16_t flags = CTP_TAIL_FLAGS(last->tail);

	if (pair & SITE_DELTA)
		site = (uint32_t)(site + store_unzigzag(take_number(bytes, is_inside)));
	if (pair & ARGUMENT_TOLD)
		argument = take_byte(bytes, is_inside);
	if (pair & FLAGS_TOLD)
		flags = (uint16_t)take_number(bytes, is_inside);
	return CTP_TAIL(site, pair >> 8, argument, flags);
}

INLINE void take_record(struct store_decoder *decoder, struct store_words *words,
	struct store_bytes *bytes, struct ctp_record *ret_record, bool is_inside)
{
	struct store_prediction *known = &decoder->known;
	unsigned pair = take_code(decoder, bytes, is_inside);
	struct store_last *last = &known->last[pair >> 8];
	uint64_t difference = take_number(bytes, is_inside);

	ret_record->time = words->time + (pair & TIME_BACK ? 0 - difference : difference);
	ret_record->coro = take_coro(words, bytes, pair, is_inside);
	ret_record->object = take_object(known, last, bytes, pair, is_inside);
	/* The first record of a kind has no record before it to take the kind from. */
	ret_record->tail = last->tail | CTP_TAIL(0, pair >> 8, 0, 0);
	if (pair & TAIL_TOLD)
		ret_record->tail = take_tail(last, bytes, pair, is_inside);
	learn(known, words, last, ret_record);
}

size_t store_decode(struct store_decoder *decoder, struct ctp_record *records, size_t count)
{
	struct store_words words = decoder->known.words;
	struct store_bytes bytes = decoder->bytes;
	size_t i = 0, n;

	while (!bytes.is_broken) {
		n = store_bytes_left(&bytes) / STORE_RECORD_BYTES_MAX;
		n = n < count - i ? n : count - i;
		if (n == 0)
			break;
		while (n-- > 0)
			take_record(decoder, &words, &bytes, &records[i++], true);
	}
	while (i < count && !bytes.is_broken)
		take_record(decoder, &words, &bytes, &records[i++], false);
	decoder->known.words = words;
	decoder->bytes = bytes;
	return bytes.is_broken && i ? i - 1 : i;
}
