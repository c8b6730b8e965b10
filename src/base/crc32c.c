/* SPDX-License-Identifier: MIT */
/* CRC-32C, by the processor's instruction if it has one, else by tables, eight bytes at a time. */
#include <string.h>

#include "base/crc32c.h"

#define POLYNOMIAL_REFLECTED 0x82f63b78u

#define WORD_BYTES 8u

/* [n][byte]: the effect of a byte on the value when n more bytes follow. */
static uint32_t table[WORD_BYTES][256];

/* Runs before main, so that the tables need no lock. */
__attribute__((constructor)) static void make_tables(void)
{
	uint32_t byte, value, behind;
	int bit;

	for (byte = 0; byte < 256; byte++) {
		value = byte;
		for (bit = 0; bit < 8; bit++)
			value = (value >> 1) ^ (value & 1 ? POLYNOMIAL_REFLECTED : 0);
		table[0][byte] = value;
	}
	for (behind = 1; behind < WORD_BYTES; behind++)
		for (byte = 0; byte < 256; byte++) {
			value = table[behind - 1][byte];
			table[behind][byte] = (value >> 8) ^ table[0][value & 0xff];
		}
}

/* The value is combined with the first four bytes, the lowest byte first, on machines of either byte order. */
static uint32_t take_word(uint32_t value, const unsigned char *at)
{
	return table[7][(value & 0xff) ^ at[0]] ^ table[6][(value >> 8 & 0xff) ^ at[1]] ^
	       table[5][(value >> 16 & 0xff) ^ at[2]] ^ table[4][value >> 24 ^ at[3]] ^
	       table[3][at[4]] ^ table[2][at[5]] ^ table[1][at[6]] ^ table[0][at[7]];
}

uint32_t crc32c_portable(uint32_t before, const void *bytes, size_t nr_bytes)
{
	const unsigned char *at = bytes;
	uint32_t value = ~before;

	for (; nr_bytes >= WORD_BYTES; nr_bytes -= WORD_BYTES, at += WORD_BYTES)
		value = take_word(value, at);
	while (nr_bytes--)
		value = (value >> 8) ^ table[0][(value ^ *at++) & 0xff];
	return ~value;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t crc32c_instruction(
	uint32_t before, const unsigned char *at, size_t nr_bytes)
{
	uint64_t value = (uint32_t)~before, word;

	for (; nr_bytes >= sizeof(word); nr_bytes -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		value = __builtin_ia32_crc32di(value, word);
	}
	while (nr_bytes--)
		value = __builtin_ia32_crc32qi((uint32_t)value, *at++);
	return ~(uint32_t)value;
}

uint32_t crc32c(uint32_t before, const void *bytes, size_t nr_bytes)
{
	if (__builtin_cpu_supports("sse4.2"))
		return crc32c_instruction(before, bytes, nr_bytes);
	return crc32c_portable(before, bytes, nr_bytes);
}

#else

uint32_t crc32c(uint32_t before, const void *bytes, size_t nr_bytes)
{
	return crc32c_portable(before, bytes, nr_bytes);
}

#endif
