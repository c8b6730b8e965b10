/* SPDX-License-Identifier: MIT */
/* The constants are the first 32 bits of the fractional parts of roots of primes, as the standard lists them. */
#include <string.h>

#include "base/sha256.h"

#define BLOCK_BYTES 64
#define LENGTH_AT 56 /* where the last block has the number of bits */

static const uint32_t first_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
	0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t round_constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t word, unsigned by)
{
	return word >> by | word << (32 - by);
}

static void spread(const uint8_t *block, uint32_t words[64])
{
	uint32_t low, high;
	unsigned i;

	for (i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (; i < 64; i++) {
		low = turn(words[i - 15], 7) ^ turn(words[i - 15], 18) ^ words[i - 15] >> 3;
		high = turn(words[i - 2], 17) ^ turn(words[i - 2], 19) ^ words[i - 2] >> 10;
		words[i] = words[i - 16] + low + words[i - 7] + high;
	}
}

static void mix(uint32_t state[8], const uint8_t *block)
{
	uint32_t words[64], s[8], choice, majority, one, two;
	unsigned i;

	spread(block, words);
	memcpy(s, state, sizeof(s));
	for (i = 0; i < 64; i++) {
		choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice +
		      round_constants[i] + words[i];
		two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += one;
		s[0] = one + two;
	}
	for (i = 0; i < 8; i++)
		state[i] += s[i];
}

void sha256_begin(struct sha256 *sum)
{
	memcpy(sum->state, first_state, sizeof(first_state));
	sum->nr_bytes = 0;
}

void sha256_add(struct sha256 *sum, const void *bytes, size_t nr_bytes)
{
	const uint8_t *at = bytes;
	size_t held = sum->nr_bytes % BLOCK_BYTES, taken;

	sum->nr_bytes += nr_bytes;
	if (held) {
		taken = nr_bytes < BLOCK_BYTES - held ? nr_bytes : BLOCK_BYTES - held;
		memcpy(sum->block + held, at, taken);
		at += taken;
		nr_bytes -= taken;
		if (held + taken < BLOCK_BYTES)
			return;
		mix(sum->state, sum->block);
	}
	for (; nr_bytes >= BLOCK_BYTES; at += BLOCK_BYTES, nr_bytes -= BLOCK_BYTES)
		mix(sum->state, at);
	if (nr_bytes)
		memcpy(sum->block, at, nr_bytes);
}

void sha256_end(struct sha256 *sum, char ret_hex[SHA256_HEX_BYTES])
{
	static const char digits[] = "0123456789abcdef";
	static const uint8_t end[BLOCK_BYTES] = {0x80};
	uint64_t nr_bits = sum->nr_bytes * 8;
	size_t held = sum->nr_bytes % BLOCK_BYTES;
	uint8_t length[8];
	unsigned i;

	for (i = 0; i < sizeof(length); i++)
		length[i] = (uint8_t)(nr_bits >> (56 - 8 * i));
	sha256_add(sum, end, held < LENGTH_AT ? LENGTH_AT - held : BLOCK_BYTES + LENGTH_AT - held);
	sha256_add(sum, length, sizeof(length));
	for (i = 0; i < 2 * SHA256_BYTES; i++)
		ret_hex[i] = digits[sum->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
	ret_hex[i] = '\0';
}
