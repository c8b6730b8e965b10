/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli polynomial 0x1EDC6F41, reflected, as in RFC 3720 appendix B.4): the checksum of every block of a
 * trace file. Uses the processor's instruction if there is one.
 */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* crc32c: returns the checksum of `nr_bytes` bytes, continued from `before` (0 at the start). */
uint32_t crc32c(uint32_t before, const void *bytes, size_t nr_bytes);

/* crc32c_portable: does the same by tables; the tests compare the two. */
uint32_t crc32c_portable(uint32_t before, const void *bytes, size_t nr_bytes);

#endif
