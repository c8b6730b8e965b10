/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C, by instruction where the processor has it, else by a table of 256 entries.
 */
#include <string.h>

#include "base/crc32c.h"

#define POLYNOMIAL_REFLECTED 0x82f63b78u

static uint32_t table[256];

/* Runs before main, so that the table needs no lock. */
__attribute__((constructor)) static void make_table(void)
{
	uint32_t byte, value;
	int bit;

	for (byte = 0; byte < 256; byte++) {
		value = byte;
		for (bit = 0; bit < 8; bit++)
			value = (value >> 1) ^ (value & 1 ? POLYNOMIAL_REFLECTED : 0);
		table[byte] = value;
	}
}

uint32_t crc32c_portable(uint32_t before, const void *bytes, size_t nr_bytes)
{
	const unsigned char *at = bytes;
	uint32_t value = ~before;

	while (nr_bytes--)
		value = (value >> 8) ^ table[(value ^ *at++) & 0xff];
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
