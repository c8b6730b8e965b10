/* SPDX-License-Identifier: MIT */
/*
 * Whole numbers in as few bytes as they need: seven bits a byte, the low ones first, the top bit set on all bytes but
 * the last. Reading never goes beyond the given end.
 */
#ifndef STORE_VARINT_H
#define STORE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STORE_VARINT_MAX 10 /* bytes of a 64-bit number */

/* Maps small numbers of either sign to small numbers without a sign. */
static inline uint64_t store_zigzag(uint64_t difference)
{
	return (difference << 1) ^ (uint64_t)((int64_t)difference >> 63);
}

static inline uint64_t store_unzigzag(uint64_t value)
{
	return (value >> 1) ^ (0 - (value & 1));
}

/* Joins the seven low bits of each of eight bytes to 56 bits side by side, and splits them again. */
static inline uint64_t store_join_sevens(uint64_t spread)
{
	spread &= UINT64_C(0x7f7f7f7f7f7f7f7f);
	spread = (spread & UINT64_C(0x007f007f007f007f)) |
		 ((spread & UINT64_C(0x7f007f007f007f00)) >> 1);
	spread = (spread & UINT64_C(0x00003fff00003fff)) |
		 ((spread & UINT64_C(0x3fff00003fff0000)) >> 2);
	return (spread & UINT64_C(0x000000000fffffff)) |
	       ((spread & UINT64_C(0x0fffffff00000000)) >> 4);
}

static inline uint64_t store_split_sevens(uint64_t value)
{
	value = (value & UINT64_C(0x000000000fffffff)) |
		((value & UINT64_C(0x00fffffff0000000)) << 4);
	value = (value & UINT64_C(0x00003fff00003fff)) |
		((value & UINT64_C(0x0fffc0000fffc000)) << 2);
	return (value & UINT64_C(0x007f007f007f007f)) |
	       ((value & UINT64_C(0x3f803f803f803f80)) << 1);
}

/* Writes a number that takes more than four bytes. */
static inline uint8_t *store_varint_put_long(uint8_t *at, uint64_t value)
{
	uint64_t low = value & UINT64_C(0x00ffffffffffffff);
	uint64_t spread = store_split_sevens(low);
	unsigned nr_more = (unsigned)(63 - __builtin_clzll(low | 1)) / 7;

	if (value >> 56) {
		spread |= UINT64_C(0x8080808080808080);
		memcpy(at, &spread, sizeof(spread));
		at[8] = (uint8_t)(value >> 56 & 0x7f);
		if (!(value >> 63))
			return at + 9;
		at[8] |= 0x80;
		at[9] = 1;
		return at + STORE_VARINT_MAX;
	}
	spread |= UINT64_C(0x8080808080808080) & (((uint64_t)1 << (8 * nr_more)) - 1);
	memcpy(at, &spread, sizeof(spread));
	return at + nr_more + 1;
}

/*
 * store_varint_put: writes a number, and up to 7 meaningless bytes after it: 16 bytes must be free. Returns the place
 * after the number. Lengths are hard to predict, so numbers of up to four bytes take the same path.
 */
static inline uint8_t *store_varint_put(uint8_t *at, uint64_t value)
{
	uint32_t low = (uint32_t)value, spread;
	unsigned nr_more;

	if (value >> 28)
		return store_varint_put_long(at, value);
	nr_more = (unsigned)(31 - __builtin_clz(low | 1)) * 37 >> 8; /* a seventh of it */
	spread = (low & 0x7f) | (low << 1 & 0x7f00) | (low << 2 & 0x7f0000) |
		 (low << 3 & 0x7f000000);
	spread |= UINT32_C(0x80808080) & (((uint32_t)1 << (8 * nr_more)) - 1);
	memcpy(at, &spread, sizeof(spread));
	return at + nr_more + 1;
}

/* Bytes still to be read. After a read beyond the end, `is_broken` is set, and all reads return 0. */
struct store_bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool is_broken;
};

static inline size_t store_bytes_left(const struct store_bytes *bytes)
{
	return (size_t)(bytes->end - bytes->at);
}

static inline uint64_t store_break(struct store_bytes *bytes)
{
	bytes->is_broken = true;
	bytes->at = bytes->end;
	return 0;
}

static inline uint8_t store_byte_take(struct store_bytes *bytes)
{
	return bytes->at < bytes->end ? *bytes->at++ : (uint8_t)store_break(bytes);
}

/* store_varint_take: reads the next number; a number of more than 64 bits sets is_broken. */
static inline uint64_t store_varint_take(struct store_bytes *bytes)
{
	uint64_t value = 0;
	unsigned shift;
	uint8_t byte;

	for (shift = 0; shift < 64; shift += 7) {
		if (bytes->at == bytes->end)
			break;
		byte = *bytes->at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return shift == 63 && byte > 1 ? store_break(bytes) : value;
	}
	return store_break(bytes);
}

/* Reads a number of more than eight bytes, if at least STORE_VARINT_MAX bytes are left. */
static inline uint64_t store_varint_take_long(struct store_bytes *bytes, uint64_t spread)
{
	uint64_t value = store_join_sevens(spread) | (uint64_t)(bytes->at[8] & 0x7f) << 56;

	if (bytes->at[8] < 0x80) {
		bytes->at += 9;
		return value;
	}
	if (bytes->at[9] > 1)
		bytes->is_broken = true;
	value |= (uint64_t)bytes->at[9] << 63;
	bytes->at += STORE_VARINT_MAX;
	return value;
}

/*
 * store_varint_take_inside: does the same if at least STORE_VARINT_MAX bytes are left. A broken number is skipped in
 * full, so that a caller that counted on room for more numbers still has it. Numbers of up to four bytes take the same
 * path, because their lengths cannot be predicted.
 */
static inline uint64_t store_varint_take_inside(struct store_bytes *bytes)
{
	uint64_t spread, ends;

	memcpy(&spread, bytes->at, sizeof(spread));
	ends = ~spread & UINT64_C(0x8080808080808080);
	if (!ends)
		return store_varint_take_long(bytes, spread);
	bytes->at += (unsigned)__builtin_ctzll(ends) / 8 + 1;
	spread &= ends ^ (ends - 1);
	if (!(uint32_t)ends)
		return store_join_sevens(spread);
	return (spread & 0x7f) | (spread >> 1 & 0x3f80) | (spread >> 2 & 0x1fc000) |
	       (spread >> 3 & 0xfe00000);
}

/* store_bytes_take: returns the next nr_bytes bytes in place, or NULL. */
static inline const uint8_t *store_bytes_take(struct store_bytes *bytes, uint64_t nr_bytes)
{
	const uint8_t *at = bytes->at;

	if (nr_bytes > store_bytes_left(bytes)) {
		store_break(bytes);
		return NULL;
	}
	bytes->at += nr_bytes;
	return at;
}

#endif
