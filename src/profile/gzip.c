/* SPDX-License-Identifier: MIT */
/*
 * A gzip file (RFC 1952) of stored blocks (RFC 1951): profiles are small, and a library would be one more dependency.
 */
#include "profile/stacks.h"

#define BLOCK_BYTES 65535u
#define POLYNOMIAL UINT32_C(0xedb88320)

static uint32_t checksum(const unsigned char *bytes, size_t nr_bytes)
{
	uint32_t sum = UINT32_MAX;
	unsigned bit;
	size_t i;

	for (i = 0; i < nr_bytes; i++) {
		sum ^= bytes[i];
		for (bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? POLYNOMIAL : 0);
	}
	return ~sum;
}

static void put_number(struct text *text, uint32_t value, unsigned nr_bytes)
{
	for (; nr_bytes; nr_bytes--, value >>= 8)
		text_char(text, (char)(value & 0xff));
}

static void put_block(struct text *text, const char *bytes, size_t nr_bytes, bool is_last)
{
	text_char(text, is_last);
	put_number(text, (uint32_t)nr_bytes, 2);
	put_number(text, ~(uint32_t)nr_bytes, 2);
	text_append(text, bytes, nr_bytes);
}

void profile_gzip(struct text *text, const void *bytes, size_t nr_bytes)
{
	static const char head[] = {0x1f, (char)0x8b, 8, 0, 0, 0, 0, 0, 0, (char)0xff};
	const char *at = bytes;
	size_t left = nr_bytes;

	text_append(text, head, sizeof(head));
	for (; left > BLOCK_BYTES; left -= BLOCK_BYTES, at += BLOCK_BYTES)
		put_block(text, at, BLOCK_BYTES, false);
	put_block(text, at, left, true);
	put_number(text, checksum(bytes, nr_bytes), 4);
	put_number(text, (uint32_t)nr_bytes, 4);
}
