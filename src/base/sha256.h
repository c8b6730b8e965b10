/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4), by which a store of objects knows that what arrived is what was sent.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32
#define SHA256_HEX_BYTES (2 * SHA256_BYTES + 1)

struct sha256 {
	uint32_t state[8];
	uint64_t nr_bytes;
	uint8_t block[64];
};

/* sha256_begin, sha256_add, sha256_end: the digest of all bytes that were added, as lower-case digits and a NUL. */
void sha256_begin(struct sha256 *sum);
void sha256_add(struct sha256 *sum, const void *bytes, size_t nr_bytes);
void sha256_end(struct sha256 *sum, char ret_hex[SHA256_HEX_BYTES]);

#endif
